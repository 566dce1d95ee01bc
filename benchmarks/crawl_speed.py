"""How fast a local site is crawled into posts, beside a bare Scrapy spider that only downloads the same pages.

Wall-clock time, because waiting for the network is what a crawl does; the site is served by another process.
"""

import contextlib
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

from benchmarks.measuring import ROOT, Row, signature, table
from benchmarks.page_server import LOG_PATH, forum
from crawlers.crawling.crawl_run import crawl
from crawlers.crawling.job import Limits

THREADS = 4800
REPEATS = 3
CONCURRENCY = 8
LIMITS = Limits(concurrency=CONCURRENCY)
TARGET = 0.8


@dataclass(frozen=True)
class Took:
    """Seconds of one crawl, from its call and from the first request on, and how many bodies the site sent for it."""

    whole: float
    crawling: float
    bodies: int


@contextlib.contextmanager
def served(threads: int) -> Iterator[str]:
    """The address of a forum served by another process."""
    command = [sys.executable, "-m", "benchmarks.page_server", str(threads)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        finally:
            server.terminate()


def timed_crawl(site: str, run: Callable[[], object]) -> Took:
    """Run a crawl of a site of ``served``."""
    started = time.monotonic()
    run()
    ended = time.monotonic()
    with urlopen(site + LOG_PATH) as answer:  # noqa: S310 - the address is the server's own
        first, bodies = json.load(answer)
    return Took(ended - started, ended - first, bodies)


def bare(addresses: Path, workers: int) -> int:
    """Run the bare spider, with so many workers for the items of a page; how many pages it got."""
    command = [sys.executable, "-m", "benchmarks.bare_spider", str(addresses), str(CONCURRENCY), str(workers)]
    return int(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)


def rounds(site: str, folder: Path, paths: int, repeats: int) -> list[dict[str, Took]]:
    """Each crawl once a round, in turn; every one has to get every page."""
    addresses, out = folder / "urls.txt", folder / "out"
    calls: dict[str, Callable[[], object]] = {
        "bare": lambda: bare(addresses, 100),
        "ours": lambda: crawl("bundled", site, out, LIMITS),
        "again": lambda: crawl("bundled", site, out, LIMITS),
        "lean": lambda: bare(addresses, 1),
    }
    found = []
    for _ in range(repeats):
        found.append({name: timed_crawl(site, call) for name, call in calls.items()})
        assert [took.bodies for took in found[-1].values()] == [paths, paths, 0, paths]
        shutil.rmtree(out)
    return found


def measure(threads: int = THREADS, repeats: int = REPEATS) -> str:
    """Rows for a first crawl, with and without start-up, and a crawl of the same site unchanged."""
    paths = list(forum(threads))
    with tempfile.TemporaryDirectory() as folder, served(threads) as site:
        (Path(folder) / "urls.txt").write_text("".join(f"{site}{path}\n" for path in paths), encoding="utf-8")
        found = rounds(site, Path(folder), len(paths), repeats)
    return table("Crawling", list(_rows(found, len(paths))), _NOTE.format(signature("scrapy")))


_NOTE = (
    "Wall clock on loopback, {}. Our crawl obeys robots.txt, parses, stores every page and writes the posts; the bare "
    "spider has Scrapy's defaults, eight requests at a time and no delay. Ratios within a round, the median of the "
    "rounds; above 1 is faster than the bare spider."
)


def _rows(found: list[dict[str, Took]], pages: int) -> Iterator[Row]:
    after = statistics.median(one["bare"].crawling / one["ours"].crawling for one in found)
    whole = statistics.median(one["bare"].whole / one["ours"].whole for one in found)
    lean = statistics.median(one["lean"].crawling / one["ours"].crawling for one in found)
    for name, title in (("bare", "bare spider"), ("ours", "crawl into posts"), ("again", "crawl again, unchanged")):
        seconds = statistics.median(one[name].crawling for one in found)
        yield Row(f"{title}, after start-up", pages, f"{seconds:.1f} s, {pages / seconds:,.0f} pages/s")
    yield Row(
        "crawl into posts of the bare spider, after start-up", pages, f"{after:.2f}", "at least 0.80", after >= TARGET
    )
    yield Row("the same with start-up", pages, f"{whole:.2f}")
    yield Row("the same, the bare spider with one item worker as ours has", pages, f"{lean:.2f}")


if __name__ == "__main__":
    print(measure())
