"""Threads that a site no longer names are asked for again, and what became of them is noticed."""

import time
from pathlib import Path

import pytest

from corpus.records import Post
from crawlers.bundled_site import BundledSite, serve
from crawlers.crawling.crawl_run import crawl
from crawlers.crawling.job import CrawlSummary, Limits
from crawlers.crawling.revisits import KNOWN, known_threads, note_tried, read_known, remember
from crawlers.ingest import read_posts
from tests.crawlers.forms import FORMS, made
from tests.crawlers.loopback import Reply, serve_pages

pytestmark = pytest.mark.slow


def recrawl(site: BundledSite, folder: Path, stored: list[Post], **limits: int) -> CrawlSummary:
    """Crawl the bundled site as a flow does, with the threads that are stored."""
    remember(folder, known_threads(stored, "bundled", site.base_url))
    site.reset()
    return crawl("bundled", site.base_url, folder, Limits(backoff=0.05, retries=2, **limits))


def without_listings(threads_dir: Path, target: Path, keep: int) -> Path:
    """The same threads in a forum that only has the first ones: its listings end there."""
    target.mkdir()
    lines = [line for file in sorted(threads_dir.iterdir()) for line in file.read_text().splitlines(keepends=True)]
    (target / "threads.jsonl").write_text("".join(lines[:keep]))
    return target


@pytest.fixture
def stored(threads_dir: Path, tmp_path: Path) -> tuple[Path, list[Post]]:
    """A folder in which the whole forum was crawled, and its posts."""
    folder = tmp_path / "crawl"
    with serve(threads_dir) as site:
        summary = recrawl(site, folder, [])
    return folder, list(read_posts(summary.posts_path).posts)


def test_threads_that_were_removed_are_noticed(
    threads_dir: Path, tmp_path: Path, stored: tuple[Path, list[Post]]
) -> None:
    folder, posts = stored
    with serve(without_listings(threads_dir, tmp_path / "fewer", 52)) as site:
        summary = recrawl(site, folder, posts)
        assert summary.revisits == 8
        assert summary.outcomes["failed/404"] == 8
        assert {url for url, _ in summary.gone} == {post.url for post in posts[52:]}
        assert summary.requested == sum(summary.outcomes.values())
        again = recrawl(site, folder, posts[:52])
        assert (again.revisits, again.gone) == (0, ())


def test_threads_that_are_only_unlisted_are_seen_again(
    threads_dir: Path, stored: tuple[Path, list[Post]], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, posts = stored
    with serve(threads_dir) as site:
        hidden = [path for path in site.pages if path.startswith("/questions?page=")]
        for path in hidden:
            monkeypatch.delitem(site.pages, path)
        summary = recrawl(site, folder, posts)
    assert summary.outcomes["failed/404"] == 1, "the second listing page"
    assert summary.revisits == 60 - 23, "the first listing page names 23 threads, a private page and one too large"
    assert (summary.posts, summary.fetched) == (60, 0), "all are confirmed, and none is sent again"


@pytest.mark.full
def test_revisits_have_a_budget_and_take_turns(
    threads_dir: Path, tmp_path: Path, stored: tuple[Path, list[Post]]
) -> None:
    folder, posts = stored
    asked: set[str] = set()
    with serve(without_listings(threads_dir, tmp_path / "fewer", 50)) as site:
        for _ in range(2):
            summary = recrawl(site, folder, posts, max_revisits=5)
            assert summary.revisits == 5
            found = {url for url, _ in summary.gone}
            assert asked.isdisjoint(found), "those that were tried last are tried last"
            asked |= found
            time.sleep(1.1)
        assert len(asked) == 10
        assert recrawl(site, folder, posts, max_revisits=0).revisits == 0


def test_known_threads_are_those_of_the_source_and_site() -> None:
    def post(number: int, source: str, url: str | None) -> Post:
        return Post(post_id=f"{source}:{number}", source=source, url=url, question="q")

    posts = [
        post(1, "forum.example", "https://www.forum.example/q/1?page=2#top"),
        post(2, "forum.example", None),
        post(3, "other.example", "https://other.example/q/3"),
        post(4, "forum.example", "https://elsewhere.example/q/4"),
        post(5, "forum.example", "file:///etc/passwd"),
        post(6, "algebra.com", "https://www.algebra.com/q.6.html"),
        post(7, "forum.example", "http://[forum.example/q/7"),
    ]
    found = known_threads(posts, "pages", "https://forum.example:8443")
    assert [(one.path, one.url) for one in found] == [("/q/1?page=2", "https://www.forum.example/q/1?page=2#top")]
    assert [one.path for one in known_threads(posts, "algebra", "http://127.0.0.1:9")] == ["/q.6.html"]


def test_an_address_with_line_separators_is_one_address(tmp_path: Path) -> None:
    urls = [f"https://forum.example/q/{number}{sign}x" for number, sign in enumerate("\u2028\u0085\x1e")]
    posts = [Post(post_id=f"forum.example:{url}", source="forum.example", url=url, question="q") for url in urls]
    remember(tmp_path, known_threads(posts, "pages", "https://forum.example"))
    assert sorted(read_known(tmp_path / KNOWN).values()) == sorted(urls)
    note_tried(tmp_path, [], 0.0)
    assert read_known(tmp_path / KNOWN) == {}


def test_a_stored_thread_whose_page_holds_none_any_more_is_counted_named_and_stays(tmp_path: Path) -> None:
    """A wall of cookies with status 200 is no removal."""
    pages = {f"/t/{number}": Reply(FORMS["phpbb"](made(number)).encode()) for number in range(3)}
    folder = tmp_path / "out"
    with serve_pages(pages) as site:
        (tmp_path / "urls").write_text("".join(f"{site.base_url}{path}\n" for path in [*pages, "/t/9"]))
        posts = read_posts(crawl("pages", tmp_path / "urls", folder).posts_path).posts
        pages["/t/1"] = pages["/t/9"] = Reply(b"<h1>We value your privacy</h1><button>Accept</button>")
        remember(folder, known_threads(posts, "pages", site.base_url))
        summary = crawl("pages", tmp_path / "urls", folder)
    assert (summary.unread, summary.gone, summary.outcomes["not_threads"]) == (1, (), 2)
    assert f"{site.base_url}/t/1 no longer holds a thread;" in (folder / "crawl.log").read_text()
