"""The unit of an answer, and how much of its kind it is."""

import re
from fractions import Fraction
from typing import Final, NamedTuple

from extractors.quantities.numbers import find_numbers
from extractors.quantities.units import UNIT_NAMES, currency_before

_UNIT: Final = re.compile(
    r"[ -]?(?:(sq|square|cu|cubic)\.?[ ])?([A-Za-z]{1,20}|[%°¢€])\.?(?:[ ]?\^[ ]?([23]))?"
    r"(?:(?:[ ]?/[ ]?|[ ](?:per|an?|each)[ ])([A-Za-z]{1,20}))?"
)
_PER: Final = re.compile(r"(?:[ ]?/[ ]?|[ ](?:per|an?|each)[ ])([A-Za-z]{1,20})")
_POWERS: Final = {None: 1, "sq": 2, "square": 2, "cu": 3, "cubic": 3}
_RATES: Final = {"mile/hour": ("mile", "hour"), "km/hour": ("km", "hour")}
_SIZES: Final[dict[str, dict[str, str]]] = {
    "length": {"m": "1", "km": "1000", "cm": "1/100", "mm": "1/1000", "inch": "127/5000", "foot": "381/1250",
               "yard": "1143/1250", "mile": "201168/125"},
    "time": {"second": "1", "minute": "60", "hour": "3600", "day": "86400", "week": "604800"},
    "months": {"month": "1", "year": "12"},
    "mass": {"kg": "1", "g": "1/1000", "mg": "1/1000000"},
    "weight": {"ounce": "1", "pound": "16"},
    "volume": {"liter": "1", "ml": "1/1000"},
    "capacity": {"cup": "1", "pint": "2", "quart": "4", "gallon": "16"},
    "dollars": {"dollar": "1", "cent": "1/100"},
}  # fmt: skip
_SIZE: Final = {unit: (sort, Fraction(size)) for sort, units in _SIZES.items() for unit, size in units.items()}
"""A gallon and a ton differ from country to country: they are compared within their own system or not at all."""


class Measure(NamedTuple):
    """A unit to a power, for each of another: miles an hour, square feet."""

    unit: str
    power: int = 1
    per: str | None = None

    @property
    def size(self) -> tuple[tuple[str, int, str | None], Fraction]:
        """What is measured, and how much of its basic unit this is."""
        sort, factor = _SIZE.get(self.unit, (self.unit, Fraction(1)))
        below, divisor = _SIZE.get(self.per or "", (self.per, Fraction(1)))
        return (sort, self.power, below), factor**self.power / divisor

    def __str__(self) -> str:
        return self.unit + (f"^{self.power}" if self.power > 1 else "") + (f"/{self.per}" if self.per else "")


def measure_of(text: str) -> Measure | None:
    """The unit of the first number of an answer; None where it has none that is known.

    >>> measure_of("5 square feet"), measure_of("60 miles per hour"), measure_of("$4"), measure_of("12 apples")
    ... # doctest: +NORMALIZE_WHITESPACE
    (Measure(unit='foot', power=2, per=None), Measure(unit='mile', power=1, per='hour'),
     Measure(unit='dollar', power=1, per=None), None)
    """
    numbers = find_numbers(text)
    if not numbers:
        return None
    first = numbers[0]
    currency = currency_before(text, first.start) if first.start else None
    if currency is not None or first.unit == "percent" or (first.raw[:1] in "-−–" and first.kind == "money"):
        price = _PER.match(text, first.end)
        per = UNIT_NAMES.get(price[1].lower()) if price is not None else None
        return Measure(first.unit or (currency[0] if currency else ""), 1, per)
    match = _UNIT.match(text, first.end)
    unit = UNIT_NAMES.get(match[2].lower()) if match is not None else None
    if match is None or unit is None:
        return None
    above, below = _RATES.get(unit, (unit, UNIT_NAMES.get((match[4] or "").lower())))
    return Measure(above, int(match[3] or _POWERS[match[1]]), below)
