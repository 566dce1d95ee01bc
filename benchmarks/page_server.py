"""A forum of many threads, served by a process of its own as fast as it can: ``python -m benchmarks.page_server N``.

It sends validators and answers conditional requests as the bundled site does. ``/_log`` tells when the first page was
asked for and how many bodies were sent since, and forgets it.
"""

import asyncio
import json
import sys
import time
from collections.abc import Mapping
from dataclasses import replace

from crawlers.bundled_site import DEFAULT_THREADS, SitePage
from crawlers.site_pages import (
    ListingEntry,
    SiteThread,
    listing_page,
    listing_path,
    load_threads,
    page_count,
    thread_page,
)

LOG_PATH = "/_log"
_HEAD = "HTTP/1.1 {} X\r\nContent-Length: {}\r\nContent-Type: {}\r\nETag: {}\r\nCache-Control: no-cache\r\n\r\n"


def forum(count: int) -> dict[str, SitePage]:
    """Listing and thread pages of a forum of ``count`` threads, drawn round and round from the bundled ones."""
    bundled = load_threads(DEFAULT_THREADS)
    threads = [_copy(bundled[number % len(bundled)], number // len(bundled)) for number in range(count)]
    entries = tuple(ListingEntry(f"/questions/{thread.id}", thread.title, 1, len(thread.answers)) for thread in threads)
    pages = {
        listing_path(number): SitePage(listing_page(entries, number).encode())
        for number in range(1, page_count(count) + 1)
    }
    for number, thread in enumerate(threads):
        related = tuple(threads[number + 1 : number + 6])
        pages[f"/questions/{thread.id}"] = SitePage(thread_page(thread, related).encode())
    return pages


def _copy(thread: SiteThread, number: int) -> SiteThread:
    return replace(thread, id=f"{thread.id}-{number}") if number else thread


class _Connection(asyncio.Protocol):
    def __init__(self, site: "_Site") -> None:
        self._site, self._received = site, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        while b"\r\n\r\n" in self._received:
            head, _, self._received = self._received.partition(b"\r\n\r\n")
            self._transport.write(self._site.answer(head.decode("latin-1")))


class _Site:
    def __init__(self, pages: Mapping[str, SitePage]) -> None:
        self._answers = {path: (_answer(200, page), _answer(304, page), page.etag) for path, page in pages.items()}
        self._first, self._bodies = 0.0, 0

    def answer(self, head: str) -> bytes:
        path = head.split(" ", 2)[1]
        if path == LOG_PATH:
            seen = SitePage(json.dumps([self._first, self._bodies]).encode())
            self._first, self._bodies = 0.0, 0
            return _answer(200, seen)
        self._first = self._first or time.monotonic()
        found = self._answers.get(path)
        if found is None:
            return _answer(404, SitePage(b"<h1>Not found</h1>"))
        whole, unchanged, etag = found
        if etag in head:
            return unchanged
        self._bodies += 1
        return whole


def _answer(status: int, page: SitePage) -> bytes:
    body = b"" if status == 304 else page.body
    return _HEAD.format(status, len(body), page.content_type, page.etag).encode("latin-1") + body


async def _serve(count: int) -> None:
    site = _Site(forum(count))
    server = await asyncio.get_running_loop().create_server(lambda: _Connection(site), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1])))
