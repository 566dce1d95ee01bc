"""Features of a post for its classifier: structure by named functions.

After Dolphin18K, section 3.1. Neither authors nor tags nor scores are read. A dollar sign is money as often as it is
TeX, so it never counts by itself: only TeX commands do.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log1p
from typing import Final

from extractors.text.sentences import sentences
from models.exact import Matrix, on_grid
from models.lexicons import OF_ANSWERS, OF_QUESTIONS, QuestionItems, question_items, word_set

MAX_QUESTION: Final = 6_000
MAX_ANSWERS: Final = 8
MAX_ANSWER: Final = 1_500
_NUMBER: Final = re.compile(r"[0-9]+(?:[.,][0-9]+)*")
_TOKEN: Final = re.compile(r"[a-z']+|0|[?=+*/^%]|\\[a-z]+")
_WORD: Final = re.compile(r"[a-z']+")
_NUMBER_WORDS: Final = word_set(
    "two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, thirteen, fourteen, fifteen, sixteen, "
    "seventeen, eighteen, nineteen, twenty, thirty, forty, fifty, sixty, seventy, eighty, ninety, hundred, thousand, "
    "dozen, half, third, thirds, quarter, fourth, fourths, fifth, fifths, twice, double, triple, thrice"
)
_OPEN_WORDS: Final = word_set(
    "a, an, the, at, of, for, is, are, was, were, and, or, to, in, with, how, many, much, if, on, by, than, has, have, "
    "had, what, when, then, that, its, their, which, as, from"
)
_BULLET: Final = re.compile(r"\s{0,3}(?:\(?\d{1,2}[.)]|\(?[a-h][.)]|#\d|q\d|[-*•])\s")
_BLANK: Final = re.compile(
    r"\b(?:is|was|are|of|than|by|has)\s*(?:[.,]\s|\b(?:and|cm|km|ft|feet|inches|meters|miles|hours)\b)|_{2}|\.\.|…"
)
_TEX: Final = re.compile(
    r"\\(?:frac|int|sum|mathbb|mathcal|lim|partial|infty|alpha|beta|lambda|theta|sqrt|in|to|begin|left|cdot|text|"
    r"[a-z]{3,12})\b|[∫∑∂∞∈∀∃≤→λθΩ]"
)
_EQUATION: Final = re.compile(r"[a-z0-9)]\s?=\s?[-$(]?[a-z0-9.]")
_UNKNOWN: Final = re.compile(r"(?<![a-z])[xynt](?![a-z'])")


@dataclass(frozen=True)
class AnalysedPost:
    """A post as its features read it: lower case, cut to the first 6,000 characters and 8 answers of 1,500."""

    question: str
    answers: tuple[str, ...]

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """Numerals of the question."""
        return tuple(_NUMBER.findall(self.question))

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """Words, signs, and 0 for every numeral."""
        return tuple(_TOKEN.findall(_NUMBER.sub("0", self.question)))

    @cached_property
    def known(self) -> dict[str, int]:
        """How often the question uses each of the lists of words."""
        return OF_QUESTIONS.counts(self.tokens)

    @cached_property
    def number_count(self) -> int:
        """Numerals and number words of the question."""
        return len(self.numbers) + sum(map(_NUMBER_WORDS.__contains__, self.tokens))

    @cached_property
    def parts(self) -> QuestionItems:
        """Items and choices of the question."""
        return question_items(self.question)

    @cached_property
    def answer_numbers(self) -> tuple[frozenset[str], ...]:
        """The numerals of each answer."""
        return tuple(frozenset(_NUMBER.findall(answer)) for answer in self.answers)

    @cached_property
    def answer_words(self) -> tuple[dict[str, int], ...]:
        """How often each answer uses each of the lists of words."""
        return tuple(OF_ANSWERS.counts(tuple(_WORD.findall(answer))) for answer in self.answers)


def analyse_post(question: str, answers: Sequence[str]) -> AnalysedPost:
    """Prepare a post."""
    texts = (answer[:MAX_ANSWER].lower() for answer in answers[:MAX_ANSWERS] if answer.strip())
    return AnalysedPost(question[:MAX_QUESTION].lower(), tuple(texts))


PostFeature = Callable[[AnalysedPost], float]


def _scaled(count: int, most: int) -> float:
    return log1p(min(count, most)) / log1p(most)


def _share(flags: Sequence[bool]) -> float:
    return sum(flags) / max(1, len(flags))


def length(post: AnalysedPost) -> float:
    """Words of the question, logarithmic, 1 at 400."""
    return _scaled(len(post.tokens), 400)


def very_short(post: AnalysedPost) -> float:
    """1 below 12 words."""
    return float(len(post.tokens) < 12)


def very_long(post: AnalysedPost) -> float:
    """1 above 150 words."""
    return float(len(post.tokens) > 150)


def numbers(post: AnalysedPost) -> float:
    """Numerals and number words of the question, logarithmic, 1 at 30."""
    return _scaled(post.number_count, 30)


def no_numbers(post: AnalysedPost) -> float:
    """1 where the question holds neither numeral nor number word."""
    return float(post.number_count == 0)


def one_number(post: AnalysedPost) -> float:
    """1 where the question holds a single number."""
    return float(post.number_count == 1)


def short_with_numbers(post: AnalysedPost) -> float:
    """1 where fewer than 16 words hold two numbers or more: a bare task."""
    return float(len(post.tokens) < 16 and post.number_count >= 2)


def symbols(post: AnalysedPost) -> float:
    """The share of numerals, signs and single letters among the words."""
    return list(map(len, post.tokens)).count(1) / max(1, len(post.tokens))


def question_marks(post: AnalysedPost) -> float:
    """Question marks, runs counted once, logarithmic, 1 at 10."""
    return _scaled(post.question.count("?") - post.question.count("??"), 10)


def asks_for_quantity(post: AnalysedPost) -> float:
    """How often the wording asks for a quantity, logarithmic, 1 at 8."""
    return _scaled(post.known["quantity"], 8)


def asks_nothing(post: AnalysedPost) -> float:
    """1 where there is neither a question mark nor a wording that asks."""
    return float("?" not in post.question and not post.known["quantity"] and not post.known["method"])


def asking_sentences(post: AnalysedPost) -> float:
    """Sentences and lines that hold a number or an equation, logarithmic, 1 at 12."""
    return _scaled(sum(_NUMBER.search(sentence) is not None for sentence in sentences(post.question)), 12)


def asks_for_method(post: AnalysedPost) -> float:
    """How often the wording asks how, why or what something is, logarithmic, 1 at 4."""
    return _scaled(post.known["method"], 4)


def method_without_numbers(post: AnalysedPost) -> float:
    """1 where the wording asks how or why with fewer than two numbers."""
    return float(post.known["method"] > 0 and post.number_count < 2)


def points_elsewhere(post: AnalysedPost) -> float:
    """How often the question points to a page, a picture or a problem's number, logarithmic, 1 at 3."""
    return _scaled(post.known["elsewhere"], 3)


