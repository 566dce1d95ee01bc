"""Leaks: problems of a corpus that stand in a benchmark, word for word or with a few words changed.

Numbers are kept. Masking them finds templates, not leaks: of 2,000 MathQA problems 12 share their text with another
one, and 504 share it once numbers are masked. A leak is

* ``exact``: the same words and numbers in the same order, whatever the case, spaces and punctuation, or
* ``near``: the same numbers in the same order, and at most ``share`` of the words (of the longer text, rounded down,
  at least one; a third of it where the texts hold no digits) put in, left out or exchanged; only between texts of at
  least ``MIN_WORDS`` words and numbers. Number words are numbers where each text has one that the other has not.

A ``story`` is near, too, but asks for something else ("How many are left?", "How many has each of them?"): the last
sentences differ, and so do the answers if both are known; where one is not, all other sentences are the same and the
last ones differ by more than two words. It is listed apart and is no leak.

The search is exact: two texts within ``d`` edits share one of the ``d + 1`` rarest tokens of each.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from curation.plain_tokens import GIVEN_NAMES, NUMBER_WORDS, NormalTokens, normal_tokens

SHARE = 0.3
"""All 24 further pairs that 0.3 finds against 0.1 between and inside the public sets are leaks; see docs/quality.md."""
MIN_WORDS = 6
MAX_TOKENS = 2_000
"""Longer texts are no near leaks: they are compared as a whole only."""


class LeakKind(StrEnum):
    """How near a problem is to one of a benchmark: the same words, nearly, or its story with another question."""

    EXACT = "exact"
    NEAR = "near"
    STORY = "story"


NAME_MASK = "@"
_SIGN_WORDS = frozenset({"dollar", "dollars", "percent"})
_COUNTING = NUMBER_WORDS - {"one"}
_SENTENCE_END = re.compile(r"[.?!](?=\s)")


class Item(NamedTuple):
    """A problem to compare: its id, its text, and the values of its answer if they are known."""

    item_id: str
    text: str
    answer: tuple[float, ...] = ()


@dataclass(frozen=True)
class Leak:
    """A problem and the benchmark problem it repeats; ``edits`` words differ (0 for an exact leak)."""

    problem_id: str
    benchmark: str
    benchmark_id: str
    kind: LeakKind
    edits: int
    text: str
    benchmark_text: str


@dataclass(frozen=True)
class Contamination:
    """The leaks of a corpus by problem, benchmark and benchmark id.

    ``compared`` counts its problems with a text, ``without_text`` the others; ``sizes`` gives the same pair for each
    benchmark. ``same_template`` counts for each benchmark the problems that have the words of one of its problems with
    other numbers: they are no leaks.
    """

    compared: int
    without_text: int
    sizes: Mapping[str, tuple[int, int]]
    leaks: tuple[Leak, ...]
    same_template: Mapping[str, int]
    share: float

    def leaked(self, benchmark: str, kind: LeakKind | None = None) -> int:
        """How many problems leak from a benchmark; each counts once, as exact, else near, else story (no leak)."""
        counts: dict[LeakKind, int] = {}
        seen: set[str] = set()
        for each in LeakKind:
            found = {leak.problem_id for leak in self.leaks if leak.benchmark == benchmark and leak.kind == each} - seen
            counts[each] = len(found)
            seen |= found
        return counts[kind] if kind else counts[LeakKind.EXACT] + counts[LeakKind.NEAR]


def find_leaks(items: Sequence[Item], benchmarks: Mapping[str, Sequence[Item]], share: float = SHARE) -> Contamination:
    """Compare a corpus with benchmarks; ids are unlike each other inside each of them.

    ``share`` is how much of the words of a near leak may differ, from 0 (one word still may) to below 1.
    """
    if not 0 <= share < 1:
        raise ValueError("the share of words that may differ is from 0 to below 1")
    mine = _texts(items)
    leaks: list[Leak] = []
    templates: dict[str, int] = {}
    sizes: dict[str, tuple[int, int]] = {}
    for name, others in benchmarks.items():
        theirs = _texts(others)
        sizes[name] = (len(theirs), len(others) - len(theirs))
        found = list(_leaks_of(name, mine, _Index.of(theirs, share)))
        leaks += found
        masked = {_comparable(text.item.text, mask_numbers=True) for text in theirs}
        leaked = {leak.problem_id for leak in found}
        alike = [text for text in mine if _comparable(text.item.text, mask_numbers=True) in masked]
        templates[name] = sum(text.item.item_id not in leaked for text in alike)
    ordered = sorted(leaks, key=lambda leak: (leak.problem_id, leak.benchmark, leak.edits, leak.benchmark_id))
    return Contamination(len(mine), len(items) - len(mine), sizes, tuple(ordered), templates, share)


class LeakSearch:
    """Benchmarks in which single problems are looked up; ``share`` as of ``find_leaks``."""

    def __init__(self, benchmarks: Mapping[str, Sequence[Item]], share: float = SHARE) -> None:
        texts = {name: _texts(items) for name, items in sorted(benchmarks.items())}
        self._indexes = {name: _Index.of(found, share) for name, found in texts.items()}
        self._masked: dict[NormalTokens, tuple[str, str]] = {}
        for name, found in texts.items():
            for text in found:
                self._masked.setdefault(_masked(text.item.text), (name, text.item.item_id))

    def leak(self, item: Item) -> Leak | None:
        """The nearest benchmark problem that this one repeats, exactly or nearly; of equally near ones the first."""
        texts = _texts([item])
        found = (leak for name, index in self._indexes.items() for leak in _leaks_of(name, texts, index))
        leaks = [leak for leak in found if leak.kind is not LeakKind.STORY]
        return min(leaks, key=lambda leak: (leak.edits, leak.benchmark, leak.benchmark_id), default=None)

    def variant(self, text: str) -> tuple[str, str] | None:
        """Benchmark and id of a problem with the same words and other numbers or names."""
        return self._masked.get(_masked(text))


def _masked(text: str) -> NormalTokens:
    tokens = _comparable(text, mask_numbers=True)
    return tuple(NAME_MASK if token in GIVEN_NAMES else token for token in tokens)


@dataclass(frozen=True)
class _Text:
    item: Item
    tokens: NormalTokens
    numbers: NormalTokens = field(init=False)
    number_words: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "numbers", tuple(token for token in self.tokens if token[0].isdigit()))
        object.__setattr__(self, "number_words", _COUNTING.intersection(self.tokens))

    def has_numbers_of(self, other: "_Text") -> bool:
        """Whether no number is another one; a number word that only one of the texts has may be an edit."""
        ours, theirs = self.number_words - other.number_words, other.number_words - self.number_words
        return self.numbers == other.numbers and not (ours and theirs)


def _texts(items: Sequence[Item]) -> list[_Text]:
    found = [_Text(item, _comparable(item.text)) for item in items]
    return [text for text in found if text.tokens]


def _comparable(text: str, *, mask_numbers: bool = False) -> NormalTokens:
    """The tokens of a text without words that signs stand for: ``$ 5`` is ``5 dollars``, ``5 %`` is ``5 percent``."""
    tokens = normal_tokens(text, mask_numbers=mask_numbers)
    return tuple(token for token in tokens if token not in _SIGN_WORDS)


def allowed_edits(length: int, share: float) -> int:
    """How many words may differ in a text of that many words and numbers.

    >>> allowed_edits(9, 0.1), allowed_edits(39, 0.1)
    (1, 3)
    """
    return max(1, int(length * share + 1e-9)) if length >= MIN_WORDS else 0


ShingleKey = tuple[str, int]
"""A token and which one of its kind it is in its text."""


@dataclass(frozen=True)
class _Index:
    """The rarest tokens of each benchmark text; rarity is counted over the benchmark alone."""

    share: float
    texts: Sequence[_Text]
    frequency: Mapping[ShingleKey, int]
    postings: Mapping[ShingleKey, list[int]]
    exact: Mapping[NormalTokens, list[int]]

    @classmethod
    def of(cls, texts: Sequence[_Text], share: float) -> "_Index":
        frequency = Counter(occurrence for text in texts for occurrence in _occurrences(text.tokens))
        index = cls(share, texts, frequency, {}, {})
        postings: dict[ShingleKey, list[int]] = {}
        exact: dict[NormalTokens, list[int]] = {}
        for place, text in enumerate(texts):
            exact.setdefault(text.tokens, []).append(place)
            for occurrence in index.rarest(text.tokens) if len(text.tokens) <= MAX_TOKENS else ():
                postings.setdefault(occurrence, []).append(place)
        return cls(share, texts, frequency, postings, exact)

    def rarest(self, tokens: NormalTokens) -> list[ShingleKey]:
        """The tokens of which any text within reach shares one: reach is that of the longest such text."""
        longest = len(tokens)
        while longest - len(tokens) < allowed_edits(longest + 1, self.share):
            longest += 1
        ranked = sorted(_occurrences(tokens), key=lambda one: (self.frequency.get(one, 0), one))
        return ranked[: allowed_edits(longest, self.share) + 1]

    def candidates(self, tokens: NormalTokens) -> list[int]:
        """Places of the benchmark texts that may be within reach."""
        if len(tokens) > MAX_TOKENS:
            return []
        return sorted({place for one in self.rarest(tokens) for place in self.postings.get(one, ())})


def _occurrences(tokens: NormalTokens) -> list[ShingleKey]:
    seen: Counter[str] = Counter()
    found: list[ShingleKey] = []
    for token in tokens:
        seen[token] += 1
        found.append((token, seen[token]))
    return found


def _leaks_of(name: str, mine: Sequence[_Text], index: _Index) -> Iterator[Leak]:
    for text in mine:
        same = index.exact.get(text.tokens, [])
        for place in same:
            yield _leak(text, name, index.texts[place], 0)
        for place in index.candidates(text.tokens):
            other = index.texts[place]
            if place in same or not text.has_numbers_of(other):
                continue
            share = index.share if text.numbers else index.share / 3
            most = allowed_edits(max(len(text.tokens), len(other.tokens)), share)
            edits = word_edits(text.tokens, other.tokens, most)
            if edits is not None:
                yield _leak(text, name, other, edits)


def _leak(text: _Text, name: str, other: _Text, edits: int) -> Leak:
    kind = LeakKind.EXACT
    if edits:
        kind = LeakKind.STORY if _asks_otherwise(text.item, other.item) else LeakKind.NEAR
    return Leak(text.item.item_id, name, other.item.item_id, kind, edits, text.item.text, other.item.text)


def _asks_otherwise(first: Item, second: Item) -> bool:
    """Whether two problems of nearly one text ask for different things; one answer may be a part of the other."""
    (story, question), (other_story, other_question) = _parts(first.text), _parts(second.text)
    if question == other_question:
        return False
    if first.answer and second.answer:
        fewer, more = sorted((first.answer, second.answer), key=len)
        return not all(any(math.isclose(a, b, rel_tol=1e-3, abs_tol=1e-3) for b in more) for a in fewer)
    return bool(story) and story == other_story and word_edits(question, other_question, 2) is None


def _parts(text: str) -> tuple[NormalTokens, NormalTokens]:
    """The tokens before the last sentence, and those of the last sentence."""
    ends = [match.end() for match in _SENTENCE_END.finditer(text.rstrip(" .?!"))]
    cut = ends[-1] if ends else 0
    return _comparable(text[:cut]), _comparable(text[cut:])


def word_edits(first: NormalTokens, second: NormalTokens, most: int) -> int | None:
    """The edit distance of two token sequences, None above ``most``; time grows with length times ``most``.

    >>> word_edits(("a", "b", "c"), ("a", "x", "c", "d"), 2), word_edits(("a",), ("b", "c"), 1)
    (2, None)
    """
    if abs(len(first) - len(second)) > most:
        return None
    row = {place: place for place in range(min(most, len(second)) + 1)}
    for number, token in enumerate(first, 1):
        low, high = max(0, number - most), min(len(second), number + most)
        after: dict[int, int] = {}
        for place in range(low, high + 1):
            ways = [row.get(place, most) + 1]
            if place:
                ways += [after.get(place - 1, most) + 1, row.get(place - 1, most + 1) + (token != second[place - 1])]
            after[place] = min(ways)
        if min(after.values()) > most:
            return None
        row = after
    distance = row[len(second)]
    return distance if distance <= most else None
