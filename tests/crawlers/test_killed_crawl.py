"""A crawl of 1,500 pages, or of 480, that is killed: nothing is lost, and nothing fetched twice that had arrived."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from crawlers.crawling.crawl_run import crawl
from crawlers.crawling.job import Limits
from tests.crawlers.conftest import thread
from tests.crawlers.killing import killed, without_time
from tests.crawlers.logged_site import Answer, Ask, answering, forum_pages, serve
from tests.tiers import in_turn, tier

pytestmark = pytest.mark.slow
THREADS, LISTINGS = tier((1_442, 58), (461, 19))
GONE = {f"/questions/fix-{number:03}" for number in range(75, THREADS, 150)}
MOVED = {f"/questions/fix-{number:03}": f"/moved/{number}" for number in range(30, THREADS, 150)}
IN_FLIGHT = 8
KILLS = tier(((200, "child"), (450, "parent"), (900, "both")), ((60, "child"), (140, "parent"), (300, "both")))
"""After how many pages who is killed."""
QUICK = Limits(backoff=0.05, timeout=20)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("many")
    lines = "".join(json.dumps(thread(number)) + "\n" for number in range(THREADS))
    (folder / "threads.jsonl").write_text(lines, encoding="utf-8")
    made = forum_pages(folder)
    assert len(made) == THREADS + LISTINGS
    return made


def reply(pages: dict[str, bytes]) -> Callable[[Ask], Answer]:
    """No page has a validator, one thread in 150 is gone and one has moved for now."""
    whole = answering({**pages, **{new: pages[old] for old, new in MOVED.items()}})

    def answer(ask: Ask) -> Answer:
        if ask.path in GONE:
            return Answer(b"", 410)
        return Answer(b"", 302, {"Location": MOVED[ask.path]}) if ask.path in MOVED else whole(ask)

    return answer


def test_kills_lose_nothing_and_fetch_nothing_twice(pages: dict[str, bytes], tmp_path: Path) -> None:
    with serve(reply(pages)) as site:
        undisturbed = crawl("bundled", site.base_url, tmp_path / "whole", QUICK)
        assert set(Counter(path for path, _ in site.times()).values()) == {1}
        site.clear()
        out = tmp_path / "killed"
        kills = [killed(site, out, *when) for when in in_turn(KILLS, 3)]
        assert not (out / "posts.jsonl").exists()
        summary = crawl("bundled", site.base_url, out, QUICK)
        log = list(site.log)
    assert (
        (summary.posts, summary.finish_reason) == (undisturbed.posts, "finished") == (THREADS - len(GONE), "finished")
    )
    assert summary.failed == undisturbed.failed == {"410": len(GONE)}
    assert (
        {url for url, _ in summary.gone}
        == {url for url, _ in undisturbed.gone}
        == {site.base_url + path for path in GONE}
    )
    assert without_time(summary.posts_path) == without_time(undisturbed.posts_path)
    assert {sent.path for sent in log} == {*pages, *MOVED.values(), "/robots.txt"}
    first: dict[str, float] = {}
    again = [0] * (len(kills) + 1)
    for sent in log:
        if sent.path == "/robots.txt":
            continue
        if sent.path in first:
            again[sum(moment <= first[sent.path] for moment in kills)] += 1
        first.setdefault(sent.path, sent.at)
    assert max(again) <= IN_FLIGHT, f"fetched again after each kill: {again}"
    assert again[-1] == 0, "nothing was killed after that"
    print(f"\n{len(first)} addresses, fetched again after each kill: {again[:-1]}")