def leaves_blanks(post: AnalysedPost) -> float:
    """How often a value seems to be missing ("is ." or "of cm"), logarithmic, 1 at 3."""
    return _scaled(len(_BLANK.findall(post.question)), 3)


def breaks_off(post: AnalysedPost) -> float:
    """1 where the last word cannot end a sentence."""
    return float(bool(post.tokens) and post.tokens[-1] in _OPEN_WORDS)


def items(post: AnalysedPost) -> float:
    """Numbered or lettered items in ascending order, logarithmic, 1 at 8."""
    return _scaled(post.parts.items, 8)


def choices(post: AnalysedPost) -> float:
    """1 where the question offers short lettered choices."""
    return float(post.parts.choices > 0)


def several_words(post: AnalysedPost) -> float:
    """Words such as "problems" and "these", logarithmic, 1 at 4."""
    return _scaled(post.known["several"], 4)


def school_words(post: AnalysedPost) -> float:
    """Words of school mathematics, logarithmic, 1 at 10."""
    return _scaled(post.known["school"], 10)


def college_words(post: AnalysedPost) -> float:
    """Words of college mathematics, logarithmic, 1 at 6."""
    return _scaled(post.known["college"], 6)


def proof_words(post: AnalysedPost) -> float:
    """Words that ask for a proof, logarithmic, 1 at 3."""
    return _scaled(post.known["proof"], 3)


