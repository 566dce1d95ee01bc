"""A site of 1,000 pages, or of 251, crawled again: what it confirms is not sent again; what changed is stored."""

import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import formatdate
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from corpus.folders.files import Folder
from corpus.post_store.deposit import Upsert, upsert
from corpus.post_store.store import PostStore
from crawlers.crawling.crawl_run import crawl
from crawlers.crawling.job import CrawlSummary, Limits
from crawlers.ingest import read_posts
from tests.crawlers.conftest import thread
from tests.crawlers.forms import FORMS, made
from tests.crawlers.logged_site import HTML, Answer, Ask, Site, forum_pages, serve
from tests.crawlers.test_archive import archives, urls
from tests.tiers import tier

pytestmark = pytest.mark.slow
KEEPING = Limits(backoff=0.05, timeout=20, archive=True)
THREADS, LISTINGS = tier((961, 39), (241, 10))
NEITHER = THREADS // 4
CHANGED = range(200, 210)
ONCE, LATER = 1_600_000_000, 1_600_086_400
KINDS = ("etag", "modified", "both", "neither")


def kind_of(path: str) -> str:
    """Which validators a page is sent with: a quarter of the threads each kind, listings with both."""
    return KINDS[int(path[-3:]) % 4] if path.startswith("/questions/") else "both"


@dataclass
class Forum:
    """Pages by address, and those that are newer than the rest."""

    pages: dict[str, bytes]
    newer: frozenset[str] = frozenset()

    def reply(self, ask: Ask) -> Answer:
        """The page, or 304 to whoever has it; an entity tag decides where there is one (RFC 9110, 13.2.2)."""
        body = self.pages.get(ask.path)
        if body is None:
            return Answer(b"", 404)
        date = formatdate(LATER if ask.path in self.newer else ONCE, usegmt=True)
        own = {"ETag": f'"{sha256(body).hexdigest()[:16]}"', "Last-Modified": date}
        kind = kind_of(ask.path)
        names = {"etag": ("ETag",), "modified": ("Last-Modified",), "both": tuple(own), "neither": ()}[kind]
        headers = {**HTML, **{name: own[name] for name in names}}
        given = {"ETag": ask.headers.get("if-none-match"), "Last-Modified": ask.headers.get("if-modified-since")}
        asked = [name for name in names if given[name] is not None]
        unchanged = asked and given[asked[0]] == own[asked[0]]
        return Answer(b"", 304, headers) if unchanged else Answer(body, 200, headers)


def made_threads() -> list[dict[str, Any]]:
    return [thread(number) for number in range(THREADS)]


def rendered(threads: list[dict[str, Any]], folder: Path) -> dict[str, bytes]:
    folder.mkdir()
    (folder / "threads.jsonl").write_text("".join(json.dumps(one) + "\n" for one in threads), encoding="utf-8")
    return forum_pages(folder)


@dataclass(frozen=True)
class Crawled:
    """One crawl, what the site sent for it, and what a store made of its posts."""

    summary: CrawlSummary
    bodies: Counter[str]
    statuses: Counter[tuple[str, int]]
    stored: Upsert
    archives: list[Path]


@dataclass(frozen=True)
class Thrice:
    """A first crawl, one of the same site unchanged, and one after a hundredth of the threads changed."""

    first: Crawled
    unchanged: Crawled
    changed: Crawled
    paths: frozenset[str]


def crawler(site: Site, folder: Path) -> Callable[[], Crawled]:
    store = PostStore(Folder.at(folder / "store"))

    def run() -> Crawled:
        site.clear()
        summary = crawl("bundled", site.base_url, folder / "out", KEEPING)
        statuses = Counter((kind_of(sent.path), sent.status) for sent in site.log if sent.path != "/robots.txt")
        stored = upsert(store, read_posts(summary.posts_path).posts)
        return Crawled(summary, site.bodies(), statuses, stored, archives(folder / "out"))

    return run


