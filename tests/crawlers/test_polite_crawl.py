"""What a site asks for is kept to, as its own log shows: rules and pauses of robots.txt, Retry-After in either form."""

import json
import time
from collections.abc import Callable
from email.utils import formatdate
from itertools import pairwise
from pathlib import Path

import pytest

from crawlers.crawling.crawl_run import crawl
from crawlers.crawling.job import USER_AGENT, Limits
from tests.crawlers.conftest import thread
from tests.crawlers.forms import FORMS, made
from tests.crawlers.logged_site import Answer, Ask, Site, answering, forum_pages, serve
from tests.tiers import in_turn

pytestmark = pytest.mark.slow
LIMITS = Limits(backoff=0.05, timeout=10, retries=2, max_retry_after=10)
IN_FLIGHT = 8


def page(number: int) -> bytes:
    return FORMS["qapage-marked"](made(number)).encode()


def asked_of(site: Site, folder: Path, paths: list[str]) -> Path:
    (folder / "urls").write_text("".join(f"{site.base_url}{path}\n" for path in paths))
    return folder / "urls"


def ruled(robots: str, pages: dict[str, bytes]) -> Callable[[Ask], Answer]:
    return answering({**pages, "/robots.txt": robots.encode()}, {"Content-Type": "text/html"})


RULES = """\
User-agent: *
Disallow: /

User-agent: wordquarry
Disallow: /closed/
Allow: /closed/open/
Disallow: /*?sort=
Disallow: /*.php$
Allow: /q/
"""
PERMITTED = ["/q/1", "/closed/open/2", "/q/3?page=2", "/q/4.php?x=1", "/other/5"]
FORBIDDEN = ["/closed/1", "/closed/open", "/other?sort=new", "/other/6.php"]


def test_the_rules_for_this_crawler_are_kept(tmp_path: Path) -> None:
    pages = {path: page(number) for number, path in enumerate(PERMITTED + FORBIDDEN)}
    with serve(ruled(RULES, pages)) as site:
        summary = crawl("pages", asked_of(site, tmp_path, [*pages]), tmp_path / "out", LIMITS)
        assert sorted(path for path, _ in site.times()) == sorted(PERMITTED)
        assert [sent.path for sent in site.log].index("/robots.txt") == 0, "the rules are read first"
        assert {sent.headers["user-agent"] for sent in site.log} == {USER_AGENT}
    assert (summary.posts, summary.outcomes["refused_by_robots"]) == (len(PERMITTED), len(FORBIDDEN))


@pytest.mark.parametrize("line", in_turn(["Crawl-delay: 0.4", "Request-rate: 5/2s"], 2))
def test_the_pause_of_robots_txt_is_between_every_two_requests(line: str, tmp_path: Path) -> None:
    pages = {f"/q/{number}": page(number) for number in range(8)}
    with serve(ruled(f"User-agent: *\n{line}\n", pages)) as site:
        summary = crawl("pages", asked_of(site, tmp_path, [*pages]), tmp_path / "out", LIMITS)
        moments = [moment for _, moment in site.times()]
    assert summary.posts == len(moments) == 8
    assert min(after - before for before, after in pairwise(moments)) >= 0.4


def seconds_from_now(seconds: int) -> str:
    return str(seconds)


def date_from_now(seconds: int) -> str:
    return formatdate(time.time() + seconds, usegmt=True)


REFUSALS: dict[str, tuple[int, Callable[[int], str]]] = {
    "/questions/fix-011": (429, seconds_from_now),
    "/questions/fix-023": (503, date_from_now),
    "/questions/fix-037": (429, date_from_now),
    "/questions/fix-049": (503, seconds_from_now),
}
"""Threads that are refused once, with a Retry-After of two seconds."""


def test_retry_after_silences_the_whole_crawl_until_then(tmp_path: Path) -> None:
    folder = tmp_path / "threads"
    folder.mkdir()
    (folder / "t.jsonl").write_text("".join(json.dumps(thread(number)) + "\n" for number in range(60)))
    whole = answering(forum_pages(folder))
    silences: list[tuple[float, float, str]] = []

    def reply(ask: Ask) -> Answer:
        refusal = REFUSALS.get(ask.path)
        if refusal is None or ask.before:
            return whole(ask)
        status, form = refusal
        value, now = form(2), time.time()
        until = float(int(now + 2)) if form is date_from_now else now + 2
        silences.append((time.monotonic(), time.monotonic() + until - now, ask.path))
        return Answer(b"", status, {"Retry-After": value})

    with serve(reply) as site:
        summary = crawl("bundled", site.base_url, tmp_path / "out", LIMITS)
        times = site.times()
    assert (summary.posts, summary.failed, summary.retried) == (60, {}, 4)
    assert len(silences) == 4
    for since, until, path in silences:
        during = [moment for _, moment in times if since < moment < until]
        assert len(during) < IN_FLIGHT, "only what was under way"
        assert [moment for asked, moment in times if asked == path][1] >= until
        assert all(moment - since < 1 for moment in during)


@pytest.mark.parametrize("status", [429, 503])
def test_a_storm_of_refusals_passes_and_the_crawl_is_complete(status: int, tmp_path: Path) -> None:
    pages = {f"/q/{number}": page(number) for number in range(60)}
    never = {f"/q/{number}" for number in range(5, 60, 20)}

    def reply(ask: Ask) -> Answer:
        if ask.path not in pages:
            return Answer(b"", 404)
        if ask.path in never or ask.before < 2:
            return Answer(b"", status)
        return Answer(pages[ask.path])

    with serve(reply) as site:
        summary = crawl("pages", asked_of(site, tmp_path, [*pages]), tmp_path / "out", Limits(backoff=0.002, retries=2))
        asked = [path for path, _ in site.times()]
    assert summary.posts == 57
    assert summary.failed == {str(status): 3}
    assert len(asked) == 3 * 60, "one try and two retries each"
    assert summary.retried == 2 * 60
