"""Edits of a text: replacements that can be replayed and that keep track of where each character came from.

``MARKS`` stand in a text for personal data that was taken out of it.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from extractors.extraction_errors import ExtractionError


class Edit(NamedTuple):
    """Replace ``[start, end)`` of a text by ``replacement``."""

    start: int
    end: int
    replacement: str


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text after disjoint edits in ascending order; raises ``ExtractionError`` where they overlap.

    >>> apply_edits("a × b", [Edit(2, 3, "*")])
    'a * b'
    """
    parts: list[str] = []
    position = 0
    for start, end, replacement in edits:
        if not position <= start <= end <= len(text):
            raise ExtractionError(f"edit [{start}, {end}) does not fit behind {position} in {len(text)} characters")
        parts.append(text[position:start])
        parts.append(replacement)
        position = end
    parts.append(text[position:])
    return "".join(parts)


class Traced:
    """A text under rewriting, with the source interval of every character; free of cost until the first edit."""

    __slots__ = ("_ends", "_starts", "length", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.length = len(text)
        self._starts: Sequence[int] = range(self.length)
        self._ends: Sequence[int] = range(1, self.length + 1)

    def rewrite(self, edits: Sequence[Edit]) -> None:
        """Applies disjoint edits in ascending order.

        A replacement of the same length maps character by character, any other maps each of its characters to the
        whole source interval that it replaces.
        """
        if not edits:
            return
        starts: list[int] = []
        ends: list[int] = []
        position = 0
        for start, end, replacement in edits:
            starts += self._starts[position:start]
            ends += self._ends[position:start]
            size = len(replacement)
            if size == end - start:
                starts += self._starts[start:end]
                ends += self._ends[start:end]
            elif size:
                low, high = self._interval(start, end)
                starts += [low] * size
                ends += [high] * size
            position = end
        starts += self._starts[position:]
        ends += self._ends[position:]
        self.text = apply_edits(self.text, edits)
        self._starts, self._ends = starts, ends

    def _interval(self, start: int, end: int) -> tuple[int, int]:
        if start == end:
            here = self._starts[start] if start < len(self._starts) else self.length
            before = self._ends[start - 1] if start else 0
            return min(before, here), before
        return self._starts[start], self._ends[end - 1]

    def offsets(self) -> tuple[Sequence[int], Sequence[int]]:
        """The source start and the source end of every character."""
        if isinstance(self._starts, range):
            return self._starts, self._ends
        return tuple(self._starts), tuple(self._ends)


def merged(edits: Iterable[Edit]) -> list[Edit]:
    """Edits in ascending order, those that overlap an earlier one left out."""
    kept: list[Edit] = []
    position = 0
    for edit in sorted(edits, key=lambda item: (item.start, item.end)):
        if edit.start >= position:
            kept.append(edit)
            position = edit.end
    return kept


MARKS: Final = {
    "mails": "[mail]",
    "phones": "[phone]",
    "names": "[name]",
    "handles": "[handle]",
    "numbers": "[number]",
    "places": "[address]",
}
"""The mark of each kind. ``numbers`` are those of cards, accounts and people; ``places`` are streets and hosts."""


class Found(NamedTuple):
    """Personal data at ``text[start:end]``; ``kind`` is a key of MARKS."""

    start: int
    end: int
    kind: str


def count_marks(text: str) -> dict[str, int]:
    """How many of each kind were taken out of a text, by the marks that stand for them.

    >>> {kind: count for kind, count in count_marks("write to [mail] or call [phone], [name]; [name]").items() if count}
    {'mails': 1, 'phones': 1, 'names': 2}
    """
    return {kind: text.count(mark) for kind, mark in MARKS.items()}