def science_words(post: AnalysedPost) -> float:
    """Words of other subjects, logarithmic, 1 at 3."""
    return _scaled(post.known["science"], 3)


def tex_commands(post: AnalysedPost) -> float:
    """TeX commands and signs of higher mathematics, logarithmic, 1 at 10; dollar signs do not count."""
    return _scaled(len(_TEX.findall(post.question)), 10)


def states_equation(post: AnalysedPost) -> float:
    """Equations in the question, logarithmic, 1 at 6."""
    return _scaled(len(_EQUATION.findall(post.question)) if "=" in post.question else 0, 6)


def answer_count(post: AnalysedPost) -> float:
    """Answers, logarithmic, 1 at 8."""
    return _scaled(len(post.answers), 8)


def answers_with_numbers(post: AnalysedPost) -> float:
    """The share of the answers that hold a numeral."""
    return _share([bool(found) for found in post.answer_numbers])


def answers_with_equals(post: AnalysedPost) -> float:
    """The share of the answers that hold an equation."""
    return _share(["=" in answer and _EQUATION.search(answer) is not None for answer in post.answers])


def answers_with_unknown(post: AnalysedPost) -> float:
    """The share of the answers that hold x, y, n or t as a name."""
    return _share([_UNKNOWN.search(answer) is not None for answer in post.answers])


def answers_with_lists(post: AnalysedPost) -> float:
    """Numbered items in the answer that has most, logarithmic, 1 at 6."""
    found = (sum(_BULLET.match(line) is not None for line in answer.split("\n")) for answer in post.answers)
    return _scaled(max(found, default=0), 6)


def answers_without_a_clue(post: AnalysedPost) -> float:
    """The share of the answers that ask back or cannot answer."""
    return _share([words["clueless"] > 0 for words in post.answer_words])


def answers_use_numbers(post: AnalysedPost) -> float:
    """The share of the question's numerals that stand in some answer."""
    given = frozenset(post.numbers)
    held = frozenset().union(*post.answer_numbers) if post.answers else frozenset()
    return len(given & held) / len(given) if given else 0.0


def answers_agree(post: AnalysedPost) -> float:
    """1 where two answers share a numeral that the question does not hold."""
    given, seen = frozenset(post.numbers), set[str]()
    for found in post.answer_numbers:
        if seen & (found - given):
            return 1.0
        seen |= found - given
    return 0.0


def answers_are_long(post: AnalysedPost) -> float:
    """Words of the longest answer, logarithmic, 1 at 300."""
    return _scaled(max((answer.count(" ") for answer in post.answers), default=0), 300)


def answers_use_college_words(post: AnalysedPost) -> float:
    """Words of college mathematics in the answers, logarithmic, 1 at 6."""
    return _scaled(sum(words["college"] for words in post.answer_words), 6)


STRUCTURE: Final[tuple[PostFeature, ...]] = (
    length,
    very_short,
    very_long,
    numbers,
    no_numbers,
    one_number,
    short_with_numbers,
    symbols,
    question_marks,
    asks_for_quantity,
    asks_nothing,
    asking_sentences,
    asks_for_method,
    method_without_numbers,
    points_elsewhere,
    leaves_blanks,
    breaks_off,
    items,
    choices,
    several_words,
    school_words,
    college_words,
    proof_words,
    science_words,
    tex_commands,
    states_equation,
    answer_count,
    answers_with_numbers,
    answers_with_equals,
    answers_with_unknown,
    answers_with_lists,
    answers_without_a_clue,
    answers_use_numbers,
    answers_agree,
    answers_are_long,
    answers_use_college_words,
)
STRUCTURE_NAMES: Final = tuple(feature.__name__ for feature in STRUCTURE)


def structure(post: AnalysedPost) -> Matrix:
    """The structural features, one number for each of STRUCTURE_NAMES."""
    return on_grid([feature(post) for feature in STRUCTURE])
