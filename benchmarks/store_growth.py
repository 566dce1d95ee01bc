"""What a post store takes as it grows day by day: ``store_growth``.

One site of so many threads (benchmarks.synthetic_threads), crawled every day, of which one in twenty changes: what
opening its store takes and how many files it has, folded and not.
"""

import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from benchmarks.measuring import Row, seconds_of, signature, table
from benchmarks.synthetic_threads import synthetic_threads
from corpus.folders.files import Folder
from corpus.post_store.deposit import upsert
from corpus.post_store.store import PostStore, StoreSizes
from corpus.records import Post
from crawlers.thread_records import post_id_of, post_of

SITE, DAYS, CHANGING = 2_000, 60, 20
FLAT, FILES = 2.5, 40
"""Opening may take so many times what it takes where the same contents came at once, of a store with so many files."""
_BEGIN = datetime(2024, 1, 1, tzinfo=UTC)


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
    return min(seconds_of(lambda: PostStore(store.folder).current()) for _ in range(3))


def daily(*, folded: bool) -> list[Row]:
    """The rows of a site that is crawled daily, with folding or without."""
    threads = [post_of(record, post_id_of(record))[0] for record in synthetic_threads(SITE)]
    most, spent = 0, 0.0
    sizes = StoreSizes() if folded else StoreSizes(fan=10**9)
    with tempfile.TemporaryDirectory(prefix="wordquarry-store-") as folder:
        store, once = (PostStore(Folder.at(f"{folder}/{name}/posts"), sizes=sizes) for name in ("daily", "once"))
        for day in range(1, DAYS + 1):
            posts = site_on(day, threads)
            spent += seconds_of(lambda posts=posts: upsert(store, posts))  # type: ignore[misc]
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
    opened = f"{what}: opening, and of one store to which the same {len(contents):,} came at once"
    wanted, few = (f"<= {FILES}", most <= FILES) if folded else ("", None)
    return [
        Row(opened, DAYS, ratio, target, met),
        Row(f"{what}: files at the end, and most of them", DAYS, f"{files}, {most}", wanted, few),
        Row(f"{what}: processor time of a day's posts", DAYS, f"{spent / DAYS:.2f} s"),
    ]


def measure() -> str:
    """The table."""
    return table("The post store", [*daily(folded=True), *daily(folded=False)], f"{signature('pyarrow')}.")
