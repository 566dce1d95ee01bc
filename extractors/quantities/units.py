"""What a number counts: percent, money and units of measure, read from the characters around it."""

import re
from typing import Final

# One canonical name per unit; the spellings are those of the posts, not of a standard.
_SPELLINGS: Final[dict[str, str]] = {
    "percent": "percent pct percentage",
    "dollar": "dollar dollars buck bucks usd",
    "cent": "cent cents ¢",
    "euro": "euro euros €",
    "rupee": "rupee rupees rs",
    "peso": "peso pesos",
    "pence": "pence",
    "year": "year years yr yrs",
    "month": "month months",
    "week": "week weeks wk wks",
    "day": "day days",
    "hour": "hour hours hr hrs h",
    "minute": "minute minutes min mins",
    "second": "second seconds sec secs",
    "mile": "mile miles mi",
    "yard": "yard yards yd yds",
    "foot": "foot feet ft",
    "inch": "inch inches",
    "km": "km kms kilometer kilometers kilometre kilometres",
    "m": "m meter meters metre metres",
    "cm": "cm cms centimeter centimeters centimetre centimetres",
    "mm": "mm millimeter millimeters millimetre millimetres",
    "mile/hour": "mph",
    "km/hour": "kmh kph kmph",
    "pound": "pound pounds lb lbs",
    "ounce": "ounce ounces oz",
    "ton": "ton tons tonne tonnes",
    "kg": "kg kgs kilo kilos kilogram kilograms",
    "g": "g gram grams gm gms",
    "mg": "mg milligram milligrams",
    "liter": "l liter liters litre litres",
    "ml": "ml milliliter milliliters millilitre millilitres cc",
    "gallon": "gallon gallons gal gals",
    "quart": "quart quarts qt qts",
    "pint": "pint pints",
    "cup": "cup cups",
    "degree": "degree degrees °",
    "acre": "acre acres",
    "point": "point points",
}
UNIT_NAMES: Final[dict[str, str]] = {
    spelling: unit for unit, spellings in _SPELLINGS.items() for spelling in spellings.split()
}
MONEY_UNITS: Final = frozenset({"dollar", "cent", "euro", "rupee", "peso", "pence"})
TIME_UNITS: Final = frozenset({"year", "month", "week", "day", "hour", "minute", "second"})

_CURRENCY: Final[dict[str, str]] = {
    "$": "dollar",
    "€": "euro",
    "£": "sterling",
    "₹": "rupee",
    "¥": "yen",
    "rs": "rupee",
    "php": "peso",
    "p": "peso",
    "usd": "dollar",
    "inr": "rupee",
    "eur": "euro",
}
_CURRENCY_BEFORE: Final = re.compile(
    r"(?:([$€£₹¥])|(?<![^\W_])(?:((?i:rs))\.?|((?i:usd|inr|eur|php))|(P)))[ ]?\Z", re.A
)
# The characters a currency can end with; nearly every number is decided by this look alone.
_LEADS: Final = frozenset(" .$€£₹¥sSdDrRpP")
_SIGNS: Final = frozenset("$€£₹¥")
"""The leads that are a currency on their own."""
_AFTER: Final = re.compile(r"[ \-]?(?:(%)|(per[ ]?cent)\b|(half[- ]dollar)|([A-Za-z]+)|([¢°€]))", re.A)
# Units of one letter are variables as often as units, so they count only where they touch the number.
_ONE_LETTER: Final = frozenset({"h", "m", "g", "l"})


def unit_after(text: str, end: int) -> str | None:
    """The canonical unit that follows position ``end`` ("percent", "dollar", "mile"), or None.

    >>> unit_after("a 70lb bag", 4), unit_after("25 % off", 2), unit_after("3x", 1)
    ('pound', 'percent', None)
    """
    match = _AFTER.match(text, end)
    if match is None:
        return None
    if match[1] or match[2]:
        return "percent"
    if match[5]:
        return UNIT_NAMES[match[5]]
    word = (match[4] or "").lower()
    if word in _ONE_LETTER and match.start(4) != end:
        return None
    return UNIT_NAMES.get(word)


def currency_before(text: str, start: int) -> tuple[str, int] | None:
    """The currency written before ``start`` and where its sign begins: "$ 5" -> ("dollar", 0), or None.

    A glued ``P`` is the peso sign of Philippine posts ("P25,000"), but only before two digits: P1 is a name.

    >>> currency_before("Rs.50", 3), currency_before("P25", 1), currency_before("x5", 1)
    (('rupee', 0), ('peso', 0), None)
    """
    lead = text[start - 1]
    if lead not in _LEADS:
        return None
    if lead in _SIGNS:
        return _CURRENCY[lead], start - 1
    low = max(0, start - 5)
    if lead == " " and (start < 2 or text[start - 2] not in _LEADS):
        return None
    match = _CURRENCY_BEFORE.search(text[low:start])
    if match is None:
        return None
    name = next(group for group in match.groups() if group)
    if name == "P" and (match.end(4) != start - low or not text[start : start + 2].isdecimal()):
        return None
    return _CURRENCY[name.lower()], low + match.start()
