"""Features of a post for its classifier: structure by named functions, and hashed word and character n-grams.

After Dolphin18K, section 3.1. Neither authors nor tags nor scores are read. A dollar sign is money as often as it is
TeX, so it never counts by itself: only TeX commands and fenced formulas do.
"""

import functools
import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

import numpy as np

from models.features import Matrix

BUCKETS: Final = 4096
MAX_QUESTION: Final = 6_000
MAX_ANSWERS: Final = 8
MAX_ANSWER: Final = 1_500
_NUMBER: Final = re.compile(r"[0-9]+(?:[.,][0-9]+)*")
_TOKEN: Final = re.compile(r"[a-z']+|0|[?=+*/^%]|\\[a-z]+")
_WORD_NUMBER: Final = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|half|twice|"
    r"double|hundred)\b"
)
_ITEM: Final = re.compile(r"(?:^|\n)\s{0,3}(?:\(?\d{1,2}[.)]|\(?[a-h][.)]|#\d|Q\d|[-*•])\s", re.I)
_INLINE_ITEM: Final = re.compile(r"(?:^|\s)\(?(?:\d{1,2}|[a-h])\)\s", re.I)
_QUANTITY: Final = re.compile(
    r"\bhow (?:many|much|long|old|far|fast|tall|high|wide|big|soon|large|deep)\b|\bwhat (?:is|are|was|were|"
    r"will|percent|number|r)\b|"
    r"\bfind\b|\bcalculate\b|\bdetermine\b|\bwhen (?:will|do|does)\b|\bsolve\b|\bwhat'?s\b"
)
_METHOD: Final = re.compile(
    r"\bhow (?:do|does|can|would|should) (?:you|u|i|we|one|it|people)\b|\bhow to\b|\bwhy\b|"
    r"\bdifference between\b|\bformula\b|\bin general\b|"
    r"\bwhat does .{1,30} mean\b|\bis there (?:a|an|any)\b|\bexplain\b|\brule\b|\btrick\b|\bwhat is an?\b|"
    r"\bmethod\b|\bever\b|\balways\b"
)
_MISSING: Final = re.compile(
    r"\b(?:page|picture|pic|figure|diagram|graph|attached|attachment|image|link|worksheet|chapter|section|"
    r"above|below|table|scan|photo|"
    r"book|problem \d+|question \d+|number \d+|exercise|ex\.?)\b|#\d"
)
_COLLEGE: Final = re.compile(
    r"\b(?:integral|integrate|derivative|differentiate|matrix|matrices|eigen\w*|vector|topolog\w*|group|"
    r"ring|field|theorem|lemma|prove|proof|converg\w*|"
    r"limit|series|calculus|laplace|fourier|differential|linear algebra|manifold|bounded|continuous|"
    r"compact|random variable|distribution|"
    r"variance|hypothesis|bayes\w*|regression|complex|isomorph\w*|homomorph\w*|functor|cohomolog\w*|"
    r"polynomial|modul[oe]|gradient|ode|pde|sup|inf|"
    r"cos|sin|tan|log|ln|asymptot\w*|permutation|subspace|basis|kernel|estimator|quantum|entropy|hamiltonian|tensor)\b"
)
_TEX: Final = re.compile(
    r"\\(?:frac|int|sum|mathbb|mathcal|lim|partial|infty|alpha|beta|lambda|theta|sqrt|in|to|begin|left|"
    r"cdot|text|[a-z]{3,12})\b|[∫∑∂∞∈∀∃≤→λθΩ]"
)
_CLUELESS: Final = re.compile(
    r"\b(?:which (?:book|page|one|problem)|can'?t see|cannot see|can'?t answer|depends|not enough|"
    r"need more|more info|missing|post the|type (?:it|the)|"
    r"what (?:is|are) the (?:rest|numbers|question|other)|one question (?:per|at)|don'?t have (?:the|your)|"
    r"no way to (?:know|tell)|how (?:big|long|much) is)\b"
)
_EQUATION: Final = re.compile(r"[a-z0-9)]\s?=\s?[-$(]?[a-z0-9.]", re.I)
_UNKNOWN: Final = re.compile(r"(?<![a-z])[xynt](?![a-z'])", re.I)


