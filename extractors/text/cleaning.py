"""The question without what is no part of the problem, in named steps that can be replayed.

Precision first: a clause goes only if every word of it belongs to the closed vocabulary of chatter (FIELD_GUIDE,
"Chatter") and it holds a word that marks chatter; a digit, a formula or a word of content keeps it. Of a title that
the body repeats, or a text that stands twice, one copy stays.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from extractors.extraction_errors import MAX_TEXT
from extractors.text.chatter import chatter_edits
from extractors.text.edits import Edit, apply_edits, merged
from extractors.text.markup import entity_edits, newline_edits, tag_edits, write_edits
from extractors.text.wordlists import holds_any

_BORDER: Final = re.compile(r"\n|[?!]+[ ]|\.{2,}[ ]?|\.[ ]|…[ ]?")
_MAX_BORDERS: Final = 6
_MAX_TITLE: Final = 300
_SHORTEST: Final = 10


class _Bare(dict[int, str | None]):
    """A table for ``str.translate``: letters and digits folded to one character each, operators, and nothing else."""

    def __missing__(self, code: int) -> str | None:
        char = chr(code)
        self[code] = char.casefold()[:1] if char.isalnum() or char in "=+*/^<>-$%" else None
        return self[code]


_BARE: Final = _Bare()


def repeat_edits(text: str) -> list[Edit]:
    """Removes the first copy where the text after a border begins with it again.

    Copies are compared by letters, digits and operators only; the second copy is kept, because a title may be cut.
    """
    bare = text.translate(_BARE)
    if bare.find(bare[:_SHORTEST], _SHORTEST) < 0:
        return []
    half, odd = divmod(len(bare), 2)
    if not odd and half >= _SHORTEST and bare[:half] == bare[half:]:
        kept = [index for index, char in enumerate(text) if _BARE[ord(char)] is not None]
        if not text[kept[half - 1] + 1].isalnum():
            return [Edit(0, kept[half], "")]
    for border in islice(_BORDER.finditer(text, 0, _MAX_TITLE), _MAX_BORDERS):
        position = len(text[: border.start()].translate(_BARE))
        if position >= _SHORTEST and bare.startswith(bare[:position], position):
            return [Edit(0, border.end(), "")]
    return []


@dataclass(frozen=True, slots=True)
class Step:
    """One named cleaning step; its edits refer to the text before it, are disjoint and in ascending order."""

    name: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A cleaned text with the steps that made it."""

    text: str
    steps: tuple[Step, ...]


_INVISIBLE: Final = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\xad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|\r\n?|[\u2028\u2029\x85]"
)
_SPACES: Final = re.compile(r"[\u00a0\u2000-\u200a\u202f\u205f\u3000\t]")
_BOILERPLATE: Final = re.compile(
    r"You can put this solution on YOUR website!?|\(Show Source\):?"
    r"|(?:^|(?<=\s))Answer by [\w.-]{1,40}\([0-9]{1,6}\)[ ]?:?"
    r"|Found [0-9]{1,2} solutions? by [^\n:]{1,200}:|^[ \t]*Question [0-9]{4,9}[ ]?:|^[ \t]*SOLUTION:|^\(URL\)[ ]"
    r"|^[ \t]*(?:Similar questions|Related questions|Report (?:abuse|this)|Add (?:your )?answer"
    r"|Log in to (?:reply|answer)|Sign up)[ \t]*$"
    r"|^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{5,15}(?:Z|[+-][0-9:]{4,6})?[ \t]*$",
    re.M,
)
_BOILERPLATE_CUES: Final = (
    "You can put this", "(Show Source)", "Answer by ", "Found ", "Question ", "SOLUTION:", "(URL)",
    "Similar questions", "Related questions", "Report ", "Add ", "Log in to", "Sign up",
)  # fmt: skip
"""What stands in a text with boilerplate, but for stamps of time."""
_ADDRESS: Final = re.compile(r"(?:https?://|www\.)[^\s<>\"]++")
_NUMBERING: Final = re.compile(
    r"\A\s{0,20}(?:#{1,4}[ \t]+"
    r"|(?:(?:question|problem|exercise|ex|q|no)\.?[ ]?)?#?[ ]?[0-9]{1,3}[ ]?(?:[):]|\.\)?)[ \t]+(?=[A-Za-z\"']))",
    re.I,
)
_OTHER_ITEM: Final = re.compile(r"(?:\n|[?.!][ ])[ \t]{0,20}#?[0-9]{1,3}[ ]?[).][ \t]")
# Question marks between a digit and a bracket may be a lost degree sign: cos(45??).
_EMPHASIS: Final = re.compile(r"(?<![?!])[?!]{2,}+(?=\s|\Z)|(?<![0-9?!])[?!]{2,}+")
_EMOTICON: Final = re.compile(r"(?<!\S)(?:[:;=]-?[)(DPp/|]|<3|\^_\^|xD|XD)(?=\s|\Z)")
_BLANKS: Final = re.compile(r"\A\s+|[ ]*+\n[ \n]*+|[ ]{2,}+|(?<!\s)\s+\Z")


