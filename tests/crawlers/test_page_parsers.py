"""Traps of the page parsers, on frozen pages in the sites' markup; what each page holds is beside it (``parsed``)."""

import re
from pathlib import Path

import pytest

from crawlers.parsers import algebra, forums, lists, pages, qapage, stackexchange
from crawlers.posts import ParsedThread
from extractors.extraction_errors import ExtractionError
from tests.crawlers.made import read_by

PAGES = Path(__file__).parent / "pages"
ALGEBRA_URL = "https://www.algebra.com/algebra/homework/word/mixtures/Mixture_Word_Problems.faq.question.900001.html"
EMBED_URL = "https://www.algebra.com/cgi-bin/embed-solution.mpl?solution=700020"
SOURCE_URL = "https://www.algebra.com/cgi-bin/show-question-source.mpl?solution=700030"
MATH_URL = "https://math.stackexchange.example/questions/900/boat-on-a-river"


def page(name: str) -> str:
    folder = PAGES / Path(name).stem
    return (folder / f"page{Path(name).suffix}" if folder.is_dir() else PAGES / name).read_text(encoding="utf-8")


def parsed(name: str, url: str = "https://forum.example/t/17") -> ParsedThread:
    thread = pages.parse_thread(page(name), url)
    assert thread is not None
    return thread


def answers(thread: ParsedThread) -> list[tuple[str, str, bool, int | None]]:
    return [(one.answer_id, one.text, one.is_best, one.score) for one in thread.answers]


def test_algebra_page_with_numbered_parts_is_the_question_of_its_address() -> None:
    html = page("algebra.html").replace("Let x =", "<B>Question 2</B>: Let x =")
    thread = pages.parse_thread(html, ALGEBRA_URL)
    assert thread is not None
    assert thread.native_id == "900001"
    assert thread.answers[0].text.startswith("Question 2: Let x =")
    assert pages.parse_thread(html, "https://www.algebra.com/other.html") is None


def test_algebra_source_view_is_no_thread() -> None:
    with pytest.raises(ExtractionError, match="the question has a page of its own") as caught:
        pages.parse_thread(page("algebra-source.html"), SOURCE_URL)
    assert caught.value.code == "no_text"


def test_algebra_listing_links() -> None:
    html, url = page("algebra-listing.html"), ALGEBRA_URL.replace(".question.900001.html", "")
    section = "https://www.algebra.com/algebra/homework/word/mixtures/Mixture_Word_Problems.faq"
    assert algebra.thread_links(html, url) == (f"{section}.question.900001.html", f"{section}.question.900004.html")
    assert algebra.listing_links(html, url) == (
        f"{section}.hide_answers.1.html?beginning=45",
        f"{section}?hide_answers=1&beginning=90",
        "https://www.algebra.com/algebra/homework/word/age/Age_Word_Problems.faq",
    )
    assert algebra.parse_thread(html, url) is None


@pytest.mark.rows(
    ("old", "new", "message"),
    [
        ("Found 2 solutions", "Found 3 solutions", "announces 3 solutions and shows 2"),
        ("Answer by", "Reply of", "announces 2 solutions and shows 0"),
        ("A grocer mixes nuts worth $3 a pound with nuts worth $5 a pound.\n", "", None),
    ],
)
def test_algebra_pages_of_another_form(old: str, new: str, message: str | None) -> None:
    html = page("algebra.html").replace(old, new)
    if message is None:
        assert pages.parse_thread(html, ALGEBRA_URL) is not None
    else:
        with pytest.raises(ExtractionError, match=message):
            pages.parse_thread(html, ALGEBRA_URL)


def test_algebra_answers_that_cannot_be_told_apart() -> None:
    html = re.sub(r"\(Found.*?:\)", "", page("algebra.html"), flags=re.S).replace("Answer by", "Reply of")
    with pytest.raises(ExtractionError, match="cannot be told apart"):
        pages.parse_thread(html, ALGEBRA_URL)


@pytest.mark.rows(
    "html",
    [
        '<script type="application/ld+json">{"@type":"FAQPage","mainEntity":{"@type":"Question","name":"x","acceptedAnswer":{"text":"y"}}}</script>',
        '<script type="application/ld+json">{"@type":"QAPage","mainEntity":[{"@type":"Question","name":"a"},{"@type":"Question","name":"b"}]}</script>',
        '<script type="application/ld+json">{"@context":"https://schema.org","@type":"Quiz","hasPart":{"@type":"Question","text":"x"}}</script>',
        '<script type="application/ld+json">' + "[" * 100_000 + "</script> schema.org Question",
        '<script type="application/ld+json">{"@type":"QAPage","mainEntity":null}</script> schema.org',
        '<p itemscope itemtype="https://schema.org/Question"></p><p itemscope itemtype="https://schema.org/Question"></p>',
        "schema.org Question",
    ],
    ids=["faq", "two", "quiz", "deep", "null", "listing", "words"],
)
def test_pages_that_are_no_question_page(html: str) -> None:
    assert read_by(qapage, html, "https://q.example/1") is None


