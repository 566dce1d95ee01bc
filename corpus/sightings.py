"""Which sightings a store needs: the last of each content, and those that tell which content was current when.

The contents of a post follow one another in time, in runs: times at which one content was seen and no other. Within a
run only two sightings decide anything: the last one, and the one that came into the store first, where the content
itself is not of the run. Whatever older state of the store is looked at, its newest content is then the same, since an
older state lacks what came later, and no more.
"""

import numpy as np
import pyarrow as pa

from corpus.contents import Codes, in_posts, instants, last_of, numbered, paired, told
from corpus.tombstones import Tombstones

Truths = np.ndarray[tuple[int], np.dtype[np.bool_]]
_REMOVED = "removed"


def needed(seen: pa.Table, arrivals: Codes, contents: pa.Table, others: pa.Table, buried: Tombstones) -> Truths:
    """Whether each sighting of ``seen`` is needed beside ``contents``, the ``others``, and what sites have removed.

    ``arrivals`` says in which order they came into the store; of ``contents`` and ``others`` those of other posts count
    for nothing. All have post id, digest and retrieval as columns.
    """
    names = ["post_id", "content_sha256", "retrieved_at"]
    plain = [table.select(names).cast(_EVENTS) for table in (seen, contents, others)]
    events = pa.concat_tables([plain[0], *(one.filter(in_posts(one, seen["post_id"])) for one in plain[1:])])
    own = np.arange(events.num_rows) >= seen.num_rows
    own &= np.arange(events.num_rows) < seen.num_rows + told(in_posts(contents, seen["post_id"])).sum()
    removed = pa.Table.from_pylist(
        [{"post_id": one.post_id, "content_sha256": _REMOVED, "retrieved_at": one.noted_at} for one in buried.removals],
        _EVENTS,
    )
    events = pa.concat_tables([events, removed])
    own = np.append(own, np.zeros(removed.num_rows, bool))
    posts, digests, moments = numbered(events["post_id"]), numbered(events["content_sha256"]), instants(events)
    order = np.lexsort((digests, moments, posts))
    other = np.append([True], np.diff(paired(posts, digests)[order]) != 0)[: len(order)]
    tie = other & np.append([False], (np.diff(posts[order]) == 0) & (np.diff(moments[order]) == 0))[: len(order)]
    runs = np.empty(len(order), np.int64)
    runs[order] = np.cumsum(other)
    here = slice(0, seen.num_rows)
    first = np.zeros(seen.num_rows, bool)
    first[last_of(runs[here], -arrivals)] = True
    kept = first & ~np.isin(runs[here], runs[own])
    kept[last_of(runs[here], moments[here])] = True
    return np.asarray(kept | np.isin(posts[here], posts[order][tie]), bool)


_EVENTS = pa.schema([(name, pa.string()) for name in ("post_id", "content_sha256", "retrieved_at")])