@dataclass(frozen=True)
class PostView:
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
    def answer_numbers(self) -> tuple[frozenset[str], ...]:
        """The numerals of each answer."""
        return tuple(frozenset(_NUMBER.findall(answer)) for answer in self.answers)


def post_view(question: str, answers: Sequence[str]) -> PostView:
    """Prepare a post."""
    texts = (answer[:MAX_ANSWER].lower() for answer in answers[:MAX_ANSWERS] if answer.strip())
    return PostView(question[:MAX_QUESTION].lower(), tuple(texts))


PostFeature = Callable[[PostView], float]


def _scaled(count: int, most: int) -> float:
    return float(np.log1p(min(count, most)) / np.log1p(most))


def length(post: PostView) -> float:
    """Words of the question, logarithmic, 1 at 400."""
    return _scaled(len(post.tokens), 400)


def very_short(post: PostView) -> float:
    """1 below 12 words."""
    return float(len(post.tokens) < 12)


def very_long(post: PostView) -> float:
    """1 above 150 words."""
    return float(len(post.tokens) > 150)


def numbers(post: PostView) -> float:
    """Numerals and number words of the question, logarithmic, 1 at 30."""
    return _scaled(len(post.numbers) + len(_WORD_NUMBER.findall(post.question)), 30)


def no_numbers(post: PostView) -> float:
    """1 where the question holds neither numeral nor number word."""
    return float(not post.numbers and _WORD_NUMBER.search(post.question) is None)


def one_number(post: PostView) -> float:
    """1 where the question holds a single number."""
    return float(len(post.numbers) + len(_WORD_NUMBER.findall(post.question)) == 1)


def question_marks(post: PostView) -> float:
    """Question marks, runs counted once, logarithmic, 1 at 10."""
    return _scaled(len(re.findall(r"\?+", post.question)), 10)


def asks_for_quantity(post: PostView) -> float:
    """How often the wording asks for a quantity, logarithmic, 1 at 8."""
    return _scaled(len(_QUANTITY.findall(post.question)), 8)


def asks_for_method(post: PostView) -> float:
    """How often the wording asks how or why, logarithmic, 1 at 4."""
    return _scaled(len(_METHOD.findall(post.question)), 4)


def method_without_quantity(post: PostView) -> float:
    """1 where the wording asks how or why and for no quantity."""
    return float(_METHOD.search(post.question) is not None and _QUANTITY.search(post.question) is None)


def points_elsewhere(post: PostView) -> float:
    """How often the question points to a page, a picture or a problem's number, logarithmic, 1 at 3."""
    return _scaled(len(_MISSING.findall(post.question)), 3)


def list_items(post: PostView) -> float:
    """Numbered or lettered items, logarithmic, 1 at 8."""
    return _scaled(max(len(_ITEM.findall(post.question)), len(_INLINE_ITEM.findall(post.question))), 8)


def college_words(post: PostView) -> float:
    """Words of college mathematics, logarithmic, 1 at 6."""
    return _scaled(len(_COLLEGE.findall(post.question)), 6)


def tex_commands(post: PostView) -> float:
    """TeX commands and signs of higher mathematics, logarithmic, 1 at 10; dollar signs do not count."""
    return _scaled(len(_TEX.findall(post.question)), 10)


def states_equation(post: PostView) -> float:
    """Equations in the question, logarithmic, 1 at 6."""
    return _scaled(len(_EQUATION.findall(post.question)), 6)


def answer_count(post: PostView) -> float:
    """Answers, logarithmic, 1 at 8."""
    return _scaled(len(post.answers), 8)


