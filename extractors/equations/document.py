"""A text of a thread, read once: its plain maths, its numbers when they are first needed, and its other readings."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from extractors.quantities.numbers import Number, find_numbers
from extractors.text.plain import PlainText, plain_maths

MAX_ANSWER: Final = 20_000
"""Characters of an answer that are read, up to the end of a line; the rest is passed over."""


@dataclass(frozen=True)
class Document:
    """A text as it was posted, with what is read in it. Places are those of the plain text."""

    text: str
    plain: PlainText

    @classmethod
    def of(cls, text: str) -> "Document":
        """A text in plain maths, as far as it is read."""
        long = len(text) > MAX_ANSWER
        return cls(text, plain_maths(text[: text.rfind("\n", 0, MAX_ANSWER) + 1] if long else text))

    @cached_property
    def numbers(self) -> tuple[Number, ...]:
        """The numbers of the plain text."""
        return find_numbers(self.plain.text)

    def whole(self, start: int, end: int) -> tuple[int, int]:
        """A place of the plain text with all of the numbers that it cuts: what is marked splits no number.

        >>> Document.of("it is 7 1/2 miles").whole(8, 9)
        (6, 11)
        """
        for number in filter(None, (self._inside.get(start), self._inside.get(end))):
            start, end = min(start, number.start), max(end, number.end)
        return start, end

    @cached_property
    def _inside(self) -> dict[int, Number]:
        """Each number by the places within it."""
        return {place: number for number in self.numbers for place in range(number.start + 1, number.end)}


_LOST_MINUS: Final = re.compile(r"(?<=[\w)])(?<![A-Za-z]{3})  (?=[$.]?\d|\(|[A-Za-z][a-z]?\d?(?![A-Za-z]))", re.ASCII)
_FLAT_POWER: Final = re.compile(r"[23](?![\w.])(?<=[A-Za-z].)(?<![A-Za-z]{2}.)", re.ASCII)
_INDEX: Final = re.compile(r"(?<![A-Za-z])([A-Za-z])[014-9](?!\w)", re.ASCII)
_DECIMAL_COMMA: Final = re.compile(r",(?<=\d,)(?=\d{1,2}(?![\d,.]))(?<![.,\d]\d{3},)", re.ASCII)


def variants(document: Document) -> Iterator[Document]:
    """The text with a minus in every double blank between operands, with ``12,5`` as 12.5, and ``x2`` as ``x^2``.

    Pages that were converted long ago lost the sign (``45  9 = 36``, ``.08(12000  x)``), others their superscripts
    (``w2 + 2w = 48``). Nothing is given where the text has no such place, or where ``x1`` shows that digits are
    indexes.
    """
    text = document.plain.text
    if "=" not in text:
        return
    minus = _LOST_MINUS.sub(" -", text) if "  " in text else text
    if minus != text:
        yield _rewritten(document, minus)
    decimal = _DECIMAL_COMMA.sub(".", text) if "," in text else text
    if decimal != text:
        yield _rewritten(document, decimal)
    powers = [power.start() for power in _FLAT_POWER.finditer(text)]
    indexed = set(_INDEX.findall(text)) if powers else set()
    ends = [place for place in powers if text[place - 1] not in indexed]
    if ends:
        yield Document(document.text, _with_powers(document.plain, ends))


def _rewritten(document: Document, text: str) -> Document:
    """The same with another plain text of the same length."""
    return Document(document.text, PlainText(text, document.plain.offsets, document.plain.ends))


def _with_powers(plain: PlainText, ends: list[int]) -> PlainText:
    """A caret put in at some places, which stands for no character of its own."""
    parts: list[str] = []
    offsets: list[int] = []
    stops: list[int] = []
    start = 0
    for end in ends:
        parts += (plain.text[start:end], "^")
        offsets += (*plain.offsets[start:end], plain.offsets[end])
        stops += (*plain.ends[start:end], plain.ends[end])
        start = end
    return PlainText(
        "".join(parts) + plain.text[start:], (*offsets, *plain.offsets[start:]), (*stops, *plain.ends[start:])
    )
