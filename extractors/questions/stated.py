"""What a question states, solved: a second witness beside the answers, which only ever speaks when it is sure.

A reading is sure where every number of the question, and every word that says as much as a number, stands in a
statement that was understood, and where the statements determine all unknowns.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from extractors.extraction_errors import ExtractionError
from extractors.quantities.numbers import Number
from extractors.questions import compared, mixtures
from extractors.questions import number_questions as numbers
from extractors.questions.worded import QuestionReading
from extractors.questions.wording import Page, page_of
from extractors.real_numbers.values import Budget, approximate
from extractors.solve.equation_systems import Status, parse_system
from extractors.solve.solving import solve
from extractors.text.wordlists import read_list, words

BUDGET: Final = 4_000
MAX_ROWS: Final = 4


_Reader = Callable[[Page], QuestionReading | None]


class Stated(NamedTuple):
    """The equations that a question states and their solutions, the values in the order of ``unknowns``.

    ``reader`` names the function that read it; ``exact``: it asks for just these values, for nothing made out of them.
    """

    equations: tuple[str, ...]
    unknowns: tuple[str, ...]
    rows: tuple[tuple[Fraction, ...], ...]
    asked: tuple[str, ...]
    pick: str
    reader: str
    exact: bool

    @property
    def answers(self) -> tuple[tuple[Fraction, ...], ...]:
        """The values that are asked, for each solution."""
        if self.pick:
            return tuple(((max if self.pick == "max" else min)(row),) for row in self.rows)
        places = [self.unknowns.index(name) for name in self.asked]
        return tuple(tuple(row[place] for place in places) for row in self.rows)


_WORDED: Final[tuple[_Reader, ...]] = (
    numbers.one_number,
    numbers.two_numbers,
    numbers.consecutive_numbers,
    numbers.three_numbers,
    numbers.rectangle,
    numbers.triangle,
    compared.two_sizes,
)
"""Readers that account for every word that says as much as a number."""
_FORMS: Final[tuple[_Reader, ...]] = (
    mixtures.two_prices,
    mixtures.heads_and_legs,
    mixtures.two_rates,
    mixtures.mixture,
    mixtures.price_mixture,
    mixtures.before_change,
    mixtures.with_current,
)
"""Readers that know the form of a question by its numbers; a word out of ``_GUARDS`` says that there is more to it."""
_GUARDS: Final = words(read_list("extractors/form_guards"))


def read_question(question: str, found: Sequence[Number]) -> Stated | None:
    """The solved statements of a question with its textual numbers; None where it is not surely understood."""
    page = page_of(question, found)
    if page is None:
        return None
    for reader in _WORDED if page.has(*_GUARDS) else (*_WORDED, *_FORMS):
        reading = reader(page.unused())
        stated = None if reading is None else solved_reading(reading, reader.__name__)
        if stated is not None:
            return stated
    return None


def solved_reading(reading: QuestionReading, name: str) -> Stated | None:
    """The solved reading with the solutions that it allows: whole ones, positive ones, where it says so.

    None where its equations are not solved for all unknowns, or no or more than MAX_ROWS such solutions are left.
    """
    try:
        result = solve(parse_system(reading.equations, reading.unknowns), budget=Budget(BUDGET))
    except ExtractionError:
        return None
    if result.status is not Status.SOLVED or result.unknowns != reading.unknowns:
        return None
    rows = [tuple(approximate(value) for value in row) for row in result.solutions]
    if reading.whole:
        rows = [row for row in rows if all(value.denominator == 1 for value in row)]
    if reading.positive:
        rows = [row for row in rows if all(value > 0 for value in row)]
    if not 0 < len(rows) <= MAX_ROWS:
        return None
    asked = reading.asked or reading.unknowns
    return Stated(reading.equations, reading.unknowns, tuple(rows), asked, reading.pick, name, reading.exact)
