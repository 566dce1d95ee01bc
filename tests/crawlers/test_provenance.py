"""Where posts and answers come from and on what terms: licenses, attribution, response digests, parser versions."""

import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from corpus.canonical import content_digest, sha256_text
from corpus.code import ROOT
from corpus.folders.files import Folder
from corpus.post_store.store import PostStore
from crawlers.dumps.archive_pages import read_warc
from crawlers.dumps.loading import load
from crawlers.dumps.stackexchange_dump import read_stack_exchange
from crawlers.dumps.tally import Options, Tally
from crawlers.ingest import read_posts
from crawlers.parsers import pages
from crawlers.posts import ParsedAnswer, parser_version, to_post
from tests.crawlers.dump_files import QUESTION, answer, collect, gzipped, page_record, posts_xml, row, thread_rows
from tests.crawlers.forms import FORMS, made

SITE = "math.stackexchange.com"
PAGES = Path(__file__).parent / "pages"
Terms = list[tuple[str, str | None, str | None]]


def terms(path_or_html: Path | str, url: str = "") -> Terms:
    """Id, license and attribution of each answer of the only thread."""
    if isinstance(path_or_html, Path):
        posts, *_ = collect(read_stack_exchange(path_or_html, Options(source=SITE), tally := Tally()), tally)
        (post,) = posts
    else:
        (thread,) = pages.threads_of(path_or_html, url)
        post = to_post(thread, "x", None)
    return [(one.answer_id, one.license, one.attribution) for one in post.answers]


def test_each_answer_of_a_dump_has_the_license_of_its_day_and_its_address(tmp_path: Path) -> None:
    days = {"5": "2011-04-07T23:59:59.990", "7": "2011-04-08T00:00:00.000", "9": "2018-05-02T00:00:00.000"}
    rows = [answer(Id=one, Score="1", Body="<p>18</p>", CreationDate=day) for one, day in days.items()]
    (tmp_path / "Posts.xml").write_bytes(posts_xml(row(**QUESTION), *rows))
    credit = f"{SITE} contributors, https://{SITE}/a/"
    assert terms(tmp_path / "Posts.xml") == [
        ("9", "CC BY-SA 4.0", f"{credit}9"),
        ("5", "CC BY-SA 2.5", f"{credit}5"),
        ("7", "CC BY-SA 3.0", f"{credit}7"),
    ]


def test_answers_of_a_page_and_of_the_api() -> None:
    url = f"https://{SITE}/questions/900/boat"
    shown = terms((PAGES / "stackexchange" / "page.html").read_text(encoding="utf-8"), url)
    assert ("902", "CC BY-SA 4.0", f"{SITE} contributors, https://{SITE}/a/902") in shown
    item = {"question_id": 7, "link": f"https://{SITE}/questions/7/x", "title": "Age", "body": "<p>x?</p>",
            "content_license": "CC BY-SA 3.0", "answer_count": 1,
            "answers": [{"answer_id": 9, "body": "<p>18</p>", "content_license": "CC BY-SA 4.0"}]}  # fmt: skip
    api = "https://api.stackexchange.com/2.3/questions/7"
    assert terms(json.dumps({"items": [item]}), api) == [
        ("9", "CC BY-SA 4.0", f"{SITE} contributors, https://{SITE}/a/9")
    ]


def test_answers_that_describe_themselves() -> None:
    question = {"@type": "Question", "name": "Age", "text": "x + 9 = 18?", "suggestedAnswer": [
        {"@type": "Answer", "text": "9", "url": "https://q.example/7#a1",
         "license": "https://creativecommons.org/licenses/by/4.0/"},
        {"@type": "Answer", "text": "nine", "url": "https://q.example/7#a2"},
        {"@type": "Answer", "text": "18 - 9", "url": "https://other.example/7#a3"},
    ]}  # fmt: skip
    page = {"@context": "https://schema.org", "@type": "QAPage", "mainEntity": question}
    html = f'<script type="application/ld+json">{json.dumps(page)}</script>'
    assert terms(html, "https://q.example/7") == [
        ("1", "CC BY 4.0", "q.example contributors, https://q.example/7#a1"),
        ("2", None, None),
        ("3", None, None),
    ]


def test_the_credit_of_a_thread_names_what_is_under_another_license() -> None:
    (thread,) = pages.threads_of(
        (PAGES / "qapage-linked" / "page.html").read_text(encoding="utf-8"), "https://h.example/q/1"
    )
    named = to_post(
        replace(thread, license=None, answers=(ParsedAnswer("1", "9", url="https://h.example/a"),)), "h", None
    )
    assert named.answers[0].attribution is None, "no license, no credit asked for"
    own = replace(thread, license=None, answers=(ParsedAnswer("1", "9", license="CC0 1.0", url="https://h.example/a"),))
    assert to_post(own, "h", None).answers[0].attribution == "h.example contributors, https://h.example/a"


