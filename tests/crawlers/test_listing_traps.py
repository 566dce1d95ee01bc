"""Listing pages that never end, and links that lead nowhere, cost a bounded number of requests and no thread."""

import json
import re
from pathlib import Path

import pytest
from scrapy.http import Request, TextResponse
from scrapy.settings import Settings

from crawlers.crawling.crawl_run import crawl
from crawlers.crawling.frontier import ADDRESS
from crawlers.crawling.job import Limits
from crawlers.spiders.base import BARREN, MAX_BARREN, MAX_LINKS
from crawlers.spiders.bundled_spider import BundledSpider
from tests.crawlers.conftest import thread
from tests.crawlers.logged_site import Answer, Ask, forum_pages, serve

pytestmark = pytest.mark.slow
LIMITS = Limits(backoff=0.05, timeout=10)
THREADS = 60
ODD = (
    "http://[bad",
    "//[::1",
    "http://127.0.0.1:99999/q",
    "http://127.0.0.1:port/q",
    "http://127.0.0.1:0/q",
    "/" + "x" * 4_000,
)
IGNORED = ("mailto:a@forum.example", "javascript:void(0)", "#top", "")


@pytest.fixture
def pages(tmp_path: Path) -> dict[str, bytes]:
    folder = tmp_path / "threads"
    folder.mkdir()
    (folder / "t.jsonl").write_text("".join(json.dumps(thread(number)) + "\n" for number in range(THREADS)))
    return forum_pages(folder)


def month(number: int, thread_link: str = "") -> bytes:
    """A month of a calendar without questions: there is always a next one."""
    link = f'<a class="thread-link" href="{thread_link}">a question of every month</a>' if thread_link else ""
    return f'<html><body><h1>Month {number}</h1>{link}<a rel="next" href="/calendar?m={number + 1}">next</a>'.encode()


@pytest.mark.parametrize("same", ["", "/questions/fix-007"])
def test_a_calendar_is_left_after_so_many_months_without_a_new_thread(
    same: str, pages: dict[str, bytes], tmp_path: Path
) -> None:
    last = "/questions?page=3"
    pages[last] = pages[last].replace(b"</head>", b'<link rel="next" href="/calendar?m=1"></head>')

    def reply(ask: Ask) -> Answer:
        found = re.fullmatch(r"/calendar\?m=(\d+)", ask.path)
        if found:
            return Answer(month(int(found[1]), same))
        return Answer(pages[ask.path]) if ask.path in pages else Answer(b"", 404)

    with serve(reply) as site:
        summary = crawl("bundled", site.base_url, tmp_path / "out", LIMITS)
        months = [path for path, _ in site.times() if "calendar" in path]
    assert len(months) == MAX_BARREN
    assert summary.outcomes == {"threads": THREADS, "listings": 3 + MAX_BARREN, "endless": 1}
    assert (summary.finish_reason, summary.waiting) == ("finished", 0)


def test_a_budget_that_a_calendar_eats_up_leaves_the_threads_alone(pages: dict[str, bytes], tmp_path: Path) -> None:
    """Every month has a question of its own, so that nothing tells the calendar from a forum."""
    pages["/questions"] = pages["/questions"].replace(b"<head>", b'<head><link rel="next" href="/calendar?m=1">')

    def reply(ask: Ask) -> Answer:
        found = re.fullmatch(r"/(calendar|none)\?m=(\d+)", ask.path)
        if found and found[1] == "calendar":
            return Answer(month(int(found[2]), f"/none?m={found[2]}"))
        return Answer(pages[ask.path]) if ask.path in pages else Answer(b"<p>nothing here")

    with serve(reply) as site:
        summary = crawl("bundled", site.base_url, tmp_path / "out", Limits(max_pages=100))
    assert summary.finish_reason == "budget_pages"
    assert summary.outcomes["threads"] == 25, "those of the listing page that leads into the calendar"
    assert summary.posts == 25


def test_a_link_that_is_no_address_costs_itself_alone(pages: dict[str, bytes], tmp_path: Path) -> None:
    links = "".join(f'<a class="thread-link" href="{link}">odd</a>' for link in (*ODD, *IGNORED))
    pages["/questions"] = pages["/questions"].replace(b"<ol", links.encode() + b"<ol", 1)
    with serve(lambda ask: Answer(pages[ask.path]) if ask.path in pages else Answer(b"", 404)) as site:
        summary = crawl("bundled", site.base_url, tmp_path / "out", LIMITS)
    assert summary.outcomes == {"threads": THREADS, "listings": 3, "unusable": len(ODD)}


@pytest.mark.full
def test_of_a_page_of_links_without_end_so_many_are_taken(pages: dict[str, bytes], tmp_path: Path) -> None:
    made_up, named = 120_000, 25
    links = "".join(f'<a class="thread-link" href="/n/{number}">n</a>' for number in range(made_up))
    pages["/questions"] = pages["/questions"].replace(b"</ol>", b"</ol>" + links.encode(), 1)
    with serve(lambda ask: Answer(pages[ask.path]) if ask.path in pages else Answer(b"", 404)) as site:
        summary = crawl("bundled", site.base_url, tmp_path / "out", Limits(backoff=0.05, timeout=30, max_pages=100))
    excess = made_up + named - MAX_LINKS + 1
    assert summary.outcomes["excess"] == excess, "threads first: the next listing page is beyond them too"
    assert summary.waiting == summary.outcomes["postponed"] == MAX_LINKS + 1 - 100
    assert summary.requested == sum(summary.outcomes.values()) == MAX_LINKS + 1 + excess
    assert summary.outcomes["failed/404"] == 99


def test_many_pages_of_many_links_find_no_room_either(pages: dict[str, bytes]) -> None:
    spider, url = BundledSpider(base_url="http://forum.example", max_open=10), "http://forum.example/questions"
    spider.settings = Settings({"WORDQUARRY_MAX_ERRORS": 9})
    meta = {ADDRESS: spider.frontier.admit(url, "listing"), BARREN: 0}
    asked = list(spider.parse_listing(TextResponse(url, body=pages["/questions"], request=Request(url, meta=meta))))
    named = re.findall(r'href="(/questions/fix-\d+)"', pages["/questions"].decode())
    assert [one.url for one in asked] == [f"http://forum.example{path}" for path in named[:10]]
    assert dict(spider.frontier.outcomes) == {"listings": 1, "excess": 25 - 10 + 1}
    assert spider.frontier.unsettled == 10
