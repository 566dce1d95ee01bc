"""The page parser on frozen pages, one small test per field."""

from pathlib import Path

import pytest

from crawlers.parsers.bundled import next_link, parse_thread, thread_links
from crawlers.posts import ParsedThread, Removed, join_title, to_post
from extractors.extraction_errors import ExtractionError

PAGES = Path(__file__).parent / "pages"
URL = "http://127.0.0.1:1/questions/ages-900"


def page(name: str) -> str:
    return (PAGES / name).read_bytes().decode("utf-8", "replace")


def parsed(html: str) -> ParsedThread:
    thread = parse_thread(html, URL)
    assert thread is not None
    return thread


@pytest.fixture(scope="module")
def thread() -> ParsedThread:
    return parsed(page("bundled.html"))


def test_native_id(thread: ParsedThread) -> None:
    assert thread.native_id == "ages-900"


def test_url_is_the_canonical_address(thread: ParsedThread) -> None:
    assert thread.url == "https://forum.wordquarry.example/questions/ages-900"


def test_license(thread: ParsedThread) -> None:
    assert thread.license == "CC BY-SA 4.0"


def test_attribution_names_no_author(thread: ParsedThread) -> None:
    assert thread.attribution == "Word Problem Forum contributors, https://forum.wordquarry.example/questions/ages-900"


def test_question_is_title_and_body(thread: ParsedThread) -> None:
    assert thread.question == (
        "How old is Mia? (homework)\n"
        "Mia is 3 years younger than twice Leo's age; x^2 is not needed. Mail me at [mail]\n\n"
        "How old is Mia if Leo is 8?"
    )


def test_question_html_keeps_markup_and_no_mail(thread: ParsedThread) -> None:
    assert thread.question_html is not None
    assert "<b>3</b> years" in thread.question_html
    assert "x<sup>2</sup>" in thread.question_html
    assert "mail.example" not in thread.question_html


def test_answers_stand_in_page_order(thread: ParsedThread) -> None:
    assert [answer.answer_id for answer in thread.answers] == ["1", "2", "3"]


def test_answer_texts(thread: ParsedThread) -> None:
    assert [answer.text for answer in thread.answers] == [
        "Tom cruise knows lol",
        "2(8) − 3 = 13\nMia is 13.\n\n[name] call [phone] if stuck\n[name]",
        "m = 2L - 3\n  = 13",
    ]


def test_best_answer(thread: ParsedThread) -> None:
    assert [answer.is_best for answer in thread.answers] == [False, True, False]


def test_scores(thread: ParsedThread) -> None:
    assert [answer.score for answer in thread.answers] == [-2, 7, 0]


def test_tags(thread: ParsedThread) -> None:
    assert thread.tags == ("ages", "word problem")


def test_removed_is_counted(thread: ParsedThread) -> None:
    assert thread.removed == Removed(mails=1, phones=1, names=2)


def test_nothing_of_sidebar_footer_or_authors_is_kept(thread: ParsedThread) -> None:
    everything = to_post(thread, "bundled", "2026-01-01T00:00:00Z").model_dump_json()
    for foreign in ("Two pipes", "Related", "555-0199", "board@", "QED_lady", "math_fan22", "guest_4471", "Log in"):
        assert foreign not in everything


def test_broken_page_gives_the_same_thread(thread: ParsedThread) -> None:
    broken = parsed(page("bundled-broken.html"))
    for field in ("native_id", "url", "license", "question", "answers", "tags"):
        assert getattr(broken, field) == getattr(thread, field)


def test_title_that_repeats_the_beginning_is_left_out() -> None:
    alone = parsed(page("bundled-no-answers.html"))
    assert alone.question.startswith("Mia is 3 years younger than twice Leo's age")
    assert alone.answers == ()


@pytest.mark.rows(
    ("title", "body", "question"),
    [
        ("Ages", "", "Ages"),
        ("", "x = 9", "x = 9"),
        ("x = 9?", "X=9, why", "X=9, why"),
        ("x = 9", "x = 8", "x = 9\nx = 8"),
        ("Solve", "Please solve", "Solve\nPlease solve"),
    ],
)
def test_join_title(title: str, body: str, question: str) -> None:
    assert join_title(title, body) == question


def test_listing_links_and_next_page() -> None:
    html = page("bundled-listing.html")
    assert thread_links(html) == tuple("/q/4" if n == 4 else f"/questions/t-{n}" for n in range(25))
    assert next_link(html) == "/questions?page=2"


@pytest.mark.rows("html", ["", "  ", "<h1>Members only</h1>", "plain", page("bundled-listing.html")])
def test_other_pages_are_no_threads(html: str) -> None:
    assert parse_thread(html, URL) is None


@pytest.mark.rows(
    ("old", "new", "message"),
    [
        ('data-thread-id="ages-900"', "", "without a usable data-thread-id"),
        ('data-thread-id="ages-900"', 'data-thread-id="../x"', "without a usable data-thread-id"),
        ('<div class="question">', "<div>", "without a question block"),
        ('<span class="vote-count">7</span>', '<span class="vote-count">7k</span>', "score '7k', not a number"),
        ("<h2>3 answers</h2>", "<h2>4 answers</h2>", "announces 4 answers and shows 3"),
        ('data-answer-id="2"', 'data-answer-id="1"', "two answers with one id"),
        ('data-answer-id="2"', "", "an answer without id"),
    ],
)
def test_malformed_pages_are_named(old: str, new: str, message: str) -> None:
    html = page("bundled.html")
    assert old in html
    with pytest.raises(ExtractionError, match=message) as caught:
        parse_thread(html.replace(old, new, 1), URL)
    assert str(caught.value).startswith(URL)
