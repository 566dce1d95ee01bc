"""A text of a thread, read once: its plain maths, and its numbers when they are first needed."""

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
        for number in self.numbers:
            if number.start < start < number.end or number.start < end < number.end:
                start, end = min(start, number.start), max(end, number.end)
        return start, end