def test_a_page_in_an_archive_has_the_digest_of_its_bytes_without_codings(tmp_path: Path) -> None:
    page = FORMS["phpbb"](made(9)).encode()
    coded = page_record("https://forum.example/t/9", gzip.compress(page), {"Content-Encoding": "gzip"})
    (tmp_path / "a.warc.gz").write_bytes(gzipped(coded))
    posts, *_ = collect(read_warc(tmp_path / "a.warc.gz", Options(), tally := Tally()), tally)
    assert posts[0].response_sha256 == hashlib.sha256(page).hexdigest()
    assert posts[0].parser == parser_version("crawlers.parsers.pages")


def test_a_post_of_a_dump_names_the_file_and_its_reader(tmp_path: Path) -> None:
    path = tmp_path / "Posts.xml"
    path.write_bytes(posts_xml(*thread_rows()))
    store = PostStore(Folder.at(tmp_path / "data"))
    load(path, "stackexchange", Options(source=SITE), store, print)
    (post,) = store.posts().values()
    assert post.response_sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert post.parser == parser_version("crawlers.dumps.stackexchange_dump")
    (tmp_path / "out.jsonl").write_text(post.model_dump_json() + "\n", encoding="utf-8")
    assert read_posts(tmp_path / "out.jsonl").posts == (post,), "what is exported is read as it was"


def test_retrieval_is_no_part_of_the_content(tmp_path: Path) -> None:
    (tmp_path / "Posts.xml").write_bytes(posts_xml(*thread_rows()))
    posts, *_ = collect(read_stack_exchange(tmp_path / "Posts.xml", Options(source=SITE), tally := Tally()), tally)
    (post,) = posts
    other = post.model_copy(
        update={"response_sha256": "0" * 64, "parser": "x@1", "retrieved_at": "2026-01-01T00:00:00Z"}
    )
    assert content_digest(other) == post.content_sha256
    relicensed = post.answers[0].model_copy(update={"license": "CC BY-SA 2.5"})
    assert content_digest(post.model_copy(update={"answers": (relicensed, *post.answers[1:])})) != post.content_sha256


def test_a_post_without_the_later_fields_has_the_digest_it_always_had(tmp_path: Path) -> None:
    line = {"id": "1", "question": "How old?", "answers": [{"text": "9"}]}
    (tmp_path / "posts.jsonl").write_text(json.dumps(line), encoding="utf-8")
    (post,) = read_posts(tmp_path / "posts.jsonl").posts
    by_hand = (
        '{"answers":[{"answer_id":"1","is_best":false,"score":null,"text":"9"}],"attribution":null,"license":null,'
        '"post_id":"file:1","question":"How old?","question_html":null,"source":"file","tags":[],"url":null}'
    )
    assert post.content_sha256 == sha256_text(by_hand)


@pytest.mark.parametrize("value", ["abc", "G" * 64, 7, "A" * 64])
def test_a_response_digest_that_is_none_is_refused(value: object, tmp_path: Path) -> None:
    line = {"id": "1", "question": "How old?", "answers": [], "response_sha256": value}
    (tmp_path / "posts.jsonl").write_text(json.dumps(line), encoding="utf-8")
    (refused,) = read_posts(tmp_path / "posts.jsonl", skip_bad=True).rejected
    assert "response_sha256" in refused.message


@pytest.mark.slow
def test_the_version_of_a_parser_changes_with_whatever_it_reads_with(tmp_path: Path) -> None:
    for package in ("crawlers", "corpus", "extractors"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    program = (
        "from crawlers.posts import parser_version as v\n"
        "print(*(v(f'crawlers.{name}') for name in ('parsers.pages', 'parsers.bundled', 'dumps.yahoo_dump')))"
    )

    def versions() -> list[str]:
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.split()

    known = versions()

    def touched(name: str) -> list[bool]:
        before = list(known)
        with (tmp_path / name).open("a", encoding="utf-8") as file:
            file.write("\nMORE = 1\n")
        known[:] = versions()
        return [old != new for old, new in zip(before, known, strict=True)]

    assert known == [
        parser_version(f"crawlers.{name}") for name in ("parsers.pages", "parsers.bundled", "dumps.yahoo_dump")
    ]
    assert touched("crawlers/parsers/forums.py") == [True, False, False]
    assert touched("extractors/privacy/phones.py") == [True, True, True]
    assert touched("crawlers/crawling/politeness.py") == [False, False, False], (
        "how a page was fetched is not how it is read"
    )
