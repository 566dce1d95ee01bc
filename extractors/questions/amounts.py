"""Two kinds of things: how many of each, from their count and their value."""

import re
from typing import Final

from extractors.questions.worded import QuestionReading
from extractors.questions.wording import NUMBER, Page, amounts_of, dollars
from extractors.text.wordlists import read_list, words

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