def clean_question(text: str) -> Cleaned:
    """The question as a problem statement, with the steps that lead there; total, never raises.

    A text that would lose all its words keeps them; one of more than ``MAX_TEXT`` characters is left as it is.

    >>> clean_question("HELP ME PLEASE!! Ann has 5 pens\\\\nand buys 2. How many now?? thanks in advance :)").text
    'Ann has 5 pens\\nand buys 2. How many now?'
    """
    steps: list[Step] = []
    if len(text) > MAX_TEXT:
        return Cleaned(text, ())
    for name, find in _STEPS:
        edits = tuple(edit for edit in find(text) if text[edit.start : edit.end] != edit.replacement)
        if not edits:
            continue
        changed = apply_edits(text, edits)
        if changed == text or (not _has_words(changed) and _has_words(text)):
            continue
        steps.append(Step(name, edits))
        text = changed
    return Cleaned(text, tuple(steps))


def apply_steps(text: str, steps: Iterable[Step]) -> str:
    """Replays cleaning steps: ``apply_steps(raw, clean_question(raw).steps) == clean_question(raw).text``."""
    for step in steps:
        text = apply_edits(text, step.edits)
    return text


def _has_words(text: str) -> bool:
    return any(char.isalnum() for char in text)


def _removed(pattern: re.Pattern[str], replacement: str = "") -> Callable[[str], list[Edit]]:
    return lambda text: [Edit(m.start(), m.end(), replacement) for m in pattern.finditer(text)]


def _boilerplate(text: str) -> list[Edit]:
    may_be = holds_any(text, _BOILERPLATE_CUES) or ("T" in text and text.count("-") > 1)
    return _removed(_BOILERPLATE)(text) if may_be else []


def _invisible(text: str) -> list[Edit]:
    edits = [
        Edit(m.start(), m.end(), "\n" if m[0][0] in "\r\u2028\u2029\x85" else "") for m in _INVISIBLE.finditer(text)
    ]
    return merged([*edits, *(Edit(m.start(), m.end(), " ") for m in _SPACES.finditer(text))])


def _emphasis(text: str) -> list[Edit]:
    """Runs of marks become one: a question stays a question."""
    if not holds_any(text, ("??", "!!", "?!", "!?")):
        return []
    return [Edit(m.start(), m.end(), "?" if "?" in m[0] else "!") for m in _EMPHASIS.finditer(text)]


def _numbering(text: str) -> list[Edit]:
    """The number of a single problem; a list of several keeps its marks."""
    match = _NUMBERING.match(text)
    if match is None or _OTHER_ITEM.search(text, match.end()):
        return []
    return [Edit(match.start(), match.end(), "")]


def _blanks(text: str) -> list[Edit]:
    edits = []
    for match in _BLANKS.finditer(text):
        raw = match[0]
        if match.start() == 0 or match.end() == len(text):
            plain = ""
        elif "\n" in raw:
            plain = "\n\n" if raw.count("\n") > 1 else "\n"
        elif raw == "  " and _stood_minus(text, match):
            continue
        else:
            plain = " "
        edits.append(Edit(match.start(), match.end(), plain))
    return edits


def _stood_minus(text: str, match: re.Match[str]) -> bool:
    """Old pages lost the minus and kept its two blanks: "45  9 = 36"."""
    before, after = text[match.start() - 1], text[match.end()]
    return (before.isalnum() or before == ")") and (after.isdigit() or after == "(" or before.isdigit())


_FindEdits = Callable[[str], Sequence[Edit]]
_STEPS: Final[tuple[tuple[str, _FindEdits], ...]] = (
    ("document_write", lambda text: list(write_edits(text)) if "document.write" in text else []),
    ("line_breaks", lambda text: newline_edits(text) if "\\" in text else []),
    ("entities", lambda text: entity_edits(text) if "&" in text else []),
    ("markup", lambda text: tag_edits(text) if "<" in text else []),
    ("invisible", _invisible),
    ("boilerplate", _boilerplate),
    ("addresses", lambda text: _removed(_ADDRESS)(text) if "://" in text or "www." in text else []),
    ("repeated_title", repeat_edits),
    ("chatter", chatter_edits),
    ("emoticons", _removed(_EMOTICON)),
    ("numbering", _numbering),
    ("emphasis", _emphasis),
    ("whitespace", lambda text: _blanks(text) if "\n" in text or "  " in text or text != text.strip() else []),
)
