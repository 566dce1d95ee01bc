"""Features of one number where it stands: local context and number value (Dolphin18K, Table 1).

Each function takes a prepared answer and returns a number between 0 and 1 for each of its mentions. A value that is
mentioned several times takes the highest value of each feature. What wins no posts in cross-validation is not here
(docs/models.md).
"""

import re
from collections.abc import Callable
from typing import Final

from extractors.answers.answer_candidates import ASSIGNED, OPERAND
from models.analysed_answer import AnalysedAnswer

MentionFeature = Callable[[AnalysedAnswer], list[float]]

_WORDS: Final = r"therefore|so|hence|thus|then|finally|means|must|gives|get|got"
_THEREFORE: Final = re.compile(rf"(?:{_WORDS})(?![a-z])|=>|->|∴")
"""Most answers hold none of these, and one look says so for all their numbers."""
_THEREFORE_BEFORE: Final = re.compile(rf"(?:\b(?:{_WORDS})\b|=>|->|∴)[^\n]{{0,60}}\Z")


def in_first_line(view: AnalysedAnswer) -> list[float]:
    """1 in the first line of the answer."""
    return [float(line == 0) for line in view.line_of]


def in_last_line(view: AnalysedAnswer) -> list[float]:
    """1 in the last line that holds a number before a closing check."""
    last = view.line_of[view.last_place]
    return [float(line == last) for line in view.line_of]


def is_first_number(view: AnalysedAnswer) -> list[float]:
    """1 for the first number of the answer."""
    return [float(place == 0) for place in range(len(view.mentions))]


def relative_position(view: AnalysedAnswer) -> list[float]:
    """Where the number stands, from 0 at the start of the answer to 1 at its end."""
    length = len(view.text)
    return [mention.end / length for mention in view.mentions]


def is_assigned(view: AnalysedAnswer) -> list[float]:
    """1 where an equation gives a lone name the value."""
    return [float(mention.role is ASSIGNED) for mention in view.mentions]


def is_operand(view: AnalysedAnswer) -> list[float]:
    """1 where the number is reckoned with."""
    return [float(mention.role is OPERAND) for mention in view.mentions]


def follows_therefore(view: AnalysedAnswer) -> list[float]:
    """1 where "therefore", "so", "hence" or an arrow stands before the number in its line."""
    if _THEREFORE.search(view.text) is None:
        return [0.0] * len(view.mentions)
    return [float(_THEREFORE_BEFORE.search(before, before.rfind("\n") + 1) is not None) for before in view.before]


def is_small_integer(view: AnalysedAnswer) -> list[float]:
    """1 for 0, 1 and 2, which stand everywhere."""
    return [float(bottom == 1 and 0 <= top <= 2) for top, bottom in view.stated]


def is_word(view: AnalysedAnswer) -> list[float]:
    """1 for a number in words."""
    return [float(mention.number.kind == "word") for mention in view.mentions]


LOCAL_CONTEXT: Final[tuple[MentionFeature, ...]] = (
    in_first_line,
    in_last_line,
    is_first_number,
    relative_position,
    is_assigned,
    is_operand,
    follows_therefore,
)
NUMBER_VALUE: Final[tuple[MentionFeature, ...]] = (is_small_integer, is_word)
MENTION_FEATURES: Final = (*LOCAL_CONTEXT, *NUMBER_VALUE)
