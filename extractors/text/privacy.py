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
_AT_WORD = re.compile(r"[\[(]\s?at\s?[\])]", re.I)
# Every phone number above holds such a run: six digits more or less, and nothing between them but joints.
_RUN = re.compile(r"\d[\d() .-]{5,18}\d")
_OPERATORS = frozenset("=+*/^×÷<>≤≥√%~≈")
# Before a name: thanks, greetings, closings, by-lines. After it: what is said of people in threads, not in problems.
_BEFORE = (
    r"\b(?i:(?:thanks|thank (?:you|u)|thankyou|thx|tnx|ty|cheers|regards|sincerely|yours(?: truly)?|best wishes)"
    r"(?: (?:a lot|again|so much|very much|in advance))?|hi|hello|hey|dear|sorry|my name is|i agree with"
    r"|(?:posted|answered|solved|asked|written|submitted|edited|answer|solution|reply|comment) by)"
    r"[,:!.]?[ \t]{0,3}\n{0,2}[-–—~]{0,2} ?"
)
_AFTER = (
    r"(?:[ \t]+(?:wrote|pointed out|already (?:said|answered|explained))\b"
    r"|[ \t]+(?:said|says|writes|posted|replied|answered|commented|asked)[ \t]*:"
    r"|['’]s (?:answer|solution|comment|post|reply|explanation|hint)\b"
    r"|[ \t]+(?:is|was) (?:absolutely |totally |quite )?(?:right|correct|wrong|incorrect)\b(?! of))"
)
_SAYS = r" (?:said|says|wrote|noted|mentioned|explained|suggested|pointed|showed|did|has)\b"
_END = r"\Z|\s{0,9}(?i:edit|p\.?s\.?|update)\b"
_QUOTING = re.compile(r"(?m)^[^\n]{0,200}?\b(?:wrote ?:|(?i:originally posted by)[^\n]{0,80})")
_MENTION = re.compile(
    r"(?<![\w.@)\]}$%])@(?:[A-Z][A-Za-z]\w{0,28}|[A-Za-z]\w{0,28}[_\d]\w{0,28})(?![\w@]|\.\w|\s*[=(^*/+])"
)
_SIGNED = re.compile(
    r"\b(?i:thanks|thank you|thx|cheers|regards|sincerely|best wishes)"
    r"(?: (?:a lot|again|so much|very much|in advance))?[,!.]?(?:[ \t]{1,3}|[ \t]{0,3}\n{1,2})[-–—~]{0,2} ?"
    r"(?P<name>[A-Z][a-z]{1,20}(?: [A-Z](?:[a-z]{1,20}|\.))?)[.!]?\s{0,9}\Z"
)
MAX_AUTHOR = 80
"""Characters of an author's name; what is longer is none, and its words are not sought."""
_NO_NAMES = frozenset(
    ("again", "all", "any", "anyone", "advance", "cheers", "everybody", "everyone", "folks", "for", "friends", "god",
     "guys", "hello", "help", "hope", "in", "it", "kindly", "lot", "many", "math", "much", "please", "regards", "sir",
     "so", "teacher", "thank", "thanks", "that", "the", "this", "to", "very", "you", "your")
)  # fmt: skip
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

    A name that could be a word of the problem (a first name, or a part of a full one) is replaced only where it is a
    mention: ``@Tom``, ``thanks, Tom``, ``Tom wrote:``, ``Tom's answer``, a signature; a handle such as ``math_fan22``
    everywhere. What a text is signed with after thanks or regards, and ``@Name``, go whosoever it is.

    >>> scrub("write to tom.b@mail.example or call 555-123-4567").text
    'write to [mail] or call [phone]'
    >>> scrub("555-123-432 = 0, 5551234567 + 1, 3.25@8%", ()).total
    0
    >>> scrub("Tom has 9 pens, @Tom said. thanks math_fan22", ["Tom", "math_fan22"]).text
    'Tom has 9 pens, [name] said. thanks [name]'
    """
    text, mails = _MAIL.subn(MAIL_MARK, text) if "@" in text or _AT_WORD.search(text) else (text, 0)
    cued = shaped = 0
    if _RUN.search(text):
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
    whole = {name for given in names if len(name := given.strip()) <= MAX_AUTHOR}
    parts = {part for name in whole if " " in name for part in re.findall(r"[^\W\d_]{3,}", name)}
    total, folded = 0, text.casefold()
    for name in sorted(whole | parts, key=lambda name: (-len(name), name)):
        if len(name) >= 2 and name.casefold() in folded:
            text, count = _scrub_name(text, name)
            total, folded = total + count, text.casefold()
    text, mentioned = _MENTION.subn(NAME_MARK, text) if "@" in text else (text, 0)
    total += mentioned
    found = _SIGNED.search(text)
    if found is None or found["name"].split()[0].lower() in _NO_NAMES:
        return text, total
    return text[: found.start("name")] + NAME_MARK, total + 1


def _scrub_name(text: str, name: str) -> tuple[str, int]:
    """Without one name: a handle or full name wherever it stands, a word that could be of the problem as a mention."""
    quoted, handle = re.escape(name), bool(_HANDLE.fullmatch(name))
    count = 0

    def marked(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return (match["before"] or "") + NAME_MARK

    anywhere = rf"|(?<![\w@]){quoted}(?!\w)" if handle or (" " in name and not name.islower()) else ""
    quiet = rf"(?:{quoted}(?!\w)|{re.escape(name.lower())}(?=[ \t]*(?:[.!,;:)\n]|\Z)))"
    forms = (
        rf"(?P<before>(?<=\n))[ \t]{{0,9}}[-–—~]{{0,3}} ?(?i:{quoted})[.!]?[ \t]{{0,9}}(?={_END})",
        rf"(?P<before>){'(?i:' if handle else '(?:'}@(?i:{quoted})(?!\w){anywhere})",
        rf"(?P<before>{_BEFORE}){quiet}",
        rf"(?P<before>(?<!\w)){quoted}(?={_AFTER})",
        rf"(?P<before>\b(?i:as|like) ){quoted}(?={_SAYS})",
    )
    for form in forms:
        text = re.sub(form, marked, text)
    lines = _QUOTING.sub(lambda line: re.sub(rf"(?P<before>(?<!\w)){quoted}(?!\w)", marked, line[0]), text)
    return lines, count
