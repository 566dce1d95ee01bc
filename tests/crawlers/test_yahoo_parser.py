"""Pages of Yahoo! Answers as archives hold them, in its three markups: traps; what each page holds is beside it."""

from pathlib import Path

import pytest

from crawlers.dumps.archive_pages import read_warc
from crawlers.dumps.tally import Options, Tally
from crawlers.parsers import pages, yahoo
from crawlers.posts import ParsedThread
from extractors.extraction_errors import ExtractionError
from tests.crawlers.dump_files import collect, gzipped, page_record

PAGES = Path(__file__).parent / "pages"
URLS = {
    "2009": "http://answers.yahoo.com/question/index;_ylt=Ai47Sv1;_ylv=3?qid=20100301153400AA8GaqD",
    "2013": "https://uk.answers.yahoo.com/question/index?qid=20140811174309AAb2cD3&sort=O",
    "2018": "https://answers.yahoo.com/question/index?guccounter=1&qid=20200102030405AAb1c2D",
}


def page(form: str) -> str:
    return (PAGES / f"yahoo-{form}" / "page.html").read_text(encoding="utf-8")


def read(form: str, html: str | None = None, url: str | None = None) -> ParsedThread:
    thread = pages.parse_thread(html or page(form), url or URLS[form])
    assert thread is not None
    return thread


def test_a_page_in_a_replay_keeps_the_address_of_the_replay() -> None:
    replay = "https://web.archive.example/web/2014/https://answers.yahoo.com/question/index?qid=20140811174309AAb2cD3"
    thread = read("2013", url=replay)
    assert (thread.native_id, thread.url) == ("20140811174309AAb2cD3", replay)


def test_2013_with_other_wrappers() -> None:
    bare = page("2013").replace('<div data-ya-type="answer" data-ya-question-id', "<div data-ya-question-id")
    assert [(one.text[:3], one.is_best) for one in read("2013", bare).answers] == [
        ("1 -", True), ("[na", False), ("lik", False),
    ]  # fmt: skip
    named = page("2013").replace('id="ya-best-answer"', 'class="ya-best-answer"').replace("ya-q-full-text", "ya-a-text")
    assert [one.is_best for one in read("2013", named).answers] == [True, False, False]


def test_a_best_answer_that_stands_twice_counts_once() -> None:
    html = page("2009")
    start = html.index('<div id="best00AnswerX"')
    block = html[start : html.index('<div id="yan-answers"')]
    thread = read("2009", html.replace('<ul class="shown">', f'<ul class="shown"><li>{block}</li>'))
    assert [one.is_best for one in thread.answers] == [True, False, False]


def test_pages_of_a_web_archive_become_posts_of_their_site(tmp_path: Path) -> None:
    (tmp_path / "a.warc.gz").write_bytes(gzipped(*(page_record(URLS[form], page(form).encode()) for form in URLS)))
    tally = Tally()
    posts, refused, failure = collect(read_warc(tmp_path / "a.warc.gz", Options(), tally), tally)
    assert [(post.post_id, len(post.answers), post.answers[0].is_best) for post in posts] == [
        ("answers.yahoo.com:20100301153400AA8GaqD", 3, True),
        ("uk.answers.yahoo.com:20140811174309AAb2cD3", 3, True),
        ("answers.yahoo.com:20200102030405AAb1c2D", 2, True),
    ]
    assert (refused, failure) == ([], "")


@pytest.mark.rows("form", URLS)
def test_further_pages_of_a_thread_are_none(form: str) -> None:
    assert pages.parse_thread(page(form), URLS[form] + "&page=2") is None
    assert pages.parse_thread(page(form), URLS[form] + "&page=1") is not None


@pytest.mark.rows(
    ("form", "old", "new"),
    [
        ("2009", '<div class="content">18 hens', "<div>18 hens"),
        ("2013", '<span itemprop="text" class="ya-q-full-text">like', "<span>like"),
        ("2018", '<div class="ExpandableContent__content___2Iw4v "><p>120', "<div><p>120"),
    ],
)
def test_an_answer_without_text_is_malformed(form: str, old: str, new: str) -> None:
    assert old in page(form)
    with pytest.raises(ExtractionError, match=r"answer \d has no text block"):
        read(form, page(form).replace(old, new))


@pytest.mark.rows(
    "html",
    [
        '<ul id="yan-questions"><li class="answer">3</li></ul>',
        '<div id="ya-question-detail"><p>gone</p></div>',
        '<div id="yan-question"><h2>This question has been deleted</h2></div>',
        '<h2 class="Question__title___1">x</h2><ul class="AnswersList__answersList___2"></ul>',
    ],
)
def test_other_pages_of_the_site_are_none(html: str) -> None:
    assert pages.parse_thread(html, "https://answers.yahoo.com/question/index?qid=20100301153400AA8GaqD") is None


def test_a_question_without_answers_or_text_is_its_title() -> None:
    html = '<div id="ya-question-detail"><h1>What is 12 x 12?</h1></div>'
    thread = read("2013", html, "https://answers.yahoo.com/question/index?qid=20140811174309AAb2cD3")
    assert (thread.question, thread.answers, thread.question_html) == ("What is 12 x 12?", (), None)
    assert yahoo.parse_thread("<p>no", "https://answers.yahoo.com/") is None
