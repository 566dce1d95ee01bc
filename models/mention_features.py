"""Features of one number where it stands: local context and number value (Dolphin18K, Table 1).

Each function takes the prepared question and answer and returns a number between -1 and 1 for each of the answer's
mentions. A value that is mentioned several times takes the highest value of each feature.
"""

import math
import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Final

from extractors.answers.answer_candidates import ASSIGNED, OPERAND, RESULT, STATED
from models.annotated_answer import AnswerView
from models.annotated_question import QuestionView, as_float, singular

MentionFeature = Callable[[QuestionView, AnswerView], list[float]]
_Follows = tuple[re.Pattern[str], re.Pattern[str]]


def _before_number(words: str, gap: str, signs: str = "") -> _Follows:
    r"""Words (and signs) with a gap up to a number: how an answer that holds one of them is told, and the whole.

    Most answers hold none of the words, and one look says so for all their numbers.
    """
    return re.compile(rf"(?:{words})(?![a-z]){signs}"), re.compile(rf"(?:\b(?:{words})\b{signs}){gap}\Z")


_ANSWER_WORD: Final = _before_number("answers?|ans|solution|result|total|a", r"[^\n]{0,40}")
_THEREFORE: Final = _before_number(
    "therefore|so|hence|thus|then|finally|means|must|gives|get|got", r"[^\n]{0,60}", signs="|=>|->|∴"
)
_COPULA: Final = re.compile(
    r"\b(?:is|are|was|were|be|equals|takes|took|costs?|gets?|makes?|needs?|pays?|has|have|had|sold|gives?|"
    r"it'?s|u?r|you|him|her)\s{0,2}(?:about |only |exactly )?[$€£]?\Z"
)
_CHECK: Final = re.compile(r"\b(?:check|verify|checks|proof|because|since|was|were|plug|if|suppose|pretend|say)\b|✓")
_NEGATED: Final = _before_number(
    "not|isn'?t|wrong|never|instead of|wasn'?t|can'?t|forgot|without|other", r"[^.\n]{0,30}"
)
_HEDGED: Final = re.compile(r"\b(?:guess|about|think|roughly|approx\w*|maybe|prob\w*|around|idk|somewhere)\b|\?")
_COPULA_ENDS: Final = frozenset("serktydum")
"""The last letters of what may stand before the spaces: "is", "her", "took", "about", "only", "had", "u", "him"."""
COPULA: Final = 17
"""The longest that can match of a copula: its word, spaces, "exactly" and a sign of money."""


def _last_line(before: str) -> int:
    """Where the last line begins: what follows a word up to the number holds no line break."""
    return before.rfind("\n") + 1


def in_first_line(_question: QuestionView, view: AnswerView) -> list[float]:
    """1 in the first line of the answer."""
    return [float(line == 0) for line in view.line_of]


def in_last_line(_question: QuestionView, view: AnswerView) -> list[float]:
    """1 in the last line that holds a number before a closing check."""
    last = view.line_of[view.last_place]
    return [float(line == last) for line in view.line_of]


def in_first_sentence(_question: QuestionView, view: AnswerView) -> list[float]:
    """1 in the first sentence of the answer."""
    return [float(sentence == 0) for sentence in view.sentence_of]


def in_last_sentence(_question: QuestionView, view: AnswerView) -> list[float]:
    """1 in the last sentence that holds a number before a closing check."""
    last = view.sentence_of[view.last_place]
    return [float(sentence == last) for sentence in view.sentence_of]


def in_last_conclusive_sentence(_question: QuestionView, view: AnswerView) -> list[float]:
    """1 in the last sentence that holds a number which is no operand: thanks and comments may follow it."""
    last = view.sentence_of[view.last_conclusive] if view.last_conclusive >= 0 else -1
    return [float(sentence == last) for sentence in view.sentence_of]


def is_first_number(_question: QuestionView, view: AnswerView) -> list[float]:
    """1 for the first number of the answer."""
    return [float(place == 0) for place in range(len(view.mentions))]


def is_last_number(_question: QuestionView, view: AnswerView) -> list[float]:
    """1 for the last number of the answer before a closing check."""
    return [float(place == view.last_place) for place in range(len(view.mentions))]


