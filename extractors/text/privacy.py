"""Mails, phone numbers and the names of a thread's authors, taken out of text without touching the maths.

A phone number is recognised by its shape and its surroundings: digits beside an operator stay, a bare run of digits is
a phone number only after a word such as "call". Spans are not kept: what is removed is not to be found again.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

MAIL_MARK = "[mail]"
PHONE_MARK = "[phone]"
NAME_MARK = "[name]"

_AT = r"(?:@|\s?[\[(]\s?at\s?[\])]\s?)"
_DOT = r"(?:\.|\s?[\[(]\s?dot\s?[\])]\s?)"
_MAIL = re.compile(
    rf"(?<![\w.+%-])[\w.+%-]{{1,64}}+{_AT}[A-Za-z0-9-]{{1,63}}+(?:{_DOT}[A-Za-z0-9-]{{1,63}}+){{0,4}}{_DOT}[A-Za-z]{{2,24}}+"
    r"(?![\w@])",
    re.I,
)
# Three digits, three digits, four digits, with one kind of joint; or an international number with a plus sign.
_SHAPE = re.compile(
    r"(?<![\w.,$£€/^_)])"
    r"(?:(?:\+?1[ .-])?(?:\(\d{3}\) ?|\d{3}(?P<joint>[.-]))\d{3}(?(joint)(?P=joint)|[ .-])\d{4}"
    r"|\+\d{1,3}(?:[ .-]\(?\d{1,4}\)?){2,5})"
    r"(?![\w^]|[.,]\d)"
)
_CUED = re.compile(
    r"\b(?P<cue>(?:call|phone|tel|telephone|cell|mobile|whats?app|sms|text)"
    r"(?: me)?(?: (?:at|on|no|number|is|#))?[.:]? ?)"
    r"(?P<number>\+?\(?\d[\d() .-]{5,18}\d)(?![\w^]|[.,]\d)",
    re.I,
)
_OPERATORS = frozenset("=+*/^×÷<>≤≥√%~≈")
_HANDLE = re.compile(r"[A-Za-z]\w*[_.\d]\w*|\w*[a-z][A-Z]\w*")


@dataclass(frozen=True)
class Scrubbed:
    """The text without personal data, and how many of each kind were replaced."""

    text: str
    mails: int = 0
    phones: int = 0
    names: int = 0

    @property
    def total(self) -> int:
        """All replacements."""
        return self.mails + self.phones + self.names


def scrub(text: str, names: Iterable[str] = ()) -> Scrubbed:
    """Replace mails by [mail], phone numbers by [phone] and mentions of ``names`` by [name].

    A name that could be a word of the problem (a first name) is replaced only where it is a mention (``@Tom``) or a
    signature (a last line of its own); a handle such as ``math_fan22`` everywhere.

    >>> scrub("write to tom.b@mail.example or call 555-123-4567").text
    'write to [mail] or call [phone]'
    >>> scrub("555-123-432 = 0, 5551234567 + 1, 3.25@8%", ()).total
    0
    >>> scrub("Tom has 9 pens, @Tom said. thanks math_fan22", ["Tom", "math_fan22"]).text
    'Tom has 9 pens, [name] said. thanks [name]'
    """
    text, mails = _MAIL.subn(MAIL_MARK, text) if "@" in text or "at" in text.lower() else (text, 0)
    text, cued = _replace(_CUED, text, _cued_phone)
    text, shaped = _replace(_SHAPE, text, _shaped_phone)
    text, named = _scrub_names(text, names)
    return Scrubbed(text, mails, cued + shaped, named)


def count_marks(text: str) -> dict[str, int]:
    """How many mails, phone numbers and names were taken out of a text, by the marks that stand for them.

    >>> count_marks("write to [mail] or call [phone], [name]; [name]")
    {'mails': 1, 'phones': 1, 'names': 2}
    """
    marks = {"mails": MAIL_MARK, "phones": PHONE_MARK, "names": NAME_MARK}
    return {kind: text.count(mark) for kind, mark in marks.items()}


def _replace(pattern: re.Pattern[str], text: str, decide: Callable[[re.Match[str]], str | None]) -> tuple[str, int]:
    count = 0

    def substitute(match: re.Match[str]) -> str:
        nonlocal count
        replacement = decide(match)
        count += replacement is not None
        return match[0] if replacement is None else replacement

    return pattern.sub(substitute, text), count


def _cued_phone(match: re.Match[str]) -> str | None:
    digits = sum(character.isdigit() for character in match["number"])
    if not 7 <= digits <= 15 or _beside_operator(match):
        return None
    return match["cue"] + PHONE_MARK


def _shaped_phone(match: re.Match[str]) -> str | None:
    digits = sum(character.isdigit() for character in match[0])
    if not 9 <= digits <= 15 or _beside_operator(match):
        return None
    return PHONE_MARK


def _beside_operator(match: re.Match[str]) -> bool:
    """Whether the characters around say that this is arithmetic."""
    before = match.string[max(0, match.start() - 8) : match.start()].rstrip(" ")
    after = match.string[match.end() : match.end() + 8].lstrip(" ")
    arithmetic = before[-1:] in _OPERATORS or after[:1] in _OPERATORS or after[:2] in ("- ", "x ")
    return arithmetic or (match[0].startswith("+") and before[-1:].isdigit())


def _scrub_names(text: str, names: Iterable[str]) -> tuple[str, int]:
    total = 0
    for name in sorted({name.strip() for name in names}, key=lambda name: (-len(name), name)):
        if not 2 <= len(name) <= 80:
            continue
        quoted = re.escape(name)
        forms = [rf"@{quoted}(?!\w)", rf"(?<=\n)[ \t]{{0,9}}[-–—~]{{0,3}} ?{quoted}[.!]?[ \t]{{0,9}}\Z"]
        if _HANDLE.fullmatch(name) or (" " in name and not name.islower()):
            forms.append(rf"(?<![\w@]){quoted}(?!\w)")
        text, count = re.subn("|".join(forms), NAME_MARK, text)
        total += count
    return text, total
