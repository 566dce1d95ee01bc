"""Parts of a question: numbered or lettered items in ascending order, told apart from the choices of one problem."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_MARK: Final = re.compile(
    r"(?<![\w.,$/+*=^-])(?:(?:q(?:uestion)?|prob(?:lem)?|no|number|#)[.:]?\s?)?[(\[#]?"
    r"(?:(?P<number>[0-9]{1,2})|(?P<roman>i{1,3}|iv|v)|(?P<letter>[a-j]))\s?"
    r"(?:[)\]:.]+(?![0-9])|/(?=\s)|(?=\n)|(?:(?<=\n.)|(?<=#.)|(?<=#..)|(?<=q.))\s)"
)
_WORK: Final = re.compile(r"[=?*+]|\s[-x/]\s")
_ROMAN: Final = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5}
MAX_GAP: Final = 4
SHORT: Final = 18


@dataclass(frozen=True)
class Parts:
    """How many ``items`` a question has in ascending order, and how many short ``choices`` of one problem."""

    items: int = 0
    choices: int = 0


@dataclass(frozen=True)
class _Mark:
    kind: str
    place: int
    start: int
    end: int


def _marks(question: str) -> list[_Mark]:
    found = []
    for match in _MARK.finditer(question):
        kind = str(match.lastgroup)
        text = match[kind]
        place = int(text) if kind == "number" else _ROMAN[text] if kind == "roman" else ord(text) - ord("a") + 1
        found.append(_Mark(kind, place, match.start(), match.end()))
    return found


def _run(marks: Sequence[_Mark]) -> list[_Mark]:
    """The longest run in which each mark follows the one before it in the count, with small gaps."""
    best: list[_Mark] = []
    current: list[_Mark] = []
    for mark in marks:
        follows = bool(current) and 0 < mark.place - current[-1].place <= MAX_GAP
        current = [*current, mark] if follows else [mark]
        best = max(best, current, key=len)
    return best


def _short(question: str, run: Sequence[_Mark]) -> bool:
    """Whether the text after each mark is no longer than a value: choices, where the items are letters."""
    ends = [*(mark.start for mark in run[1:]), len(question)]
    texts = [question[mark.end : end].strip() for mark, end in zip(run, ends, strict=True)]
    return all(len(text) <= SHORT and not _WORK.search(text) for text in texts[:-1])


def parts_of(question: str) -> Parts:
    """The items and choices of a question in lower case.

    >>> parts_of("1) solve 2x = 4 2) solve 3x = 9"), parts_of("what is x? a) 1 b) 2 c) 3")
    (Parts(items=2, choices=0), Parts(items=0, choices=3))
    """
    marks = _marks(question)
    if len(marks) < 2:
        return Parts()
    runs = [_run([mark for mark in marks if mark.kind == kind]) for kind in ("number", "roman", "letter")]
    items = choices = 0
    for run in runs:
        if len(run) < 2:
            continue
        if run[0].kind == "letter" and len(run) > 2 and _short(question, run):
            choices = max(choices, len(run))
        else:
            items = max(items, len(run))
    return Parts(items, choices)
