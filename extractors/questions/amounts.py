"""Two kinds of things: how many of each, from their count and their value; ways with and against a current."""

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


_HOURS: Final = frozenset(words("hours hour hrs hr h"))
_LENGTHS: Final = frozenset(words("miles mile mi km kilometers kilometres kms"))
_SPEED: Final = re.compile(
    rf" {NUMBER} (?:mph|kph|kmh|km / (?:hr?|hour)|mi / (?:hr?|hour)|m / h"
    r"|(?:miles|mi|km|kilometers|kilometres) (?:per|an|/|a) (?:hour|hr|h))(?= )"
)
_FLOWS: Final = ("wind", "current", "stream", "still")


def with_current(page: Page) -> QuestionReading | None:
    """One way with the wind or the current in some time, the way back against it."""
    if not page.has(*_FLOWS) or _SPEED.search(page.text) or page.has("same", "total", "third", "altogether"):
        return None
    lengths = [page.value(place) for place in page.numbers if page.after(place) in _LENGTHS]
    times = [page.value(place) for place in page.numbers if page.after(place) in _HOURS]
    if len(times) != 2 or not 0 < len(lengths) < 3 or len(lengths) + len(times) < len(page.numbers) or not all(times):
        return None
    fast, slow = sorted((lengths[0] / times[0], lengths[-1] / times[1]), reverse=True)
    return QuestionReading((f"x+y={fast}", f"x-y={slow}"), ("x", "y")) if fast > slow else None
