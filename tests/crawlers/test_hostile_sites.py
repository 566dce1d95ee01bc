"""One crawl of everything a server can do wrong: each page ends in its own outcome, and the good ones are all there."""

import gzip
import time
import zlib
from collections.abc import Callable

import brotli
import pytest

from corpus.records import Post
from corpus.zstandard import zstd
from crawlers.crawling.crawl_run import crawl
from crawlers.crawling.job import CrawlSummary, Limits
from tests.crawlers.forms import FORMS, made
from tests.crawlers.logged_site import HTML, Answer, Site, serve

pytestmark = pytest.mark.slow
MEGABYTE = 1024 * 1024
BOUND = 1 * MEGABYTE
LIMITS = Limits(backoff=0.02, timeout=6, retries=1, max_page_bytes=BOUND)
GOOD = range(120)
LINE = b"<p>1 + 1 = 2 and so on, for ever and ever</p>\n"
ZEROS = bytes(64 * MEGABYTE)


def page(number: int) -> bytes:
    return FORMS["qapage-marked"](made(number)).encode()


def head(*lines: str) -> bytes:
    return "\r\n".join(("HTTP/1.1 200 OK", "Content-Type: text/html", *lines, "", "")).encode()


def drip(write: Callable[[bytes], object]) -> None:
    """A byte now and then, so that something is always coming."""
    write(head("Content-Length: 1000"))
    for _ in range(140):
        write(b"<")
        time.sleep(0.1)


def endless(write: Callable[[bytes], object]) -> None:
    """Chunks without end."""
    write(head("Transfer-Encoding: chunked"))
    for _ in range(4 * BOUND // len(LINE)):
        write(b"%x\r\n%b\r\n" % (len(LINE), LINE))


def sent(data: bytes) -> Answer:
    return Answer(raw=lambda write: write(data))


def coded(coding: str, body: bytes) -> Answer:
    return Answer(body, headers={**HTML, "Content-Encoding": coding})


def redirect(location: str, status: int = 302) -> Answer:
    return Answer(b"", status, {"Location": location})


def typed(body: bytes, kind: str) -> Answer:
    return Answer(body, headers={"Content-Type": kind})


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
    "x-gzip": lambda body: gzip.compress(body[:500]) + gzip.compress(body[500:]) + bytes(7),
    "deflate, gzip": lambda body: gzip.compress(zlib.compress(body)),
}
CAFE = page(4).decode().replace("Problem 4", "Caf\xe9 4")
OUTCOMES: dict[str, dict[str, Answer]] = {
    "failed/429": {"/busy": Answer(b"busy", 429)},
    "failed/503": {"/down": Answer(b"down", 503)},
    "failed/500": {"/broken": Answer(b"sorry", 500)},
    "failed/403": {"/forbidden": Answer(b"no", 403)},
    "failed/404": {"/none": Answer(b"", 404)},
    "failed/410": {"/gone": Answer(b"", 410)},
    "failed/timeout": {"/drip": Answer(raw=drip), "/silent": Answer(raw=lambda write: time.sleep(14))},
    "failed/cut_short": {
        "/short": sent(head("Content-Length: 100000") + page(1)),
        "/chunk": sent(head("Transfer-Encoding: chunked") + b"%x\r\n" % 100_000 + page(1)),
        "/chunks": sent(head("Transfer-Encoding: chunked") + b"5\r\n<p>ab\r\nnonsense\r\n"),
    },
    "failed/failed": {
        "/nothing": sent(b""),
        "/noise": sent(b"\x00\xff\x16\x03 not http\r\n\r\n"),
    },
    "failed/undecodable": {
        "/damaged-gzip": coded("gzip", b"not gzip at all"),
        "/damaged-br": coded("br", b"\xff\xff\xff\xff"),
        "/damaged-zstd": coded("zstd", b"(\xb5/\xfd\xff\xff\xff\xff"),
        "/half-gzip": coded("gzip", gzip.compress(page(1))[:-40]),
        "/half-br": coded("br", brotli.compress(page(1))[:-40]),
        "/half-zstd": coded("zstd", zstd.compress(page(1))[:-40]),
        "/unknown-coding": coded("exi", page(1)),
        "/damaged-deflate": coded("deflate", b"\xff\xff\xff\xff"),
    },
    "oversized": {
        "/announced": sent(head(f"Content-Length: {2 * BOUND}") + LINE),
        "/endless": Answer(raw=endless),
        "/bomb-gzip": coded("gzip", gzip.compress(ZEROS)),
        "/bomb-twice": coded("gzip, gzip", gzip.compress(gzip.compress(ZEROS))),
        "/bomb-deflate": coded("deflate", zlib.compress(ZEROS)),
        "/bomb-br": coded("br", brotli.compress(ZEROS, quality=5)),
        "/bomb-zstd": coded("zstd", zstd.compress(ZEROS)),
    },
    "redirect_loop": {
        "/self": redirect("/self"),
        "/there": redirect("/back"),
        **{f"/hop/{number}": redirect(f"/hop/{number + 1}") for number in range(1)},
    },
    "off_site": {"/elsewhere": redirect("https://forum.example/q/1")},
    "private_address": {"/private": redirect("http://10.0.0.1/admin"), "/meta": redirect("http://169.254.169.254/")},
    "other_scheme": {"/file": redirect("file:///etc/passwd")},
    "malformed": {"/deep": typed(b"schema.org " + b"<b>" * 100_000, "text/html")},
    "not_threads": {
        "/empty": Answer(b""),
        "/image": typed(b"\x89PNG\r\n\x1a\n" + bytes(100), "image/png"),
        "/entities": typed(b'<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><p>schema.org &b;', "text/html"),
    },
}
"""What the crawl asks for, by the outcome it has to end in."""