def test_a_page_does_not_speak_for_another_site() -> None:
    thread = parsed("qapage-linked.html", "https://copycat.example/q/1")
    assert (thread.url, thread.native_id) == ("https://copycat.example/q/1", "q/1")


def test_further_pages_of_a_stack_exchange_thread_are_none() -> None:
    assert pages.parse_thread(page("stackexchange.html"), MATH_URL + "?page=2&tab=votes") is None


def test_stack_exchange_answer_without_text_is_malformed() -> None:
    html = page("stackexchange.html").replace('<div class="s-prose js-post-body" itemprop="text"><p>Add', "<div><p>Add")
    with pytest.raises(ExtractionError, match="answer 901 has no text block"):
        pages.parse_thread(html, MATH_URL)


@pytest.mark.rows(
    ("response", "message"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ('{"error_id": 502, "error_name": "throttle_violation", "error_message": "wait"}', "throttle_violation: wait"),
        ('{"items": 3}', "without items"),
    ],
)
def test_api_responses_that_hold_no_items(response: str, message: str) -> None:
    with pytest.raises(ExtractionError, match=message):
        stackexchange.api_items(response)


def test_api_items_that_were_filtered() -> None:
    item = {"question_id": 5, "title": "T &amp; U", "body": "<p>x<sup>2</sup></p>", "answer_count": 1}
    with pytest.raises(ExtractionError, match="lacks its body or answers; ask with a filter") as caught:
        stackexchange.parse_api_item(item, "https://api.stackexchange.com/2.3/questions/5")
    assert caught.value.code == "truncated"
    thread = stackexchange.parse_api_item(
        {**item, "answer_count": 0, "link": "https://math.stackexchange.com/questions/5/t"},
        "https://api.stackexchange.com/2.3/questions/5",
    )
    assert (thread.question, thread.url) == ("T & U\nx^2", "https://math.stackexchange.com/questions/5/t")
    other = stackexchange.parse_api_item(
        {**item, "answer_count": 0, "link": "https://b.example/5"}, "https://a.example/api"
    )
    assert other.url == "https://a.example/api"


@pytest.mark.rows("name", ["phpbb.html", "xenforo.html", "vbulletin.html", "discourse.html"])
@pytest.mark.rows(
    "url", ["https://b.example/t?page=2", "https://b.example/t?t=1&start=15", "https://b.example/t/page-3"]
)
def test_further_pages_of_a_forum_thread_are_none(name: str, url: str) -> None:
    html = re.sub(r'<link rel="canonical"[^>]*>', "", page(name))
    assert read_by(forums, html, "https://b.example/t?page=1") is not None
    assert read_by(forums, html, url) is None
    assert read_by(forums, html.replace("<head>", '<head><link rel="prev" href="/t">'), "https://b.example/t") is None


@pytest.mark.rows(
    ("old", "new"),
    [
        ('<section class="question"', '<section class="question">x</section><section class="question"'),
        ('<section class="question"', '<section class="story"'),
        ('data-answer-id="52"', ""),
        (
            '<li class="answer" data-answer-id="52"><div class="badge accepted"></div><div class="content">',
            '<li class="answer" data-answer-id="52"><div>',
        ),
        (
            "</ul></body>",
            '</ul><ol><li class="answer" data-answer-id="9"><div class="content">x</div></li></ol></body>',
        ),
        ('<div class="content">37', '<div class="content">a</div><div class="content">37'),
        ("<head>", '<head><link rel="prev" href="/1">'),
    ],
    ids=["two questions", "no question", "no id", "no text", "two lists", "two texts", "further page"],
)
def test_plain_lists_with_a_doubt_are_none(old: str, new: str) -> None:
    html = page("list.html")
    assert old in html
    assert read_by(lists, html.replace(old, new, 1), "https://a.example/1") is None


@pytest.mark.rows(
    "html", ["", " ", "<h1>About</h1>", "<article class='post'><p>5</p></article>", 'answer class="reply"']
)
def test_other_pages_are_none(html: str) -> None:
    assert pages.parse_thread(html, "https://a.example/") is None
