"""The account of requests, and the state between two runs, without a network."""

from pathlib import Path

import pytest
from scrapy.http import Request, TextResponse
from scrapy.settings import Settings

from crawlers.crawling.frontier import ADDRESS, Frontier, Round, read_round, write_round
from crawlers.spiders.pages_spider import PagesSpider

SITE = "http://forum.example"


def frontier(past: Round | None = None) -> Frontier:
    return Frontier(SITE, past or Round("x", 5.0))


def test_every_address_is_asked_once_and_settled_once() -> None:
    account = frontier()
    first = account.admit(f"{SITE}/q/1", "thread")
    assert first == f"{SITE}/q/1"
    assert account.admit(f"{SITE}/q/1#answers", "listing") is None
    assert account.admit("mailto:ann@forum.example", "thread") is None
    account.settle(first, "threads")
    account.settle(first, "malformed")
    account.settle(f"{SITE}/never", "threads")
    assert (account.requested, dict(account.outcomes), account.unsettled) == (1, {"threads": 1}, 0)


def test_an_outcome_that_nobody_knows_is_a_fault() -> None:
    with pytest.raises(AssertionError, match="lost"):
        frontier().settle(f"{SITE}/q/1", "lost")


def test_the_next_run_goes_on_where_this_one_stood() -> None:
    account = frontier(Round("x", 5.0, {"/q/0"}, {"/q/1": "thread"}))
    assert account.left() == [(f"{SITE}/q/1", "thread")]
    for path, kind in (
        ("/q/0", "thread"),
        ("/q/1", "thread"),
        ("/list", "listing"),
        ("/q/2", "thread"),
        ("/q/3", "thread"),
    ):
        account.admit(SITE + path, "listing" if kind == "listing" else "thread")
    account.settle(f"{SITE}/q/1", "threads")
    account.see("https://elsewhere.example/canonical?x=1")
    account.fail(f"{SITE}/q/2", "failed/429", busy=True)
    account.postpone(f"{SITE}/list")
    account.postpone(f"{SITE}/q/3")
    assert account.requested == 4 == sum(account.outcomes.values())
    after = account.leave("retry_after")
    assert after.settled == {"/q/0", "/q/1", "/canonical?x=1"}
    assert after.waiting == {"/list": "listing", "/q/3": "thread", "/q/2": "thread"}
    assert after.tried == {"/q/2"}
    assert account.leave("budget_pages").waiting == {"/list": "listing", "/q/3": "thread"}


def test_what_ended_a_run_is_asked_for_again_once() -> None:
    paths = [f"{SITE}/q/{number}" for number in range(5)]
    for past, expected in (
        (Round("x", 5.0), {"/q/2": "thread", "/q/4": "thread"}),
        (Round("x", 5.0, set(), {"/q/4": "thread"}, {"/q/4"}), {"/q/2": "thread"}),
    ):
        account = frontier(past)
        for path in paths:
            account.admit(path, "thread")
        account.fail(paths[0], "failed/503", busy=True)
        account.settle(paths[1], "threads")
        account.answered()
        account.fail(paths[2], "failed/timeout")
        account.fail(paths[3], "failed/403")
        account.fail(paths[4], "failed/502")
        after = account.leave("too_many_errors")
        assert (after.waiting, after.tried) == (expected, set(expected)), "in a row, and what may pass"
        assert account.leave("retry_after").waiting == {"/q/0": "thread"}
        assert account.leave("finished").waiting == {}


def test_revisits_that_were_not_made_are_chosen_anew() -> None:
    account = frontier(Round("x", 5.0, {"/q/1"}))
    account.admit(f"{SITE}/q/2", "thread")
    account.see(f"{SITE}/q/3")
    chosen = account.revisits(["/q/1", "/q/2", "/q/3", "/q/4", "/q/5", "/q/6"], 2)
    assert chosen == [f"{SITE}/q/4", f"{SITE}/q/5"]
    account.settle(f"{SITE}/q/2", "threads")
    account.settle(f"{SITE}/q/4", "failed/404")
    account.postpone(f"{SITE}/q/5")
    assert account.tried() == ["/q/4"]
    left = account.leave("finished")
    assert left.waiting == {}
    assert left.settled == {"/q/1", "/q/2", "/q/3", "/q/4"}


def test_a_page_that_a_parser_stumbles_over_is_counted() -> None:
    spider = PagesSpider(base_url=SITE)
    spider.settings = Settings({"WORDQUARRY_MAX_ERRORS": 9})
    address = spider.frontier.admit(f"{SITE}/q/1", "thread")
    spider.crashed(TextResponse(f"{SITE}/q/one", request=Request(f"{SITE}/q/one", meta={ADDRESS: address})))
    assert dict(spider.frontier.outcomes) == {"crashed": 1}


def test_a_round_comes_back_from_its_file(tmp_path: Path) -> None:
    state = Round("one", 7.5, {"/a", "http://other.example/b"}, {"/z": "thread", "/c": "listing"}, {"/c"})
    write_round(tmp_path / "round.jsonl", state)
    found = read_round(tmp_path / "round.jsonl", "one", 99.0)
    assert found == state
    assert list(found.waiting) == ["/z", "/c"], "in the order in which they are asked for"
    assert read_round(tmp_path / "round.jsonl", "other", 99.0) == Round("other", 99.0)


@pytest.mark.parametrize(
    "damage", ["", "[", "{}", '{"identity":"one","since":"x"}', '{"identity":"one","since":1}\n{"a":']
)
def test_a_damaged_round_begins_anew(damage: str, tmp_path: Path) -> None:
    (tmp_path / "round.jsonl").write_text(damage)
    assert read_round(tmp_path / "round.jsonl", "one", 99.0) == Round("one", 99.0)
