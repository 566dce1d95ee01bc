"""How others look for leaks, beside our search: any shared 13-gram, whole paragraphs in a filter, sampled 5-grams.

Written from the descriptions of the tools, over the tokens that our search compares, so that the figures differ in the
method alone:

* 13-grams: one shared sequence of 13 tokens (Brown et al. 2020, appendix C; docs/decontamination.md of
  lm-evaluation-harness).
* paragraphs: a paragraph of at least 13 tokens that stands in the benchmark (OLMo's use of dolma's Bloom filter; here a
  set, which has no false hits of its own).
* sampled 5-grams: every tenth 5-gram of a text is looked up; of the benchmark problems that share it, one is flagged of
  which the text has 5-grams worth 0.8 of their inverse frequency (decon, doc/simple.md).
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from curation.contamination import Item
from curation.plain_tokens import NormalTokens, normal_tokens

LONG: Final = 13
SHORT: Final = 5
EVERY: Final = 10
WORTH: Final = 0.8

LeakFlags = Callable[[str], bool]
"""Whether a text is flagged as one of a benchmark's."""


def _grams(tokens: NormalTokens, size: int) -> list[NormalTokens]:
    return [tokens[start : start + size] for start in range(len(tokens) - size + 1)]


def long_grams(benchmark: Sequence[Item]) -> LeakFlags:
    """LeakFlags a text that shares a sequence of 13 tokens with a benchmark problem."""
    held = {gram for item in benchmark for gram in _grams(normal_tokens(item.text), LONG)}
    return lambda text: any(gram in held for gram in _grams(normal_tokens(text), LONG))


def paragraphs(benchmark: Sequence[Item]) -> LeakFlags:
    """LeakFlags a text of which a paragraph of at least 13 tokens is one of the benchmark's."""
    held = {part for item in benchmark for part in _long_paragraphs(item.text)}
    return lambda text: any(part in held for part in _long_paragraphs(text))


def _long_paragraphs(text: str) -> list[NormalTokens]:
    found = (normal_tokens(line) for line in text.split("\n"))
    return [tokens for tokens in found if len(tokens) >= LONG]


def sampled_grams(benchmark: Sequence[Item]) -> LeakFlags:
    """LeakFlags a text that has most of the rare 5-grams of a benchmark problem, if a sampled one leads there."""
    grams = [set(_grams(normal_tokens(item.text), SHORT)) for item in benchmark]
    frequency = Counter(gram for some in grams for gram in some)
    worth = {gram: math.log(1 + len(benchmark) / count) for gram, count in frequency.items()}
    places: dict[NormalTokens, list[int]] = {}
    for place, some in enumerate(grams):
        for gram in some:
            places.setdefault(gram, []).append(place)

    def flags(text: str) -> bool:
        found = _grams(normal_tokens(text), SHORT)
        near = {place for gram in found[::EVERY] for place in places.get(gram, ())}
        mine = set(found)
        return any(_share(grams[place], mine, worth) >= WORTH for place in near)

    return flags


def _share(theirs: set[NormalTokens], mine: set[NormalTokens], worth: Mapping[NormalTokens, float]) -> float:
    """How much of a problem's 5-grams a text has, by what they are worth."""
    whole = sum(worth[gram] for gram in theirs)
    return sum(worth[gram] for gram in theirs & mine) / whole if whole else 0.0


YARDSTICKS: Final[Mapping[str, Callable[[Sequence[Item]], LeakFlags]]] = {
    "13-grams": long_grams,
    "paragraphs": paragraphs,
    "sampled 5-grams": sampled_grams,
}
