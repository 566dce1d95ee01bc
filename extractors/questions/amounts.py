"""Two kinds of things: how many of each, from their count and their value; the whole from a part of it."""

import re
from fractions import Fraction
from typing import Final

from extractors.questions.worded import QuestionReading
from extractors.questions.wording import MONEY, NUMBER, Page, amounts_of, dollars, group_of
from extractors.text.wordlists import read_list, words

_COINS: Final = {
    **dict.fromkeys(("penny", "pennies"), 1),
    **dict.fromkeys(("nickel", "nickels", "nickles"), 5),
    **dict.fromkeys(("dime", "dimes"), 10),
    **dict.fromkeys(("quarter", "quarters"), 25),
    "half-dollars": 50,
    "loonies": 100,
    "toonies": 200,
}
_BILLS: Final = {"ones": 100, "fives": 500, "tens": 1000, "twenties": 2000, "fifties": 5000}
"""Coins and bills -> cents."""
_COUNT: Final = re.compile(
    rf"(?<!\$) {NUMBER} (?:[a-z]+ ){{0,3}}?"
    r"(?:coins|bills|notes|nickels|dimes|quarters|pennies|tickets|stamps|people|animals|pieces|items|chairs|bottles) "
)
_CENTS: Final = re.compile(rf" {NUMBER} (?:cents|¢) ")
_WORTH: Final = re.compile(rf" (?:worth|value of|total of|totaling|totals|make|for|equals?) {NUMBER} ")
_RELATED: Final = ("twice", "times", "than", "half", "average", "equal", "same")
"""Words that relate the two kinds, so that count and value are not all."""


def coins(page: Page) -> QuestionReading | None:
    """``23 coins, nickels and dimes, worth $1.60``: two kinds, a count and a value and nothing more."""
    kinds = sorted({cents for word, cents in (_COINS | _BILLS).items() if page.has(word)})
    if len(kinds) != 2 or len(page.numbers) != 2 or page.has(*_RELATED):
        return None
    count, value = page.search(_COUNT), _worth(page)
    if count is None or value is None or not page.used.issuperset(page.numbers):
        return None
    return QuestionReading((f"x+y={count[1]}", f"{kinds[0]}*x+{kinds[1]}*y=({value})"), ("x", "y"), whole=True)


def _worth(page: Page) -> Fraction | None:
    """The one sum of money, in cents."""
    found = page.search(MONEY)
    if found is not None:
        return 100 * Fraction(group_of(found))
    found = page.search(_CENTS)
    if found is not None:
        return Fraction(found[1])
    found = page.search(_WORTH)
    return None if found is None else 100 * Fraction(found[1])


_MORE_TO_IT: Final = words(read_list("extractors/two_price_guards"))


def two_prices(page: Page) -> QuestionReading | None:
    """``400 tickets for $2065, adults $7, students $4``: whole numbers of each, or none."""
    money, percent, others = amounts_of(page)
    others = [place for place in others if page.tokens[place] not in ("1", "2") or _is_count(page, place)]
    if percent or len(money) != 3 or len(others) != 1 or page.has(*_MORE_TO_IT) or not _is_count(page, others[0]):
        return None
    total = max(money, key=lambda place: dollars(page, place))
    low, high = sorted(dollars(page, place) for place in money if place != total)
    count, value = page.value(others[0]), dollars(page, total)
    if not low * count < value < high * count:
        return None
    return QuestionReading((f"x+y={count}", f"({low})*x+({high})*y=({value})"), ("x", "y"), whole=True)


def _is_count(page: Page, place: int) -> bool:
    """Whether a plural follows a number."""
    after = page.tokens[place + 1 : place + 5]
    return any(word.endswith(("s", "people")) and word.isalpha() and len(word) > 3 for word in after)


_ITEM: Final = r"(\d+) ([a-z]+)(?: [a-z]+){0,2}"
_PAYS: Final = (
    r"(?:together )?(?:cost|costs|costing|are|is|for|sell for|weigh|totals|total|at|came to|come to|also)"
    r"(?: also| a total of| together| rs| \$){0,3}"
)
_BILL: Final = re.compile(rf" {_ITEM} (?:and|plus|,|with) {_ITEM} {_PAYS} (?:\$ )?{NUMBER} ")
_BILL_FIRST: Final = re.compile(
    rf" {NUMBER} (?:dollars )?(?:pays? for|buys?|for|will buy|is the cost of) {_ITEM} (?:(?:and|plus|,|with) )?{_ITEM} "
)


def two_bills(page: Page) -> QuestionReading | None:
    """``2 burgers and 4 cokes cost $6, 3 burgers and 2 cokes $6``: two kinds, bought twice."""
    if len(page.numbers) != 6 or page.has("%", "than", "times", "twice"):
        return None
    bills = [found.groups() for found in _BILL.finditer(page.text)]
    if len(bills) != 2:
        bills = [(*found.groups()[1:], found[1]) for found in _BILL_FIRST.finditer(page.text)]
    if len(bills) != 2:
        return None
    first, second = ({_stem(bill[1]): bill[0], _stem(bill[3]): bill[2]} for bill in bills)
    if len(first) != 2 or first.keys() != second.keys():
        return None
    one, other = first
    rows = ((first, bills[0][4]), (second, bills[1][4]))
    return QuestionReading(tuple(f"{row[one]}*x+{row[other]}*y=({cost})" for row, cost in rows), ("x", "y"))


def _stem(word: str) -> str:
    """A noun without its plural."""
    return word.removesuffix("s")


_LEGS: Final = dict.fromkeys(words("chickens hens ducks birds ostriches turkeys"), 2) | dict.fromkeys(
    words("rabbits cows pigs sheep goats horses dogs cats"), 4
)
_HEADS: Final = re.compile(rf" {NUMBER} (?:heads|animals) ")
_FEET: Final = re.compile(rf" {NUMBER} (?:legs|feet) ")


def heads_and_legs(page: Page) -> QuestionReading | None:
    """``28 heads and 86 legs: chickens and rabbits``."""
    kinds = [legs for animal, legs in _LEGS.items() if page.has(animal)]
    heads, feet = page.search(_HEADS), page.search(_FEET)
    if sorted(kinds) != [2, 4] or heads is None or feet is None:
        return None
    if {page.tokens[place] for place in page.numbers} - {heads[1], feet[1], "1", "2", "4"}:
        return None
    return QuestionReading((f"x+y={heads[1]}", f"2*x+4*y={feet[1]}"), ("x", "y"), whole=True)
