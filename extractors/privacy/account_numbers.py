"""Numbers of cards (by Luhn), accounts (by their check digits) and people (by the words before them)."""

import re
from collections.abc import Iterator
from typing import Final

from extractors.privacy.guard import in_expression, is_round
from extractors.text.edits import Found
from extractors.text.wordlists import holds_any, phrases, read_list

_CARD: Final = re.compile(r"(?<![\w.,$+*/^=-])\d(?>(?:[ -]?\d){12,18})(?![\w^]|[.,]\d)")
_GROUPED: Final = re.compile(r"\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?:\1\d{1,3})?|\d{4}([ -])\d{6}\2\d{4,5}")
_CARD_WORD: Final = re.compile(
    r"\b(?:card|visa|master ?card|amex|american express|debit|credit|discover|maestro|cc)\b", re.I
)
_ISSUERS: Final = (
    "4", "51", "52", "53", "54", "55", "22", "23", "24", "25", "26", "27", "34", "37", "60", "62", "64", "65",
    "35", "36", "38", "30", "50", "56", "57", "58", "63", "67",
)  # fmt: skip
_PERSON: Final = re.compile(
    r"\b(?:(?:my|his|her|the|your|our) )?(?:ssn|s\.s\.n\.?|social(?: security)?(?: (?:number|num|no|#))?"
    r"|soc(?:ial)?\.? sec(?:urity)?\.?(?: (?:number|no|#))?|ss(?= ?#)|ss number"
    r"|tax(?:payer)? id|tin|itin|aadhaa?r(?: (?:card|number|no))*|passport(?: (?:number|no))?"
    r"|driver['’]?s? licen[sc]e(?: (?:number|no))?"
    r"|national id(?: (?:number|no))?|id card(?: (?:number|no))?|ni(?:no| number)"
    r"|national insurance(?: (?:number|no))?|sin|cpf|pan(?: card)?(?: (?:number|no))?"
    r"|nhs number|medicare(?: number)?|(?:bank )?account (?:number|no)|acc(?:oun)?t\.? (?:number|no)"
    r"|routing number|sort code)\b\.?[ \t]?(?:#|is|=|:|-|are|was)?[ \t]?[:#]?[ \t]?"
    r"(?P<number>(?-i:[A-Z]{0,3} ?\d(?>(?:[ .-]?\d){4,18}) ?[A-Z]?\b|[A-Z]{5}\d{4}[A-Z]))(?![\w^*+=/])",
    re.I,
)
_LONG: Final = re.compile(r"\d(?:[ -]?\d){12}")
_HEAD: Final = re.compile(r"\d[ .-]?\d[ .-]?\d[ .-]?\d")
_CHEAP: Final = phrases(read_list("extractors/personal_number_cues"))
_LETTERED: Final = re.compile(r"[A-Z]{2} ?\d{2}")
_BRITISH: Final = re.compile(r"(?<![\w])[A-CEGHJ-PR-TW-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D](?!\w)")
_IBAN: Final = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?(?!\w)")


def find_numbers_of_people(text: str) -> Iterator[Found]:
    """Card, account, social security and other personal numbers.

    >>> [text[a:b] for text in ("ssn: 078-05-1120", "what is 500-25-1250?") for a, b, _ in find_numbers_of_people(text)]
    ['078-05-1120']
    """
    if _LONG.search(text):
        for match in _CARD.finditer(text):
            if _is_card(match):
                yield Found(*match.span(), "numbers")
    if not _HEAD.search(text):
        return
    folded = text.lower()
    for match in _PERSON.finditer(text) if holds_any(folded, _CHEAP) else ():
        digits = sum(map(str.isdigit, match["number"]))
        if digits >= 4 and len(match["number"]) >= 6 and not in_expression(text, *match.span("number")):
            yield Found(*match.span("number"), "numbers")
    if not _LETTERED.search(text):
        return
    yield from (Found(*match.span(), "numbers") for match in _BRITISH.finditer(text))
    yield from (found for match in _IBAN.finditer(text) if (found := _iban(match)) is not None)


def luhn(digits: str) -> bool:
    """Whether the last digit is the check digit of the others (Luhn, US patent 2950048).

    >>> luhn("4111111111111111"), luhn("4111111111111112")
    (True, False)
    """
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _is_card(match: re.Match[str]) -> bool:
    digits = "".join(filter(str.isdigit, match[0]))
    if not digits.startswith(_ISSUERS) or not luhn(digits):
        return False
    grouped = _GROUPED.fullmatch(match[0]) is not None
    told = _CARD_WORD.search(match.string, max(0, match.start() - 50), match.start()) is not None
    if not (told or grouped) or in_expression(match.string, *match.span()):
        return False
    return told or not is_round(re.findall(r"\d+", match[0]))


def _iban(match: re.Match[str]) -> Found | None:
    """An account by ISO 13616: the number with its head moved to the end is 1 modulo 97."""
    raw = match[0]
    while raw:
        compact = raw.replace(" ", "")
        if 15 <= len(compact) <= 34:
            moved = compact[4:] + compact[:4]
            if int("".join(str(int(character, 36)) for character in moved)) % 97 == 1:
                return Found(match.start(), match.start() + len(raw), "numbers")
        raw = raw.rpartition(" ")[0]
    return None
