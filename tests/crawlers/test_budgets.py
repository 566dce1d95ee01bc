"""Budgets end a crawl in order, and the next one goes on where it stood: real crawls of loopback sites."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from corpus.errors import CrawlError
from crawlers.bundled_site import serve
from crawlers.crawling.crawl_run import crawl
from crawlers.crawling.job import CrawlSummary, Limits
from tests.crawlers import logged_site
from tests.crawlers.forms import FORMS, made
from tests.crawlers.logged_site import Answer, Ask
from tests.crawlers.loopback import Reply, Served, serve_pages
from tests.tiers import in_turn

pytestmark = pytest.mark.slow
SIZE = 60
PLAIN = {"Cache-Control": "no-store"}


def pages(headers: dict[str, str]) -> dict[str, Reply]:
    """Threads that a list names, each page about 1 kB, with the same headers."""
    return {
        f"/t/{number}": Reply(FORMS["qapage-linked"](made(number)).encode(), headers=headers) for number in range(SIZE)
    }


def listed(site: Served, folder: Path, found: dict[str, Reply]) -> Path:
    path = folder / "urls.txt"
    path.write_text("".join(f"{site.base_url}{page}\n" for page in found))
    return path


def run(where: Path, folder: Path, **limits: Any) -> CrawlSummary:
    summary = crawl("pages", where, folder / "out", Limits(backoff=0.05, timeout=20, retries=1, **limits))
    assert summary.requested == sum(summary.outcomes.values())
    return summary


def posts(folder: Path) -> list[str]:
    return [json.loads(line)["post_id"] for line in (folder / "out" / "posts.jsonl").read_bytes().splitlines()]


@pytest.mark.parametrize(
    "headers", in_turn([pytest.param({"ETag": '"1"'}, id="cached"), pytest.param(PLAIN, id="no-store")], 2)
)
def test_runs_of_a_page_budget_add_up_to_one_crawl(headers: dict[str, str], tmp_path: Path) -> None:
    found = pages(headers) | {
        "/gone": Reply(b"", status=410),
        "/moved": Reply(b"", status=302, headers={"Location": "/t/3"}),
    }
    with serve_pages(found) as site:
        where = listed(site, tmp_path, found)
        runs = [run(where, tmp_path, max_pages=25) for _ in range(2)]
        assert [one.met for one in runs] == ["pages", "pages"]
        assert len(posts(tmp_path)) == 50
        runs.append(run(where, tmp_path, max_pages=25))
        assert runs[-1].finish_reason == "finished"
        asked = Counter(site.log)
    assert posts(tmp_path) == sorted(f"127.0.0.1:t/{number}" for number in range(SIZE))
    assert asked.pop("/robots.txt") == 3
    assert asked == Counter(list(found)), "no page is asked for twice"
    assert runs[-1].outcomes["failed/410"] == 1


def test_a_budget_is_never_overdrawn_and_the_record_of_runs_says_which(tmp_path: Path) -> None:
    found = pages({})
    with serve_pages(found) as site:
        summary = run(listed(site, tmp_path, found), tmp_path, max_pages=7)
        assert len([path for path in site.log if path != "/robots.txt"]) == 7
    assert summary.outcomes["threads"] == 7
    assert summary.waiting == summary.outcomes["postponed"] > 0
    (line,) = (tmp_path / "out" / "runs.jsonl").read_text().splitlines()
    record = json.loads(line)
    assert (record["finish_reason"], record["requested"]) == ("budget_pages", summary.requested)
    assert record["outcomes"] == summary.outcomes


def test_a_budget_of_bytes(tmp_path: Path) -> None:
    found = {f"/t/{n}": Reply(FORMS["qapage-linked"](made(n)).encode() + b" " * 50_000) for n in range(30)}
    with serve_pages(found) as site:
        where = listed(site, tmp_path, found)
        first = run(where, tmp_path, max_bytes=500_000)
        assert first.met == "bytes"
        assert 500_000 <= first.bytes <= 500_000 + 9 * 60_000, "what was under way is completed"
        assert run(where, tmp_path).finish_reason == "finished"
        assert max(Counter(site.log).values()) == 2, "robots.txt alone"
    assert len(posts(tmp_path)) == 30


def test_a_budget_of_hours_ends_a_crawl_that_only_waits(tmp_path: Path) -> None:
    """The site wants a minute between two pages; the time is up after two seconds, and so is the crawl."""
    robots = Reply(b"User-agent: *\nCrawl-delay: 60", "text/plain")
    found = pages({})
    with serve_pages({**found, "/robots.txt": robots}) as site:
        summary = run(listed(site, tmp_path, found), tmp_path, max_seconds=2)
    assert summary.met == "hours"
    assert summary.seconds < 15
    assert summary.posts == 1
    assert (summary.outcomes["threads"], summary.waiting) == (1, summary.outcomes["postponed"])


def test_other_rules_and_other_addresses_begin_anew(tmp_path: Path) -> None:
    found = pages({})
    with serve_pages(found) as site:
        where = listed(site, tmp_path, found)
        run(where, tmp_path, max_pages=5)
        summary = run(where, tmp_path, deny=("/t/1",))
        assert summary.outcomes == {"threads": SIZE - 11, "denied": 11}, "/t/1 and /t/10 to /t/19"
        assert summary.posts == SIZE - 11


def test_a_listing_is_crawled_in_parts(tmp_path: Path, threads_dir: Path) -> None:
    ends = []
    for _ in range(4):
        with serve(threads_dir) as site:  # another port each time
            limits = Limits(backoff=0.05, retries=2, max_pages=20)
            ends.append(crawl("bundled", site.base_url, tmp_path / "out", limits))
            assert sum(times for (path, _), times in site.counts().items() if path != "/robots.txt") <= 20
    assert [one.finish_reason for one in ends] == ["budget_pages"] * 3 + ["finished"]
    assert posts(tmp_path) == [f"bundled:fix-{number:03}" for number in range(60)]


def test_a_site_that_has_had_enough_keeps_what_it_gave(tmp_path: Path) -> None:
    found = pages({}) | {"/busy": Reply(b"", status=429, headers={"Retry-After": "3600"})}
    with serve_pages(found) as site:
        where = listed(site, tmp_path, {**dict(list(found.items())[:20]), "/busy": found["/busy"], **found})
        first = run(where, tmp_path)
        assert first.finish_reason == "retry_after"
        assert first.posts >= 10
        assert first.outcomes["failed/429"] == 1
        found["/busy"] = Reply(FORMS["qapage-linked"](made(90)).encode())
        second = run(where, tmp_path)
        assert second.finish_reason == "finished"
        assert Counter(site.log)["/busy"] == 2, "refused for being busy, it is asked for again"
    assert second.posts == SIZE + 1


def test_removed_pages_in_a_row_are_no_failures(tmp_path: Path) -> None:
    found = {f"/gone/{number}": Reply(b"", status=404) for number in range(20)} | pages({})
    with serve_pages(found) as site:
        summary = run(listed(site, tmp_path, found), tmp_path, max_errors=5)
    assert summary.outcomes == {"failed/404": 20, "threads": SIZE}


def test_failures_in_a_row_end_the_run_and_the_next_is_past_them(tmp_path: Path) -> None:
    broken = {f"/broken/{number}": Reply(b"", status=403) for number in range(12)}
    found = dict(list(pages({}).items())[:10]) | broken | pages({})
    with serve_pages(found) as site:
        where = listed(site, tmp_path, found)
        # One page at a time: of several, one that comes late would break the row.
        first = run(where, tmp_path, max_errors=6, concurrency=1)
        assert first.finish_reason == "too_many_errors"
        second = run(where, tmp_path, max_errors=12, concurrency=1)
    assert second.finish_reason == "finished"
    assert second.posts == SIZE


def test_a_site_that_is_away_costs_a_round_nothing(tmp_path: Path) -> None:
    found = pages({})
    with serve_pages(found) as site:
        where = listed(site, tmp_path, found)
        run(where, tmp_path, max_pages=10)
        before = (tmp_path / "out" / "round.jsonl").read_bytes()
        whole = dict(found)
        for path in found:
            found[path] = Reply(b"", status=502)
        with pytest.raises(CrawlError, match=r"gave no page \(502: \d+\)"):
            run(where, tmp_path, max_errors=5)
        assert (tmp_path / "out" / "round.jsonl").read_bytes() == before
        found |= whole
        summary = run(where, tmp_path)
    assert (summary.finish_reason, summary.posts) == ("finished", SIZE)
    records = [json.loads(line) for line in (tmp_path / "out" / "runs.jsonl").read_text().splitlines()]
    assert [record["finish_reason"] for record in records] == ["budget_pages", "failed", "finished"]


def test_a_round_may_end_with_pages_that_fail(tmp_path: Path) -> None:
    found = dict(list(pages({}).items())[:8]) | {f"/no/{number}": Reply(b"", status=403) for number in range(30)}
    with serve_pages(found) as site:
        where = listed(site, tmp_path, found)
        runs = [run(where, tmp_path, max_errors=10)]
        while runs[-1].finish_reason != "finished":
            assert runs[-1].finish_reason == "too_many_errors"
            runs.append(run(where, tmp_path, max_errors=10))
        assert max(Counter(site.log[1:]).values()) <= len(runs), "robots.txt alone is asked for in each"
    # The order of pages is up to the machine; where the tenth failure in a row is the last page, the round is over.
    assert {path for path in site.log if path.startswith("/no/")} == {f"/no/{number}" for number in range(30)}
    assert sum(one.outcomes.get("failed/403", 0) for one in runs) >= 30
    assert runs[-1].posts == 8


def test_a_round_that_ends_with_a_site_that_is_away_goes_on_with_what_failed(tmp_path: Path) -> None:
    """The site goes away after eight pages; the next run asks for what failed and for nothing else."""
    bodies = {path: page.body for path, page in list(pages({}).items())[:20]}
    good: set[str] = set()

    def reply(ask: Ask) -> Answer:
        if ask.path in bodies and (len(good) < 8 or len(good) >= 20):
            good.add(ask.path)
            return Answer(bodies[ask.path])
        return Answer(b"", 404 if ask.path == "/robots.txt" else 502)

    with logged_site.serve(reply) as site:
        where = tmp_path / "urls.txt"
        where.write_text("".join(f"{site.base_url}{path}\n" for path in bodies))
        first = run(where, tmp_path, max_errors=12, concurrency=1)
        assert (first.finish_reason, first.posts, first.failed) == ("too_many_errors", 8, {"502": 12})
        assert first.waiting == 12
        failed = set(bodies) - good
        good |= set(bodies)
        site.clear()
        second = run(where, tmp_path, max_errors=12, concurrency=1)
        assert (second.finish_reason, second.posts, second.waiting) == ("finished", 20, 0)
        assert site.bodies().keys() == failed


def started(where: Path, folder: Path) -> CrawlSummary | None:
    """What came of a run; None where the pages that never answer were the only ones that it came to."""
    try:
        return run(where, folder, max_errors=6)
    except CrawlError:
        return None


@pytest.mark.parametrize(
    "broken", in_turn([Reply(b"", status=502), Reply(b"", status=503, headers={"Retry-After": "86400"})], 2)
)
def test_pages_that_never_answer_hold_up_no_later_round(broken: Reply, tmp_path: Path) -> None:
    """What ended a run is asked for once more; then the round is over, and the next asks for every page again."""
    found = dict(list(pages({"ETag": '"1"'}).items())[:20]) | {f"/broken/{n}": broken for n in range(6)}
    with serve_pages(found) as site:
        where = listed(site, tmp_path, found)
        last, runs = run(where, tmp_path, max_errors=6), 1
        while last.waiting and runs < 7:
            last, runs = started(where, tmp_path) or last, runs + 1
        assert (last.waiting, last.posts) == (0, 20)
        assert max(Counter(site.log)[f"/broken/{n}"] for n in range(6)) <= 2 * runs, "a retry in each run"
        site.log.clear()
        run(where, tmp_path, max_errors=6)
        assert len(set(site.log)) > 8
