"""Mail addresses, also spelled out: ``tom.b@mail.example``, ``tom (at) mail (dot) com``, ``tom at gmail dot com``."""

import re
from collections.abc import Iterator
from typing import Final

from extractors.privacy.cues import cues_in
from extractors.text.edits import Found
from extractors.text.wordlists import read_list
from extractors.text.wordlists import words as word_list

_LOCAL: Final = r"(?<![\w.+%'-])[\w.+%'-]{1,64}+"
_LABEL: Final = r"[^\W_](?:[\w-]{0,62}+)"
_BRACKETED_AT: Final = r"\s?[\[({<]\s?(?:at|arroba|ät)\s?[\])}>]\s?"
_BRACKETED_DOT: Final = r"\s?[\[({<]\s?dot\s?[\])}>]\s?"
_PLAIN: Final = re.compile(
    rf"{_LOCAL}(?:{_BRACKETED_DOT}[\w.+-]{{1,30}}+){{0,2}}(?:\s?[@＠]\s?|{_BRACKETED_AT}|&#0?64;)"
    rf"{_LABEL}(?:(?:\s\.\s|\.|{_BRACKETED_DOT}){_LABEL}){{0,4}}?(?:\s\.\s|\.|{_BRACKETED_DOT}|\sdot\s)"
    r"(?P<tld>[^\W\d_]{2,24}+)(?![\w@=^*/(])(?!-\w|\.[^\W\d_]|\s?[\[({<]\s?dot)",
    re.I,
)
_TLDS: Final = "|".join(word_list(read_list("extractors/mail_domains")))
_SPELLED: Final = re.compile(
    r"(?<![\w.+%'-])(?P<local>[\w.+%-]{2,64}+(?:\s(?:dot|underscore|dash)\s[\w+-]{1,30}+){0,3})\sat\s"
    rf"(?P<domain>{_LABEL}(?:(?:\.|\s?dot\s?)(?!(?:{_TLDS})\b){_LABEL}){{0,2}})"
    rf"(?:(?P<dot>\sdot\s)|\.)(?P<tld>(?:{_TLDS})(?:(?:\.|\sdot\s)(?:{_TLDS}))?)(?![\w@-])",
    re.I,
)
_PROVIDER: Final = "|".join(word_list(read_list("extractors/mail_providers")))
_BARE: Final = re.compile(
    r"\b(?:e-?mail|mail|contact|reach|write|me)\b[^\n.?!]{0,30}?\s(?P<local>[\w.+-]{3,64}+)(?:\sat\s|\s?@\s?)"
    r"(?:gmail|googlemail|yahoo|hotmail|outlook|icloud|aol|gmx|protonmail)\b(?![.]\w)",
    re.I,
)
_POINT: Final = re.compile(r"\.[^\W\d_]")
_CUE: Final = re.compile(r"\b(?:e-?mail|mail|contact|reach|write|address)\b", re.I)
_GLUED: Final = re.compile(
    rf"(?<![\w.+-])(?P<local>[a-z0-9][a-z0-9._+-]{{1,40}}?)AT(?:{_PROVIDER})DOT(?:{_TLDS})\b"
    rf"|(?<![\w.+-])[A-Za-z][\w.+-]{{1,40}}?_at_(?:{_PROVIDER})_dot_(?:{_TLDS})\b"
)
_NAMED: Final = re.compile(
    r"\b(?:my )?(?:gmail|hotmail|yahoo mail|e-?mail id|yahoo id|outlook)(?: id| address| acc(?:oun)?t)?\s?"
    r"(?::|\bis\b)\s?(?P<local>[A-Za-z][\w.+-]{1,40}[\d._]\w{0,30}|[A-Za-z]{1,30}[._\d][\w.]{1,40})(?![\w@])",
    re.I,
)
_WORDS_BEFORE: Final = frozenset(word_list(read_list("extractors/no_mail_names")))


def find_mails(text: str) -> Iterator[Found]:
    """Mail addresses; a sign between amounts or names of unknowns ("5 @ 3.50", ``5@3.ab``) is none.

    >>> [text[start:end] for text in ("tom at gmail dot com", "5@3.ab, x@8%") for start, end, _ in find_mails(text)]
    ['tom at gmail dot com']
    """
    cues = cues_in(text)
    signed = "@" in text or "＠" in text or "&#" in text
    if signed or "bracketed at" in cues or {"at", "dot"} <= cues:
        yield from (Found(*match.span(), "mails") for match in _PLAIN.finditer(text) if _is_mail(match))
    if "at alone" in cues and ("dot" in cues or _POINT.search(text)):
        for match in _SPELLED.finditer(text):
            if _is_spelled(match):
                yield Found(*match.span(), "mails")
    if "mails" in cues:
        for match in _BARE.finditer(text):
            if match["local"].lower() not in _WORDS_BEFORE:
                yield Found(match.start("local"), match.end(), "mails")
        yield from (Found(*match.span("local"), "mails") for match in _NAMED.finditer(text))
    if "DOT" in text or "_dot_" in text:
        yield from (Found(*match.span(), "mails") for match in _GLUED.finditer(text))


def _is_spelled(match: re.Match[str]) -> bool:
    """Whether "tom at mail.com" is meant as an address: it is where the dot is spelled out, too, or much"
    " speaks for it."""
    if match["local"].lower() in _WORDS_BEFORE or match["domain"].isdigit():
        return False
    if match["dot"] or re.search(r"[\d_.]", match["local"]) or re.fullmatch(_PROVIDER, match["domain"], re.I):
        return True
    return _CUE.search(match.string, max(0, match.start() - 40), match.start()) is not None


def _is_mail(match: re.Match[str]) -> bool:
    """Whether letters say that this is an address and not a price or a function at a point."""
    whole = match[0]
    sign = re.search(r"[@＠]|&#0?64;|[\[({<]\s?(?:at|arroba|ät)\s?[\])}>]", whole, re.I)
    if sign is None:
        return False
    local, domain = whole[: sign.start()].strip(), whole[sign.end() :].strip()
    name = domain[: -len(match["tld"])].strip(" .")
    if " " in whole and re.search(r"\s[@＠]\s", whole) and not re.fullmatch(_TLDS, match["tld"], re.I):
        return False
    known = re.fullmatch(_PROVIDER, name, re.I) is not None
    lettered = any(character.isalpha() for character in name)
    if local.replace(".", "").isdigit() or not lettered:
        return known or (lettered and len(name) > 1 and re.fullmatch(_TLDS, match["tld"], re.I) is not None)
    return any(character.isalpha() for character in local)
