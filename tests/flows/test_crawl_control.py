"""Budgets, rules and private addresses on the command line, and recrawls of every source as a schedule runs them."""

import json
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from corpus.canonical import canonical_json
from corpus.config import CrawlConfig
from corpus.errors import CrawlError
from corpus.post_store.deposit import upsert
from corpus.records import Post
from corpus.takedowns.forgetting import forget
from corpus.workspace import Workspace
from crawlers.bundled_site import serve
from crawlers.crawling.crawl_run import locked
from flows.pipelines.crawl_steps import crawl_here, store
from flows.pipelines.runs import crawl_request
from tests.crawlers.conftest import thread
from tests.crawlers.forms import FORMS, algebra_question, made
from tests.crawlers.loopback import Reply, serve_pages
from tests.flows.command import one_line_failure, wordquarry
from tests.tiers import in_turn

pytestmark = pytest.mark.slow
THREADS = {f"/t/{number}": Reply(FORMS["qapage-linked"](made(number)).encode()) for number in range(12)}


@pytest.mark.full
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
        assert not (data / "prefect").exists(), "a crawl by hand needs no server"
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
    assert "wants no more requests (retry_after)" in one_line_failure(result)
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
        (["--url", "http://127.0.0.1:1/", "--max-pages", "0"], "max_pages: must be at least 1"),
    ],
)
def test_what_a_crawl_may_not_be_told(options: list[str], message: str, tmp_path: Path) -> None:
    line = one_line_failure(wordquarry("crawl", "pages", *options, "--data", tmp_path / "data"))
    assert message in line


def scheduled(data: Path, sources: dict[str, str | Path], config: CrawlConfig | None = None) -> dict[str, Any]:
    """Each source crawled as a schedule asks for it, by the steps of the flow without a server."""
    results = {}
    for source, where in sources.items():
        with crawl_request(str(data), source, where, {"config": config or CrawlConfig()}) as request:
            results[source] = crawl_here(request)
    return results


def only(names: Sequence[str], values: dict[str, Any]) -> dict[str, Any]:
    """The values of some names."""
    return {name: values[name] for name in names}


def forum(folder: Path, size: int) -> Path:
    """The threads of a bundled forum."""
    folder.mkdir()
    (folder / "threads.jsonl").write_text("".join(json.dumps(thread(number)) + "\n" for number in range(size)))
    return folder


def test_scheduled_recrawls_of_every_source(tmp_path: Path) -> None:
    """Once as new, then with one thread less each: out of the listing of two sites, gone from the list of the third."""
    asked = in_turn(("algebra", "pages", "bundled"), 3)
    section = "/algebra/homework/word/"
    question = "/algebra/homework/word/age/Age.faq.question.{}.html"
    algebra = {question.format(n + 1): Reply(algebra_question(made(n)).encode()) for n in range(6)}

    def listing() -> Reply:
        return Reply("".join(f'<a href="{path}">answer</a>' for path in algebra if "question" in path).encode())

    algebra[section] = listing()
    pages = dict(THREADS)
    with serve_pages(algebra) as one, serve_pages(pages) as two:
        (tmp_path / "urls").write_text("".join(f"{two.base_url}{path}\n" for path in pages))
        data, sources = tmp_path / "data", {"algebra": one.base_url, "pages": tmp_path / "urls"}
        with serve(forum(tmp_path / "whole", 60)) as site:
            first = scheduled(data, only(asked, sources | {"bundled": site.base_url}))
        assert {name: counts["stored"]["new"] for name, counts in first.items()} == only(
            asked, {"algebra": 6, "pages": 12, "bundled": 60}
        )
        time.sleep(1.1)  # times on the network are whole seconds
        del algebra[question.format(3)]
        algebra[section] = listing()
        pages["/t/4"] = Reply(b"", status=410)
        with serve(forum(tmp_path / "fewer", 40)) as site:
            second = scheduled(data, only(asked, sources | {"bundled": site.base_url}))
    nothing_new = {"new": 0, "changed": 0, "forgotten": 0, "contradicting": 0}
    expected = {
        "algebra": nothing_new | {"unchanged": 5, "removed": 1},
        "pages": nothing_new | {"unchanged": 11, "removed": 1},
        "bundled": nothing_new | {"unchanged": 40, "removed": 20},
    }
    assert {name: counts["stored"] for name, counts in second.items()} == only(asked, expected)
    revisits = {"algebra": 1, "pages": 0, "bundled": 20}
    assert {name: counts["revisits"] for name, counts in second.items()} == only(asked, revisits)


@pytest.mark.full
def test_sites_of_one_folder_do_not_disturb_each_other(tmp_path: Path) -> None:
    """Two sites with the same paths, each crawled in two runs, by turns."""
    with serve_pages(THREADS) as one, serve_pages(THREADS) as other:
        sites = {"one": one.base_url, "other": other.base_url.replace("127.0.0.1", "localhost")}
        for name, base_url in sites.items():
            (tmp_path / name).write_text("".join(f"{base_url}{path}\n" for path in THREADS))
        ends = [
            scheduled(tmp_path / "data", {"pages": tmp_path / name}, CrawlConfig(max_pages=7))["pages"]["met"]
            for name in [*sites, *sites]
        ]
        assert ends == ["pages", "pages", None, None]
        for site in (one, other):
            assert sorted(site.log) == sorted(["/robots.txt"] * 2 + list(THREADS))


def test_what_is_gone_is_buried_where_another_crawl_holds_the_folder_already(tmp_path: Path) -> None:
    """The crawl brought a post that was forgotten before, so that its folder is to be cleared, and one is gone."""
    gone, forgotten = (
        Post(post_id=f"forum.example:{n}", source="forum.example", url=f"https://forum.example/{n}", question="q",
             retrieved_at="2024-01-01T00:00:00Z")
        for n in (1, 2)
    )  # fmt: skip
    data = tmp_path / "data"
    workspace, folder = Workspace(str(data)), data / "crawls" / "pages-forum.example"
    upsert(workspace.posts, [gone])
    forget(workspace, forgotten.post_id)
    folder.mkdir(parents=True)
    (folder / "posts.jsonl").write_text(canonical_json(forgotten.model_dump(mode="json")) + "\n", encoding="utf-8")
    with locked(folder), pytest.raises(CrawlError, match="another crawl is writing to"):
        store(str(data), str(folder / "posts.jsonl"), [(str(gone.url), "2024-02-01T00:00:00Z")])
    assert workspace.posts.current() == {}
