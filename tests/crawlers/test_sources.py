"""Crawls of sites that behave like the real ones: every thread and answer in the posts, as it was made."""

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from corpus.canonical import content_digest
from corpus.errors import CrawlError
from corpus.records import Post
from crawlers.crawling.crawl_run import crawl
from crawlers.crawling.job import CrawlSummary, Limits
from tests.crawlers.forms import (
    FORMS,
    algebra_embedded,
    algebra_question,
    algebra_source,
    made,
    native_id,
    threads_of,
    wanted,
)
from tests.crawlers.loopback import Reply, Served, serve_pages

pytestmark = pytest.mark.slow
QUICK = Limits(backoff=0.05, timeout=20, retries=1)
SECTION = "/algebra/homework/word/age/Age_Word_Problems.faq"
PER_PAGE = 30
ALGEBRA_THREADS = 300


@dataclass(frozen=True)
class Crawled:
    summary: CrawlSummary
    posts: dict[str, Post]
    asked: Counter[str]


def crawled(source: str, where: str | Path, out_dir: Path, site: Served) -> Crawled:
    summary = crawl(source, where, out_dir, QUICK)
    posts = [Post.model_validate_json(line) for line in summary.posts_path.read_bytes().splitlines()]
    assert all(post.content_sha256 == content_digest(post) for post in posts)
    return Crawled(summary, {post.post_id: post for post in posts}, Counter(site.log))


def found(post: Post) -> tuple[str, list[tuple[str, bool, int | None]]]:
    return post.question, [(answer.text, answer.is_best, answer.score) for answer in post.answers]


def form_pages() -> dict[str, Reply]:
    pages = {}
    for form, render in FORMS.items():
        kind = "application/json" if form.endswith("api") else "text/html; charset=utf-8"
        for thread in threads_of(form):
            pages[f"/{form}/{thread.number}"] = Reply(render(thread).encode(), kind)
    return pages


