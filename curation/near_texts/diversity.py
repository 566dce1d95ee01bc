"""Lexicon usage diversity (ASDiv, section 3.1 and appendix C) and the filter that keeps a corpus diverse.

``LD_i = 1 - max over j of (BLEU(i, j) + BLEU(j, i)) / 2`` with unsmoothed sentence BLEU-4 over the tokens of a
normaliser profile; the corpus figure CLD is the mean. Identical token sequences have LD 0 at any length. Texts of
fewer than four tokens hold no 4-gram, so BLEU-4 is 0 against every other text: their LD is 1 unless an identical one
exists.
"""

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from corpus.canonical import sha256_text
from curation.near_texts.greedy import GreedyResult, ItemPlaces, fits, former_result, found_greedily, remembered
from curation.near_texts.ngrams import DistinctTexts, Integers, ReadTexts
from curation.near_texts.profiles import normalise, profile_named
from curation.near_texts.similarity import Best, Similarity

BINS = 20
LARGE = 4_000
"""Distinct texts from which on the filter leaves a memory for the next run."""

Tokens = tuple[str, ...]


@dataclass(frozen=True)
class DiversityReport:
    """LD of each text with its nearest one (None where nothing shares a 4-gram), and the figures of the corpus.

    ``cld`` is None for no texts. ``histogram`` counts LD in 20 equal bins from 0 to 1; LD 1 falls in the last.
    """

    lexicon_diversity: tuple[float, ...]
    nearest: tuple[int | None, ...]
    cld: float | None
    n: int
    identical_share: float
    histogram: tuple[int, ...]
    signature: str


@dataclass(frozen=True, slots=True)
class Accepted:
    """Accepted: LD against what was accepted before it, and the nearest of those."""

    item_id: str
    lexicon_diversity: float
    nearest_id: str | None


@dataclass(frozen=True, slots=True)
class TooSimilar:
    """Too like the accepted item ``witness_id``; ``identical`` where the token sequences are the same."""

    item_id: str
    lexicon_diversity: float
    witness_id: str
    identical: bool


Decision = Accepted | TooSimilar


class GreedyRun(NamedTuple):
    """Decisions in the order of the items, and the table that a next run may be given: None where few texts are soon
    compared."""

    decisions: tuple[Decision, ...]
    memory: pa.Table | None


def corpus_diversity(
    texts: Sequence[str], groups: Sequence[Hashable] | None = None, profile: str = "default"
) -> DiversityReport:
    """LD of every text against all others, or against the others of its group; ConfigError for an unknown profile.

    >>> corpus_diversity(["Tom ate 3 red apples at home.", "Ann ate 5 red apples at home.", "How far is it?"]).cld
    0.3333333333333333
    """
    chosen = profile_named(profile)
    return diversity_of_tokens([normalise(text, chosen) for text in texts], groups, chosen.signature)


def diversity_of_tokens(
    texts: Sequence[Tokens], groups: Sequence[Hashable] | None = None, signature: str = "tokens"
) -> DiversityReport:
    """The same of token sequences that are normalised already; ``signature`` says how."""
    read, alike = DistinctTexts(), dict[tuple[Hashable, int], list[int]]()
    for index, text in enumerate(texts):
        alike.setdefault((None if groups is None else groups[index], read.add(text)), []).append(index)
    inside = None if groups is None else _dense([group for group, _ in alike])
    best = Similarity(read.arrays([text for _, text in alike]), inside).nearest()
    members, found = list(alike.values()), dict[int, Nearest]()
    for (first, *rest), value, other in zip(members, best.value.tolist(), best.place.tolist(), strict=True):
        found[first] = (1.0, rest[0]) if rest else (value, members[other][0] if other >= 0 else -1)
        found |= dict.fromkeys(rest, (1.0, first))
    repeated = sum(len(some) for some in members if len(some) > 1)
    return _report([found[index] for index in range(len(texts))], repeated, signature)


def diversity_against(texts: Sequence[str], reference: Sequence[str], profile: str = "default") -> DiversityReport:
    """LD of every text against the texts of ``reference`` alone, as of a test part against its training part.

    ``nearest`` are places in ``reference``; ``identical_share`` counts texts that stand in it. ConfigError for an
    unknown profile.

    >>> diversity_against(["Ann ate 5 red apples."], ["Tom ate 3 red apples.", "How far?"]).nearest
    (0,)
    """
    chosen = profile_named(profile)
    asked, known = ([normalise(text, chosen) for text in some] for some in (texts, reference))
    there = frozenset(known)
    return _report(nearest_in(asked, known), sum(text in there for text in asked), chosen.signature)


Nearest = tuple[float, int]
"""Greatest similarity, and the place that has it; (0, -1) where nothing shares a 4-gram."""


