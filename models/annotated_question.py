"""A question prepared once for all features: its numbers, what it asks for and how many numbers it wants."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Final

from extractors.equations.given import Given
from extractors.quantities.numbers import Number, find_numbers
from extractors.quantities.units import UNIT_NAMES
from extractors.questions.stated import Stated
from extractors.text.plain import plain_maths
from extractors.text.wordlists import words
from models.chains import Quantities, quantities_of
from models.counts import UNKNOWN, likeliest

MAX_QUESTION: Final = 8_000
_HUGE: Final = Fraction(10**300)
_EXACT: Final = 2**53
_WORD: Final = re.compile(r"[a-z]+")
_ASKED_THING: Final = re.compile(r"how (?:many|much)((?: [a-z]+){1,4})|(?:number|amount) of((?: [a-z]+){1,2})")
_ASKS: Final = re.compile(r"\?|\b(?:how|what|which|find|who|when|determine|calculate|need)\b")
_STOP: Final = frozenset(
    words(
        """a all an and are at be been can could did do does each for from had has have he i if in is it left more must
    of on or per she should that the there they this to total two was we were will with would you"""
    )
)
_KINDS: Final = (
    (
        re.compile(r"\bhow (?:long|soon)|\bwhat time|\bwhen (?:will|do|does)"),
        ("hour", "minute", "second", "day", "week", "month", "year"),
    ),
    (re.compile(r"\bhow old|\bage"), ("year", "yrs", "old")),
    (re.compile(r"\bhow far|\bdistance"), ("mile", "km", "m", "foot", "yard")),
    (re.compile(r"\bhow fast|\bspeed|\brate\b"), ("mile/hour", "km/hour", "mph", "kph")),
    (
        re.compile(r"\bhow (?:tall|high|wide|deep|long)|\blength|\bwidth|\bperimeter"),
        ("foot", "inch", "m", "cm", "yard"),
    ),
    (re.compile(r"\bpercent|%\s*(?:of|is)?\s*\?|what rate"), ("percent",)),
    (re.compile(r"\bangle|\bdegree"), ("degree",)),
)
_MONEY: Final = re.compile(
    r"how much (?:money|does|did|do|is|was|will|would|should|must|are|were|per|for|each|to pay|change|"
    r"interest|profit)|\b(?:(?:costs?|prices?|dollars?|pay|paid|worth|interest|profit|bill|money)\b|earn|invest)"
)


def singular(word: str) -> str:
    """A word without a plural s: close enough to compare what is asked with what is answered.

    >>> singular("buses"), singular("miles"), singular("glass")
    ('bus', 'mile', 'glass')
    """
    if word.endswith(("sses", "uses", "ches", "shes")):
        return word[:-2]
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 2 else word


def as_float(value: Fraction) -> float:
    """A value rounded to nine decimals, for quick comparison of sums and ratios; huge ones are cut to 1e300."""
    top, bottom = value.as_integer_ratio()
    if bottom == 1 and -_EXACT < top < _EXACT:
        return float(top)
    return _rounded(value)


@lru_cache(maxsize=8_192)
def _rounded(value: Fraction) -> float:
    return round(float(max(min(value, _HUGE), -_HUGE)), 9)


@dataclass(frozen=True)
class QuestionView:
    """What the features ask of a question."""

    text: str
    values: frozenset[Fraction]
    given: frozenset[tuple[int, int]]
    """The same values as numerators and denominators."""
    rounded: frozenset[float]
    words: frozenset[str]
    asked_things: frozenset[str]
    asks_money: bool
    asked: tuple[float, ...]
    """How likely it asks for 1, 2, 3, and 4 or more values."""
    stated: Stated | None
    """What the question states, solved; None where it was not surely read."""
    numbers: tuple[Number, ...]
    """Its numbers where they stand, those of choices left out."""

    @cached_property
    def asked_size(self) -> int:
        """The likeliest number of values that it asks for."""
        return likeliest(self.asked)

    @cached_property
    def quantities(self) -> Quantities:
        """Its numbers as an answer may use them."""
        return quantities_of(self.numbers)

    @property
    def asks_several(self) -> bool:
        """Whether it asks for more than one value, or states its facts and asks nothing in words."""
        return self.asked_size > 1 or _ASKS.search(self.text.lower()) is None


def question_view(question: str, asked: Sequence[float] = UNKNOWN) -> QuestionView:
    """Prepare a question; only the first 8,000 characters are looked at.

    ``asked`` says how likely it asks for 1, 2, 3, and 4 or more values (``models/counts.py``).
    """
    text = plain_maths(question[:MAX_QUESTION]).text
    low = text.lower()
    given = Given(question)
    values = frozenset(number.value for number in (given.numbers if given.text == text else find_numbers(text)))
    return QuestionView(
        text=text,
        values=values,
        given=frozenset(value.as_integer_ratio() for value in values),
        rounded=frozenset(as_float(value) for value in values),
        words=frozenset(word for word in _WORD.findall(low) if len(word) > 3),
        asked_things=_asked_things(low),
        asks_money=_MONEY.search(low) is not None,
        asked=tuple(asked) or UNKNOWN,
        stated=given.stated,
        numbers=given.numbers,
    )


def _asked_things(low: str) -> frozenset[str]:
    found: set[str] = set()
    for match in _ASKED_THING.finditer(low):
        words = [singular(word) for word in (match[1] or match[2]).split() if word not in _STOP]
        found.update(words[:3])
    found.update(UNIT_NAMES[word] for word in sorted(found) if word in UNIT_NAMES)
    for pattern, units in _KINDS:
        if pattern.search(low):
            found.update(units)
    return frozenset(found)
