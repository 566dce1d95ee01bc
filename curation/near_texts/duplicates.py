"""Exact and near-duplicate questions, with the pair that makes them so.

Texts are compared as token sequences without case and punctuation. Two kinds of likeness are kept apart: with the
numbers as they stand (a repost, a leak), and with the numbers masked (the same sentences about other numbers, which is
no leak).
"""

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
import pyarrow as pa

from corpus.canonical import sha256_text
from curation.grouping import Components
from curation.near_texts.ngrams import DIGEST, Booleans, DistinctTexts, ReadTexts, distinct_grams, prefixes
from curation.near_texts.plain_tokens import NormalTokens, normal_tokens

SHINGLE = 3
THRESHOLD = 0.8
_GROUP = "group"
"""In the memory of a run, the name of a text's group."""
LARGE = 4_000
"""Distinct texts from which on a run leaves a memory for the next one."""
AT_ONCE = 1 << 18
"""Pairs of texts that may be near and are compared at once, about: this bounds the memory."""
ROUNDING = 1e-9


@dataclass(frozen=True)
class DuplicatePair:
    """Two items of equal or nearly equal text; ``similarity`` is the Jaccard index of their token 3-grams.

    ``numbers``: ``kept`` if the numbers agree as well, ``masked`` if only the words do.
    """

    first: str
    second: str
    kind: Literal["exact", "near"]
    numbers: Literal["kept", "masked"]
    similarity: float


def duplicate_pairs(items: Sequence[tuple[str, str]], threshold: float = THRESHOLD) -> tuple[DuplicatePair, ...]:
    """Pairs of (id, text) items that are duplicates, in ascending order of ids; ids must differ.

    Of identical texts each is paired with the smallest id alone. Near texts with other numbers are a pair with the
    numbers masked. A pair found with the numbers kept is not given again with the numbers masked.
    """
    ordered = sorted(items)
    kept = {item_id: normal_tokens(text) for item_id, text in ordered}
    masked = {item_id: normal_tokens(text, mask_numbers=True) for item_id, text in ordered}
    found = {(pair.first, pair.second): pair for pair in _pairs_of(masked, "masked", threshold)}
    for pair in _pairs_of(kept, "kept", threshold):
        if _numbers(kept[pair.first]) == _numbers(kept[pair.second]):
            found[pair.first, pair.second] = pair
        else:
            found.setdefault((pair.first, pair.second), replace(pair, numbers="masked"))
    return tuple(found[ids] for ids in sorted(found))


def _numbers(tokens: NormalTokens) -> NormalTokens:
    return tuple(token for token in tokens if token[0].isdigit())


class DuplicateGroups(NamedTuple):
    """The duplicate group of each item (None: alone), and what the next run may know: None where texts are few."""

    groups: dict[str, str | None]
    memory: pa.Table | None


def growing_groups(items: Sequence[tuple[str, str]], known: pa.Table | None = None) -> DuplicateGroups:
    """The duplicate groups of (id, text) items by connected pairs, numbers kept.

    A group is named after the smallest digest of its members' normalised texts, so the name depends on content alone.
    ``known`` is the memory of a former run, which changes no group.
    """
    read = ReadTexts(normal_tokens, known)
    groups = _groups(read, items, known)
    if len(read.distinct) < LARGE:
        return DuplicateGroups(groups, None)
    named = pa.array([groups[item_id] for item_id, _ in items], pa.string())
    return DuplicateGroups(groups, read.table().append_column(_GROUP, named))


def _groups(read: ReadTexts, items: Sequence[tuple[str, str]], known: pa.Table | None) -> dict[str, str | None]:
    places = [read.add(text) for _, text in items]
    texts = read.distinct
    linked: Components[int] = Components(place for place, times in Counter(places).items() if times > 1)
    asked = np.ones(len(texts), bool)
    for place, group in _settled(read, known).items():
        asked[place] = False
        if group not in (None, place):
            linked.join(group, place)
    for left, right, _ in _near_places(texts, THRESHOLD, asked):
        linked.join(left, right)
    groups = linked.components()
    words = texts.words(itertools.chain.from_iterable(groups))
    names: dict[int, str] = {}
    for members in groups:
        if words[members[0]]:  # texts without a word are no duplicates
            name = min(sha256_text("\n".join(words[member])) for member in members)
            names.update(dict.fromkeys(members, f"d-{name[:20]}"))
    return {item_id: names.get(place) for (item_id, _), place in zip(items, places, strict=True)}


def _settled(read: ReadTexts, known: pa.Table | None) -> dict[int, int | None]:
    """Distinct texts whose pairs among each other are known: the first one of the group of each, if it has one.

    A group that lost a text may have fallen apart, so that its others are not among them.
    """
    if known is None:
        return {}
    there = dict(zip(read.digests, read.places, strict=True))
    former = dict(zip(known[DIGEST].to_pylist(), known[_GROUP].to_pylist(), strict=True))
    broken = {group for digest, group in former.items() if group is not None and digest not in there}
    firsts: dict[str, int] = {}
    return {
        there[digest]: None if group is None else firsts.setdefault(group, there[digest])
        for digest, group in former.items()
        if digest in there and group not in broken
    }


def _pairs_of(
    tokens: dict[str, NormalTokens], numbers: Literal["kept", "masked"], threshold: float
) -> Iterator[DuplicatePair]:
    """Exact pairs, then near pairs between one item of each distinct text; ids come in ascending order."""
    texts, leaders = DistinctTexts(), list[str]()
    for item_id, text in tokens.items():
        place = texts.add(text)
        if place == len(leaders):
            leaders.append(item_id)
        elif text:
            yield DuplicatePair(leaders[place], item_id, "exact", numbers, 1.0)
    for left, right, similarity in _near_places(texts, threshold, np.ones(len(texts), bool)):
        yield DuplicatePair(leaders[left], leaders[right], "near", numbers, similarity)


def _near_places(texts: DistinctTexts, threshold: float, asked: Booleans) -> Iterator[tuple[int, int, float]]:
    """Pairs of distinct texts whose Jaccard index reaches the threshold, one of them a text that is asked at least.

    Prefix filter: of two such sets one of the rarest ``(1 - threshold)`` shingles of each must be shared, and beyond
    these they share at most what else one of them has. Those that no other text has are the rarest. Only texts that may
    share enough are compared.
    """
    sets, sizes = distinct_grams(texts.arrays(), SHINGLE)
    common = np.diff(sets.indptr)
    most = np.clip(common - np.ceil(threshold * sizes - ROUNDING).astype(np.int64) + 1, 0, common)
    rarest, others = prefixes(sets, most), common - most
    columns = rarest.T.tocsr()
    rows = np.flatnonzero(asked)
    may_share = np.cumsum((rarest @ np.diff(columns.indptr))[rows])
    for some in np.split(rows, np.flatnonzero(np.diff(may_share // AT_ONCE)) + 1):
        shared = (rarest[some] @ columns).tocoo()
        left, right = some[shared.row], shared.col
        most_shared = shared.data + np.maximum(others[left], others[right])
        may = most_shared >= (sizes[left] + sizes[right]) * (threshold / (1 + threshold)) - ROUNDING
        may &= (left < right) | (~asked[right] & (left != right))
        left, right = left[may], right[may]
        both = np.asarray(sets[left].multiply(sets[right]).sum(axis=1), np.int64).ravel()
        similarity = both / (sizes[left] + sizes[right] - both)
        for one, other, value in zip(left.tolist(), right.tolist(), similarity.tolist(), strict=True):
            if value >= threshold:
                yield min(one, other), max(one, other), value