@pytest.fixture(scope="module")
def forms_crawl(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    """Every form from one list of addresses, among them one page twice and pages that are no threads."""
    folder = tmp_path_factory.mktemp("forms")
    pages = form_pages() | {
        "/about": Reply(b"<h1>About us</h1><p>schema.org is nice</p>"),
        "/png": Reply(b"\x89PNG", "image/png"),
    }
    with serve_pages(pages) as site:
        lines = [f"{site.base_url}{path}" for path in pages]
        (folder / "urls.txt").write_text(
            "# all forms\n" + "\n".join([*lines, lines[0], f"{site.base_url}/gone"]) + "\n"
        )
        return crawled("pages", folder / "urls.txt", folder / "out", site)


def post_id(form: str, number: int) -> str:
    return f"127.0.0.1:{native_id(made(number), form)}"


@pytest.mark.rows("form", FORMS)
def test_every_thread_of_a_form_becomes_its_post(form: str, forms_crawl: Crawled) -> None:
    different = []
    for thread in threads_of(form):
        post = forms_crawl.posts.get(post_id(form, thread.number))
        if post is None or found(post) != wanted(thread, form):
            different.append((thread.number, post))
    assert different == []


def test_pages_without_a_thread_are_counted(forms_crawl: Crawled) -> None:
    assert forms_crawl.summary.posts == sum(len(threads_of(form)) for form in FORMS)
    assert forms_crawl.summary.outcomes["not_threads"] == 2
    assert forms_crawl.summary.failed == {"404": 1}
    assert forms_crawl.summary.duplicates == 0
    assert "malformed" not in forms_crawl.summary.outcomes


def test_every_address_is_asked_for_once(forms_crawl: Crawled) -> None:
    assert set(forms_crawl.asked.values()) == {1}


def test_licenses_are_kept_with_an_attribution(forms_crawl: Crawled) -> None:
    post = forms_crawl.posts[post_id("stack-exchange", 7)]
    assert post.license == "CC BY-SA 3.0"
    others = ", ".join(answer.id for answer in made(7).answers)
    assert post.attribution == f"127.0.0.1 contributors, {post.url}; CC BY-SA 4.0: {others}"
    assert forms_crawl.posts[post_id("phpbb", 7)].license is None


def algebra_pages() -> dict[str, Reply]:
    """A section page, listing pages with older solutions, and question pages; one link leads to a lesson."""
    threads = [made(number) for number in range(ALGEBRA_THREADS)]
    pages = {
        "/algebra/homework/word/": Reply(f'<a href="{SECTION}">Age</a> <a href="/lessons/x.lesson">x</a>'.encode())
    }
    starts = range(0, ALGEBRA_THREADS, PER_PAGE)
    older = "".join(
        f'<A HREF="{SECTION}.hide_answers.1.html?beginning={start}">{start + 1}..{start + PER_PAGE}</A>, '
        for start in starts
    )
    for start in starts:
        rows = "".join(
            f"<B>Question {thread.number + 1}</B>: {thread.html}<BR>"
            f'<A HREF="{question_path(thread.number)}">Click here to see answer by x(12)</A><HR>'
            for thread in threads[start : start + PER_PAGE]
        )
        page = Reply(f"<html><body><h1>Questions on Age</h1>{rows}Older solutions: {older}</body></html>".encode())
        pages[f"{SECTION}.hide_answers.1.html?beginning={start}"] = page
        if start == 0:
            pages[SECTION] = page
    for thread in threads:
        pages[question_path(thread.number)] = Reply(algebra_question(thread).encode())
    return pages


def question_path(number: int) -> str:
    return f"{SECTION}.question.{number + 1}.html"


@pytest.fixture(scope="module")
def algebra_crawl(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    with serve_pages(algebra_pages()) as site:
        return crawled("algebra", site.base_url, tmp_path_factory.mktemp("algebra"), site)


def test_algebra_questions_are_found_through_the_listings(algebra_crawl: Crawled) -> None:
    assert sorted(algebra_crawl.posts) == sorted(f"algebra.com:{number + 1}" for number in range(ALGEBRA_THREADS))
    different = []
    for thread in map(made, range(ALGEBRA_THREADS)):
        post = algebra_crawl.posts[f"algebra.com:{thread.number + 1}"]
        texts = [one.text.strip().replace("= 9", "= {{{9}}}") for one in thread.answers]
        want = (thread.text, [(text, False, None) for text in texts])
        if found(post) != want or [answer.answer_id for answer in post.answers] != [one.id for one in thread.answers]:
            different.append((thread.number, post))
    assert different == []


def test_algebra_pages_are_asked_for_once_and_nothing_else(algebra_crawl: Crawled) -> None:
    assert set(algebra_crawl.asked.values()) == {1}
    assert set(algebra_crawl.asked) == {"/robots.txt", *algebra_pages()}
    assert algebra_crawl.summary.fetched == len(algebra_pages())


def test_embedded_solutions_and_source_views(tmp_path: Path) -> None:
    threads = [thread for thread in map(made, range(380)) if thread.answers]
    assert len(threads) >= 300
    pages = {}
    for thread in threads:
        number = thread.answers[0].id
        pages[f"/cgi-bin/embed-solution.mpl?solution={number}"] = Reply(algebra_embedded(thread).encode())
        pages[f"/cgi-bin/show-question-source.mpl?solution={number}"] = Reply(algebra_source(thread).encode())
    with serve_pages(pages) as site:
        (tmp_path / "urls").write_text("\n".join(site.base_url + path for path in pages))
        crawl_ = crawled("algebra", tmp_path / "urls", tmp_path / "out", site)
    answers = {name: post.answers[0].text for name, post in crawl_.posts.items()}
    assert answers == {
        f"algebra.com:{thread.number + 1}-{thread.answers[0].id}": thread.answers[0].text.strip() for thread in threads
    }
    assert crawl_.summary.outcomes["malformed"] == len(threads), "a source view holds no question"


HOSTILE = {
    "/deep": Reply(b"<div class='question'>schema.org data-questionid=" + b"<b>" * 100_000),
    "/attribute": Reply(b'<a title="' + b"schema.org " * 100_000 + b'">x</a>'),
    "/charset": Reply(FORMS["qapage-marked"](made(4)).replace("Problem 4", "Caf\xe9 4").encode("latin-1")),
    "/file": Reply(b"", status=302, headers={"Location": "file:///etc/passwd"}),
    "/private": Reply(b"", status=302, headers={"Location": "http://10.0.0.1/admin"}),
    "/metadata": Reply(b"", status=301, headers={"Location": "http://169.254.169.254/latest/meta-data"}),
    "/good": Reply(FORMS["qapage-marked"](made(8)).encode()),
    "/data": Reply(json.dumps({"error_id": 502, "error_message": "slow down"}).encode(), "application/json"),
}


def test_hostile_pages_cost_themselves_alone(tmp_path: Path) -> None:
    with serve_pages(HOSTILE) as site:
        (tmp_path / "urls").write_text("\n".join(site.base_url + path for path in HOSTILE))
        crawl_ = crawled("pages", tmp_path / "urls", tmp_path / "out", site)
    assert sorted(crawl_.posts) == ["127.0.0.1:charset", "127.0.0.1:good"]
    assert crawl_.posts["127.0.0.1:charset"].question.startswith("Café 4\nAnn is 6 years older")
    assert crawl_.summary.outcomes["malformed"] == 2, "the deep page and the error of an API"
    assert crawl_.summary.outcomes["not_threads"] == 1, "the page of one attribute"
    log = (tmp_path / "out" / "crawl.log").read_text()
    assert "nested too deeply" in log
    assert "slow down" in log


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("", "holds no address"),
        ("https://a.example/1\nhttps://b.example/2", r"urls:2: .* is not on https://a.example"),
        ("ftp://a.example/1", r"urls:1: .* is not a site address"),
        ("https://a.example/" + "x" * 5000, r"urls:1: address of 5018 characters"),
    ],
)
def test_bad_lists_of_addresses_are_named(lines: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "urls").write_text(lines)
    with pytest.raises(CrawlError, match=message):
        crawl("pages", tmp_path / "urls", tmp_path / "out", QUICK)


def test_one_page_by_its_address(tmp_path: Path) -> None:
    pages: dict[str, Any] = {"/q/5?x=1": Reply(FORMS["qapage-linked"](made(5)).encode())}
    with serve_pages(pages) as site:
        crawl_ = crawled("pages", f"{site.base_url}/q/5?x=1", tmp_path, site)
    assert list(crawl_.posts) == ["127.0.0.1:q/5?x=1"]