def is_last_conclusive(_question: QuestionView, view: AnswerView) -> list[float]:
    """1 for the last number that is no operand."""
    return [float(place == view.last_conclusive) for place in range(len(view.mentions))]


def relative_position(_question: QuestionView, view: AnswerView) -> list[float]:
    """Where the number stands, from 0 at the start of the answer to 1 at its end."""
    length = len(view.text)
    return [mention.end / length for mention in view.mentions]


def is_result(_question: QuestionView, view: AnswerView) -> list[float]:
    """1 right after an equals sign that no lone name stands before."""
    return [float(mention.role is RESULT) for mention in view.mentions]


def is_assigned(_question: QuestionView, view: AnswerView) -> list[float]:
    """1 where an equation gives a lone name the value."""
    return [float(mention.role is ASSIGNED) for mention in view.mentions]


def is_operand(_question: QuestionView, view: AnswerView) -> list[float]:
    """1 where the number is reckoned with."""
    return [float(mention.role is OPERAND) for mention in view.mentions]


def is_stated(_question: QuestionView, view: AnswerView) -> list[float]:
    """1 where the number stands in prose."""
    return [float(mention.role is STATED) for mention in view.mentions]


def follows_answer_word(_question: QuestionView, view: AnswerView) -> list[float]:
    """1 where "answer", "ans" or "solution" stands before the number in its line."""
    return _follows(_ANSWER_WORD, view)


def follows_therefore(_question: QuestionView, view: AnswerView) -> list[float]:
    """1 where "therefore", "so", "hence" or an arrow stands before the number in its line."""
    return _follows(_THEREFORE, view)


def _follows(words: _Follows, view: AnswerView) -> list[float]:
    anywhere, before_number = words
    if anywhere.search(view.text) is None:
        return [0.0] * len(view.mentions)
    return [float(before_number.search(before, _last_line(before)) is not None) for before in view.before]


def follows_copula(_question: QuestionView, view: AnswerView) -> list[float]:
    """1 right after "is", "are", "takes", "costs" and their like."""
    return [float(_follows_copula(before)) for before in view.before]


def _follows_copula(before: str) -> bool:
    ends = before.rstrip("$€£").rstrip()[-1:] in _COPULA_ENDS
    return ends and _COPULA.search(before, max(0, len(before) - COPULA)) is not None


def has_asked_unit(question: QuestionView, view: AnswerView) -> list[float]:
    """1 where the unit or one of the three words after the number is what the question asks for."""
    return [float(is_asked_thing(question, view, place)) for place in range(len(view.mentions))]


def is_asked_thing(question: QuestionView, view: AnswerView, place: int) -> bool:
    """Whether the unit or one of the three words after a mention is what the question asks for."""
    mention = view.mentions[place]
    if mention.number.unit in question.asked_things:
        return True
    match = view.after[place] if question.asked_things else None
    return match is not None and any(singular(word) in question.asked_things for word in match.groups()[1:] if word)


def is_asked_money(question: QuestionView, view: AnswerView) -> list[float]:
    """1 for an amount of money where the question asks for one, -1 where it asks for something else."""
    asked = 1.0 if question.asks_money else -1.0
    return [asked if mention.number.kind == "money" else 0.0 for mention in view.mentions]


def has_word_after(_question: QuestionView, view: AnswerView) -> list[float]:
    """1 where a word follows the number: "15 nickels", "15 ft"."""
    return [float(match is not None and match[2] is not None) for match in view.after]


def is_alone_on_line(_question: QuestionView, view: AnswerView) -> list[float]:
    """1 where the line holds no other number and is short."""
    held = Counter(view.line_of)
    return [float(held[line] == 1 and _length(view, line) <= 30) for line in view.line_of]


def _length(view: AnswerView, line: int) -> int:
    start = view.lines[line]
    end = view.text.find("\n", start)
    return (len(view.text) if end < 0 else end) - start


def is_reckoned_with_later(_question: QuestionView, view: AnswerView) -> list[float]:
    """1 where the value is an operand further on in the answer: a step, not the end."""
    return [float(is_used_later(view, place)) for place in range(len(view.mentions))]


def is_used_later(view: AnswerView, place: int) -> bool:
    """Whether the value of a mention is an operand further on in the answer."""
    return view.last_operand.get(view.mentions[place].value, -1) > place


