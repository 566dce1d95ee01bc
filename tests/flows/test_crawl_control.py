"""Budgets, rules and private addresses on the command line, and recrawls of every source as a schedule runs them."""

import contextlib
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from crawlers.bundled_site import serve
from tests.crawlers.conftest import thread
from tests.crawlers.forms import FORMS, algebra_question, made
from tests.crawlers.loopback import Reply, serve_pages
from tests.flows.command import ROOT, environment, one_line_failure, wordquarry

pytestmark = pytest.mark.slow
THREADS = {f"/t/{number}": Reply(FORMS["qapage-linked"](made(number)).encode()) for number in range(12)}


def test_a_met_budget_is_no_failure_and_the_next_run_goes_on(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serve_pages(THREADS) as site:
        (tmp_path / "urls").write_text("".join(f"{site.base_url}{path}\n" for path in THREADS))
        (tmp_path / "c.toml").write_text('[crawl]\nmax_pages = 5\ndeny = ["/t/11"]\n')
        crawl = ["crawl", "pages", "--urls", tmp_path / "urls", "--data", data, "--config", tmp_path / "c.toml"]
        first = wordquarry(*crawl)
        assert first.returncode == 0, first.stderr
        assert "ended by its budget of pages: " in first.stdout
        assert "posts: 5 new, 0 changed, 0 unchanged" in first.stdout
        second = wordquarry(*crawl, "--max-pages", 100)
        assert second.returncode == 0, second.stderr
        assert "ended by" not in second.stdout
        assert "posts: 6 new, 0 changed, 5 unchanged" in second.stdout
        assert "denied 1" in second.stdout
        assert sorted(site.log) == sorted(["/robots.txt"] * 2 + [path for path in THREADS if path != "/t/11"])
    records = [
        json.loads(line) for line in (data / "crawls" / "pages-127.0.0.1" / "runs.jsonl").read_text().splitlines()
    ]
    assert [record["met"] for record in records] == ["pages", None]
    assert all(record["requested"] == sum(record["outcomes"].values()) for record in records)


def test_a_site_that_had_enough_is_a_failure_that_keeps_its_posts(tmp_path: Path) -> None:
    pages = THREADS | {"/t/9": Reply(b"", status=503, headers={"Retry-After": "86400"})}
    with serve_pages(pages) as site:
        (tmp_path / "urls").write_text("".join(f"{site.base_url}{path}\n" for path in pages))
        config = tmp_path / "c.toml"
        config.write_text("[crawl]\nconcurrency = 1\n")
        result = wordquarry("crawl", "pages", "--urls", tmp_path / "urls", "--data", tmp_path / "d", "--config", config)
    assert "had enough (retry_after)" in one_line_failure(result)
    stored = re.search(r"posts: (\d+) new, 0 changed, 0 unchanged", result.stdout)
    assert stored
    assert int(stored[1]) >= 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--url", "http://10.0.0.1/t/1"],
            "http://10.0.0.1 is at a private address; allow that with --private-addresses",
        ),
        (["--url", "http://127.0.0.1:1/", "--max-pages", "0"], "max_pages: Input should be greater than or equal to 1"),
        (["--url", "http://127.0.0.1:1/", "--deny", "t/.*"], "deny.0: String should match pattern"),
        (["--url", "http://127.0.0.1:1/", "--max-hours", "nan"], "max_hours: Input should be a finite number"),
    ],
)
def test_what_a_crawl_may_not_be_told(options: list[str], message: str, tmp_path: Path) -> None:
    line = one_line_failure(wordquarry("crawl", "pages", *options, "--data", tmp_path / "data"))
    assert message in line


SCHEDULED = """
import json, sys
from pathlib import Path
from corpus.config import CrawlConfig
from flows.runs import crawl_request
from flows.server import prefect_server

data = sys.argv[1]
with prefect_server(data):
    from flows.crawl import crawl

    for line in sys.stdin:
        results = {}
        for source, asked in json.loads(line).items():
            where = Path(asked["urls"]) if "urls" in asked else asked["url"]
            with crawl_request(data, source, where, {"config": CrawlConfig(**asked.get("config", {}))}) as request:
                results[source] = crawl(request=request.model_dump(mode="json"))
        print("RESULT " + json.dumps(results), flush=True)
"""


