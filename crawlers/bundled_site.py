"""The bundled forum over real HTTP on loopback, with the troubles of real sites in a known place.

Listing pages, thread pages, robots.txt with a disallowed part, entity tags and dates, old addresses that redirect, one
page that fails once, one of broken HTML, one far too large. ``python -m crawlers.bundled_site --port 8000``.
"""

import argparse
import contextlib
import hashlib
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from functools import cached_property
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from corpus.code import shipped_data
from corpus.errors import CorpusError, CrawlError
from crawlers.site_pages import ListingEntry, SiteThread, broken, listing_page, load_threads, page_count, thread_page

DEFAULT_THREADS = shipped_data() / "site" / "threads"
ROBOTS = b"User-agent: *\nDisallow: /private/\nDisallow: /users/\nDisallow: /_admin/\n"
PRIVATE_PATH = "/private/questions/members-1"
OVERSIZED_PATH = "/questions/full-archive"
_CHUNK = b"<p>The whole board on one page, as somebody once thought useful. 1 + 1 = 2 </p>\n" * 800
_CHUNKS = 9 * 1024 * 1024 // len(_CHUNK) + 1
_OLD_ADDRESS_EVERY = 40
_FAILING, _BROKEN = 6, 11


@dataclass(frozen=True)
class SitePage:
    """What an address answers: a body with its validators, a redirect, or a stream of chunks."""

    body: bytes = b""
    changed_at: str = "2020-01-01T00:00:00Z"
    content_type: str = "text/html; charset=utf-8"
    location: str | None = None
    chunks: int = 0

    @cached_property
    def etag(self) -> str:
        """A tag that changes with the content."""
        material = self.body if not self.chunks else _CHUNK + str(self.chunks).encode()
        return f'"{hashlib.sha256(material).hexdigest()[:24]}"'

    @cached_property
    def modified(self) -> datetime:
        """The date of the newest post on the page."""
        return datetime.fromisoformat(self.changed_at.replace("Z", "+00:00")).astimezone(UTC).replace(microsecond=0)


@dataclass
class BundledSite:
    """A running site: ``base_url`` and, for tests, what was asked of it."""

    base_url: str
    pages: Mapping[str, SitePage]
    failing_path: str
    broken_path: str
    thread_ids: tuple[str, ...]
    delay: float = 0.0
    """Seconds each answer waits, for tests that need a slow site."""
    _counts: Counter[tuple[str, int]] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _failed: bool = False

    def counts(self) -> dict[tuple[str, int], int]:
        """How often each (path, status) was answered since the start or the last reset."""
        with self._lock:
            return dict(sorted(self._counts.items()))

    def bodies(self) -> dict[str, int]:
        """How often the body of each path was sent."""
        return {path: times for (path, status), times in self.counts().items() if status == HTTPStatus.OK}

    def reset(self) -> None:
        """Forget the counts; the page that failed once does not fail again."""
        with self._lock:
            self._counts.clear()

    def note(self, path: str, status: int) -> None:
        """Count one answer."""
        with self._lock:
            self._counts[path, status] += 1

    def fails_now(self, path: str) -> bool:
        """Whether this request meets the one failure of this run."""
        with self._lock:
            fails = path == self.failing_path and not self._failed
            self._failed = self._failed or fails
            return fails


