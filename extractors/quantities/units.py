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

# Signs, codes (ISO 4217 and usual ones) and glued letters, by the unit they stand for.
_MONEY: Final[dict[str, str]] = {
    "dollar": "$ usd sgd aud cad nzd hkd twd",
    "euro": "€ eur",
    "sterling": "£ gbp",
    "rupee": "₹ rs inr pkr lkr npr",
    "yen": "¥ jpy",
    "peso": "₱ php mxn p",
    "naira": "₦ ngn n",
    "rand": "zar r",
    "ringgit": "rm myr",
    "kwacha": "zmw k",
    "shilling": "kes tzs ugx",
    "cedi": "ghs",
    "taka": "bdt",
    "baht": "thb",
    "rupiah": "idr",
    "dong": "vnd",
    "yuan": "cny rmb",
    "won": "krw",
    "franc": "chf",
    "krona": "sek",
    "krone": "nok dkk",
    "zloty": "pln",
    "ruble": "rub",
    "real": "brl",
    "dirham": "aed",
}
_CURRENCY: Final = {spelling: unit for unit, spellings in _MONEY.items() for spelling in spellings.split()}
_CODES: Final = "|".join(code for code in _CURRENCY if code.isalpha() and code.isascii() and len(code) > 1)
_SIGNS: Final = frozenset(sign for sign in _CURRENCY if not sign.isalpha())
"""The leads that are a currency on their own."""
_CURRENCY_BEFORE: Final = re.compile(
    rf"(?:([{''.join(sorted(_SIGNS))}])|(?<![^\W_])(?:((?i:rs))\.?|((?i:usd|inr|eur|php)|{_CODES.upper()})|([PRNK])))"
    r"[ ]?\Z",
    re.A,
)
# The characters a currency can end with; nearly every number is decided by this look alone.
_LEADS: Final = _SIGNS | frozenset(" .") | {lead for code in _CURRENCY for lead in (code[-1], code[-1].upper())}
_LARGE: Final = re.compile(r"[0-9]{3}|[0-9]{1,3}(?:,[0-9]{3}|\.[0-9]{2}(?![0-9]))")
_SPENT: Final = re.compile(
    r"\b(?:costs?|pric|pay|paid|sell|sold|buy|bought|earn|sav(?:e|ing)|spen[dt]|worth|charg|invest|salary|rent|profit|fee)",
    re.I,
)
_SPENT_WITHIN: Final = 80
_NAMES: Final = re.compile(
    r"\b(?:room|route|road|highway|exit|flight|bus|train|line|gate|seat|grade|model|part|code|number|no\.?)[ ][PRNK]\Z",
    re.I,
)
_AFTER: Final = re.compile(r"[ \-]?(?:(%)|(per[ ]?cent)\b|(half[- ]dollar)|([A-Za-z]+)|([¢°€]))", re.A)
_BEFORE_UNITS: Final = frozenset(" -%¢°€")
# Units of one letter are variables as often as units, so they count only where they touch the number.
_ONE_LETTER: Final = frozenset({"h", "m", "g", "l"})


def unit_after(text: str, end: int) -> str | None:
    """The canonical unit that follows position ``end`` ("percent", "dollar", "mile"), or None.

    >>> unit_after("a 70lb bag", 4), unit_after("25 % off", 2), unit_after("3x", 1)
    ('pound', 'percent', None)
    """
    following = text[end : end + 1]
    match = _AFTER.match(text, end) if following.isalpha() or following in _BEFORE_UNITS else None
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

    A glued ``P`` is the peso sign of Philippine posts ("P25,000"), but only before two digits: P1 is a name. ``R``,
    ``N`` and ``K`` are money before three digits or cents, before two where the words around it speak of money.

    >>> currency_before("Rs.50", 3), currency_before("P25", 1), currency_before("x5", 1), currency_before("R8,499", 1)
    (('rupee', 0), ('peso', 0), None, ('rand', 0))
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
    if match[4] and (match.end(4) != start - low or not _letter_counts(text, start, name)):
        return None
    return _CURRENCY[name.lower()], low + match.start()


def _letter_counts(text: str, start: int, letter: str) -> bool:
    """Whether a letter glued to the number at ``start`` is a currency and not part of a name (P1, K12)."""
    if _NAMES.search(text[max(0, start - 12) : start]):
        return False
    if letter != "P" and _LARGE.match(text, start):
        return True
    around = text[max(0, start - _SPENT_WITHIN) : start + _SPENT_WITHIN]
    spent = _SPENT.search(around) is not None and _SIGNS.isdisjoint(around)
    return text[start : start + 2].isdecimal() and (letter == "P" or spent)
