"""A text of a thread, read once: its plain maths, and its numbers when they are first needed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from extractors.quantities.numbers import Number, find_numbers
from extractors.text.plain import PlainText, plain_maths

MAX_ANSWER: Final = 20_000
"""Characters of an answer that are read, up to the end of a line; the rest is passed over."""


_LOST_MINUS: Final = re.compile(r"(?<=[\w)])(?<![A-Za-z]{3})  (?=[$.]?\d|\(|[A-Za-z][a-z]?\d?(?![A-Za-z]))", re.ASCII)
_FLAT_POWER: Final = re.compile(r"(?<![A-Za-z])([A-Za-z])(?=[23](?![\w.]))", re.ASCII)
_INDEX: Final = re.compile(r"(?<![A-Za-z])([A-Za-z])[014-9](?!\w)", re.ASCII)
_DECIMAL_COMMA: Final = re.compile(r"(?<=\d),(?=\d{1,2}(?![\d,.]))(?<![.,\d]\d{3},)", re.ASCII)
_LOST_LINE: Final = re.compile(r"(?<=\d) (?=(?:-[\d.]{0,12}[A-Za-z(]|\()[^=\n]{1,40}=)", re.ASCII)


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

    def first_numbers(self, most: int) -> tuple[Number, ...]:
        """The numbers of the first ``most`` characters as they were posted, with their places there."""
        text = self.text[:most]
        return self.numbers if text == self.plain.text else find_numbers(text)


def variants(document: Document) -> Iterator[Document]:
    """Other readings of a text whose markup was lost.

    With a minus in every double blank between operands, with ``12,5`` as 12.5, with a line break before a bracket or a
    sign that is glued to its term, and with ``x2`` as ``x^2``.

    Pages that were converted long ago lost the sign (``45  9 = 36``, ``.08(12000  x)``), others their superscripts
    (``w2 + 2w = 48``) or their lines (``26 - 2c = 17 -2c = -9``). Nothing is given where the text has no such place, or
    where ``x1`` shows that digits are indexes.
    """
    plain, text = document.plain, document.plain.text
    if "=" not in text:
        return
    minus = _LOST_MINUS.sub(" -", text) if "  " in text else text
    if minus != text:
        yield Document(document.text, PlainText(minus, plain.offsets, plain.ends))
    decimal = _DECIMAL_COMMA.sub(".", text) if "," in text else text
    if decimal != text:
        yield Document(document.text, PlainText(decimal, plain.offsets, plain.ends))
    lines = _LOST_LINE.sub("\n", text) if " -" in text or " (" in text else text
    if lines != text:
        yield Document(document.text, PlainText(lines, plain.offsets, plain.ends))
    powers = list(_FLAT_POWER.finditer(text))
    indexed = set(_INDEX.findall(text)) if powers else set()
    ends = [power.end() for power in powers if power[1] not in indexed]
    if ends:
        yield Document(document.text, _with_powers(plain, ends))


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
