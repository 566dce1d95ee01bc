"""The page cache alone: what it returns, what it bounds, what it does with damage."""

import contextlib
import hashlib
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from scrapy import Request
from scrapy.http import Response
from scrapy.settings import Settings

from corpus.post_store.tombstones import moment_of
from crawlers.crawling.cache import ValidatingPolicy, retrieved_at
from crawlers.crawling.page_cache import PageCache, open_cache, page_key

Open = Callable[[int], PageCache]
HEADERS = {"Etag": ['"1"']}


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Opens the cache file with a bound in bytes, as often as asked; everything is closed at the end."""
    with contextlib.ExitStack() as stack:
        yield lambda bound: stack.enter_context(contextlib.closing(PageCache(tmp_path / "c.sqlite", bound)))


def test_a_page_comes_back(opened: Open, tmp_path: Path) -> None:
    cache = opened(10**6)
    cache.write("k", "http://a.example/", 200, HEADERS, b"body" * 1000)
    cache.close()
    found = opened(10**6).read("k")
    assert found is not None
    assert found[:3] == (200, HEADERS, b"body" * 1000)
    assert (tmp_path / "c.sqlite").stat().st_size < 40_000, "bodies are compressed"


def test_unknown_pages_are_none(opened: Open) -> None:
    cache = opened(10**6)
    assert cache.read("k") is None
    assert cache.refused("k") is None


@pytest.mark.parametrize("damage", [b"", b"not zlib", b"x\x9c"])
def test_damaged_bodies_are_misses(damage: bytes, opened: Open, tmp_path: Path) -> None:
    cache = opened(10**6)
    cache.write("k", "u", 200, HEADERS, b"body")
    cache.close()
    with sqlite3.connect(tmp_path / "c.sqlite") as database:
        database.execute("UPDATE pages SET body = ?", (damage,))
    database.close()
    assert opened(10**6).read("k") is None


def test_the_oldest_pages_make_room(opened: Open) -> None:
    cache = opened(300)
    for number in range(5):
        cache.write(f"k{number}", "u", 200, HEADERS, bytes(range(number, number + 100)))
    kept = [number for number in range(5) if cache.read(f"k{number}") is not None]
    assert kept == [3, 4]


def test_answers_without_a_body_take_room_too(opened: Open) -> None:
    cache = opened(3_000)
    for number in range(50):
        cache.write(f"k{number}", f"http://a.example/{number}", 302, {"Location": ["/" + "x" * 200]}, b"")
    kept = [number for number in range(50) if cache.read(f"k{number}") is not None]
    assert kept == list(range(50 - len(kept), 50))
    assert 5 <= len(kept) <= 12, "each takes some 270 bytes"


def test_a_page_stored_while_our_clock_was_ahead_is_asked_for_again() -> None:
    policy = ValidatingPolicy(Settings({"WORDQUARRY_FRESH_FOR": 0, "WORDQUARRY_FRESH_SINCE": time.time() - 60}))
    response = Response("http://a.example/", headers={"ETag": '"7"'})
    for stored_at, expected in ((time.time() - 1, True), (time.time() + 86400, False)):
        request = Request("http://a.example/", meta={"stored_at": stored_at})
        assert policy.is_cached_response_fresh(response, request) is expected
    assert request.headers["If-None-Match"] == b'"7"'


def test_replacing_a_page_does_not_count_twice(opened: Open) -> None:
    cache = opened(300)
    cache.write("other", "u", 200, HEADERS, bytes(range(100)))
    for number in range(9):
        cache.write("k", "u", 200, HEADERS, bytes(range(number, number + 100)))
    assert cache.read("other") is not None


def test_keys_leave_out_the_port_and_keep_the_query() -> None:
    first = page_key("http://127.0.0.1:1", "s", "http://127.0.0.1:1/questions?page=2")
    second = page_key("http://127.0.0.1:2", "s", "http://127.0.0.1:2/questions?page=2")
    assert first == second == "s:/questions?page=2"
    assert page_key("http://127.0.0.1:1", "s", "http://127.0.0.1:1/questions?page=3") != first
    assert page_key("http://127.0.0.1:1", "t", "http://127.0.0.1:1/questions?page=2") != first


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        ("Mon, 15 Jan 2024 09:30:00 GMT", "2024-01-15T09:30:00Z"),
        ("Mon, 15 Jan 2024 09:30:00 -0000", "2024-01-15T09:30:00Z"),
        ("Mon, 15 Jan 2024 09:30:00 +0230", "2024-01-15T07:00:00Z"),
        ("Tue, 15 Jan 0999 09:30:00 GMT", "0999-01-15T09:30:00Z"),
    ],
)
def test_pages_are_dated_in_utc_with_four_digits_of_the_year(
    date: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert retrieved_at(Response("http://a.example/", headers={"Date": date})) == expected
        assert moment_of("s:1", expected).year == int(expected[:4])
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.rows(
    "date",
    ["", "soon", "Fri, 01 Jan 2100 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 -1200", "1 Jan 99999999999 00:00 GMT"],
)
def test_a_page_without_a_usable_date_is_dated_by_the_clock(date: str) -> None:
    seen = moment_of("s:1", retrieved_at(Response("http://a.example/", headers={"Date": date})))
    assert abs(seen.timestamp() - time.time()) < 3600


def fresh(headers: dict[str, str | bytes], age: float, fresh_for: float = 0) -> tuple[bool, Request]:
    policy = ValidatingPolicy(Settings({"WORDQUARRY_FRESH_FOR": fresh_for}))
    request = Request("http://a.example/", meta={"stored_at": time.time() - age})
    return policy.is_cached_response_fresh(Response("http://a.example/", headers=headers), request), request


@pytest.mark.rows(
    ("headers", "age", "expected"),
    [
        ({}, 0, False),
        ({"Last-Modified": "Mon, 01 Jan 2001 00:00:00 GMT"}, 5, False),
        ({"Cache-Control": "max-age=60"}, 5, True),
        ({"Cache-Control": "max-age=60"}, 65, False),
        ({"Cache-Control": "max-age=31536000"}, 6 * 86400, True),
        ({"Cache-Control": "max-age=31536000"}, 8 * 86400, False),
        ({"Cache-Control": "max-age=60"}, -3600, False),
        ({"Cache-Control": "max-age=60, no-cache"}, 5, False),
        ({"Cache-Control": "max-age=often"}, 5, False),
        ({"Date": "Mon, 01 Jan 2001 00:00:00 GMT", "Expires": "Mon, 01 Jan 2001 00:01:00 GMT"}, 5, True),
        ({"Expires": "0"}, 0, False),
        ({"Cache-Control": b"max-age=\xb2"}, 5, False),
        ({"Date": "Mon, 01 Jan 2001 00:00:00 GMT", "Expires": "1 Jan 99999999999 00:00 GMT"}, 5, False),
        ({"Date": "Mon, 01 Jan 2001 00:00:00 GMT", "Expires": "Mon, 01 Jan 2001 00:01:00 -0000"}, 5, True),
    ],
)
def test_lifetimes(headers: dict[str, str | bytes], age: float, expected: bool) -> None:
    assert fresh(headers, age)[0] is expected


def test_the_caller_may_give_a_lifetime() -> None:
    assert fresh({}, 5, fresh_for=60)[0]
    assert not fresh({}, 65, fresh_for=60)[0]


def test_stale_pages_are_asked_for_with_validators() -> None:
    _, request = fresh({"ETag": '"7"', "Last-Modified": "Mon, 01 Jan 2001 00:00:00 GMT"}, 5)
    assert request.headers["If-None-Match"] == b'"7"'
    assert request.headers["If-Modified-Since"] == b"Mon, 01 Jan 2001 00:00:00 GMT"


@pytest.mark.rows(
    ("status", "cached"), [(200, True), (301, True), (302, True), (404, True), (206, False), (500, False)]
)
def test_what_is_stored(status: int, cached: bool) -> None:
    policy = ValidatingPolicy(Settings())
    assert (
        policy.should_cache_response(Response("http://a.example", status=status), Request("http://a.example")) is cached
    )


def test_no_store_is_obeyed() -> None:
    response = Response("http://a.example", headers={"Cache-Control": "private, No-Store"})
    assert not ValidatingPolicy(Settings()).should_cache_response(response, Request("http://a.example"))


@pytest.mark.rows("status", [302, 404, 410])
def test_what_is_not_there_serves_only_the_round_that_was_killed(status: int) -> None:
    url, now = "http://a.example/", time.time()
    policy = ValidatingPolicy(Settings({"WORDQUARRY_FRESH_FOR": 10**6, "WORDQUARRY_FRESH_SINCE": now - 60}))
    answer = Response(url, status=status, headers={"Cache-Control": "max-age=99999", "ETag": '"7"'})
    during, before = (Request(url, meta={"stored_at": now - age}) for age in (30, 90))
    assert policy.is_cached_response_fresh(answer, during)
    assert not policy.is_cached_response_fresh(answer, before)
    assert "If-None-Match" not in before.headers


@pytest.mark.rows(
    ("lifetime", "hours", "expected"), [("max-age=999999", 23, True), ("max-age=999999", 25, False), ("", 1, False)]
)
def test_robots_txt_is_used_unasked_as_long_as_the_site_says_and_a_day_at_most(
    lifetime: str, hours: int, expected: bool
) -> None:
    url = "http://a.example/robots.txt"
    policy = ValidatingPolicy(Settings({"WORDQUARRY_FRESH_FOR": 10**9, "WORDQUARRY_FRESH_SINCE": 0}))
    request = Request(url, meta={"stored_at": time.time() - hours * 3600, "dont_obey_robotstxt": True})
    assert policy.is_cached_response_fresh(Response(url, headers={"Cache-Control": lifetime}), request) is expected


def test_bodies_stored_by_earlier_versions_are_read(opened: Open, tmp_path: Path) -> None:
    cache = opened(10**6)
    cache.write("k", "u", 200, HEADERS, b"body")
    cache.close()
    with sqlite3.connect(tmp_path / "c.sqlite") as database:
        database.execute("UPDATE pages SET body = ?", (zlib.compress(b"body"),))
    database.close()
    found = opened(10**6).read("k")
    assert found is not None
    assert found.body == b"body"


def test_a_damaged_file_is_set_aside(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "c.sqlite"
    path.write_bytes(b"not a database at all" * 1000)
    with contextlib.closing(open_cache(path, 10**6)) as cache:
        cache.write("k", "u", 200, HEADERS, b"body")
        assert cache.read("k") is not None
    assert (tmp_path / "c.sqlite.damaged").read_bytes()[:5] == b"not a"
    assert "is damaged" in caplog.text


def test_a_file_that_another_crawl_holds_is_no_damage(opened: Open, tmp_path: Path) -> None:
    opened(10**6)
    with (
        sqlite3.connect(tmp_path / "c.sqlite", timeout=0) as other,
        pytest.raises(sqlite3.OperationalError, match="locked"),
    ):
        other.execute("SELECT * FROM pages")
    other.close()


def test_many_pages_go_at_once_and_the_replaced_one_stays(opened: Open) -> None:
    cache = opened(10_000)
    for number in range(200):
        cache.write(f"k{number}", "u", 200, HEADERS, hashlib.sha512(bytes([number])).digest())
        cache.write("again", "u", 200, HEADERS, hashlib.sha512(bytes([number, 0])).digest())
    kept = [number for number in range(200) if cache.read(f"k{number}") is not None]
    assert kept == list(range(kept[0], 200)), "the newest"
    assert cache.read("again") is not None
    taken = 73 + 19 + 2
    assert 0.94 * 10_000 < (len(kept) + 1) * taken <= 10_000, "64 bytes that cannot be compressed, headers, address"
