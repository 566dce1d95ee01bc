"""What a post store takes as it grows, at once and day by day: ``store_growth``.

Ingests of drawn threads (benchmarks.synthetic_threads), each a process of its own: processor seconds and the greatest
memory of all its processes, beside the floor, the same lines parsed as JSON and written as parquet. Then one site of
so many threads, crawled every day, of which one in twenty changes: what opening its store takes and how many files it
has, folded and not.

    python -m benchmarks.run store_growth                   10,000 and 50,000 threads
    python -m benchmarks.store_growth 200000 1000000        so many
"""

import math
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

from benchmarks.measuring import Row, signature, table
from benchmarks.scale import floor_seconds, spend, wordquarry
from benchmarks.synthetic_threads import synthetic_threads, write_threads
from corpus.deposit import upsert
from corpus.files import Folder
from corpus.records import Post
from corpus.store import PostStore, StoreSizes
from crawlers.thread_records import post_id_of, post_of

SIZES = (10_000, 50_000)
PEAK_MIB, EXPONENT = 500.0, 1.05
SITE, DAYS, CHANGING = 2_000, 60, 20
FLAT, FILES = 2.5, 40
"""Opening may take so many times what it takes where the same contents came at once, of a store with so many files."""
_BEGIN = datetime(2024, 1, 1, tzinfo=UTC)


def ingests(sizes: Sequence[int]) -> list[Row]:
    """A row for each size, one for the floor, and the growth from one to the next."""
    rows: list[Row] = []
    spent: list[tuple[int, float]] = []
    for count in sizes:
        with tempfile.TemporaryDirectory(prefix="wordquarry-store-") as folder:
            lines = Path(folder) / "posts.jsonl"
            write_threads(lines, count)
            floor = floor_seconds(lines, Path(folder))
            done = wordquarry("ingest", str(lines), "--data", f"{folder}/data")
            opened = open_in_a_process(Path(folder) / "data")
        met = done.peak <= PEAK_MIB
        value = f"{done.cpu:.1f} CPU s, {done.cpu / count * 1e6:.0f} µs a thread, peak {done.peak:,.0f} MiB"
        rows.append(Row("ingest of JSON Lines", count, value, f"<= {PEAK_MIB:,.0f} MiB", met))
        rows.append(Row("floor: JSON in, parquet out", count, f"{floor:.1f} CPU s"))
        rows.append(Row("opening that store, in a process of its own", count, opened))
        spent.append((count, done.cpu))
    for (small, first), (large, second) in pairwise(spent):
        grown = math.log(second / first) / math.log(large / small)
        name = f"processor time of an ingest, growth from {small:,}"
        rows.append(Row(name, large, f"n^{grown:.2f}", f"<= n^{EXPONENT:g}", grown <= EXPONENT))
    return rows


def open_in_a_process(data: Path) -> str:
    """What opening a store takes beside the start of a process, which an empty one shows."""
    script = "import sys; from corpus.workspace import Workspace; print(len(Workspace(sys.argv[1]).posts.current()))"
    whole, empty = (spend(sys.executable, "-c", script, str(path)) for path in (data, data / "none"))
    return f"{whole.cpu - empty.cpu:.2f} CPU s, peak {whole.peak:,.0f} MiB (of an empty one {empty.peak:,.0f})"


def site_on(day: int, threads: Sequence[Post]) -> list[Post]:
    """The threads of a site as a crawl of that day finds them: each changes every so many days, another every day."""
    moment = (_BEGIN + timedelta(days=day)).isoformat()
    return [
        thread.model_copy(update={"retrieved_at": moment, "question": _text(thread, number, day)})
        for number, thread in enumerate(threads)
    ]


def _text(thread: Post, number: int, day: int) -> str:
    return f"{thread.question} ({(day + number) // CHANGING})"


def opening(store: PostStore) -> float:
    """Processor seconds to open a store, the best of three."""
    found = []
    for _ in range(3):
        started = time.process_time()
        assert len(PostStore(store.folder).current()) == SITE
        found.append(time.process_time() - started)
    return min(found)


def daily(*, folded: bool) -> list[Row]:
    """The rows of a site that is crawled daily, with folding or without."""
    threads = [post_of(record, post_id_of(record))[0] for record in synthetic_threads(SITE)]
    most, spent = 0, 0.0
    sizes = StoreSizes() if folded else StoreSizes(fan=10**9)
    with tempfile.TemporaryDirectory(prefix="wordquarry-store-") as folder:
        store, once = (PostStore(Folder.at(f"{folder}/{name}/posts"), sizes=sizes) for name in ("daily", "once"))
        for day in range(1, DAYS + 1):
            posts = site_on(day, threads)
            started = time.process_time()
            upsert(store, posts)
            spent += time.process_time() - started
            most = max(most, len(store.batch_names()))
        contents = [
            post
            for day in range(1, DAYS + 1)
            for number, post in enumerate(site_on(day, threads))
            if day == 1 or post.question != _text(threads[number], number, day - 1)
        ]
        upsert(once, contents)
        last, best = opening(store), opening(once)
        files = len(store.batch_names())
    how = "folded" if folded else "not folded"
    what = f"{SITE:,} threads daily, one in {CHANGING} changes, {how}"
    ratio = f"{1e3 * last:.0f} ms, {1e3 * best:.0f} ms ({last / best:.1f} times)"
    target, met = (f"<= {FLAT:g} times", last <= FLAT * best) if folded else ("", None)
    return [
        Row(
            f"{what}: opening, and of one store to which the same {len(contents):,} came at once",
            DAYS,
            ratio,
            target,
            met,
        ),
        Row(
            f"{what}: files at the end, and most of them",
            DAYS,
            f"{files}, {most}",
            f"<= {FILES}" if folded else "",
            most <= FILES if folded else None,
        ),
        Row(f"{what}: processor time of a day's posts", DAYS, f"{spent / DAYS:.2f} s"),
    ]


def measure(sizes: Sequence[int] = SIZES) -> str:
    """The table."""
    rows = [*ingests(sizes), *daily(folded=True), *daily(folded=False)]
    return table("The post store", rows, f"{signature('pyarrow')}. Memory of the whole process tree.")


if __name__ == "__main__":
    for row in ingests([int(size) for size in sys.argv[1:]]):
        print(row, flush=True)
