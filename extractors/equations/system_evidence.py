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
from extractors.equations.setups import holds
from extractors.expressions.tree import names_of

_ROUNDED: Final = 0.005
_LAST: Final = 3
_MOST: Final = 4
_MANY_DIGITS: Final = 10**6


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

    @cached_property
    def posed_hold(self) -> list[bool]:
        """For each equation that the question sets in unknowns of the system, whether it holds in some solution."""
        names = set(self.draft.solutions[0])
        posed = [one.equation for one in self.reading.given.posed[:_MOST]]
        own = [one for one in posed if names.issuperset(names_of(one.left, one.right))]
        return [any(holds(one, values) for values in self.draft.solutions) for one in own]

    def has(self, value: float) -> bool:
        """Whether a number is one of the values, but for rounding."""
        return any(are_near(value, other, _ROUNDED) for other in self.sizes)


Evidence = Callable[[Drafted], float]


def is_setup(one: Drafted) -> float:
    """1 for what the answer sets up first."""
    return float(one.draft.kind is Kind.SETUP)


def is_mended(one: Drafted) -> float:
    """1 for a set-up without an equation that speaks against it."""
    return float(one.draft.kind is Kind.MENDED)


def is_second(one: Drafted) -> float:
    """1 for a set-up that contradicts the first."""
    return float(one.draft.kind is Kind.SECOND)


def calculations_behind(one: Drafted) -> float:
    """How many calculations stand behind the last one that it holds, over 4."""
    return min(one.draft.back, _MOST) / _MOST


def closes(one: Drafted) -> float:
    """1 where the last number of the answer is a value."""
    numbers = one.reading.numbers
    return float(bool(numbers) and one.has(numbers[-1]))


def near_the_close(one: Drafted) -> float:
    """1 where one of the last three numbers is a value."""
    return float(any(map(one.has, one.reading.numbers[-_LAST:])))


def stated(one: Drafted) -> float:
    """The share of the values of one solution that the answer states."""
    said = {value for value in one.sizes if any(are_near(value, other, _ROUNDED) for other in one.reading.stated)}
    return max(sum(value in said for value in row) / len(row) for row in one.floats)


def agrees_behind(one: Drafted) -> float:
    """The share of values among the new numbers behind it; a half where there are none."""
    behind = one.new_behind
    return sum(map(one.has, behind)) / len(behind) if behind else 0.5


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


def given_used(one: Drafted) -> float:
    """The share of the question's numbers that its constants use; a half where the question has none."""
    given = one.reading.given
    return one.used / len(given.values) if given.values else 0.5


def uses_none(one: Drafted) -> float:
    """1 where it uses none of the question's numbers."""
    return float(not one.reading.given.empty and not one.used)


def foreign(one: Drafted) -> float:
    """The share of its constants that cannot come from the question."""
    return one.foreign / max(1, len(one.constants))


def any_foreign(one: Drafted) -> float:
    """1 where a constant cannot come from the question."""
    return float(one.foreign > 0)


def agreement(one: Drafted) -> float:
    """The question's numbers used, less the constants that neither are stated nor structural; over 3."""
    return max(-3, min(4, one.reading.given.agreement(one.constants))) / 3


def no_question(one: Drafted) -> float:
    """1 where the question states no number."""
    return float(one.reading.given.empty)


def confirmed(one: Drafted) -> float:
    """How many worked equations of the answer follow from it, over 4."""
    return min(one.draft.confirmed, _MOST) / _MOST


def contradicted(one: Drafted) -> float:
    """How many worked equations of the answer contradict it, over 4."""
    return min(one.draft.contradicted, _MOST) / _MOST


def rather_contradicted(one: Drafted) -> float:
    """1 where more contradict it than follow from it."""
    return float(one.draft.contradicted > one.draft.confirmed)


def share_confirmed(one: Drafted) -> float:
    """Of the worked equations that it implies or contradicts, the share that it implies; a half without any."""
    weighed = one.draft.confirmed + one.draft.contradicted
    return one.draft.confirmed / weighed if weighed else 0.5


def work_shown(one: Drafted) -> float:
    """How many equations and calculations the answer writes down, over 12."""
    candidates = one.reading.candidates
    return min(len(candidates.equations) + len(candidates.steps), 12) / 12


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


def defines(one: Drafted) -> float:
    """1 where quantities are defined beside the model."""
    return float(len(one.draft.equations) > one.draft.core)


def goes_on(one: Drafted) -> float:
    """1 where a later calculation uses a value: a step, not the end."""
    values = set(one.values)
    return float(any(start >= one.end and values & numbers for start, numbers in one.reading.calculated_with))


def repeats(one: Drafted) -> float:
    """1 where two unknowns have one value."""
    return float(len(set(one.rows[0])) < len(one.rows[0]))


def several_solutions(one: Drafted) -> float:
    """1 for more than one solution."""
    return float(len(one.rows) > 1)


def nonlinear(one: Drafted) -> float:
    """1 for a system that is not linear."""
    return float(not one.draft.linear)


def negative(one: Drafted) -> float:
    """1 where the first solution has a negative value."""
    return float(any(value < 0 for value in one.rows[0]))


def whole(one: Drafted) -> float:
    """1 where all values are whole."""
    return float(all(value.denominator == 1 for value in one.values))


def unwieldy(one: Drafted) -> float:
    """1 where a value has a denominator beyond a million."""
    return float(any(value.denominator > _MANY_DIGITS for value in one.values))


def begins(one: Drafted) -> float:
    """Where in the answer it begins, 0 to 1."""
    return one.start / max(1, len(one.reading.candidates.plain.text))


def ends(one: Drafted) -> float:
    """Where in the answer it ends, 0 to 1."""
    return one.end / max(1, len(one.reading.candidates.plain.text))


def posed_equations_hold(one: Drafted) -> float:
    """1 where the question sets equations and all hold."""
    return float(bool(one.posed_hold) and all(one.posed_hold))


def has_a_given_value(one: Drafted) -> float:
    """1 where a value is a number of the question."""
    return float(any(one.reading.given.holds(value) for value in one.values))


SYSTEM_EVIDENCE: Final[tuple[tuple[Evidence, int], ...]] = (
    (is_setup, 0),
    (is_mended, -1),
    (is_second, -1),
    (calculations_behind, -1),
    (closes, 1),
    (near_the_close, 1),
    (stated, 1),
    (agrees_behind, 1),
    (last_behind, 1),
    (nothing_behind, 0),
    (announced_last, 1),
    (announces_nothing, 0),
    (given_used, 1),
    (uses_none, -1),
    (foreign, -1),
    (any_foreign, -1),
    (agreement, 1),
    (no_question, 0),
    (confirmed, 1),
    (contradicted, -1),
    (rather_contradicted, -1),
    (share_confirmed, 1),
    (work_shown, 1),
    (explains_work, 1),
    (all_given_used, 1),
    (asks_back, -1),
    (size, 0),
    (defines, 0),
    (goes_on, -1),
    (repeats, -1),
    (several_solutions, 0),
    (nonlinear, 0),
    (negative, -1),
    (whole, 1),
    (unwieldy, -1),
    (begins, 0),
    (ends, 0),
    (posed_equations_hold, 1),
    (has_a_given_value, -1),
)
"""The evidence of a system with its sign."""


def evidence_of(draft: Draft, reading: AnswerReading) -> tuple[float, ...]:
    """A number for each of ``SYSTEM_EVIDENCE``, for a draft that has a solution."""
    one = Drafted(draft, reading)
    return tuple(function(one) for function, _ in SYSTEM_EVIDENCE)