@pytest.fixture(scope="module")
def thrice(tmp_path_factory: pytest.TempPathFactory) -> Thrice:
    folder = tmp_path_factory.mktemp("recrawl")
    threads = made_threads()
    forum = Forum(rendered(threads, folder / "before"))
    with serve(forum.reply) as site:
        run = crawler(site, folder)
        first, unchanged = run(), run()
        for number in CHANGED:
            threads[number]["answers"][1]["html"] = "<p>x = 1000001</p>"
        forum.pages = rendered(threads, folder / "after")
        forum.newer = frozenset(f"/questions/{threads[number]['id']}" for number in CHANGED)
        time.sleep(1)  # times of retrieval are whole seconds: what changed within one contradicts itself
        return Thrice(first, unchanged, run(), forum.newer)


def test_the_first_crawl_gets_every_body_once(thrice: Thrice) -> None:
    assert set(thrice.first.bodies.values()) == {1}
    assert len(thrice.first.bodies) == THREADS + LISTINGS
    assert thrice.first.stored.new == THREADS


def test_an_unchanged_page_with_a_validator_is_not_sent_again(thrice: Thrice) -> None:
    assert {kind_of(path) for path in thrice.unchanged.bodies} == {"neither"}
    again = {key: times for key, times in thrice.unchanged.statuses.items() if key[1] != 200}
    assert again == {("etag", 304): NEITHER + 1, ("modified", 304): NEITHER, ("both", 304): NEITHER + LISTINGS}
    assert thrice.unchanged.summary.not_modified == THREADS + LISTINGS - NEITHER


def test_a_page_without_validators_is_sent_again_and_not_stored_again(thrice: Thrice) -> None:
    assert len(thrice.unchanged.bodies) == thrice.unchanged.summary.fetched == NEITHER
    assert thrice.unchanged.archives == thrice.first.archives, "an unchanged site adds nothing to the archive"


def test_an_unchanged_site_changes_no_post(thrice: Thrice) -> None:
    stored = thrice.unchanged.stored
    assert (stored.new, stored.changed, stored.unchanged) == (0, 0, THREADS)


def test_of_a_changed_site_exactly_the_changed_pages_are_sent_and_stored(thrice: Thrice) -> None:
    with_validators = {path for path in thrice.changed.bodies if kind_of(path) != "neither"}
    assert with_validators == {path for path in thrice.paths if kind_of(path) != "neither"}
    assert len(with_validators) == 8
    assert Counter(kind_of(path) for path in thrice.paths) == {"etag": 3, "modified": 3, "both": 2, "neither": 2}
    stored = thrice.changed.stored
    assert (stored.new, stored.changed, stored.unchanged) == (0, len(CHANGED), THREADS - len(CHANGED))
    (added,) = set(thrice.changed.archives) - set(thrice.first.archives)
    assert sorted(url[url.index("/questions/") :] for url in urls(added)) == sorted(thrice.paths)


def test_a_page_that_moved_is_not_taken_for_unchanged(tmp_path: Path) -> None:
    moved: list[str] = []
    dated = {**HTML, "Last-Modified": formatdate(ONCE, usegmt=True), "ETag": '"page"'}
    body = FORMS["qapage-marked"](made(7)).encode()

    def reply(ask: Ask) -> Answer:
        if ask.path not in ("/q/7", "/new/7"):
            return Answer(b"", 404)
        if ask.path in moved:
            return Answer(b"", 301, {"Location": "/new/7"})
        known = "if-none-match" in ask.headers or "if-modified-since" in ask.headers
        return Answer(b"", 304, dated) if known else Answer(body, headers=dated)

    with serve(reply) as site:
        (tmp_path / "urls").write_text(f"{site.base_url}/q/7\n")
        assert crawl("pages", tmp_path / "urls", tmp_path / "out", KEEPING).posts == 1
        moved.append("/q/7")
        again = crawl("pages", tmp_path / "urls", tmp_path / "out", KEEPING)
    assert (again.posts, again.fetched, again.redirected) == (1, 1, 1)