ON_THE_WAY = {
    "/back": redirect("/there"),
    **{f"/hop/{number}": redirect(f"/hop/{number + 1}") for number in range(1, 50)},
}
READABLE = {
    **{f"/coded/{coding.replace(', ', '-')}": coded(coding, pack(page(5))) for coding, pack in PACKED.items()},
    "/charset/utf-8": typed(CAFE.encode("latin-1"), "text/html; charset=utf-8"),
    "/charset/none": typed(CAFE.encode("latin-1").replace(b"utf-8", b"latin1"), "text/html"),
    "/charset/unknown": typed(CAFE.encode(), "text/html; charset=klingon"),
    "/charset/marked": typed(b"\xef\xbb\xbf" + CAFE.encode(), "text/html; charset=latin-1"),
    "/charset/wide": typed(CAFE.encode("utf-16"), "text/html; charset=utf-8"),
}
"""Pages in codings, and in another charset than they say, or in none that is known."""


def replies() -> dict[str, Answer]:
    bad = {path: answer for pages in OUTCOMES.values() for path, answer in pages.items()}
    return bad | ON_THE_WAY | READABLE | {f"/good/{number}": Answer(page(number)) for number in GOOD}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[CrawlSummary, dict[str, Post], Site]:
    folder, known = tmp_path_factory.mktemp("hostile"), replies()
    asked = [path for path in known if path not in ON_THE_WAY]
    asked = asked[::2] + asked[1::2]
    with serve(lambda ask: known.get(ask.path, Answer(b"", 404))) as site:
        (folder / "urls").write_text("".join(f"{site.base_url}{path}\n" for path in asked))
        summary = crawl("pages", folder / "urls", folder / "out", LIMITS)
    posts = [Post.model_validate_json(line) for line in summary.posts_path.read_bytes().splitlines()]
    return summary, {post.post_id.partition(":")[2]: post for post in posts}, site


def test_every_page_ends_in_its_outcome(crawled: tuple[CrawlSummary, dict[str, Post], Site]) -> None:
    summary = crawled[0]
    expected = {outcome: len(pages) for outcome, pages in OUTCOMES.items()} | {"threads": len(GOOD) + len(READABLE)}
    assert dict(summary.outcomes) == expected
    assert summary.finish_reason == "finished"
    assert summary.requested == sum(expected.values())


def test_the_rest_of_the_crawl_is_complete(crawled: tuple[CrawlSummary, dict[str, Post], Site]) -> None:
    posts = crawled[1]
    for number in GOOD:
        assert posts[f"good/{number}"].question.endswith(made(number).text), number
    assert len(posts) == len(GOOD) + len(READABLE)


def test_charsets(crawled: tuple[CrawlSummary, dict[str, Post], Site]) -> None:
    first = {path: crawled[1][path.lstrip("/")].question.split()[0] for path in READABLE if "charset" in path}
    assert first == {
        "/charset/utf-8": "Café",
        "/charset/none": "Café",
        "/charset/unknown": "Café",
        "/charset/marked": "Café",
        "/charset/wide": "Café",
    }


def test_redirects_end_at_their_bound(crawled: tuple[CrawlSummary, dict[str, Post], Site]) -> None:
    _, _, site = crawled
    assert sum(sent.path.startswith("/hop/") for sent in site.log) == 6
