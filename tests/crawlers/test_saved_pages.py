"""Pages in the markup of software that others wrote, saved with the posts they hold, through the real ``crawl pages``.

A folder of ``saved/`` is a case: ``page.html`` as the site sends it, and ``post.json`` with the path it is served under
and what of the post has to be found there.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from corpus.records import Post
from crawlers.crawling.crawl_run import crawl
from crawlers.crawling.job import Limits
from tests.crawlers.loopback import Reply, serve_pages

SAVED = {folder.name: folder for folder in sorted((Path(__file__).parent / "saved").iterdir())}
QUICK = Limits(backoff=0.05, timeout=20, retries=1)


def expected(name: str) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((SAVED[name] / "post.json").read_text(encoding="utf-8"))
    return record


@pytest.fixture(scope="module")
def posts(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, Post]]:
    """The address of the site, and its posts by id, from one crawl of a list of all pages; the full AMP page is one."""
    folder = tmp_path_factory.mktemp("saved")
    pages = {expected(name)["path"]: Reply((SAVED[name] / "page.html").read_bytes()) for name in SAVED}
    full = (SAVED["amp"] / "page.html").read_bytes().replace(b"<html amp", b"<html").replace(b"/v0.js", b"/other.js")
    pages["/ask/4471-two-trains"] = Reply(full)
    with serve_pages(pages) as site:
        (folder / "urls.txt").write_text("".join(f"{site.base_url}{path}\n" for path in pages), encoding="utf-8")
        summary = crawl("pages", folder / "urls.txt", folder / "out", QUICK)
    found = [Post.model_validate_json(line) for line in summary.posts_path.read_bytes().splitlines()]
    return site.base_url, {post.post_id: post for post in found}


@pytest.mark.rows("name", SAVED)
def test_a_saved_page_gives_its_post(name: str, posts: tuple[str, dict[str, Post]]) -> None:
    site, found = posts
    wanted = expected(name)
    post = found[f"127.0.0.1:{wanted['id']}"]
    answers = [answer.model_dump(include={"answer_id", "text", "is_best", "score"}) for answer in post.answers]
    assert post.question == wanted["question"]
    assert answers == wanted["answers"]
    assert (post.url, post.license, list(post.tags)) == (site + wanted["url"], wanted["license"], wanted["tags"])


def test_no_name_of_an_author_is_kept(posts: tuple[str, dict[str, Post]]) -> None:
    text = "\n".join(post.model_dump_json() for post in posts[1].values())
    names = ("marble_jar", "Quentin Sloane", "late_riser", "plot_keeper", "Gil Overby", "Hedda Blom", "signal_box",
             "flask_of_7", "Orla Finch", "rake_and_hoe", "Petra Lund", "root_cellar")  # fmt: skip
    assert [name for name in names if name in text] == []


def test_an_amp_page_does_not_take_the_place_of_the_full_page(posts: tuple[str, dict[str, Post]]) -> None:
    ids = {post_id for post_id in posts[1] if "two-trains" in post_id}
    assert ids == {"127.0.0.1:ask/4471-two-trains", "127.0.0.1:ask/4471-two-trains/amp"}
    assert len(posts[1]) == len(SAVED) + 1
