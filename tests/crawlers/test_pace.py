"""How fast a crawl asks, measured at the site: crawl-delay, configured delay, the throttle, and the retries."""

import itertools
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from corpus.config import CrawlConfig
from crawlers.crawling.crawl_run import crawl
from crawlers.crawling.gate import Pace
from crawlers.crawling.job import CrawlSummary, Limits, limits_for
from tests.crawlers.forms import FORMS, made
from tests.crawlers.test_troubled_sites import Asked, Reply, site
from tests.tiers import in_turn

pytestmark = pytest.mark.slow
HTML = {"Content-Type": "text/html"}


def threads(robots: str = "", seconds: float = 0) -> Callable[[str, int], Reply]:
    """Threads at /t/N, each of which takes its time."""

    def reply(path: str, before: int) -> Reply:
        if path == "/robots.txt":
            return 200, {"Content-Type": "text/plain"}, robots.encode()
        time.sleep(seconds)
        return 200, HTML, FORMS["qapage-linked"](made(int(path.rpartition("/")[2]))).encode()

    return reply


def crawled(asked: Asked, folder: Path, pages: int, **limits: Any) -> CrawlSummary:
    (folder / "urls").write_text("".join(f"{asked.base_url}/t/{number}\n" for number in range(pages)))
    return crawl("pages", folder / "urls", folder / "out", Limits(backoff=0.05, retries=1, **limits))


def gaps(asked: Asked) -> list[float]:
    """Seconds between the arrivals of two requests, robots.txt among them."""
    return [later - earlier for (earlier, _), (later, _) in itertools.pairwise(asked.log)]


@pytest.mark.parametrize("line", in_turn(["Crawl-delay: 0.6", "Request-rate: 10/6s"], 2))
def test_the_pause_that_robots_txt_asks_for(line: str, tmp_path: Path) -> None:
    """Also where less is configured, and eight requests may be under way."""
    with site(threads(f"User-agent: *\n{line}")) as asked:
        summary = crawled(asked, tmp_path, 5, delay=0.1, concurrency=8)
    assert summary.posts == 5
    assert min(gaps(asked)[1:]) >= 0.6


def test_robots_txt_cannot_make_a_crawl_faster_than_configured(tmp_path: Path) -> None:
    with site(threads("User-agent: *\nCrawl-delay: 0.01")) as asked:
        assert crawled(asked, tmp_path, 5, delay=0.5, concurrency=4).posts == 5
    assert statistics.median(gaps(asked)) >= 0.45, "requests begin half a second apart; how long they travel differs"


def test_no_more_requests_than_allowed_are_under_way(tmp_path: Path) -> None:
    under_way, most = 0, 0

    def reply(path: str, before: int) -> Reply:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        answer = threads(seconds=0.1)(path, before)
        under_way -= 1
        return answer

    with site(reply) as asked:
        assert crawled(asked, tmp_path, 15, concurrency=3).posts == 15
    assert most <= 3


def test_a_slow_site_is_asked_evenly(tmp_path: Path) -> None:
    """Every page takes 0.4 s and four may be under way: the throttle asks every 0.1 s, not four times at once."""
    with site(threads(seconds=0.4)) as asked:
        assert crawled(asked, tmp_path, 24, concurrency=4).posts == 24
    assert statistics.median(gaps(asked)[4:]) >= 0.07


def test_a_failure_is_tried_again_later_and_later(tmp_path: Path) -> None:
    def reply(path: str, before: int) -> Reply:
        return (500, {}, b"") if path == "/t/0" and before < 3 else threads()(path, before)

    with site(reply) as asked:
        (tmp_path / "urls").write_text(f"{asked.base_url}/t/0\n")
        summary = crawl("pages", tmp_path / "urls", tmp_path / "out", Limits(backoff=0.2, retries=3))
    assert (summary.posts, summary.retried) == (1, 3)
    first, second, third = gaps(asked)[1:]
    assert first >= 0.2
    assert second >= 0.4
    assert third >= 0.8


def test_the_throttle_stays_within_its_bounds() -> None:
    pace = Pace(least=0.5, most=2.0, target=1, start=1.0)
    pauses = []
    for latency in (10.0, 0.0, 0.0, 0.0, 0.0, 0.0):
        pace.answered(0.0, latency, good=True)
        pauses.append(pace.pause)
    assert pauses == [2.0, 1.0, 0.5, 0.5, 0.5, 0.5]
    pace.crawl_delay = 7.0
    assert pace.pause == 7.0


def test_requests_begin_one_pause_apart() -> None:
    pace = Pace(least=0.5, most=60, target=1)
    assert pace.wait(100.0) == 0
    pace.begin(100.0)
    assert pace.wait(100.2) == pytest.approx(0.3)
    pace.hold(100.2, 5)
    assert pace.wait(100.2) == 5
    pace.hold(100.3, 1)
    assert pace.wait(100.2) == 5, "a shorter pause does not shorten a longer one"


def test_limits_of_a_host() -> None:
    config = CrawlConfig.model_validate(
        {"delay": 2.0, "hosts": {"www.Slow.example": {"delay": 20.0, "concurrency": 1}, "fast.example": {"delay": 0.0}}}
    )
    found = [
        limits_for(config, f"https://{host}", 15, False) for host in ("slow.example", "fast.example:8080", "x.example")
    ]
    assert [(one.delay, one.concurrency) for one in found] == [(20.0, 1), (0.0, None), (2.0, None)]