def build_pages(threads: tuple[SiteThread, ...]) -> dict[str, SitePage]:
    """Every address of the site and what it answers; a function of the threads alone."""
    newest = max(thread.changed_at for thread in threads)
    pages = {"/robots.txt": SitePage(ROBOTS, content_type="text/plain"), "/": SitePage(location="/questions")}
    entries = []
    for number, thread in enumerate(threads):
        related = tuple(threads[(number + step) % len(threads)] for step in range(1, min(6, len(threads))))
        text = thread_page(thread, related)
        path, old = f"/questions/{thread.id}", f"/q/{number + 1}"
        pages[path] = SitePage(broken(text) if number == _BROKEN else text.encode(), thread.changed_at)
        pages[old] = SitePage(location=path, changed_at=thread.changed_at)
        href = old if number % _OLD_ADDRESS_EVERY == 2 else path
        entries.append(
            ListingEntry(href, thread.title, sum(answer.score for answer in thread.answers), len(thread.answers))
        )
    entries.insert(min(3, len(entries)), ListingEntry(PRIVATE_PATH, "Members only: puzzle of the month", 3, 0))
    entries.insert(min(9, len(entries)), ListingEntry(OVERSIZED_PATH, "The whole board on one page", 0, 0))
    pages[PRIVATE_PATH] = SitePage(b"<h1>Members only</h1>")
    pages[OVERSIZED_PATH] = SitePage(chunks=_CHUNKS)
    for number in range(1, page_count(len(entries)) + 1):
        path = "/questions" if number == 1 else f"/questions?page={number}"
        pages[path] = SitePage(listing_page(tuple(entries), number).encode(), newest)
    return pages


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "WordProblemForum/1"
    sys_version = ""
    wbufsize = 64 * 1024
    disable_nagle_algorithm = True
    timeout = 60
    site: BundledSite

    def do_GET(self) -> None:
        path = _normal(self.path)
        time.sleep(self.site.delay)
        page = self.site.pages.get(path)
        if page is None:
            self._answer(path, HTTPStatus.NOT_FOUND, b"<h1>Not found</h1>", {"Content-Type": "text/html"})
        elif self.site.fails_now(path):
            self._answer(path, HTTPStatus.INTERNAL_SERVER_ERROR, b"database is gone", {"Content-Type": "text/plain"})
        elif page.location is not None:
            self._answer(path, HTTPStatus.MOVED_PERMANENTLY, b"", {"Location": page.location})
        elif self._is_unchanged(page):
            self._answer(path, HTTPStatus.NOT_MODIFIED, b"", _validators(page))
        else:
            self._answer_page(path, page)

    do_HEAD = do_GET  # noqa: N815 - the name is the protocol's

    def log_message(self, format: str, *args: object) -> None:
        """Requests are counted, not logged."""

    def _answer_page(self, path: str, page: SitePage) -> None:
        headers = {"Content-Type": page.content_type} | _validators(page)
        if page.chunks:
            self.site.note(path, HTTPStatus.OK)
            self._stream(page.chunks, headers | {"Transfer-Encoding": "chunked"})
        else:
            self._answer(path, HTTPStatus.OK, page.body, headers)

    def _is_unchanged(self, page: SitePage) -> bool:
        tags = self.headers.get("If-None-Match")
        if tags is not None:
            return page.etag in [tag.strip() for tag in tags.split(",")] or tags.strip() == "*"
        since = self.headers.get("If-Modified-Since")
        if since is None:
            return False
        try:
            return page.modified <= parsedate_to_datetime(since)
        except (ValueError, TypeError):
            return False

    def _answer(self, path: str, status: HTTPStatus, body: bytes, headers: Mapping[str, str]) -> None:
        self.site.note(path, status)
        self._send(status, body, headers)

    def _send(self, status: HTTPStatus, body: bytes, headers: Mapping[str, str]) -> None:
        self._head(status, headers)
        if status != HTTPStatus.NOT_MODIFIED:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _stream(self, chunks: int, headers: Mapping[str, str]) -> None:
        self._head(HTTPStatus.OK, headers)
        self.end_headers()
        if self.command == "HEAD":
            return
        try:
            for _ in range(chunks):
                self.wfile.write(b"%x\r\n%b\r\n" % (len(_CHUNK), _CHUNK))
            self.wfile.write(b"0\r\n\r\n")
        except OSError:
            # The reader hung up, which is what an oversized page is there to provoke.
            self.close_connection = True

    def _head(self, status: HTTPStatus, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is no event; anything else is shown."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


def _normal(target: str) -> str:
    parts = urlsplit(target)
    page = parse_qs(parts.query).get("page", [""])[0]
    return f"{parts.path}?page={page}" if parts.path == "/questions" and page not in ("", "1") else parts.path


def _validators(page: SitePage) -> dict[str, str]:
    return {
        "ETag": page.etag,
        "Last-Modified": format_datetime(page.modified, usegmt=True),
        "Cache-Control": "no-cache",
    }


@contextlib.contextmanager
def serve(threads_dir: Path = DEFAULT_THREADS, port: int = 0) -> Iterator[BundledSite]:
    """Serve the forum on 127.0.0.1 while the context lasts; ``port`` 0 takes a free one.

    Raises InputError for threads that cannot be read and CrawlError for a port in use.
    """
    threads = load_threads(threads_dir)
    pages = build_pages(threads)
    handler = type("Handler", (_Handler,), {})
    try:
        server = _Server(("127.0.0.1", port), handler)
    except (OSError, OverflowError) as error:
        raise CrawlError(f"cannot listen on 127.0.0.1:{port}: {error}; choose another with --port") from error
    site = BundledSite(
        base_url=f"http://127.0.0.1:{server.server_port}",
        pages=pages,
        failing_path=f"/questions/{threads[_FAILING % len(threads)].id}",
        broken_path=f"/questions/{threads[_BROKEN % len(threads)].id}",
        thread_ids=tuple(sorted(thread.id for thread in threads)),
    )
    handler.site = site  # type: ignore[attr-defined]
    runner = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    runner.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        runner.join()


def main(arguments: list[str] | None = None) -> int:
    """Serve until interrupted; prints the address. Exit status 1 with one line on standard error if it cannot."""
    parser = argparse.ArgumentParser(description="Serve the bundled forum on loopback.")
    parser.add_argument("--port", type=int, default=8000, help="0 takes a free port (default 8000)")
    parser.add_argument("--threads", type=Path, default=DEFAULT_THREADS, help="folder of *.jsonl thread files")
    options = parser.parse_args(arguments)
    try:
        with serve(options.threads, options.port) as site:
            sys.stdout.write(f"{site.base_url}/questions serves {len(site.thread_ids)} threads; stop with Ctrl-C\n")
            sys.stdout.flush()
            with contextlib.suppress(KeyboardInterrupt):
                threading.Event().wait()
    except CorpusError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
