"""Contents that posts have had, as columns, and which of two is newer: the one retrieved last, then the greater digest.

A million posts are a million keys here and no Python object for each: post id, content digest, where the content is,
and how it was last retrieved. Posts and digests are compared by whole numbers that stand for them.
"""

import functools
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from corpus.canonical import RETRIEVAL, bucket_of, canonical_json
from corpus.errors import InputError
from corpus.post_store.tombstones import Tombstones, moment_of

Codes = np.ndarray[tuple[int], np.dtype[np.int64]]
Truths = np.ndarray[tuple[int], np.dtype[np.bool_]]
_EPOCH, _STEP = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
_AT_ONCE, _PAIR = 10_000, ("post_id", "content_sha256")


class Dated(Protocol):
    """A content of a post and when it was last seen: a post itself, or where it is held."""

    @property
    def post_id(self) -> str: ...
    @property
    def content_sha256(self) -> str: ...
    @property
    def retrieved_at(self) -> str | None: ...


class Holding(NamedTuple):
    """A content that a batch holds, and how it was last retrieved; small beside the post itself."""

    post_id: str
    content_sha256: str
    batch: str
    retrieved_at: str | None
    response_sha256: str | None
    parser: str | None


_FEW = pa.dictionary(pa.int32(), pa.string())
HELD = pa.schema([(name, _FEW if name in ("batch", *RETRIEVAL) else pa.string()) for name in Holding._fields])
"""The columns of holdings."""


def age_of(content: Dated) -> tuple[datetime, str]:
    """What settles which of two contents of a post is newer."""
    return (moment_of(content.post_id, content.retrieved_at), content.content_sha256)


def micros(moment: datetime) -> int:
    """An instant in microseconds."""
    return (moment - _EPOCH) // _STEP


class Holdings(Mapping[str, Holding]):
    """Holdings by post id, in the order of the ids, in columns: ``table`` has those of HELD."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table
        self._buckets: tuple[int, list[Holdings]] = (0, [])

    @functools.cached_property
    def digest(self) -> str:
        """The digest of the canonical JSON of all (post_id, content) pairs."""
        whole, begin = hashlib.sha256(b"["), b""
        for start in range(0, len(self), _AT_ONCE):
            pairs = zip(*(self.table[name][start : start + _AT_ONCE].to_pylist() for name in _PAIR), strict=True)
            whole.update(begin + canonical_json(list(pairs))[1:-1].encode("utf-8", "surrogatepass"))
            begin = b","
        whole.update(b"]")
        return whole.hexdigest()[:32]

    def by_bucket(self, buckets: int) -> list["Holdings"]:
        """The holdings whose post is in each of so many buckets (``bucket_of``), in the order of the ids."""
        if self._buckets[0] != buckets:
            numbers = np.fromiter((bucket_of(post_id, buckets) for post_id in self), np.int64, len(self))
            order = np.argsort(numbers, kind="stable")
            rows = self.table.take(pa.array(order))
            ends = np.searchsorted(numbers[order], np.arange(buckets + 1)).tolist()
            self._buckets = (buckets, [Holdings(rows.slice(start, end - start)) for start, end in pairwise(ends)])
        return self._buckets[1]

    def contents(self) -> dict[str, str]:
        """The digest of each post's content."""
        return dict(zip(self.table["post_id"].to_pylist(), self.table["content_sha256"].to_pylist(), strict=True))

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __iter__(self) -> Iterator[str]:
        for some in self.table["post_id"].chunks:
            yield from some.to_pylist()

    def __getitem__(self, post_id: str) -> Holding:
        ids, low, high = self.table["post_id"], 0, len(self)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if ids[middle].as_py() < post_id else (low, middle)
        if low == len(self) or ids[low].as_py() != post_id:
            raise KeyError(post_id)
        return Holding(*self.table.slice(low, 1).to_pylist()[0].values())

    def chosen(self, post_ids: Sequence[str]) -> "Holdings":
        """The holdings of some posts in the order given, which are not to be looked up in; KeyError if one lacks."""
        places = pc.index_in(pa.array(post_ids, pa.string()), value_set=self.table["post_id"])
        if places.null_count:
            raise KeyError(post_ids[pc.is_null(places).index(True).as_py()])
        return Holdings(self.table.take(places))

    def rows(self) -> Iterator[Holding]:
        """The holdings, a slice of the columns at a time."""
        for start in range(0, len(self), _AT_ONCE):
            columns = (column.to_pylist() for column in self.table.slice(start, _AT_ONCE).columns)
            yield from map(Holding._make, zip(*columns, strict=True))

    def by_batch(self) -> Iterator[tuple[str, "Holdings"]]:
        """The holdings of each batch in turn, sorted by its name."""
        numbers, names = coded(self.table["batch"])
        order = np.argsort(numbers, kind="stable")
        rows, ends = self.table.take(pa.array(order)), np.searchsorted(numbers[order], np.arange(len(names) + 1))
        for name, number in sorted((str(name), number) for number, name in enumerate(names)):
            if ends[number] < ends[number + 1]:
                yield name, Holdings(rows.slice(ends[number], ends[number + 1] - ends[number]))


NONE = Holdings(pa.Table.from_batches([], HELD))


