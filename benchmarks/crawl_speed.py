"""How fast a local site is crawled into posts, beside a Scrapy spider that only downloads the same pages.

Processor time of the crawl's processes, and wall-clock time; the site is served by another process. The bare
spider has Scrapy's defaults but for the requests at a time: no delay, no robots.txt, nothing parsed, nothing stored.

    python -m benchmarks.crawl_speed serve THREADS          the site, until its standard input ends
    python -m benchmarks.crawl_speed bare FILE WORKERS      the spider, with so many workers for the items of a page
"""

import asyncio
import contextlib
import json
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from urllib.request import urlopen

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess
from scrapy.http import Response

from benchmarks.measuring import ROOT, Row, signature, table
from crawlers.bundled_site import DEFAULT_THREADS, SitePage
from crawlers.crawling.crawl_run import crawl
from crawlers.crawling.job import Limits
from crawlers.site_pages import ListingEntry, listing_page, listing_path, load_threads, page_count, thread_page

THREADS, REPEATS, CONCURRENCY, TARGET = 2400, 3, 8, 0.92
LOG_PATH = "/_log"
_HEAD = "HTTP/1.1 {} X\r\nContent-Length: {}\r\nContent-Type: {}\r\nETag: {}\r\nCache-Control: no-cache\r\n\r\n"


