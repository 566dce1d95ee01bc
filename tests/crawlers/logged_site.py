"""A site on loopback that answers as it is told and logs what was asked of it, when, and what it sent."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from crawlers.site_pages import ListingEntry, listing_page, listing_path, load_threads, page_count, thread_page

HTML = {"Content-Type": "text/html; charset=utf-8"}


@dataclass(frozen=True)
class Answer:
    """What is sent: status, headers and body; or whatever ``raw`` writes to the connection, which then ends."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: HTML)
    raw: Callable[[Callable[[bytes], object]], None] | None = None


@dataclass(frozen=True)
class Ask:
    """A request: path and query, its headers in lower case, and how often the same was asked for before."""

    path: str
    headers: Mapping[str, str]
    before: int


@dataclass
class Sent:
    """One line of the log; moments are seconds of the steady clock, ``done`` when the last byte was handed over."""

    path: str
    at: float
    headers: Mapping[str, str]
    status: int = 0
    size: int = 0
    done: float = float("inf")


@dataclass
class Site:
    """A running site and its log, in order of arrival."""

    base_url: str
    log: list[Sent] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def bodies(self) -> Counter[str]:
        """How often each body was sent, robots.txt aside."""
        with self.lock:
            return Counter(sent.path for sent in self.log if sent.status == 200 and sent.path != "/robots.txt")

    def times(self) -> list[tuple[str, float]]:
        """What was asked and when, robots.txt aside."""
        with self.lock:
            return [(sent.path, sent.at) for sent in self.log if sent.path != "/robots.txt"]

    def clear(self) -> None:
        """Begin the log anew."""
        with self.lock:
            self.log.clear()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: object, client_address: object) -> None:
        """A crawler that hangs up, or is killed, is no event."""


@contextmanager
def serve(reply: Callable[[Ask], Answer]) -> Iterator[Site]:
    """Serve on 127.0.0.1 while the context lasts."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = 64 * 1024

        def do_GET(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            sent = Sent(self.path, time.monotonic(), headers)
            with site.lock:
                ask = Ask(self.path, headers, asked[self.path])
                asked[self.path] += 1
                site.log.append(sent)
            answer = reply(ask)
            sent.status, sent.size = answer.status, len(answer.body)
            if answer.raw is not None:
                self.close_connection = True
                answer.raw(self._now)
            else:
                self._send(answer)
            sent.done = time.monotonic()

        def _send(self, answer: Answer) -> None:
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if answer.status != 304:
                self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)
            self.wfile.flush()

        def _now(self, data: bytes) -> None:
            self.wfile.write(data)
            self.wfile.flush()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = _Server(("127.0.0.1", 0), Handler)
    site, asked = Site(f"http://127.0.0.1:{server.server_port}"), Counter[str]()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def forum_pages(folder: Path) -> dict[str, bytes]:
    """Listing and thread pages of the bundled forum, by address, of the threads of a folder."""
    threads = load_threads(folder)
    entries = tuple(ListingEntry(f"/questions/{one.id}", one.title, 0, len(one.answers)) for one in threads)
    pages = {listing_path(n): listing_page(entries, n).encode() for n in range(1, page_count(len(entries)) + 1)}
    return pages | {f"/questions/{one.id}": thread_page(one, ()).encode() for one in threads}


def answering(pages: Mapping[str, bytes], headers: Mapping[str, str] = HTML) -> Callable[[Ask], Answer]:
    """Pages by address, without validators; anything else, robots.txt too, is 404."""

    def reply(ask: Ask) -> Answer:
        body = pages.get(ask.path)
        return Answer(b"<h1>Not found</h1>", 404) if body is None else Answer(body, headers=headers)

    return reply
