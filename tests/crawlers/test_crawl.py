"""Crawls of the bundled site's pages over real HTTP, with the spider in its own process."""

import json
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from corpus.canonical import content_digest
from corpus.errors import CrawlError
from corpus.records import Post
from crawlers.bundled_site import OVERSIZED_PATH, PRIVATE_PATH, BundledSite, serve
from crawlers.crawling.crawl_run import crawl
from crawlers.crawling.job import CrawlSummary, Limits, Progress

ROOT = Path(__file__).resolve().parents[2]
QUICK = Limits(backoff=0.05, timeout=20, retries=2)


@dataclass(frozen=True)
class Crawled:
    """One crawl and what the site saw of it."""

    summary: CrawlSummary
    site: BundledSite
    counts: dict[tuple[str, int], int]
    lines: bytes

    def bodies(self) -> dict[str, int]:
        return {path: times for (path, status), times in self.counts.items() if status == 200}


def crawled(site: BundledSite, out_dir: Path) -> Crawled:
    site.reset()
    summary = crawl("bundled", site.base_url, out_dir, QUICK)
    return Crawled(summary, site, site.counts(), summary.posts_path.read_bytes())


@pytest.fixture(scope="module")
def twice(threads_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Crawled, Crawled]:
    """The same folder crawled twice, the second time on another port."""
    out_dir = tmp_path_factory.mktemp("crawl")
    with serve(threads_dir) as site:
        first = crawled(site, out_dir)
    with serve(threads_dir) as site:
        second = crawled(site, out_dir)
    assert first.summary.base_url != second.summary.base_url
    return first, second


def without_time(lines: bytes) -> bytes:
    return re.sub(rb'"retrieved_at":"[^"]*"', b'"retrieved_at":""', lines)


def test_every_allowed_thread_becomes_a_post(twice: tuple[Crawled, Crawled]) -> None:
    first, _ = twice
    posts = [Post.model_validate_json(line) for line in first.lines.splitlines()]
    assert [post.post_id for post in posts] == [f"bundled:fix-{number:03}" for number in range(60)]
    assert all(post.content_sha256 == content_digest(post) for post in posts)
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", post.retrieved_at or "") for post in posts)
    assert first.summary.posts == 60
    assert first.summary.finish_reason == "finished"
    assert first.summary.duplicates == 0
    assert first.summary.outcomes.keys().isdisjoint(("malformed", "not_threads"))


def test_no_body_is_downloaded_twice(twice: tuple[Crawled, Crawled]) -> None:
    first, _ = twice
    assert set(first.bodies().values()) == {1}
    assert first.summary.fetched == 60 + 3, "threads and listing pages"


def test_disallowed_pages_are_not_asked_for(twice: tuple[Crawled, Crawled]) -> None:
    first, _ = twice
    assert not [path for path, _ in first.counts if path.startswith(("/private", "/users"))]
    assert PRIVATE_PATH in first.site.pages
    assert first.summary.outcomes["refused_by_robots"] == 1


def test_old_addresses_are_followed(twice: tuple[Crawled, Crawled]) -> None:
    first, _ = twice
    redirects = [path for path, status in first.counts if status == 301]
    assert redirects == ["/q/3", "/q/43"]
    assert all(first.site.pages[path].location in first.bodies() for path in redirects)
    assert first.summary.redirected == 2


def test_a_page_that_fails_once_is_retried(twice: tuple[Crawled, Crawled]) -> None:
    first, _ = twice
    assert first.counts[first.site.failing_path, 500] == 1
    assert first.counts[first.site.failing_path, 200] == 1
    assert first.summary.retried == 1
    assert first.summary.failed == {}


def test_broken_html_gives_its_post(twice: tuple[Crawled, Crawled]) -> None:
    first, _ = twice
    wanted = first.site.broken_path.rpartition("/")[2]
    post = next(json.loads(line) for line in first.lines.splitlines() if wanted.encode() in line)
    number = int(wanted[-3:])
    assert post["answers"][1]["text"] == f"x + {number} = 9\nx = {9 - number}"
    assert post["answers"][1]["is_best"] is True
    assert post["question"].startswith(f"Problem {number}\n")