@contextlib.contextmanager
def scheduler(data: Path) -> Iterator[Callable[[dict[str, dict[str, Any]]], dict[str, Any]]]:
    """Crawls each source it is given, asked for as a schedule asks for it."""
    process = subprocess.Popen(
        [sys.executable, "-c", SCHEDULED, str(data)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        cwd=ROOT,
        env=environment(),
    )

    def run(sources: dict[str, dict[str, Any]]) -> dict[str, Any]:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(sources) + "\n")
        process.stdin.flush()
        line = next(line for line in process.stdout if line.startswith("RESULT "))
        counts: dict[str, Any] = json.loads(line.removeprefix("RESULT "))
        return counts

    yield run
    process.communicate(timeout=60)
    assert process.returncode == 0


def forum(folder: Path, size: int) -> Path:
    """The threads of a bundled forum."""
    folder.mkdir()
    (folder / "threads.jsonl").write_text("".join(json.dumps(thread(number)) + "\n" for number in range(size)))
    return folder


def test_scheduled_recrawls_of_every_source(tmp_path: Path) -> None:
    """Once as new, then with one thread less each: out of the listing of two sites, gone from the list of the third."""
    section = "/algebra/homework/word/"
    question = "/algebra/homework/word/age/Age.faq.question.{}.html"
    algebra = {question.format(n + 1): Reply(algebra_question(made(n)).encode()) for n in range(6)}

    def listing() -> Reply:
        return Reply("".join(f'<a href="{path}">answer</a>' for path in algebra if "question" in path).encode())

    algebra[section] = listing()
    pages = dict(THREADS)
    with serve_pages(algebra) as one, serve_pages(pages) as two, scheduler(tmp_path / "data") as scheduled:
        (tmp_path / "urls").write_text("".join(f"{two.base_url}{path}\n" for path in pages))
        sources = {"algebra": {"url": one.base_url}, "pages": {"urls": str(tmp_path / "urls")}}
        with serve(forum(tmp_path / "whole", 60)) as site:
            first = scheduled(sources | {"bundled": {"url": site.base_url}})
        assert {name: counts["stored"]["new"] for name, counts in first.items()} == {
            "algebra": 6,
            "pages": 12,
            "bundled": 60,
        }
        time.sleep(1.1)  # times on the network are whole seconds
        del algebra[question.format(3)]
        algebra[section] = listing()
        pages["/t/4"] = Reply(b"", status=410)
        with serve(forum(tmp_path / "fewer", 40)) as site:
            second = scheduled(sources | {"bundled": {"url": site.base_url}})
    assert {name: counts["stored"] for name, counts in second.items()} == {
        "algebra": {"new": 0, "changed": 0, "unchanged": 5, "removed": 1},
        "pages": {"new": 0, "changed": 0, "unchanged": 11, "removed": 1},
        "bundled": {"new": 0, "changed": 0, "unchanged": 40, "removed": 20},
    }
    assert {name: counts["revisits"] for name, counts in second.items()} == {"algebra": 1, "pages": 0, "bundled": 20}


def test_sites_of_one_folder_do_not_disturb_each_other(tmp_path: Path) -> None:
    """Two sites with the same paths, each crawled in two runs, by turns."""
    with serve_pages(THREADS) as one, serve_pages(THREADS) as other, scheduler(tmp_path / "data") as scheduled:
        sites = {"one": one.base_url, "other": other.base_url.replace("127.0.0.1", "localhost")}
        for name, base_url in sites.items():
            (tmp_path / name).write_text("".join(f"{base_url}{path}\n" for path in THREADS))
        ends = [
            scheduled({"pages": {"urls": str(tmp_path / name), "config": {"max_pages": 7}}})["pages"]["met"]
            for name in [*sites, *sites]
        ]
        assert ends == ["pages", "pages", None, None]
        for site in (one, other):
            assert sorted(site.log) == sorted(["/robots.txt"] * 2 + list(THREADS))