def nearest_in(texts: Sequence[Tokens], reference: Sequence[Tokens]) -> tuple[Nearest, ...]:
    """For each text the most similar sequence of ``reference``; of equally similar ones the first."""
    read = DistinctTexts()
    places: dict[int, int] = {}
    for place, text in enumerate(reference):
        places.setdefault(read.add(text), place)
    known, asked = len(read), [read.add(text) for text in texts]
    best = Best.of_none(len(read))
    Similarity(read.arrays()).search(np.arange(known, len(read)), np.arange(known), best)
    nearest = best.place.tolist()
    found = ((value, places.get(other, -1)) for value, other in zip(best.value.tolist(), nearest, strict=True))
    told = dict(enumerate(found)) | {text: (1.0, place) for text, place in places.items()}
    return tuple(told[text] for text in asked)


def _report(found: Sequence[Nearest], identical: int, signature: str) -> DiversityReport:
    values = tuple(float(1.0 - value) for value, _ in found)
    return DiversityReport(
        lexicon_diversity=values,
        nearest=tuple(int(index) if index >= 0 else None for _, index in found),
        cld=math.fsum(values) / len(values) if values else None,
        n=len(values),
        identical_share=identical / len(values) if values else 0.0,
        histogram=histogram(values),
        signature=signature,
    )


def histogram(values: Iterable[float], bins: int = BINS) -> tuple[int, ...]:
    """Counts of values between 0 and 1 in equal bins; 1 falls in the last.

    >>> histogram([0.0, 0.04, 0.99, 1.0], bins=4)
    (2, 0, 0, 2)
    """
    counts = [0] * bins
    for value in values:
        counts[min(int(value * bins + 1e-12), bins - 1)] += 1
    return tuple(counts)


def greedy_run(
    items: Sequence[tuple[str, str, float]],
    ld_min: float,
    profile: str = "default",
    known: pa.Table | None = None,
    workers: int = 1,
) -> GreedyRun:
    """Accept items one by one; an item is rejected if its LD to an accepted one is below ``ld_min``.

    ``items`` are (id, text, priority) with ids unlike each other. They are looked at by priority (smallest first), then
    longest text, then SHA-256 of the text, then id, never by arrival. Identical token sequences are always rejected.
    Decisions come in the order of ``items``. The witness is the nearest item accepted before; of equally near ones the
    first accepted. ``known`` is what a former run left; decisions are the same whatever is known, and however many
    ``workers`` there are.
    """
    chosen = profile_named(profile)
    rule = f"{ld_min!r}|{chosen.signature}"
    former = known if known is not None and fits(known, rule) else None
    places, order = _in_order(items)
    digests, names = places.digests, places.ids
    read = ReadTexts(partial(normalise, profile=chosen), former)
    leaders: dict[int, int] = {}
    for place, (digest, index) in enumerate(zip(digests, order, strict=True)):
        leaders.setdefault(read.add(items[index][1], digest), place)
    firsts = list(leaders.values())
    result = found_greedily(read.distinct, ld_min, former_result(places, firsts, former), workers)
    decisions = dict(zip(order, _decisions(names, read.places, leaders, result), strict=True))
    memory = remembered(places, firsts, result, read, rule) if len(read.distinct) >= LARGE else None
    return GreedyRun(tuple(decisions[index] for index in range(len(items))), memory)


def _in_order(items: Sequence[tuple[str, str, float]]) -> tuple[ItemPlaces, Sequence[int]]:
    """The items in the order in which they are looked at, and where each of them came."""
    keys = sorted(
        (priority, -len(text), sha256_text(text), item_id, index)
        for index, (item_id, text, priority) in enumerate(items)
    )
    priorities, _, digests, ids, order = zip(*keys, strict=True) if keys else ((),) * 5
    return ItemPlaces(priorities, digests, ids), order


def _decisions(
    ids: Sequence[str], twins: Sequence[int], leaders: dict[int, int], result: GreedyResult
) -> list[Decision]:
    """One decision for each item in its order; ``twins``: its distinct text, ``leaders``: the first item of each."""
    accepted, nearest = result.accepted.tolist(), result.nearest.tolist()
    diversity = (1.0 - result.similarity).tolist()
    found: list[Decision] = []
    for index, twin in enumerate(twins):
        first = leaders[twin]
        near = ids[leaders[nearest[twin]]] if nearest[twin] >= 0 else None
        if not accepted[twin]:
            # An identical item that was itself rejected has the same conflict with the same accepted item.
            found.append(TooSimilar(ids[index], diversity[twin], str(near), identical=False))
        elif first != index:
            found.append(TooSimilar(ids[index], 0.0, ids[first], identical=True))
        else:
            found.append(Accepted(ids[index], diversity[twin], near))
    return found


def _dense(values: Sequence[Hashable]) -> Integers:
    known: dict[Hashable, int] = {}
    return np.fromiter((known.setdefault(value, len(known)) for value in values), np.int64, len(values))
