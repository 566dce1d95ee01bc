"""Allow and deny patterns, and where they apply."""

from pathlib import Path

import pytest

from corpus.errors import CrawlError
from crawlers.bundled_site import serve
from crawlers.crawling.crawl_run import crawl
from crawlers.crawling.job import Limits
from crawlers.crawling.politeness import Rules
from tests.crawlers.forms import FORMS, made
from tests.crawlers.loopback import Reply, serve_pages

SITE = "https://forum.example"


@pytest.mark.rows(
    ("pattern", "path", "matches"),
    [
        ("/q", "/q", True),
        ("/q", "/quiz?x=1", True),
        ("/q", "/a/q", False),
        ("/q$", "/q", True),
        ("/q$", "/q/", False),
        ("/*/q", "/a/b/q7", True),
        ("*.pdf$", "/a/b.pdf", True),
        ("*.pdf$", "/a/b.pdf?x=1", False),
        ("/a*a$", "/a", False),
        ("/a*a$", "/aa", True),
        ("/a*b*a$", "/aba", True),
        ("/a*b*a$", "/aab", False),
        ("/*?page=", "/list?page=2", True),
        ("/*?page=", "/list?sort=1&page=2", False),
        ("/~ann", "/%7Eann/x", True),
        ("/%7eann", "/~ann/x", True),
        ("/a%2fb", "/a%2Fb", True),
        ("/a%2fb", "/a/b", False),
        ("/", "", True),
        ("$", "/", False),
    ],
)
def test_patterns(pattern: str, path: str, matches: bool) -> None:
    assert Rules(allow=[pattern]).permit(SITE + path) is matches
    assert Rules(deny=[pattern]).permit(SITE + path) is not matches


def test_no_pattern_goes_back() -> None:
    rules, path = Rules(deny=["/" + "a*" * 200 + "b$"]), SITE + "/" + "a" * 8000
    assert rules.permit(path)  # backtracking would take longer than the sun shines


def test_denied_pages_are_counted_and_never_asked_for(tmp_path: Path) -> None:
    thread = Reply(FORMS["qapage-linked"](made(5)).encode())
    pages = {
        "/q/1": thread,
        "/q/2?print=1": thread,
        "/secret/3": thread,
        "/moved": Reply(b"", status=302, headers={"Location": "/secret/9"}),
        "/secret/4": thread,
    }
    with serve_pages(pages) as site:
        (tmp_path / "urls").write_text("".join(f"{site.base_url}{path}\n" for path in pages))
        limits = Limits(allow=("/q/", "/moved", "/secret/"), deny=("/secret/", "/*?print="))
        summary = crawl("pages", tmp_path / "urls", tmp_path / "out", limits)
        assert sorted(site.log) == ["/moved", "/q/1", "/robots.txt"]
    assert summary.outcomes == {"threads": 1, "denied": 4}
    assert summary.requested == 5


def test_the_page_to_start_at_needs_no_rule(tmp_path: Path, threads_dir: Path) -> None:
    with serve(threads_dir) as site:
        limits = Limits(backoff=0.05, deny=("/questions$", "/questions/fix-00"))
        summary = crawl("bundled", site.base_url, tmp_path / "out", limits)
    assert summary.outcomes["denied"] == 10, "one of them behind an old address"
    assert summary.posts == 50


def test_rules_that_let_nothing_through_are_an_error(tmp_path: Path) -> None:
    with serve_pages({}) as site:
        (tmp_path / "urls").write_text(f"{site.base_url}/q/1\n")
        with pytest.raises(
            CrawlError, match=r"crawl.allow and crawl.deny exclude every page of .*; nothing was fetched"
        ):
            crawl("pages", tmp_path / "urls", tmp_path / "out", Limits(deny=("/",)))
        assert site.log == []
