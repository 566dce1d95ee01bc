"""Evidence for and against a system of an answer: what the answer states, what it agrees with, what the question says.

Each function takes a draft beside its reading and returns a number of about unit size; ``SYSTEM_EVIDENCE`` gives each
its sign: 1 for evidence that can only speak for a system, -1 only against it, 0 for either.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final

from extractors.algebra.values import approximate
from extractors.equations.drafts import AnswerReading, Draft
from extractors.equations.given import constants_of
from extractors.equations.identities import are_near, as_float
from extractors.equations.records import Kind

_ROUNDED: Final = 0.005
_MOST: Final = 4


@dataclass(frozen=True)
class Drafted:
    """A draft beside the reading of its answer."""

    draft: Draft
    reading: AnswerReading

    @cached_property
    def rows(self) -> list[list[Fraction]]:
        """The values of each solution."""
        return [[approximate(value) for value in solution.values()] for solution in self.draft.solutions]

    @cached_property
    def values(self) -> list[Fraction]:
        """All values, each once."""
        return list(dict.fromkeys(value for row in self.rows for value in row))

    @cached_property
    def floats(self) -> list[list[float]]:
        """The values of each solution, for quick comparisons."""
        return [[as_float(value) for value in row] for row in self.rows]

    @cached_property
    def sizes(self) -> tuple[float, ...]:
        """All values, each once."""
        return tuple(dict.fromkeys(value for row in self.floats for value in row))

    @cached_property
    def constants(self) -> list[Fraction]:
        """The numbers in the equations, each once."""
        return list(dict.fromkeys(constants_of(*(equation for equation, _, _ in self.draft.equations))))

    @cached_property
    def start(self) -> int:
        """Where its first equation begins."""
        return min(start for _, start, _ in self.draft.equations)

    @cached_property
    def end(self) -> int:
        """Where its last equation ends."""
        return max(end for _, _, end in self.draft.equations)

    @cached_property
    def new_behind(self) -> list[float]:
        """The numbers behind its last equation that the question does not give."""
        return [value for start, value in self.reading.new if start >= self.end]

    @cached_property
    def foreign(self) -> int:
        """How many constants cannot come from the question; none where it states no number."""
        given = self.reading.given
        return 0 if given.empty else sum(not given.explains(value) for value in self.constants)

    @cached_property
    def used(self) -> int:
        """How many numbers of the question the constants use."""
        return self.reading.given.used(self.constants)

    def has(self, value: float) -> bool:
        """Whether a number is one of the values, but for rounding."""
        return any(are_near(value, other, _ROUNDED) for other in self.sizes)


Evidence = Callable[[Drafted], float]


def is_setup(one: Drafted) -> float:
    """1 for what the answer sets up first."""
    return float(one.draft.kind is Kind.SETUP)


def last_behind(one: Drafted) -> float:
    """1 where the last new number behind it is a value."""
    return float(bool(one.new_behind) and one.has(one.new_behind[-1]))


def nothing_behind(one: Drafted) -> float:
    """1 where no new number stands behind it."""
    return float(not one.new_behind)


def announced_last(one: Drafted) -> float:
    """1 where the last result that the answer announces is a value."""
    announced = one.reading.announced
    return float(bool(announced) and one.has(announced[-1]))


def announces_nothing(one: Drafted) -> float:
    """1 where the answer announces no result."""
    return float(not one.reading.announced)


def any_foreign(one: Drafted) -> float:
    """1 where a constant cannot come from the question."""
    return float(one.foreign > 0)


def no_question(one: Drafted) -> float:
    """1 where the question states no number."""
    return float(one.reading.given.empty)


def confirmed(one: Drafted) -> float:
    """How many worked equations of the answer follow from it, over 4."""
    return min(one.draft.confirmed, _MOST) / _MOST


def rather_contradicted(one: Drafted) -> float:
    """1 where more contradict it than follow from it."""
    return float(one.draft.contradicted > one.draft.confirmed)


def share_confirmed(one: Drafted) -> float:
    """Of the worked equations that it implies or contradicts, the share that it implies; a half without any."""
    weighed = one.draft.confirmed + one.draft.contradicted
    return one.draft.confirmed / weighed if weighed else 0.5


def explains_work(one: Drafted) -> float:
    """The share of the answer's equations that it holds or implies."""
    count = len(one.reading.candidates.equations)
    return min(1.0, (one.draft.core + one.draft.confirmed) / count) if count else 0.5


def all_given_used(one: Drafted) -> float:
    """1 where every number of the question is used."""
    given = one.reading.given
    return float(bool(given.values) and one.used >= len(given.values))


def asks_back(one: Drafted) -> float:
    """1 where the answer ends with a question or breaks off."""
    return float(one.reading.candidates.plain.text.rstrip().endswith(("?", "...")))


def size(one: Drafted) -> float:
    """The number of unknowns, over 5."""
    return min(len(one.rows[0]), 5) / 5


def goes_on(one: Drafted) -> float:
    """1 where a later calculation uses a value: a step, not the end."""
    values = set(one.values)
    return float(any(start >= one.end and values & numbers for start, numbers in one.reading.calculated_with))


def begins(one: Drafted) -> float:
    """Where in the answer it begins, 0 to 1."""
    return one.start / max(1, len(one.reading.candidates.plain.text))


def ends(one: Drafted) -> float:
    """Where in the answer it ends, 0 to 1."""
    return one.end / max(1, len(one.reading.candidates.plain.text))


SYSTEM_EVIDENCE: Final[tuple[tuple[Evidence, int], ...]] = (
    (is_setup, 0),
    (last_behind, 1),
    (nothing_behind, 0),
    (announced_last, 1),
    (announces_nothing, 0),
    (any_foreign, -1),
    (no_question, 0),
    (confirmed, 1),
    (rather_contradicted, -1),
    (share_confirmed, 1),
    (explains_work, 1),
    (all_given_used, 1),
    (asks_back, -1),
    (size, 0),
    (goes_on, -1),
    (begins, 0),
    (ends, 0),
)
"""The evidence of a system with its sign."""


def evidence_of(draft: Draft, reading: AnswerReading) -> tuple[float, ...]:
    """A number for each of ``SYSTEM_EVIDENCE``, for a draft that has a solution."""
    one = Drafted(draft, reading)
    return tuple(function(one) for function, _ in SYSTEM_EVIDENCE)
