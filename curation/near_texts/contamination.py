"""Leaks: problems of a benchmark that stand in a corpus, word for word or nearly, whatever stands around them.

Numbers are kept, as values. Masking them finds templates, not leaks: of 2,000 MathQA problems 12 share their text with
another one, and 504 share it once numbers are masked. A text holds a benchmark problem

* ``exact``: its words and numbers in their order, whatever their spelling (``comparable_texts``), or
* ``near``: the same numbers in the same order, and at most ``share`` of its words (rounded down, at least one; a third
  of it where it has no numbers to tell it by) put in, left out or exchanged; or as many of its words lack, in any
  order, but each number stands with the same word, and those of one word in the same order (sentences moved about).
  Only problems of at least ``MIN_WORDS`` words and numbers are near.

What stands before and behind it does not count: chatter, options, another question. Only a problem that is told by few
words and at most one number (``_Text.told_apart``) has to be all of the text, or whole sentences of it word for word. A
small number in letters, or 1, may be missing, but not stand beside another one ("five" for "four").

A ``story`` is near, too, but asks for something else ("How many are left?", "How many has each of them?"): the
benchmark's last sentence is not there, and the answers differ if both are known; where one is not, all other sentences
are there and the last ones differ by more than two words. It is listed apart and is no leak.

The search is exact: a text that lacks at most ``d`` tokens of a problem has one of its ``d + 1`` rarest tokens.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from curation.near_texts.comparable_texts import ComparableText, TextNumber, comparable, has_options, same_numbers
from curation.near_texts.plain_tokens import STOP_WORDS, NormalTokens

SHARE = 0.3
"""All 24 further pairs that 0.3 finds against 0.1 between and inside the public sets are leaks; see docs/quality.md."""
MIN_WORDS = 6
TOLD = 12
"""So many words tell a problem by themselves; one of fewer is told by two numbers among its words."""
MAX_TOKENS = 2_000
"""Longer benchmark problems are found word for word only."""


class LeakKind(StrEnum):
    """How near a problem is to one of a benchmark: the same words, nearly, or its story with another question."""

    EXACT = "exact"
    NEAR = "near"
    STORY = "story"


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
        theirs = _texts(others, without_options=True)
        sizes[name] = (len(theirs), len(others) - len(theirs))
        found = list(_leaks_of(name, mine, _Index.of(theirs, share)))
        leaks += found
        masked = {text.whole.masked for text in theirs}
        leaked = {leak.problem_id for leak in found}
        templates[name] = sum(text.asked.masked in masked and text.item.item_id not in leaked for text in mine)
    ordered = sorted(leaks, key=lambda leak: (leak.problem_id, leak.benchmark, leak.edits, leak.benchmark_id))
    return Contamination(len(mine), len(items) - len(mine), sizes, tuple(ordered), templates, share)


class LeakSearch:
    """Benchmarks in which single problems are looked up; ``share`` as of ``find_leaks``."""

    def __init__(self, benchmarks: Mapping[str, Sequence[Item]], share: float = SHARE) -> None:
        texts = {name: _texts(items, without_options=True) for name, items in sorted(benchmarks.items())}
        self._indexes = {name: _Index.of(found, share) for name, found in texts.items()}
        self._masked: dict[NormalTokens, tuple[str, str]] = {}
        for name, found in texts.items():
            for text in found:
                self._masked.setdefault(text.whole.masked, (name, text.item.item_id))

    def leak(self, item: Item) -> Leak | None:
        """The nearest benchmark problem that this one repeats, exactly or nearly; of equally near ones the first."""
        texts = _texts([item])
        found = (leak for name, index in self._indexes.items() for leak in _leaks_of(name, texts, index))
        leaks = [leak for leak in found if leak.kind is not LeakKind.STORY]
        return min(leaks, key=lambda leak: (leak.edits, leak.benchmark, leak.benchmark_id), default=None)

    def variant(self, text: str) -> tuple[str, str] | None:
        """Benchmark and id of a problem with the same words and other numbers or names."""
        return self._masked.get(comparable(text, without_options=True).masked)


@dataclass(frozen=True)
class _Text:
    item: Item
    whole: ComparableText

    @property
    def tokens(self) -> NormalTokens:
        return self.whole.tokens

    @cached_property
    def asked(self) -> ComparableText:
        """The text without options that end it, as those of benchmarks are read."""
        return comparable(self.item.text, without_options=True) if has_options(self.item.text) else self.whole

    @cached_property
    def counts(self) -> Counter[str]:
        return Counter(self.tokens)

    @cached_property
    def needed(self) -> Counter[str]:
        """The numbers that a text that repeats this one has."""
        return Counter(number.value for number in self.whole.numbers if not number.spare)

    @cached_property
    def told_apart(self) -> bool:
        """Whether this problem is told by its words and numbers wherever they stand."""
        told = sum(number.value != "1" for number in self.whole.numbers)
        return len(self.tokens) >= TOLD or (told > 1 and len(self.tokens) > told + 1)

    def most_edits(self, share: float) -> int:
        """How many of its words may differ."""
        if len(self.tokens) > MAX_TOKENS:
            return 0
        spare = sum(number.spare and number.value != "1" for number in self.whole.numbers)
        return allowed_edits(len(self.tokens), share if self.needed or spare > 1 else share / 3)


def _texts(items: Sequence[Item], *, without_options: bool = False) -> list[_Text]:
    found = [_Text(item, comparable(item.text, without_options=without_options)) for item in items]
    return [text for text in found if text.tokens]


def allowed_edits(length: int, share: float) -> int:
    """How many words may differ in a text of that many words and numbers.

    >>> allowed_edits(9, 0.1), allowed_edits(39, 0.1)
    (1, 3)
    """
    return max(1, int(length * share + 1e-9)) if length >= MIN_WORDS else 0


TokenOccurrence = tuple[str, int]
"""A token and which one of its kind it is in its text."""


@dataclass(frozen=True)
class _Index:
    """The rarest tokens of each benchmark text; rarity is counted over the benchmark alone."""

    share: float
    texts: Sequence[_Text]
    postings: Mapping[TokenOccurrence, list[int]]

    @classmethod
    def of(cls, texts: Sequence[_Text], share: float) -> "_Index":
        frequency = Counter(occurrence for text in texts for occurrence in _occurrences(text.tokens))
        postings: dict[TokenOccurrence, list[int]] = {}
        for place, text in enumerate(texts):
            ranked = sorted(_occurrences(text.tokens), key=lambda one: (frequency[one], one))
            for occurrence in ranked[: text.most_edits(share) + 1]:
                postings.setdefault(occurrence, []).append(place)
        return cls(share, texts, postings)

    def candidates(self, text: _Text) -> Iterator[tuple[_Text, int]]:
        """The benchmark texts that a text may hold, and how many of their words may differ."""
        for place in sorted({place for one in _occurrences(text.tokens) for place in self.postings.get(one, ())}):
            other = self.texts[place]
            most = other.most_edits(self.share)
            if other.needed <= text.counts and (other.counts - text.counts).total() <= most:
                yield other, most


def _occurrences(tokens: NormalTokens) -> list[TokenOccurrence]:
    seen: Counter[str] = Counter()
    found: list[TokenOccurrence] = []
    for token in tokens:
        seen[token] += 1
        found.append((token, seen[token]))
    return found


def _leaks_of(name: str, mine: Sequence[_Text], index: _Index) -> Iterator[Leak]:
    for text in mine:
        for other, most in index.candidates(text):
            edits = _edits(text, other, most)
            if edits is not None:
                yield _leak(text, name, other, edits)


def _edits(text: _Text, other: _Text, most: int) -> int | None:
    """How many words of a benchmark problem differ in a text, None where the text does not hold it."""
    if len(other.tokens) > MAX_TOKENS:
        return 0 if f" {' '.join(other.tokens)} " in f" {' '.join(text.tokens)} " else None
    found = _held(text, other, most)
    if found is None and other.told_apart and _moved_about(text.whole, other.whole, most):
        found = max(1, (other.counts - text.counts).total())
    renamed = len(other.whole.names - text.whole.names)
    return None if found is None else found + renamed


def _held(text: _Text, other: _Text, most: int) -> int | None:
    """The same for the words in their order, one after the other."""
    if not other.told_apart:
        borders, size = {0, *text.whole.ends, len(text.tokens)}, len(other.tokens)
        starts = (one for one in borders if one + size in borders) if other.whole.bound else ()
        if any(text.tokens[one : one + size] == other.tokens for one in starts):
            return 0
        edits = word_edits(other.tokens, text.tokens, most)
        return edits if edits is not None and same_numbers(text.whole.numbers, other.whole.numbers) else None
    return _edits_with_numbers(text.whole, other.tokens, other.whole.numbers, most)


def _edits_with_numbers(
    ours: ComparableText, wanted: NormalTokens, numbers: Sequence[TextNumber], most: int
) -> int | None:
    """The edits to the nearest part of a text, if one of equally near ones has these numbers and they are not more than
    ``most``: a part that takes more edits may leave out a number that is another one."""
    windows = list(near_windows(wanted, ours.tokens, most))
    least = min((edits for edits, _, _ in windows), default=None)
    nearest = (ours.numbers_in(start, end) for edits, start, end in windows if edits == least)
    return least if any(same_numbers(one, numbers) for one in nearest) else None


def _moved_about(ours: ComparableText, theirs: ComparableText, most: int) -> bool:
    """Whether a problem with two numbers or more stands in a text in another order: its sentences, or, of three
    or more, its numbers."""
    told = len(theirs.bound)
    return (told > 1 and _has_sentences(ours, theirs, most)) or (told > 2 and _has_numbers(ours, theirs))


def _has_sentences(ours: ComparableText, theirs: ComparableText, most: int) -> bool:
    """Whether each sentence of a problem stands somewhere in a text with its numbers."""
    for start, end in theirs.sentences:
        edits = _edits_with_numbers(ours, theirs.tokens[start:end], theirs.numbers_in(start, end), most)
        if edits is None:
            return False
        most -= edits
    return True


def _has_numbers(ours: ComparableText, theirs: ComparableText) -> bool:
    """Whether each number stands with its word in a text, and those of one word in their order."""
    if ours.tokens.count("1") < theirs.tokens.count("1"):
        return False
    told: dict[str, list[str]] = {}
    for number, words in theirs.bound:
        told.setdefault(words[0], []).append(number)
    return all(_follow(numbers, [one for one, words in ours.bound if word in words]) for word, numbers in told.items())


def _follow(wanted: Sequence[str], given: Sequence[str]) -> bool:
    """Whether some numbers come in this order among others."""
    rest = iter(given)
    return all(one in rest for one in wanted)


def _leak(text: _Text, name: str, other: _Text, edits: int) -> Leak:
    kind = LeakKind.EXACT
    if edits:
        kind = LeakKind.STORY if _asks_otherwise(text, other) else LeakKind.NEAR
    return Leak(text.item.item_id, name, other.item.item_id, kind, edits, text.item.text, other.item.text)


def _asks_otherwise(ours: _Text, theirs: _Text) -> bool:
    """Whether a text that holds a problem nearly asks for something else; one answer may be a part of the other."""
    tokens = theirs.tokens
    story, question = tokens[: theirs.whole.asks_from], tokens[theirs.whole.asks_from :]
    edits, start, end = nearest_window(question, ours.tokens, len(question)) or (0, 0, 0)
    if _content(question) == _content(ours.tokens[start:end]):
        return False
    first, second = ours.item.answer, theirs.item.answer
    if first and second:
        fewer, more = sorted((first, second), key=len)
        return not all(any(math.isclose(a, b, rel_tol=1e-3, abs_tol=1e-3) for b in more) for a in fewer)
    return bool(story) and edits > 2 and nearest_window(story, ours.tokens, 0) is not None


def _content(tokens: Sequence[str]) -> Counter[str]:
    return Counter(token for token in tokens if token not in STOP_WORDS)


def nearest_window(wanted: Sequence[str], tokens: Sequence[str], most: int) -> tuple[int, int, int] | None:
    """The part of ``tokens`` that is nearest to ``wanted``: how many edits lie between, where it begins and ends.

    The last and longest of equally near ones; None where it takes more than ``most`` edits.

    >>> nearest_window("a b c".split(), "x y a c d".split(), 1), nearest_window(["a"], ["b"], 0)
    ((1, 2, 4), None)
    """
    return min(near_windows(wanted, tokens, most), key=lambda one: (one[0], -one[2]), default=None)


def near_windows(wanted: Sequence[str], tokens: Sequence[str], most: int) -> Iterator[tuple[int, int, int]]:
    """For each end the longest of the nearest parts of ``tokens``, where it takes at most ``most`` edits.

    Time grows with the length of ``tokens`` times ``most``.
    """
    size, reach = len(wanted), min(len(wanted), most)
    costs, starts = list(range(size + 1)), [0] * (size + 1)
    if size <= most:
        yield size, 0, 0
    for place, token in enumerate(tokens):
        slant, slant_start = 0, place
        costs[0], starts[0] = 0, place + 1
        top = min(size, reach + 1)
        for row in range(1, top + 1):
            kept = costs[row] if row <= reach else most + 1
            change = slant + (wanted[row - 1] != token)
            cost, start = min((change, slant_start), (kept + 1, starts[row]), (costs[row - 1] + 1, starts[row - 1]))
            slant, slant_start = kept, starts[row]
            costs[row], starts[row] = cost, start
        reach = top
        while reach and costs[reach] > most:
            reach -= 1
        if reach == size:
            yield costs[size], starts[size], place + 1


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