def is_in_check(_question: QuestionView, view: AnswerView) -> list[float]:
    """1 in a sentence that checks, supposes or looks back: "she was 18", "check: 5*7 = 35"."""
    return _in_sentence(_CHECK, view)


def _in_sentence(sign: re.Pattern[str], view: AnswerView) -> list[float]:
    if sign.search(view.text) is None:
        return [0.0] * len(view.mentions)
    found = [float(sign.search(sentence) is not None) for sentence in view.sentence_texts]
    return [found[sentence] for sentence in view.sentence_of]


def is_after_check(_question: QuestionView, view: AnswerView) -> list[float]:
    """1 in a closing check."""
    return [float(mention.start >= view.body_end) for mention in view.mentions]


def is_negated(_question: QuestionView, view: AnswerView) -> list[float]:
    """1 after "not", "wrong", "instead of" in the same sentence."""
    return _follows(_NEGATED, view)


def is_hedged(_question: QuestionView, view: AnswerView) -> list[float]:
    """1 in a sentence with "guess", "about", "think" or a question mark."""
    return _in_sentence(_HEDGED, view)


def is_in_brackets(_question: QuestionView, view: AnswerView) -> list[float]:
    """1 after an opening bracket that is not closed before the number."""
    return [float(before.rfind("(") > before.rfind(")")) for before in view.before]


def share_of_mentions(_question: QuestionView, view: AnswerView) -> list[float]:
    """Which share of the answer's mentions are of this value."""
    total = len(view.mentions)
    return [len(view.by_value[mention.value]) / total for mention in view.mentions]


def is_in_question(question: QuestionView, view: AnswerView) -> list[float]:
    """1 for a number that the question states itself."""
    return [float(value in question.given) for value in view.written]


def is_integer(_question: QuestionView, view: AnswerView) -> list[float]:
    """1 for a whole number."""
    return [float(bottom == 1) for _, bottom in view.written]


def is_negative(_question: QuestionView, view: AnswerView) -> list[float]:
    """1 below zero."""
    return [float(top < 0) for top, _ in view.written]


def magnitude(_question: QuestionView, view: AnswerView) -> list[float]:
    """Size on a logarithmic scale, 0 for zero and 1 for a million or more."""
    return [_magnitude(mention.number.value) for mention in view.mentions]


def _magnitude(value: Fraction) -> float:
    return min(1.0, math.log10(1 + abs(as_float(value))) / 6)


def is_small_integer(_question: QuestionView, view: AnswerView) -> list[float]:
    """1 for 0, 1 and 2, which stand everywhere."""
    return [float(bottom == 1 and 0 <= top <= 2) for top, bottom in view.written]


def is_unwieldy(_question: QuestionView, view: AnswerView) -> list[float]:
    """1 for a value with a denominator above 100: a step or a slip, seldom what a textbook asks for."""
    return [float(bottom > 100) for _, bottom in view.written]


def is_word(_question: QuestionView, view: AnswerView) -> list[float]:
    """1 for a number in words."""
    return [float(mention.number.kind == "word") for mention in view.mentions]


def is_percent(_question: QuestionView, view: AnswerView) -> list[float]:
    """1 for a percentage."""
    return [float(mention.number.kind == "percent") for mention in view.mentions]


LOCAL_CONTEXT: Final[tuple[MentionFeature, ...]] = (
    in_first_line,
    in_last_line,
    in_first_sentence,
    in_last_sentence,
    in_last_conclusive_sentence,
    is_first_number,
    is_last_number,
    is_last_conclusive,
    relative_position,
    is_result,
    is_assigned,
    is_operand,
    is_stated,
    follows_answer_word,
    follows_therefore,
    follows_copula,
    has_asked_unit,
    is_asked_money,
    has_word_after,
    is_alone_on_line,
    is_reckoned_with_later,
    is_in_check,
    is_after_check,
    is_negated,
    is_hedged,
    is_in_brackets,
    share_of_mentions,
)
NUMBER_VALUE: Final[tuple[MentionFeature, ...]] = (
    is_in_question,
    is_integer,
    is_negative,
    magnitude,
    is_small_integer,
    is_unwieldy,
    is_word,
    is_percent,
)
MENTION_FEATURES: Final = (*LOCAL_CONTEXT, *NUMBER_VALUE)
