"""What a question states, before it is solved, and how clauses are put together to it."""

import re
from typing import Final, NamedTuple

from extractors.questions.worded import UNITS, Phrases, clauses
from extractors.questions.wording import Page
from extractors.text.wordlists import words

UNIT: Final = f"(?:(?:{'|'.join(sorted(UNITS))}) )" + "{0,2}"
"""Up to two units, each with a blank behind."""
LEAN: Final = frozenset(words("the a an these those their its his her certain positive natural please"))
"""Words that clauses do without."""
_NAME: Final = re.compile(r"\b[a-z]\b")


class Reading(NamedTuple):
    """What a question states: equations over its unknowns, all of them positive or whole where it says so.

    ``asked`` are the unknowns that it is about, all where it is empty; ``pick`` is "max" or "min" where the largest or
    the smallest value alone is asked; ``exact``: just these values are asked, nothing made out of them.
    """

    equations: tuple[str, ...]
    unknowns: tuple[str, ...]
    positive: bool = True
    whole: bool = False
    asked: tuple[str, ...] = ()
    pick: str = ""
    exact: bool = False


def single(equation: str) -> Reading:
    """A question for the one unknown ``x`` of an equation."""
    return Reading((equation,), ("x",), exact=True)


def read_clauses(
    page: Page, phrases: Phrases, unknowns: tuple[str, ...], fixed: tuple[str, ...] = ()
) -> Reading | None:
    """The clauses of a page as equations after those that are fixed; None where they leave out a number.

    None as well where no clause relates unknowns: "one is 90 inches and the other is 72" states values, no problem.
    """
    found = list(clauses(page.tokens, phrases))
    for clause in found:
        page.used.update(place for place in page.weighty if clause.start <= place < clause.end)
    stated = dict.fromkeys((*fixed, *(clause.equation for clause in found if clause.equation != "x=x")))
    related = len(unknowns) == 1 or any(len(_NAME.findall(equation)) > 1 for equation in stated)
    return Reading(tuple(stated), unknowns) if related and page.complete and len(stated) > len(fixed) else None
