"""Mixtures of two strengths or two prices, money at two rates of interest, and shares of an amount.

Besides: two kinds of things, how many of each, from their count and their value; ways with and against a current.
"""

import re
from fractions import Fraction
from typing import Final

from extractors.questions.worded import QuestionReading, single
from extractors.questions.wording import NUMBER, Page, amounts_of, dollars, is_number
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


_INVESTED: Final = words(read_list("extractors/investment_words"))
_RATES_RELATED: Final = words("twice times than half same equal loss lost compounded compound")


def two_rates(page: Page) -> QuestionReading | None:
    """``$12,000, part at 5% and the rest at 9%, interest $800``."""
    money, percent, others = amounts_of(page)
    rates = sorted({page.value(place) for place in percent})
    counted = [place for place in others if page.tokens[place] not in ("1", "2")]
    if counted or len(money) != 2 or len(rates) != 2 or not page.has(*_INVESTED) or page.has(*_RATES_RELATED):
        return None
    part, whole = sorted(page.value(place) for place in money)
    if not rates[0] * whole < 100 * part < rates[1] * whole:
        return None
    return QuestionReading((f"x+y={whole}", f"({rates[0]})/100*x+({rates[1]})/100*y=({part})"), ("x", "y"))


_SOLUTIONS: Final = words(read_list("extractors/mixture_words"))
_MAKES: Final = frozenset(words("make makes get obtain produce create yield"))
_NO_MIXTURE: Final = words(read_list("extractors/mixture_guards"))


def mixture(page: Page) -> QuestionReading | None:
    """``How much 15% solution must be added to 16 oz of 40% to get 25%``; the target lies between the other two."""
    money, percent, others = amounts_of(page)
    if money or len(others) != 1 or not page.has(*_SOLUTIONS) or page.has(*_NO_MIXTURE):
        return None
    shares = [page.value(place) for place in percent]
    if len(shares) == 2 and page.has("pure") != page.has("water"):
        shares.append(Fraction(100 if page.has("pure") else 0))
    elif page.has("pure") or len(shares) != 3:
        return None
    low, target, high = sorted(shares)
    attached = _attached(page, others[0])
    made = not _MAKES.isdisjoint(page.tokens[max(0, others[0] - 3) : others[0]])
    if attached is None or not low < target < high or (made and attached != target):
        return None
    amount = page.tokens[others[0]]
    if attached == target:
        return QuestionReading((f"x+y={amount}", f"({low})*x+({high})*y=({target})*({amount})"), ("x", "y"))
    other = low if attached == high else high
    return QuestionReading((f"({other})*x+({attached})*({amount})=({target})*(x+({amount}))",), ("x",))


def _attached(page: Page, place: int) -> Fraction | None:
    """The percentage that an amount stands with: "16 ounces of a 40% solution", "30 lb which is 50% nuts"."""
    behind = page.tokens[place + 1 : place + 9]
    at = next((at for at, word in enumerate(behind) if is_number(word)), None)
    if at is None or behind[at + 1 : at + 2] != ["%"] or "of" not in behind[:at]:
        return None
    return None if {"and", "to", "with", ",", "."}.intersection(behind[:at]) else Fraction(behind[at])


_MIXED: Final = words("mix mixes mixed mixture blend blends blended combined wanted")
_WANTED: Final = frozenset(words(read_list("extractors/blend_words")))


def price_mixture(page: Page) -> QuestionReading | None:
    """``Coffee at $9/lb with coffee at $4/lb to get 20 lb that sells at $6/lb``; the target lies between."""
    money, percent, others = amounts_of(page)
    if percent or len(money) != 3 or len(others) != 1 or not page.has(*_MIXED):
        return None
    if page.has("twice", "times", "than", "half", "profit", "tickets", "coins"):
        return None
    low, target, high = sorted(dollars(page, place) for place in money)
    place = others[0]
    beside = [dollars(page, other) for other in money if place < other <= place + 9]
    meant = beside[0] == target if beside else not _WANTED.isdisjoint(page.tokens[max(0, place - 5) : place])
    if not meant or not low < target < high:
        return None
    amount = page.tokens[place]
    return QuestionReading((f"x+y={amount}", f"({low})*x+({high})*y=({target})*({amount})"), ("x", "y"))


_LOWERED: Final = re.compile(
    rf" {NUMBER} % (?:off|discount|reduction|markdown|cut)"
    r"|(?:discount|reduction|reduced|off|down|marked down|markdown|discounted|decreased|fell|dropped|lowered)"
    rf"(?: by| of| for| at| was| a)? {NUMBER} %"
)
_RAISED: Final = re.compile(
    rf" {NUMBER} % (?:tax|tip|increase|raise|markup|mark up|sales tax|vat|rise|profit)"
    r"|(?:tax|tip|increased|increase|raise|raised|rose|up|markup|grew|marks|marked)(?: [a-z]+){0,4}?"
    rf"(?: by| of| up) {NUMBER} %|raised {NUMBER} %"
)
_BEFORE: Final = re.compile(
    r" (?:original|originally|regular|list|initial|before|old|usual) (?:[a-z]+ ){0,5}[?.] "
    r"| (?:find|what is|what's|whats|what was) (?:the |its )?(?:original|regular|list|initial|old)"
    r"| what was (?:it|the \w+) before| originally"
    r"| (?:original|regular|list|initial) (?:price|cost|salary|amount|population)"
)
_AFTERWARDS: Final = re.compile(
    r" (?:find|what is|what was|what's|whats|calculate|how much is|how much was) (?:the |its |his |her )?"
    r"(?:sale|new|final|discounted|discount|selling|tip|tax|increase)"
)


def before_change(page: Page) -> QuestionReading | None:
    """``A coat is on sale for $156 after a 35% discount. What was the original price?``"""
    plain = [place for place in page.numbers if page.after(place) != "%"]
    if len(page.numbers) != 2 or len(plain) != 1 or page.has("then", "again", "both"):
        return None
    if not _BEFORE.search(page.text) or _AFTERWARDS.search(page.text):
        return None
    down, up = page.search(_LOWERED), page.search(_RAISED)
    found = down or up
    page.used.add(plain[0])
    if found is None or (down is not None and up is not None) or not page.complete:
        return None
    share = next(filter(None, found.groups()))
    return single(f"x*(1{'-' if down is not None else '+'}{share}/100)=({page.tokens[plain[0]]})")
