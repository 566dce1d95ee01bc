"""The names of a thread's authors, where a text mentions them; a name that could be of the problem stays elsewhere."""

import re
from collections.abc import Iterable

from extractors.text.edits import MARKS
from extractors.text.wordlists import read_list, words

_MARK = MARKS["names"]
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
_LONGEST_SIGNED = 100
"""No match of ``_SIGNED`` is longer, and it ends the text."""
MAX_AUTHOR = 80
"""Characters of an author's name; what is longer is none, and its words are not sought."""
_NO_NAMES = frozenset(words(read_list("extractors/no_author_names")))
_HANDLE = re.compile(r"[A-Za-z]\w*[_.\d]\w*|\w*[a-z][A-Z]\w*")


def scrub_authors(text: str, names: Iterable[str]) -> tuple[str, int]:
    """The text without mentions of ``names``, and how many there were.

    >>> scrub_authors("Tom has 9 pens, @Tom said. thanks math_fan22", ["Tom", "math_fan22"])
    ('Tom has 9 pens, [name] said. thanks [name]', 2)
    """
    whole = {name for given in names if len(name := given.strip()) <= MAX_AUTHOR}
    parts = {part for name in whole if " " in name for part in re.findall(r"[^\W\d_]{3,}", name)}
    total, folded = 0, text.casefold()
    for name in sorted(whole | parts, key=lambda name: (-len(name), name)):
        if len(name) >= 2 and name.casefold() in folded:
            text, count = _scrub_name(text, name)
            total, folded = total + count, text.casefold()
    text, mentioned = _MENTION.subn(_MARK, text) if "@" in text else (text, 0)
    total += mentioned
    found = _SIGNED.search(text, max(0, len(text) - _LONGEST_SIGNED))
    if found is None or found["name"].split()[0].lower() in _NO_NAMES:
        return text, total
    return text[: found.start("name")] + _MARK, total + 1


def _scrub_name(text: str, name: str) -> tuple[str, int]:
    """Without one name: a handle or full name wherever it stands, a word that could be of the problem as a mention."""
    quoted, handle = re.escape(name), bool(_HANDLE.fullmatch(name))
    count = 0

    def marked(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return (match["before"] or "") + _MARK

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
