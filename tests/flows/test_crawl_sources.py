"""The command ``crawl`` over a list of addresses: every form of page into the store, once."""

import json
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
