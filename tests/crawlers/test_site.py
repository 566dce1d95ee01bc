"""The bundled site as a server: the same bytes each run, conditional requests, and its own bad input."""

import http.client
import json
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import default_settings

from corpus.errors import CrawlError, InputError
from crawlers.bundled_site import DEFAULT_THREADS, build_pages, main, serve
from crawlers.crawling.job import Job, Limits
from crawlers.site_pages import load_threads
from crawlers.spiders.process import settings_for


def ask(base_url: str, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection(base_url.removeprefix("http://"), timeout=10)
    try:
        connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        response = connection.getresponse()
        return response.status, dict(response.headers), response.read()
    finally:
        connection.close()


def test_bodies_are_the_same_in_every_run(threads_dir: Path) -> None:
    first, second = (build_pages(load_threads(threads_dir)) for _ in range(2))
    assert {path: (page.body, page.etag) for path, page in first.items()} == {
        path: (page.body, page.etag) for path, page in second.items()
    }
    with serve(threads_dir) as one, serve(threads_dir) as other:
        assert ask(one.base_url, "/questions")[2] == ask(other.base_url, "/questions")[2]


def test_conditional_requests(threads_dir: Path) -> None:
    with serve(threads_dir) as site:
        status, headers, body = ask(site.base_url, "/questions?page=2")
        assert (status, bool(body)) == (200, True)
        assert ask(site.base_url, "/questions?page=2", If_None_Match=headers["ETag"])[::2] == (304, b"")
        assert ask(site.base_url, "/questions?page=2", If_Modified_Since=headers["Last-Modified"])[::2] == (304, b"")
        assert ask(site.base_url, "/questions?page=2", If_None_Match='"other"')[0] == 200
        assert ask(site.base_url, "/questions?page=2", If_Modified_Since="Mon, 01 Jan 2001 00:00:00 GMT")[0] == 200
        assert ask(site.base_url, "/questions?page=2", If_Modified_Since="never")[0] == 200
        assert site.counts() == {("/questions?page=2", 200): 4, ("/questions?page=2", 304): 2}


def test_one_page_fails_once(threads_dir: Path) -> None:
    with serve(threads_dir) as site:
        assert [ask(site.base_url, site.failing_path)[0] for _ in range(3)] == [500, 200, 200]


def test_counts_can_be_asked_for(threads_dir: Path) -> None:
    with serve(threads_dir) as site:
        assert ask(site.base_url, "/nowhere")[0] == 404
        assert site.counts() == {("/nowhere", 404): 1}
        site.reset()
        assert site.counts() == {}


def test_every_listed_thread_has_a_page(threads_dir: Path) -> None:
    pages = build_pages(load_threads(threads_dir))
    listed = [path for path in pages if path.startswith("/questions?") or path == "/questions"]
    assert listed == ["/questions", "/questions?page=2", "/questions?page=3"]
    text = b"".join(pages[path].body for path in listed).decode()
    for number in range(60):
        old = next(path for path, page in pages.items() if page.location == f"/questions/fix-{number:03}")
        assert f'href="/questions/fix-{number:03}"' in text or f'href="{old}"' in text


def test_a_port_in_use_is_named(threads_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serve(threads_dir) as site:
        port = int(site.base_url.rpartition(":")[2])
        with (
            pytest.raises(CrawlError, match=f"cannot listen on 127.0.0.1:{port}: .*choose another"),
            serve(threads_dir, port),
        ):
            pass
        assert main(["--port", str(port), "--threads", str(threads_dir)]) == 1
    error = capsys.readouterr().err
    assert error.startswith("error: cannot listen")
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": "a/b"}, "cannot be part of an address"),
        ({"answers": [{}]}, "not a forum thread"),
        ({"title": None, "tags": None}, "not a forum thread"),
    ],
)
def test_bad_threads_are_named(change: dict[str, Any], message: str, threads_dir: Path, tmp_path: Path) -> None:
    row = json.loads((threads_dir / "first.jsonl").read_text().splitlines()[0])
    (tmp_path / "x.jsonl").write_text(json.dumps(row | change))
    with pytest.raises(InputError, match=rf"x\.jsonl:1: .*{message}"):
        load_threads(tmp_path)


def test_no_threads_and_doubled_threads(threads_dir: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no threads in"):
        load_threads(tmp_path)
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_bytes((threads_dir / "first.jsonl").read_bytes())
    with pytest.raises(InputError, match=r"b\.jsonl:1: thread fix-000 occurs twice"):
        load_threads(tmp_path)


def test_the_bundled_threads_can_be_served() -> None:
    threads = load_threads(DEFAULT_THREADS)
    assert len(build_pages(threads)) > 2 * len(threads)


def test_settings_are_polite_and_closed() -> None:
    settings = settings_for(Job("bundled", "https://forum.example", "f", "r", "c", Limits()))
    assert settings["ROBOTSTXT_OBEY"] is True
    assert settings["WORDQUARRY_DELAY"] == 0.5
    assert settings["WORDQUARRY_START_DELAY"] == 1
    assert settings["CONCURRENT_REQUESTS"] == 2
    assert settings["WORDQUARRY_REACH"] == "public"
    assert settings["DOWNLOAD_MAXSIZE"] == 8 * 1024 * 1024
    assert settings["DOWNLOAD_VERIFY_CERTIFICATES"] is True
    assert settings["TELNETCONSOLE_ENABLED"] is False
    assert settings["REMOTE_CONTROL_ENABLED"] is False  # a server that runs the Python code it is sent
    assert all(settings["DOWNLOAD_HANDLERS"][scheme] is None for scheme in ("file", "ftp", "s3"))
    assert "https://wordquarry.example/bot" in settings["USER_AGENT"]


def test_no_extension_of_scrapy_runs_unseen() -> None:
    """One that a later Scrapy brings is on at once; whoever adds it here has looked at what it opens."""
    counting = {"corestats", "logcount", "logstats", "memusage", "memdebug"}
    quiet = {"closespider", "feedexport", "spiderstate", "throttle"}
    switched_off = {"telnet", "remote_control"}
    assert {name.split(".")[2] for name in default_settings.EXTENSIONS_BASE} == counting | quiet | switched_off
