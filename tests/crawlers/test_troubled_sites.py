"""Sites that answer 429, 503, nothing, or something else: one line, soon, and no more requests than is polite."""

import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from corpus.errors import CrawlError
from crawlers.bundled_site import build_pages, serve
from crawlers.crawling.crawl_run import crawl, read_report
from crawlers.crawling.job import Limits
from crawlers.site_pages import load_threads
from tests.crawlers.forms import FORMS, made

QUICK = Limits(backoff=0.05, timeout=0.5, retries=1, max_retry_after=2)
Reply = tuple[int, dict[str, str], bytes]


@dataclass
class Asked:
    """Requests in order of arrival: seconds since the start, and path."""

    base_url: str = ""
    log: list[tuple[float, str]] = field(default_factory=list)


@contextmanager
def site(reply: Callable[[str, int], Reply]) -> Iterator[Asked]:
    """A server whose answer is a function of the path and of how often it was asked before."""
    asked = Asked()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            before = sum(path == self.path for _, path in asked.log)
            asked.log.append((time.monotonic(), self.path))
            status, headers, body = reply(self.path, before)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    asked.base_url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def forum(threads_dir: Path) -> Callable[[str], Reply]:
    pages = build_pages(load_threads(threads_dir))

    def reply(path: str) -> Reply:
        page = pages.get(path)
        if page is None or page.chunks:
            return 404, {}, b""
        if page.location is not None:
            return 301, {"Location": page.location}, b""
        return 200, {"Content-Type": page.content_type}, page.body

    return reply


ROOT = Path(__file__).resolve().parents[2]
HTML = {"Content-Type": "text/html"}


@pytest.mark.parametrize("status", [429, 503])
def test_only_refusals(status: int, tmp_path: Path) -> None:
    with (
        site(lambda path, before: (404 if path == "/robots.txt" else status, {}, b"busy")) as asked,
        pytest.raises(CrawlError, match=f"answers only {status}; it wants no more requests; crawl it later") as caught,
    ):
        crawl("bundled", asked.base_url, tmp_path, QUICK)
    assert "\n" not in str(caught.value)
    assert [path for _, path in asked.log] == ["/robots.txt", "/questions", "/questions"], "one try and one retry"


def test_unreadable_robots_forbids_everything(tmp_path: Path) -> None:
    with (
        site(lambda path, before: (503 if path == "/robots.txt" else 200, HTML, b"<p>hello")) as asked,
        pytest.raises(CrawlError, match="answers only 503"),
    ):
        crawl("bundled", asked.base_url, tmp_path, QUICK)
    assert {path for _, path in asked.log} == {"/robots.txt"}


@pytest.mark.parametrize("robots", [404, 301])
def test_a_site_that_has_moved_is_said_to_have(robots: int, tmp_path: Path) -> None:
    elsewhere = {"Location": "https://www.forum.example/"}

    def reply(path: str, before: int) -> Reply:
        return robots if path == "/robots.txt" else 301, elsewhere, b""

    with site(reply) as asked, pytest.raises(CrawlError, match="redirects to another address, perhaps to https"):
        crawl("bundled", asked.base_url, tmp_path, QUICK)