def forum(count: int) -> dict[str, SitePage]:
    """Listing and thread pages of a forum of ``count`` threads, drawn round and round from the bundled ones."""
    bundled = load_threads(DEFAULT_THREADS)
    chosen = ((number // len(bundled), bundled[number % len(bundled)]) for number in range(count))
    threads = [replace(one, id=f"{one.id}-{again}") if again else one for again, one in chosen]
    entries = tuple(ListingEntry(f"/questions/{one.id}", one.title, 1, len(one.answers)) for one in threads)
    pages = {listing_path(number): listing_page(entries, number) for number in range(1, page_count(count) + 1)}
    for number, one in enumerate(threads):
        pages[f"/questions/{one.id}"] = thread_page(one, tuple(threads[number + 1 : number + 6]))
    return {path: SitePage(page.encode()) for path, page in pages.items()}


class ForumServer(asyncio.Protocol):
    """Answers as fast as it can; ``LOG_PATH`` tells of the first request and how many bodies were sent, and forgets."""

    def __init__(self, answers: dict[str, tuple[bytes, bytes, str]], seen: list[float]) -> None:
        self._answers, self._seen, self._received = answers, seen, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the connection."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer every request that is whole."""
        self._received += data
        while b"\r\n\r\n" in self._received:
            head, _, self._received = self._received.partition(b"\r\n\r\n")
            self._transport.write(self._answer(head.decode("latin-1")))

    def _answer(self, head: str) -> bytes:
        path = head.split(" ", 2)[1]
        if path == LOG_PATH:
            told, self._seen[:] = json.dumps(self._seen).encode(), [0.0, 0]
            return response(200, SitePage(told))
        self._seen[0] = self._seen[0] or time.monotonic()
        if path not in self._answers:
            return response(404, SitePage(b"<h1>Not found</h1>"))
        whole, unchanged, etag = self._answers[path]
        self._seen[1] += etag not in head
        return unchanged if etag in head else whole


def response(status: int, page: SitePage) -> bytes:
    """The bytes of an answer."""
    body = b"" if status == 304 else page.body
    return _HEAD.format(status, len(body), page.content_type, page.etag).encode("latin-1") + body


async def serve(count: int) -> None:
    """Serve until the standard input ends; prints the port."""
    answers = {path: (response(200, page), response(304, page), page.etag) for path, page in forum(count).items()}
    seen, loop = [0.0, 0], asyncio.get_running_loop()
    server = await loop.create_server(lambda: ForumServer(answers, seen), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


class BareSpider(Spider):
    """Downloads addresses and counts the pages."""

    name = "bare"
    urls: tuple[str, ...] = ()
    pages = 0

    async def start(self) -> AsyncIterator[Request]:
        """Every address."""
        for url in self.urls:
            yield Request(url, callback=self.parse)

    def parse(self, response: Response) -> None:
        """Count the page."""
        type(self).pages += 1


def download(addresses: Path, workers: int) -> None:
    """Run the bare spider and print how many pages came."""
    counts = dict.fromkeys(("CONCURRENT_REQUESTS", "CONCURRENT_REQUESTS_PER_DOMAIN"), CONCURRENCY)
    process = CrawlerProcess({**counts, "CONCURRENT_ITEMS": workers, "LOG_LEVEL": "WARNING"})
    process.crawl(BareSpider, urls=tuple(addresses.read_text(encoding="utf-8").split()))
    process.start()
    print(BareSpider.pages)


class Took(NamedTuple):
    """Processor seconds of one crawl, seconds from its first request on, and how many bodies the site sent for it."""

    cpu: float
    crawling: float
    bodies: int


def _child(*words: str) -> list[str]:
    return [sys.executable, "-m", "benchmarks.crawl_speed", *words]


@contextlib.contextmanager
def served(threads: int) -> Iterator[str]:
    """The address of a forum served by another process."""
    pipe = subprocess.PIPE
    with subprocess.Popen(_child("serve", str(threads)), cwd=ROOT, stdin=pipe, stdout=pipe) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        finally:
            server.terminate()


def timed_crawl(site: str, run: Callable[[], object]) -> Took:
    """Run a crawl of a site of ``served``."""
    started = _processor_seconds()
    run()
    spent, ended = _processor_seconds() - started, time.monotonic()
    with urlopen(site + LOG_PATH) as answer:  # noqa: S310 - the address is the server's own
        first, bodies = json.load(answer)
    return Took(spent, ended - first, bodies)


def _processor_seconds() -> float:
    """Of this process and all that it started and that ended."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def rounds(site: str, folder: Path, paths: int, repeats: int) -> list[dict[str, Took]]:
    """Each crawl once a round, in turn; every one has to get every page."""
    addresses, out, limits = str(folder / "urls.txt"), folder / "out", Limits(concurrency=CONCURRENCY)

    def bare(workers: int) -> Took:
        run = lambda: subprocess.run(_child("bare", addresses, str(workers)), cwd=ROOT, check=True, capture_output=True)  # noqa: E731
        return timed_crawl(site, run)

    def ours() -> Took:
        return timed_crawl(site, lambda: crawl("bundled", site, out, limits))

    found = []
    for _ in range(repeats):
        found.append({"bare": bare(100), "ours": ours(), "again": ours(), "lean": bare(1)})
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
    "On loopback, {}. Our crawl obeys robots.txt, parses, stores every page and writes the posts; the bare spider does "
    "eight requests at a time and no more. Ratios within a round, the median of the rounds; above 1 is faster than the "
    "bare spider. Processor time holds the start of the processes, wall-clock time begins with the first request."
)


def _rows(found: list[dict[str, Took]], pages: int) -> Iterator[Row]:
    for name, title in (("bare", "bare spider"), ("ours", "crawl into posts"), ("again", "crawl again, unchanged")):
        cpu, seconds = (statistics.median(getattr(one[name], kind) for one in found) for kind in ("cpu", "crawling"))
        yield Row(title, pages, f"{cpu:.1f} CPU s, {seconds:.1f} s, {pages / seconds:,.0f} pages/s")
    for peer, title in (("bare", "the bare spider"), ("lean", "one with one item worker, as ours has")):
        cpu, wall = (
            statistics.median(getattr(one[peer], kind) / getattr(one["ours"], kind) for one in found)
            for kind in ("cpu", "crawling")
        )
        row = Row(f"crawl into posts beside {title}", pages, f"{cpu:.2f} by processor time, {wall:.2f} by the clock")
        yield row._replace(target=f"at least {TARGET}", met=cpu >= TARGET) if peer == "bare" else row


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        asyncio.run(serve(int(sys.argv[2])))
    else:
        download(Path(sys.argv[2]), int(sys.argv[3]))
