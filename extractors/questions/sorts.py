"""The numbers of a question by what they measure: money, percentages, times, lengths, speeds, and the others."""

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from extractors.questions.wording import NUMBER, Page
from extractors.text.wordlists import words

TIMES: Final = (
    dict.fromkeys(words("hours hour hrs hr h"), 60)
    | dict.fromkeys(words("minutes minute min mins"), 1)
    | dict.fromkeys(words("days day"), 1440)
)
"""Units of time -> minutes."""
LENGTHS: Final = frozenset(words("miles mile mi km kilometers kilometres kms"))
SPEED: Final = re.compile(
    rf" {NUMBER} (?:mph|kph|kmh|km / (?:hr?|hour)|mi / (?:hr?|hour)|m / h"
    r"|(?:miles|mi|km|kilometers|kilometres) (?:per|an|/|a) (?:hour|hr|h))(?= )"
)
MONEY: Final = re.compile(rf" \$ {NUMBER} | {NUMBER} (?:dollars|bucks) | rs {NUMBER} ")
_MONEY_SIGNS: Final = ("$", "rs")
_MONEY_UNITS: Final = ("dollars", "cents", "bucks")


class Amounts(NamedTuple):
    """The places of sums of money, of percentages and of the other numbers."""

    money: Sequence[int]
    percent: Sequence[int]
    others: Sequence[int]


def amounts_of(page: Page) -> Amounts:
    """Sorts the numbers of a page."""
    money, percent, others = list[int](), list[int](), list[int]()
    for place in page.numbers:
        before, after = page.before(place), page.after(place)
        if after == "%":
            percent.append(place)
        elif before in _MONEY_SIGNS or after in _MONEY_UNITS:
            money.append(place)
        else:
            others.append(place)
    return Amounts(money, percent, others)


def dollars(page: Page, place: int) -> Fraction:
    """A sum of money, cents as hundredths."""
    return page.value(place) / (100 if page.after(place) == "cents" else 1)


def minutes(page: Page, place: int) -> int | None:
    """How many minutes the unit behind a number has; None where it is no time."""
    behind = page.tokens[place + 1 : place + 3]
    if behind and behind[0] in ("more", "-"):
        behind = behind[1:]
    return TIMES.get(behind[0]) if behind else None


def group_of(found: re.Match[str]) -> str:
    """The first group of a match that took part."""
    return next(group for group in found.groups() if group)