def test_robots_may_allow_nothing(tmp_path: Path) -> None:
    with (
        site(lambda path, before: (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /")) as asked,
        pytest.raises(CrawlError, match=r"robots\.txt of .* allows none"),
    ):
        crawl("bundled", asked.base_url, tmp_path, QUICK)
    assert {path for _, path in asked.log} == {"/robots.txt"}


def test_a_site_that_never_answers(tmp_path: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        pytest.raises(CrawlError, match=r"never answered within 0\.5 s"),
    ):
        crawl("bundled", f"http://127.0.0.1:{listening.getsockname()[1]}", tmp_path, QUICK)


def test_a_site_that_is_not_there(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    with pytest.raises(CrawlError, match=r"cannot be reached \(refused\)"):
        crawl("bundled", f"http://127.0.0.1:{port}", tmp_path, QUICK)


def test_a_site_without_threads(tmp_path: Path) -> None:
    with (
        site(lambda path, before: (404, {}, b"") if path == "/robots.txt" else (200, HTML, b"<h1>Cats")) as asked,
        pytest.raises(CrawlError, match=r"no posts found at .*: 1 pages read"),
    ):
        crawl("bundled", asked.base_url, tmp_path, QUICK)


def test_retry_after_holds_the_whole_crawl(threads_dir: Path, tmp_path: Path) -> None:
    answer = forum(threads_dir)
    refused: list[tuple[float, str]] = []

    def reply(path: str, before: int) -> Reply:
        if not refused and path.startswith("/questions/fix") and len(asked.log) > 12:
            refused.append((time.monotonic(), path))
            return 429, {"Retry-After": "2"}, b""
        return answer(path)

    with site(reply) as asked:
        summary = crawl("bundled", asked.base_url, tmp_path, Limits(backoff=0.01, timeout=5))
    ((since, path),) = refused
    assert [moment for moment, asked_for in asked.log if asked_for == path][1] >= since + 2
    assert summary.posts == 60
    assert summary.failed == {"404": 1}, "the oversized page is missing here"
    during = [moment - since for moment, _ in asked.log if since < moment < since + 2]
    assert len(during) <= 8, "only what was under way"
    assert len([moment for moment, _ in asked.log if moment > since + 2]) > 20


def test_a_site_that_asks_for_long_patience_is_left_alone(tmp_path: Path) -> None:
    def reply(path: str, before: int) -> Reply:
        return (404, {}, b"") if path == "/robots.txt" else (429, {"Retry-After": "3600"}, b"")

    with site(reply) as asked, pytest.raises(CrawlError, match="asks for a pause of more than 2 s"):
        crawl("bundled", asked.base_url, tmp_path, QUICK)
    assert len(asked.log) == 2


def test_redirects_off_the_site_are_not_followed(threads_dir: Path, tmp_path: Path) -> None:
    answer = forum(threads_dir)
    with serve(threads_dir) as other:

        def reply(path: str, before: int) -> Reply:
            if path.startswith("/questions/fix"):
                return 302, {"Location": f"{other.base_url}{path}"}, b""
            return answer(path)

        with site(reply) as asked, pytest.raises(CrawlError, match="no posts found"):
            crawl("bundled", asked.base_url, tmp_path, QUICK)
        assert other.counts() == {}


@pytest.mark.parametrize("address", ["", "ftp://a.example", "forum", "http://", "http://a.example:x"])
def test_addresses_that_are_none(address: str, tmp_path: Path) -> None:
    with pytest.raises(CrawlError, match="is not a site address"):
        crawl("bundled", address, tmp_path)


def test_unknown_source_and_unwritable_folder(tmp_path: Path) -> None:
    with pytest.raises(CrawlError, match="unknown source 'mars'; known: algebra, bundled, pages"):
        crawl("mars", "http://127.0.0.1:1", tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(CrawlError, match="cannot write to"):
        crawl("bundled", "http://127.0.0.1:1", tmp_path / "file")


def test_a_site_that_was_down_for_maintenance_is_asked_again_by_the_next_crawl(
    threads_dir: Path, tmp_path: Path
) -> None:
    answer, down = forum(threads_dir), [True]

    def reply(path: str, before: int) -> Reply:
        return (200, HTML, b"<h1>Back soon") if down and path != "/robots.txt" else answer(path)

    with site(reply) as asked:
        with pytest.raises(CrawlError, match="no posts found"):
            crawl("bundled", asked.base_url, tmp_path, QUICK)
        down.clear()
        assert crawl("bundled", asked.base_url, tmp_path, QUICK).posts == 60


FULL = """
import resource, sys
from pathlib import Path
from corpus.errors import CrawlError
from crawlers.crawling.crawl_run import crawl

_, most = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (1_500_000, most))
try:
    crawl("pages", Path(sys.argv[1]), Path(sys.argv[2]))
except CrawlError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("last", "told"),
    [
        ("OSError: [Errno 28] No space left on device", " (No space left on device; free some)"),
        ("sqlite3.OperationalError: database or disk is full", " (No space left on device; free some)"),
        ("ValueError: no", ""),
    ],
)
def test_a_crawl_that_died_for_want_of_room_says_so(tmp_path: Path, last: str, told: str) -> None:
    log = tmp_path / "crawl.log"
    log.write_text(f"Traceback (most recent call last):\n{last}\n")
    with pytest.raises(CrawlError) as caught:
        read_report(tmp_path / "report.json", log, "http://forum.example")
    ended = f"the crawl of http://forum.example ended unexpectedly{told}; run it again; the log is {log}"
    assert str(caught.value) == ended


@pytest.mark.full
def test_posts_that_find_no_room_are_an_error_and_come_with_the_next_crawl(tmp_path: Path) -> None:
    """Threads that take little room in the cache and much in the feed, which may have a megabyte and a half."""
    words = "Ann is 4 years older than Bob. " * 4_000
    pages = {
        f"/t/{n}": FORMS["phpbb"](made(n)).replace("</h3>", f"</h3>{words}", 1).replace(made(n).html, words).encode()
        for n in range(12)
    }
    with site(lambda path, before: (200, HTML, pages[path]) if path in pages else (404, {}, b"")) as asked:
        (tmp_path / "urls").write_text("".join(f"{asked.base_url}{path}\n" for path in pages))
        arguments = [sys.executable, "-c", FULL, str(tmp_path / "urls"), str(tmp_path / "out")]
        full = subprocess.run(arguments, capture_output=True, text=True, check=True, cwd=ROOT)
        assert re.fullmatch(
            r"\d+ of 12 posts could not be written to .*out; free some space and run it again\n", full.stdout
        )
        assert crawl("pages", tmp_path / "urls", tmp_path / "out", QUICK).posts == 12