def test_an_oversized_page_is_refused_and_remembered(twice: tuple[Crawled, Crawled]) -> None:
    first, second = twice
    assert first.summary.outcomes["oversized"] == second.summary.outcomes["oversized"] == 1
    assert first.counts[OVERSIZED_PATH, 200] == 1
    assert second.counts[OVERSIZED_PATH, 304] == 1


def test_an_unchanged_site_sends_no_body_again(twice: tuple[Crawled, Crawled]) -> None:
    first, second = twice
    assert second.bodies() == {}
    assert second.summary.fetched == 0
    assert second.summary.not_modified == first.summary.fetched
    assert without_time(second.lines) == without_time(first.lines)


def test_a_changed_thread_is_the_only_body_fetched(threads_dir: Path, tmp_path: Path) -> None:
    folder = tmp_path / "threads"
    folder.mkdir()
    for file in threads_dir.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    with serve(folder) as site:
        before = crawled(site, tmp_path / "out")
    changed = folder / "second.jsonl"
    changed.write_text(changed.read_text().replace("Ann is 7 years older than Bob. Together they are 57.", "Ann is 8."))
    with serve(folder) as site:
        after = crawled(site, tmp_path / "out")
    differing = [json.loads(a)["post_id"] for a, b in zip(*_lines(after, before), strict=True) if a != b]
    assert differing
    assert sorted(after.bodies()) == [f"/questions/{post_id.partition(':')[2]}" for post_id in differing]


def _lines(*crawls: Crawled) -> list[list[bytes]]:
    return [without_time(one.lines).splitlines() for one in crawls]


def wait_for(condition: Callable[[], bool], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


@pytest.fixture
def slow_site(threads_dir: Path) -> Iterator[BundledSite]:
    with serve(threads_dir) as site:
        site.delay = 0.04
        yield site


def test_killed_crawl_goes_on_without_fetching_again(
    slow_site: BundledSite, tmp_path: Path, twice: tuple[Crawled, Crawled]
) -> None:
    def kill_midway(pages: int) -> None:
        wait_for(lambda: len(slow_site.bodies()) >= pages)
        for child in psutil.Process().children():
            if "crawlers.spiders.process" in child.cmdline():
                child.send_signal(signal.SIGKILL)

    for pages in (15, 35):
        killer = threading.Thread(target=kill_midway, args=[pages])
        killer.start()
        with pytest.raises(CrawlError, match="ended unexpectedly"):
            crawl("bundled", slow_site.base_url, tmp_path, QUICK)
        killer.join()
        assert not (tmp_path / "posts.jsonl").exists()
    summary = crawl("bundled", slow_site.base_url, tmp_path, QUICK)
    assert without_time(summary.posts_path.read_bytes()) == without_time(twice[0].lines)
    again = {path: times for path, times in slow_site.bodies().items() if times > 1}
    assert len(again) <= 16, "no more than the eight requests in flight at each kill"
    assert summary.from_cache >= 12, "what the killed crawls stored is not asked for at all"
    assert summary.not_modified == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "cache.sqlite",
        "crawl.log",
        "lock",
        "posts.jsonl",
        "runs.jsonl",
        "summary.json",
    ]


def test_the_crawl_ends_with_its_parent(slow_site: BundledSite, tmp_path: Path) -> None:
    slow_site.delay = 0.5
    script = (
        "import sys, pathlib; from crawlers.crawling.crawl_run import crawl; "
        "crawl('bundled', sys.argv[1], pathlib.Path(sys.argv[2]))"
    )
    with subprocess.Popen([sys.executable, "-c", script, slow_site.base_url, str(tmp_path)], cwd=ROOT) as parent:
        try:
            wait_for(lambda: len(slow_site.bodies()) >= 3)
            (child,) = psutil.Process(parent.pid).children()
        finally:
            parent.kill()
    gone, alive = psutil.wait_procs([child], timeout=20)
    assert [process.pid for process in gone] == [child.pid]
    assert alive == []


def test_one_crawl_at_a_time_and_the_first_is_interrupted_cleanly(slow_site: BundledSite, tmp_path: Path) -> None:
    def interrupt(progress: Progress) -> None:
        with pytest.raises(CrawlError, match="another crawl is writing"):
            crawl("bundled", slow_site.base_url, tmp_path, QUICK)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        crawl("bundled", slow_site.base_url, tmp_path, QUICK, interrupt)
    assert not [child for child in psutil.Process().children() if "crawlers.spiders.process" in child.cmdline()]