def answers_with_numbers(post: PostView) -> float:
    """The share of the answers that hold a numeral."""
    return sum(bool(found) for found in post.answer_numbers) / max(1, len(post.answers))


def answers_with_equals(post: PostView) -> float:
    """The share of the answers that hold an equation."""
    return sum(_EQUATION.search(answer) is not None for answer in post.answers) / max(1, len(post.answers))


def answers_with_unknown(post: PostView) -> float:
    """The share of the answers that hold x, y, n or t as a name."""
    return sum(_UNKNOWN.search(answer) is not None for answer in post.answers) / max(1, len(post.answers))


def answers_with_lists(post: PostView) -> float:
    """Numbered items in the answer that has most, logarithmic, 1 at 6."""
    return _scaled(max((len(_ITEM.findall(answer)) for answer in post.answers), default=0), 6)


def answers_without_a_clue(post: PostView) -> float:
    """The share of the answers that ask back or cannot answer."""
    return sum(_CLUELESS.search(answer) is not None for answer in post.answers) / max(1, len(post.answers))


def answers_use_numbers(post: PostView) -> float:
    """The share of the question's numerals that stand in some answer."""
    given = frozenset(post.numbers)
    held = frozenset().union(*post.answer_numbers) if post.answers else frozenset()
    return len(given & held) / len(given) if given else 0.0


def answers_agree(post: PostView) -> float:
    """1 where two answers share a numeral that the question does not hold."""
    given, seen = frozenset(post.numbers), set[str]()
    for found in post.answer_numbers:
        if seen & (found - given):
            return 1.0
        seen |= found - given
    return 0.0


def answers_are_long(post: PostView) -> float:
    """Words of the longest answer, logarithmic, 1 at 300."""
    return _scaled(max((answer.count(" ") for answer in post.answers), default=0), 300)


def answers_use_college_words(post: PostView) -> float:
    """Words of college mathematics in the answers, logarithmic, 1 at 6."""
    return _scaled(sum(len(_COLLEGE.findall(answer)) for answer in post.answers), 6)


STRUCTURE: Final[tuple[PostFeature, ...]] = (
    length,
    very_short,
    very_long,
    numbers,
    no_numbers,
    one_number,
    question_marks,
    asks_for_quantity,
    asks_for_method,
    method_without_quantity,
    points_elsewhere,
    list_items,
    college_words,
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


def bucket(text: str) -> int:
    """The place of an n-gram in the hashed space: CRC-32, the same on every machine.

    >>> bucket("how many")
    2926
    """
    return zlib.crc32(text.encode()) % BUCKETS


@functools.lru_cache(maxsize=50_000)
def _word_buckets(word: str) -> tuple[int, ...]:
    """The word itself and its character n-grams of three and four, word borders marked."""
    marked = f"<{word}>"
    grams = [marked[at : at + size] for size in (3, 4) for at in range(len(marked) - size + 1)] if len(word) > 3 else []
    return (bucket(word), *(bucket("c" + gram) for gram in grams))


@functools.lru_cache(maxsize=100_000)
def _pair_bucket(first: str, second: str) -> int:
    return bucket(f"{first} {second}")


def hashed(post: PostView) -> Matrix:
    """Words, word pairs and character n-grams of the question in the hashed space: logarithmic counts of length 1."""
    tokens = post.tokens
    places: list[int] = []
    for token in tokens:
        places.extend(_word_buckets(token[:24]))
    for first, second in pairwise(tokens):
        places.append(_pair_bucket(first[:24], second[:24]))
    counts = np.log1p(np.bincount(np.array(places, dtype=np.intp), minlength=BUCKETS).astype(np.float64))
    norm = float(np.sqrt(counts @ counts))
    result: Matrix = counts / norm if norm else counts
    return result


def structure(post: PostView) -> Matrix:
    """The structural features, one number for each of STRUCTURE_NAMES."""
    return np.array([feature(post) for feature in STRUCTURE])
