"""Evidence for and against a system of an answer: what the answer states, what it agrees with, what the question says.

Each function takes a draft beside its reading and returns a number of about unit size; ``SYSTEM_EVIDENCE`` gives each
its sign: 1 for evidence that can only speak for a system, -1 only against it, 0 for either.
"""

from bisect import bisect_left
from collections.abc import Callable
from typing import Final

from extractors.equations.drafts import AnswerReading, Draft
from extractors.equations.identities import are_near, as_float
from extractors.equations.thread_equations import Kind
from extractors.equations.witness import Verdict, verdict
from extractors.real_numbers.values import approximate

_MOST: Final = 4
ROUNDED: Final = 0.005


class Drafted:
    """A draft that has a solution, beside the reading of its answer, with what several pieces of evidence need.

    ``rows`` are the values of each solution; ``behind`` counts the new numbers behind its last equation; ``used`` and
    ``unexplained`` are what ``Given.sources`` says of its constants.
    """

    def __init__(self, draft: Draft, reading: AnswerReading) -> None:
        """Work out what the evidence is about."""
        self.draft, self.reading = draft, reading
        self.rows = [[approximate(value) for value in solution.values()] for solution in draft.solutions]
        self.sizes = dict.fromkeys([as_float(value) for row in self.rows for value in row])
        lines = draft.equations
        self.used, self.unexplained = reading.given.sources([size for line in lines for size in line.constants])
        self.start, self.end = min([line.start for line in lines]), max([line.end for line in lines])
        self.behind = len(reading.new) - bisect_left(reading.new, (self.end,))
        self.says = verdict(reading.given.stated, self.rows, reading.given.values)

    def has(self, value: float) -> bool:
        """Whether a number is one of the values, but for rounding."""
        return any(are_near(value, other, ROUNDED) for other in self.sizes)


Evidence = Callable[[Drafted], float]


def is_setup(one: Drafted) -> float:
    """1 for what the answer sets up first."""
    return float(one.draft.kind is Kind.SETUP)


def last_behind(one: Drafted) -> float:
    """1 where the last new number behind it is a value."""
    return float(one.behind > 0 and one.has(one.reading.new[-1][1]))


def nothing_behind(one: Drafted) -> float:
    """1 where no new number stands behind it."""
    return float(not one.behind)


def announced_last(one: Drafted) -> float:
    """1 where the last result that the answer announces is a value."""
    return float(one.reading.announced is not None and one.has(one.reading.announced))


def announces_nothing(one: Drafted) -> float:
    """1 where the answer announces no result."""
    return float(one.reading.announced is None)


def any_foreign(one: Drafted) -> float:
    """1 where a constant cannot come from the question."""
    return float(one.unexplained > 0)


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


def size(one: Drafted) -> float:
    """The number of unknowns, over 5."""
    return min(len(one.rows[0]), 5) / 5


def goes_on(one: Drafted) -> float:
    """1 where a later calculation uses a value: a step, not the end."""
    behind = [numbers for start, numbers in one.reading.calculated_with if start >= one.end]
    values = {value.as_integer_ratio() for row in one.rows for value in row} if behind else ()
    return float(any(value in numbers for value in values for numbers in behind))


def begins(one: Drafted) -> float:
    """Where in the answer it begins, 0 to 1."""
    return one.start / one.reading.length


def ends(one: Drafted) -> float:
    """Where in the answer it ends, 0 to 1."""
    return one.end / one.reading.length


def confirmed_by_question(one: Drafted) -> float:
    """1 where the question, surely read, confirms it."""
    return float(one.says is Verdict.CONFIRMS)


def contradicted_by_question(one: Drafted) -> float:
    """1 where the question, surely read, contradicts it."""
    return float(one.says is Verdict.CONTRADICTS)


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
    (size, 0),
    (goes_on, -1),
    (begins, 0),
    (ends, 0),
    (confirmed_by_question, 1),
    (contradicted_by_question, -1),
)
"""The evidence of a system with its sign."""
_FUNCTIONS: Final = tuple(function for function, _ in SYSTEM_EVIDENCE)


def evidence_of(draft: Draft, reading: AnswerReading) -> tuple[float, ...]:
    """A number for each of ``SYSTEM_EVIDENCE``, for a draft that has a solution."""
    one = Drafted(draft, reading)
    return tuple([function(one) for function in _FUNCTIONS])
