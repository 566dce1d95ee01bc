"""Phone numbers: recognised by Google's libphonenumber (``phonenumbers``), behind the maths guard.

A run of digits is asked about only where something speaks for a number to call: words before it ("reach me on"), a
plus sign, a country's way to group digits. How much is asked of the run depends on how much speaks for it.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from extractors.privacy.cues import cues_in
from extractors.privacy.guard import in_expression, in_list, is_round
from extractors.text.edits import Found
from extractors.text.wordlists import phrases, read_list

_JOINT: Final = r"[ \t\u00a0.()/‐–-]"
_RUN: Final = re.compile(rf"(?<![\w^$£€¥₹_])[+＋]?\(?[+]?\d(?>(?:{_JOINT}{{0,3}}\d)*)(?![\w^]|[.,:]\d)")
CHEAP: Final = re.compile(r"\d(?:[ \t\u00a0.()/‐–-]{0,3}\d){6}")
"""Every number to call holds at least seven digits with joints at most between them."""
_LEAST, _MOST = 7, 15
_MAX_GROUPS: Final = 10
_REGIONS: Final = ("US", "GB", "IN", "DE", "FR", "AU", "PH", "NG", "PK", "ZA", "ES", "IT", "BR", "MX", "RU", "NL", "CN")
_ZERO_REGIONS: Final = (
    "GB", "DE", "FR", "AU", "PH", "NG", "PK", "ZA", "IT", "NL", "IN", "JP", "IE", "CH", "AT", "BE", "MY",
)  # fmt: skip
_OTHERS: Final = "|".join(phrases(read_list("extractors/phone_words")))
_NOUN: Final = (
    rf"(?:{_OTHERS}|(?:tele)?phone|tel(?:efon(?:o)?)?|t[ée]l|cell(?:phone|ular)?|mobile?|mob|handy|m[óo]vil"
    r"|celular|whats? ?app|fax|landline|hotline|viber|signal|zap|sms|ph|contact|hp|gsm|(?:telefon|handy|telefoon)nummer"
    r"|imessage|facetime|digits|cel|fon|num[ée]ro|n[úu]mero|nummer)"
)
_NUMBER: Final = r"(?:(?:number|num|nr|no|nbr|#|№)\.?)"
_STRONG: Final = re.compile(
    r"(?:"
    r"\b(?:call|text|ring|phone|reach|whats? ?app|dial|sms|contact|message|msg|hmu|ping|buzz|txt|hit|give|tel|fax)"
    r"(?:ing)?(?: (?:me|us|him|her|my \w{2,10}|out to me|me up|a call|a ring|or (?:text|call|sms|whatsapp)))*"
    r"(?: (?:back|directly|anytime|any time|now|today|tonight|please|pls|asap))*"
    r"(?: (?:at|on|under|via|through|with|is|by))"
    r"|\b(?:call|text|ring|phone|whats? ?app|dial|sms|hmu|hit me up|txt|contact|message|msg)(?: (?:me|us"
    r"|or (?:text|call|sms|whatsapp)))*"
    rf"|\b(?:my|our|his|her|mom['’]?s|dad['’]?s|contact|phone|cell|mobile|whats? ?app)(?: \w{{1,10}})?(?: {_NOUN})?"
    rf" {_NUMBER}(?: (?:is|are|was))?"
    rf"|\b(?:my|our) {_NOUN}(?: {_NUMBER})?(?: is)?"
    rf"|\b{_NOUN}\.?(?: {_NUMBER})?(?: is)?[ ]?[:=.]"
    rf"|\b{_NOUN} {_NUMBER}(?: is)?"
    r"|\bnumber['’]s"
    r")[ \t]?[:=.,#?!@-]?(?:[ \t]{1,2}|\n)?(?:1[ -](?=8))?\Z",
    re.I,
)
_WEAK: Final = re.compile(
    rf"\b(?:{_NOUN}|number|mine|questions?|reach|call|text|ring|tutor(?:ing|s)?|tuition|coaching|helpline"
    rf"|enquir\w+)\b[^\n.?!]{{0,30}}\Z"
    r"|\[(?:mail|name|phone|handle|address)\][ \t,;:/|&-]{0,4}(?:or |and )?\Z",
    re.I,
)
_WEAK_AFTER: Final = re.compile(
    r"[ \t\u00a0,;(\-–]{0,3}(?:is|'s|are)?[ \t]?(?:\(?(?:on|via|in|over)?[ \t]?(?:my|our|the)?[ \t]?"
    rf"(?:cell|mobile|phone|home|work|number|whats? ?app|viber|signal|office|{_OTHERS})"
    r"|call|text (?:me|only)|ask for|after \d|before \d|sms|only (?:text|call|whatsapp)|for (?:tuition|tutoring"
    r"|details))\b",
    re.I,
)
_NORTH_AMERICA: Final = re.compile(
    r"(?:\+?1[ .\-])?(?:\((?P<area>\d{3})\)[ ]?|(?P<plain>\d{3})(?P<joint>[ .\-]))(?P<office>\d{3})"
    r"(?(joint)(?P=joint)|[ .\-])(?P<line>\d{4})"
)
_DATE: Final = re.compile(
    r"(?<!\d)\d{1,2}[/.-]\d{1,2}[/.-](?:19|20)\d\d(?!\d)|(?<!\d)(?:19|20)\d\d[/.-]\d{1,2}[/.-]\d{1,2}(?!\d)"
)
_SPACED_MINUS: Final = re.compile(r"[ \t][-–]")
_NUMBER_TALK: Final = re.compile(
    r"[^\n]{0,40}?\b(?:is it|prime|divisible|digits?|factors?|remainder|multiple|odd|even|twice|times|less than"
    r"|more than|guess|what is)\b",
    re.I,
)
_OF_A_PERSON: Final = re.compile(
    rf"\b(?:{_NOUN}|call me|text me|call|text|reach|ring|dial|txt|hmu|message)\b[^\n]{{0,24}}\Z", re.I
)
_JUST_NUMBER: Final = re.compile(r"(?:number|n[uú]mero|num[eé]ro|mine|questions?|digits|signal|contact)\b", re.I)
_OPERAND: Final = re.compile(r"(?:\d|\)|(?<![^\W\d_])[^\W\d_])[ \t]*\Z")
_TOLL_FREE: Final = re.compile(r"\+1|1-8(?:00|33|44|55|66|77|88)-")
_COUNTED: Final = re.compile(
    r"[ \t](?:an? |[b-hj-z]\b)|[ \t](?!(?:or|and|to|if|for|pls|please|thanks|thx|when|now|today|tonight|anytime"
    r"|any|in|on|at|is|asap|ok|only|after|before|with|lol|but|so|as|my|i|im|ask|the|from|between|then|cell|mobile|home|call|text|its"
    r"|it|you|u|we|thank|he|she|that|this|whatsapp|tomorrow|ty|here|there|not|we'll|directly|until|till|by|during|via"
    r"|anyone|someone|use|just|instead|even|also|because|extension|ext|leave|need|have|were|was|will|can)\b)[a-z]{2,}"
)
_DIGIT_WORD: Final = r"(?:zero|oh|one|two|three|four|five|six|seven|eight|nine|(?:double|triple)[ -]\w{3,5}|\d{1,4})"
_SPOKEN: Final = re.compile(
    r"\b(?:call|text|reach|number|phone|cell|mobile|whats? ?app|ring|dial|contact)(?: (?:me|us))?(?: (?:at|on"
    r"|is))?[:,]? "
    rf"(?P<words>{_DIGIT_WORD}(?>(?:[ ,.-]{{1,3}}{_DIGIT_WORD}){{3,15}}))\b",
    re.I,
)


def find_phones(text: str) -> Iterator[Found]:
    """Phone numbers: where something speaks for one, the library says it can be one, and the guard finds no maths.

    >>> texts = "reach me on 98765 43210", "100-200-3000", "+442079460958"
    >>> [text[a:b] for text in texts for a, b, _ in find_phones(text)]
    ['98765 43210', '+442079460958']
    """
    if CHEAP.search(text):
        for run in _RUN.finditer(text):
            if sum(map(str.isdigit, run[0])) >= _LEAST:
                yield from _in_run(text, run.start(), run.end())
    cues = cues_in(text)
    if "digits" in cues and ("calls" in cues or not text.isascii()):
        for match in _SPOKEN.finditer(text):
            words = re.findall(r"[A-Za-z]+", match["words"])
            digits = sum(map(str.isdigit, match["words"])) + len(words)
            if digits >= _LEAST and len(words) > 2:
                yield Found(*match.span("words"), "phones")


def _in_run(text: str, start: int, end: int) -> Iterator[Found]:
    """The number in a run of digits and joints: the whole of it, or a part between blanks."""
    pieces = [(start + piece.start(), start + piece.end()) for piece in re.finditer(r"[^ \t\u00a0]+", text[start:end])]
    if len(pieces) > _MAX_GROUPS:
        return
    for first in range(len(pieces)):
        for last in range(len(pieces), first, -1):
            low, high = pieces[first][0], pieces[last - 1][1]
            if _is_phone(text, low, high, part=(low, high) != (start, end)):
                yield Found(low - (text[low - 1 : low] == "+"), high, "phones")
                yield from _in_run(text, pieces[last][0], end) if last < len(pieces) else ()
                return


def _is_phone(text: str, start: int, end: int, *, part: bool) -> bool:
    raw = text[start:end]
    digits = "".join(filter(str.isdigit, raw))
    if not _LEAST <= len(digits) <= _MOST or raw.count("(") != raw.count(")"):
        return False
    before = text[max(0, start - 60) : start]
    cued = _STRONG.search(before) is not None
    if _DATE.search(raw) or (not cued and _SPACED_MINUS.search(raw)):
        return False
    if in_expression(text, start, end) or (not cued and in_list(text, start, end)):
        return False
    groups = re.findall(r"\d+", raw)
    if cued:
        bare = len(digits) < 9 or (len(groups) == 1 and not raw.startswith(("+", "0")))
        if bare and (_COUNTED.match(text, end) or _NUMBER_TALK.match(text, end)):
            return False
        told = _OF_A_PERSON.search(before) is not None
        return _can_be(raw, _REGIONS, strict=len(groups) == 1 and not told and "555" not in digits)
    if raw.startswith(("+", "＋")):
        return _OPERAND.search(before) is None and _can_be(raw, (None,), strict=len(groups) < 3)
    if part and before.rstrip(" ")[-1:].isdigit():
        return False
    return _by_shape(text, start, end, groups)


def _by_shape(text: str, start: int, end: int, groups: list[str]) -> bool:
    """Without words that announce a number: grouped as a country does, valid there, and not of round amounts."""
    raw, shaped = text[start:end], _NORTH_AMERICA.fullmatch(text[start:end])
    if is_round(groups):
        return False
    weak = _WEAK.search(text[max(0, start - 50) : start]) or _WEAK_AFTER.match(text, end)
    if shaped is not None:
        spaced = shaped["joint"] == " " and not weak
        fiction = "555" in ((shaped["area"] or shaped["plain"]), shaped["office"])
        written = shaped["area"] is not None or _TOLL_FREE.match(raw) is not None
        return not spaced and (bool(weak) or written) and (fiction or _can_be(raw, ("US",), strict=True))
    if raw.lstrip("(").startswith("0") and len(groups[0]) > 1:
        return (raw.startswith("(") or bool(weak)) and _can_be(raw, _ZERO_REGIONS, strict=not weak)
    if weak and weak.re is _WEAK and len(groups) == 1 and _JUST_NUMBER.match(weak[0]):
        return False
    return (
        bool(weak)
        and len("".join(groups)) > 8
        and not _COUNTED.match(text, end)
        and _can_be(raw, _REGIONS, strict=True)
    )


def _can_be(raw: str, regions: tuple[str | None, ...], *, strict: bool) -> bool:
    """Whether the library takes it for a number of one of the regions: given out there, or at least as long as one."""
    library = _library()
    for region in regions:
        try:
            number = library.parse(raw.replace("＋", "+"), region)
        except library.NumberParseException:
            continue
        if library.is_valid_number(number) if strict else library.is_possible_number(number):
            return True
    return False


@cache
def _library() -> Any:
    """The library, loaded where the first number is asked about: it takes a tenth of a second."""
    import phonenumbers

    return phonenumbers
