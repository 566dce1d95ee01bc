"""A question prepared once for all features: its numbers, and how many values it asks for."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final

from extractors.equations.given import given_of
from extractors.quantities.numbers import find_numbers
from extractors.questions.stated import Stated
from extractors.text.plain import plain_maths
from models.counts import UNKNOWN, likeliest

MAX_QUESTION: Final = 8_000
_ASKS: Final = re.compile(r"\?|\b(?:how|what|which|find|who|when|determine|calculate|need)\b")


@dataclass(frozen=True)
class AnalysedQuestion:
    """What the features ask of a question."""

    text: str
    values: frozenset[Fraction]
    asked: tuple[float, ...]
    """How likely it asks for 1, 2, 3, and 4 or more values."""
    stated: Stated | None
    """What the question states, solved; None where it was not surely read."""

    @cached_property
    def asked_size(self) -> int:
        """The likeliest number of values that it asks for."""
        return likeliest(self.asked)

    @property
    def asks_several(self) -> bool:
        """Whether it asks for more than one value, or states its facts and asks nothing in words."""
        return self.asked_size > 1 or _ASKS.search(self.text.lower()) is None


def analyse_question(question: str, asked: Sequence[float] = UNKNOWN) -> AnalysedQuestion:
    """Prepare a question; only the first 8,000 characters are looked at.

    ``asked`` says how likely it asks for 1, 2, 3, and 4 or more values (``models/counts.py``).
    """
    text = plain_maths(question[:MAX_QUESTION]).text
    given = given_of(question)
    values = frozenset(number.value for number in (given.numbers if given.text == text else find_numbers(text)))
    return AnalysedQuestion(
        text=text,
        values=values,
        asked=tuple(asked) or UNKNOWN,
        stated=given.stated,
    )
