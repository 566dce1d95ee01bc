"""The command ``crawl`` over a list of addresses: every form of page into the store, once."""

import json
import time
from pathlib import Path

import pytest

from tests.crawlers.forms import FORMS, algebra_question, made
from tests.crawlers.loopback import Reply, serve_pages
from tests.flows.command import wordquarry


@pytest.mark.slow
def test_a_list_of_addresses_into_the_store(tmp_path: Path) -> None:
    thread = made(9)
    data = tmp_path / "data"
    pages = {f"/{form}/9": Reply(render(thread).encode()) for form, render in FORMS.items()}
    with serve_pages(pages) as site:
        (tmp_path / "urls.txt").write_text("".join(f"{site.base_url}{path}\n" for path in pages))
        crawl = ["crawl", "pages", "--urls", tmp_path / "urls.txt", "--data", data]
        first = wordquarry(*crawl)
        assert first.returncode == 0, first.stderr
        assert f"posts: {len(FORMS)} new, 0 changed, 0 unchanged" in first.stdout
        again = wordquarry(*crawl)
        assert f"posts: 0 new, 0 changed, {len(FORMS)} unchanged" in again.stdout, again.stderr
    exported = wordquarry("export", "posts", "--data", data)
    posts = [json.loads(line) for line in exported.stdout.splitlines()]
    assert len(posts) == len(FORMS)
    assert {post["source"] for post in posts} == {"127.0.0.1"}
    assert all(post["question"] == f"{thread.title}\n{thread.text}" for post in posts)


@pytest.mark.slow
def test_a_site_whose_clock_stands_still_costs_the_changed_thread_alone(tmp_path: Path) -> None:
    pages = {f"/t/{n}": Reply(FORMS["phpbb"](made(n)).encode()) for n in (1, 2)}
    data, date = tmp_path / "data", "Mon, 15 Jan 2024 09:30:00 GMT"
    with serve_pages(pages, date) as site:
        (tmp_path / "urls.txt").write_text("".join(f"{site.base_url}/t/{n}\n" for n in (1, 2, 3)))
        crawl = ["crawl", "pages", "--urls", tmp_path / "urls.txt", "--data", data]
        first = wordquarry(*crawl)
        assert "posts: 2 new, 0 changed, 0 unchanged" in first.stdout, first.stderr
        pages["/t/1"] = Reply(FORMS["phpbb"](made(1)).replace("is", "was").encode())
        pages["/t/3"] = Reply(FORMS["phpbb"](made(3)).encode())
        again = wordquarry(*crawl)
    assert again.returncode == 0, again.stderr
    assert "posts: 1 new, 0 changed, 1 unchanged" in again.stdout
    assert "left out: 1 posts with different content from the same time" in again.stdout
    assert "is stored with different content" in again.stderr


@pytest.mark.slow
def test_one_section_of_algebra(tmp_path: Path) -> None:
    section = "/algebra/homework/word/age/Age.faq"
    listing = "".join(f'<a href="{section}.question.{number + 1}.html">answer</a>' for number in range(5))
    pages = {section: Reply(listing.encode())}
    pages |= {
        f"{section}.question.{number + 1}.html": Reply(algebra_question(made(number)).encode()) for number in range(5)
    }
    with serve_pages(pages) as site:
        result = wordquarry("crawl", "algebra", "--url", f"{site.base_url}{section}", "--data", tmp_path / "data")
    assert "posts: 5 new, 0 changed, 0 unchanged" in result.stdout, result.stderr


@pytest.mark.slow
def test_a_thread_that_its_site_removed_is_out_of_the_next_version(tmp_path: Path) -> None:
    data = tmp_path / "data"
    pages = {f"/t/{number}": Reply(FORMS["qapage-linked"](made(number)).encode()) for number in (9, 10)}
    with serve_pages(pages) as site:
        (tmp_path / "urls.txt").write_text("".join(f"{site.base_url}{path}\n" for path in pages))
        crawl = ["crawl", "pages", "--urls", tmp_path / "urls.txt", "--data", data]
        assert "posts: 2 new" in wordquarry(*crawl).stdout
        time.sleep(1.1)  # times on the network are whole seconds
        kept = pages.pop("/t/9")
        pages["/t/9"] = Reply(b"<h1>Removed</h1>", status=410)
        gone = wordquarry(*crawl)
        assert "removed by the site (404 or 410): 1 posts" in gone.stdout, gone.stderr
        exported = wordquarry("export", "posts", "--data", data).stdout.splitlines()
        assert [json.loads(line)["url"].rpartition("/")[2] for line in exported] == ["10"]
        time.sleep(1.1)
        pages["/t/9"] = kept
        assert wordquarry(*crawl).returncode == 0
        assert len(wordquarry("export", "posts", "--data", data).stdout.splitlines()) == 2