def coded(column: pa.ChunkedArray) -> tuple[Codes, list[str | None]]:
    """A whole number for each value, the same for the same value, and what the numbers stand for; None is -1."""
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    column = column.unify_dictionaries()
    names = column.chunk(0).dictionary.to_pylist() if column.num_chunks else []
    parts = [one.indices.fill_null(-1).to_numpy(zero_copy_only=False) for one in column.chunks]
    return np.concatenate([np.zeros(0, np.int64), *parts]).astype(np.int64), names


def numbered(column: pa.ChunkedArray) -> Codes:
    """A whole number for each string, the same for the same string."""
    found = column.combine_chunks().dictionary_encode()
    return np.asarray(found.indices.to_numpy(), np.int64)


def instants(rows: pa.Table) -> Codes:
    """``retrieved_at`` of each row in microseconds; none is before every other. InputError for what is no time."""
    numbers, texts = coded(rows["retrieved_at"])
    moments = np.empty(len(texts) + 1, np.int64)
    moments[-1] = micros(moment_of("", None))
    for number, text in enumerate(texts):
        try:
            moments[number] = micros(moment_of("", text))
        except InputError:
            first = int(np.argmax(numbers == number))
            moment_of(rows["post_id"][first].as_py(), text)
    return moments[numbers]


def last_of(groups: Codes, *ranks: Codes) -> Codes:
    """The place of the greatest row of each group by ``ranks``, the first of equal ones; in the order of the groups."""
    order = np.lexsort((-np.arange(len(groups)), *reversed(ranks), groups))
    sorted_groups = groups[order]
    ends = np.append(sorted_groups[1:] != sorted_groups[:-1], [True] * (len(groups) > 0)).astype(bool)
    return np.asarray(order[ends], np.int64)


def paired(first: Codes, second: Codes) -> Codes:
    """A whole number for each pair of numbers that are not negative."""
    return first * (int(second.max(initial=0)) + 1) + second


def ranks_of(digests: pa.ChunkedArray, posts: Codes) -> Codes:
    """Where each digest stands in their order, told only for posts that have several rows."""
    several = np.flatnonzero(np.bincount(posts)[posts] > 1) if len(posts) else posts
    ranks = np.zeros(len(posts), np.int64)
    if len(several):
        texts = digests.take(pa.array(several)).to_pylist()
        places = {text: place for place, text in enumerate(sorted(set(texts)))}
        ranks[several] = [places[text] for text in texts]
    return ranks


def chained(first: pa.ChunkedArray, second: pa.ChunkedArray) -> pa.ChunkedArray:
    """One column and then the other."""
    return pa.chunked_array([*first.chunks, *second.chunks], first.type)


def in_posts(rows: pa.Table, posts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Whether the post of each row is one of those."""
    return pc.is_in(rows["post_id"], value_set=posts.combine_chunks())


def told(column: pa.ChunkedArray) -> Truths:
    """Truth values."""
    return np.asarray(column.combine_chunks().to_numpy(zero_copy_only=False), bool)


def newest(contents: pa.Table) -> Codes:
    """The place of the newest content of every post."""
    posts = numbered(contents["post_id"])
    return last_of(posts, instants(contents), ranks_of(contents["content_sha256"], posts))


def contents_of(held: pa.Table, seen: pa.Table) -> tuple[pa.Table, list[str]]:
    """Every content that batches hold, once, each with the retrieval it had last; and posts whose content none holds.

    ``held`` and ``seen`` have the columns of HELD; equal times keep what is held first.
    """
    both = pa.concat_tables([held, seen]).unify_dictionaries()
    keys = paired(numbered(both["post_id"]), numbered(both["content_sha256"]))
    moments, count = instants(both), held.num_rows
    last, there = last_of(keys, moments), last_of(keys[:count], moments[:count])
    known = np.isin(keys[last], keys[there], assume_unique=True)
    lost = both["post_id"].take(pa.array(last[~known])).to_pylist()
    found, last = both.take(pa.array(there)), last[known]
    if seen.num_rows:
        again = both.select(RETRIEVAL).take(pa.array(last))
        for name in RETRIEVAL:
            found = found.set_column(found.column_names.index(name), name, again[name])
    return found, lost


def uncovered(contents: pa.Table, buried: Tombstones) -> pa.Table:
    """The contents of posts that are not gone."""
    doubtful = pa.array(sorted(buried.named), pa.string())
    where = np.flatnonzero(told(in_posts(contents, pa.chunked_array([doubtful]))))
    kept = np.ones(contents.num_rows, bool)
    for place, row in zip(where, contents.take(pa.array(where)).to_pylist(), strict=True):
        kept[place] = not buried.cover(row["post_id"], moment_of(row["post_id"], row["retrieved_at"]))
    return contents.filter(pa.array(kept)) if len(where) else contents


def holdings_of(keys: pa.Table, batch: str | None) -> pa.Table:
    """The columns of HELD of what one batch holds, by its columns of KEY."""
    columns = [keys["post_id"], keys["content_sha256"], pa.chunked_array([pa.array([batch] * len(keys), _FEW)])]
    columns += [keys[name].dictionary_encode() if len(keys) else pa.array([], _FEW) for name in RETRIEVAL]
    return pa.table(columns, HELD)


def in_order(contents: pa.Table) -> pa.Table:
    """The rows in the order of their post ids, and of their digests where those are equal."""
    keys: Sequence[tuple[str, str]] = [("post_id", "ascending"), ("content_sha256", "ascending")]
    return contents.take(pc.sort_indices(contents, sort_keys=keys))
