"""Every form of page that is read, many threads each: posts, answers, order, best answer and score as they were made."""

import json

import pytest

from crawlers.parsers import algebra, pages
from crawlers.parsers.stackexchange import api_items, parse_api_item
from crawlers.posts import ParsedThread
from tests.crawlers.board_forms import BOARD_FORMS, VOTED
from tests.crawlers.forms import (
    COUNT,
    FORMS,
    WITHOUT_IDS,
    algebra_embedded,
    algebra_question,
    native_id,
    threads_of,
    wanted,
)
from tests.crawlers.made import AUTHORS, Made, made

THREADS = tuple(made(number) for number in range(COUNT))
ALGEBRA = "https://www.algebra.com/algebra/homework/word/age/Age.faq.question.{}.html"


def read(thread: ParsedThread | None) -> tuple[object, ...]:
    assert thread is not None
    return thread.question, [(one.text, one.is_best, one.score) for one in thread.answers]


def parse(form: str, thread: Made) -> ParsedThread | None:
    text, url = FORMS[form](thread), f"https://forum.example/{form}/{thread.number}"
    if form == "stack-exchange-api":
        (item,) = api_items(text)
        return parse_api_item(item, url)
    return pages.parse_thread(text, url)


@pytest.mark.rows("form", FORMS)
def test_every_thread_of_a_form(form: str) -> None:
    different = [
        (want, got)
        for thread in threads_of(form)
        if (want := wanted(thread, form)) != (got := read(parse(form, thread)))
    ]
    assert different == []


@pytest.mark.rows("form", BOARD_FORMS)
def test_every_thread_of_a_software(form: str) -> None:
    for thread in (one for one in THREADS if one.answers or form not in VOTED):
        parsed = pages.parse_thread(BOARD_FORMS[form](thread), f"https://board.example/{form}/t{thread.number}")
        answers = [
            (one.text.strip("\n"), one.best and form in VOTED, one.score if form in VOTED else None)
            for one in thread.answers
        ]
        assert read(parsed) == (f"{thread.title}\n{thread.text}", answers)
        assert parsed is not None
        assert [one.answer_id for one in parsed.answers] == [one.id for one in thread.answers]
        assert not [author for author in AUTHORS if author in repr(parsed)]


@pytest.mark.rows(
    ("form", "first", "other"),
    [
        ("simple-machines", "index.php?topic=12.0", "index.php?topic=12.15"),
        ("simple-machines", "index.php?topic=12.0", "index.php?topic=12.msg345"),
        ("mybb", "thread-101.html", "thread-101-page-4.html"),
        ("mybb", "showthread.php?tid=12", "showthread.php?tid=12&pid=345"),
        ("vanilla", "discussion/12/x", "discussion/12/x/p2"),
        ("vanilla", "discussion/12/x/p1", "discussion/12/x/p3"),
        ("invision", "topic/12-x/", "topic/12-x/page/2/"),
        ("invision", "topic/12-x", "topic/12-x/page__st__20"),
        ("bbpress", "forums/topic/x/", "forums/topic/x/page/2/"),
        ("question2answer", "12/x", "12/x?start=10"),
        ("dw-question-answer", "question/x", "question/x?ans-page=2"),
    ],
)
def test_further_pages_of_a_software_are_none(form: str, first: str, other: str) -> None:
    html = BOARD_FORMS[form](THREADS[2])
    assert pages.parse_thread(html, f"https://board.example/{first}") is not None
    assert pages.parse_thread(html, f"https://board.example/{other}") is None


@pytest.mark.rows(
    ("form", "other"),
    [
        ("phpbb", "viewtopic.php?f=3&p=345"),
        ("phpbb", "viewtopic.php?t=12&sd=d"),
        ("vbulletin3", "showthread.php?p=345"),
        ("vbulletin3", "showthread.php?t=12&goto=newpost"),
        ("vbulletin3", "showpost.php?p=345&postcount=7"),
    ],
)
def test_addresses_of_one_post_are_none(form: str, other: str) -> None:
    html = FORMS[form](THREADS[2])
    assert pages.parse_thread(html, "https://board.example/viewtopic.php?t=12") is not None
    assert pages.parse_thread(html, f"https://board.example/{other}") is None


@pytest.mark.rows("form", FORMS)
def test_no_author_is_kept(form: str) -> None:
    for thread in threads_of(form)[:40]:
        parsed = parse(form, thread)
        assert parsed is not None
        said = json.dumps([parsed.question, [one.text for one in parsed.answers], parsed.attribution])
        assert not [author for author in AUTHORS if author in said]


@pytest.mark.rows("form", sorted(set(FORMS) - {"stack-exchange-api"}))
@pytest.mark.rows("home", ["/", "https://forum.example", "https://forum.example/#top"])
def test_a_site_whose_pages_all_name_its_home_page_has_more_threads_than_one(form: str, home: str) -> None:
    ids = set()
    for thread in THREADS[1:4]:
        html = FORMS[form](thread).replace("<head>", f'<head><link rel="canonical" href="{home}">')
        url = f"https://forum.example/t/{thread.number}"
        found = pages.parse_thread(html, url)
        assert found is not None
        assert found.url == url
        ids.add(found.native_id)
    assert len(ids) == 3


@pytest.mark.rows("form", sorted(set(FORMS) - WITHOUT_IDS))
def test_threads_and_answers_keep_their_ids(form: str) -> None:
    for thread in threads_of(form):
        parsed = parse(form, thread)
        assert parsed is not None
        assert parsed.native_id == native_id(thread, form)
        assert {one.answer_id for one in parsed.answers} == {one.id for one in thread.answers}


def test_algebra_question_pages() -> None:
    for thread in THREADS:
        parsed = algebra.parse_thread(algebra_question(thread), ALGEBRA.format(thread.number + 1))
        assert parsed is not None
        assert parsed.native_id == str(thread.number + 1)
        assert parsed.question == thread.text
        assert [one.answer_id for one in parsed.answers] == [one.id for one in thread.answers]
        texts = [one.text.strip().replace("= 9", "= {{{9}}}") for one in thread.answers]
        assert [one.text for one in parsed.answers] == texts


def test_algebra_embedded_solutions() -> None:
    for thread in (one for one in THREADS if one.answers):
        one = thread.answers[0]
        url = f"https://www.algebra.com/cgi-bin/embed-solution.mpl?solution={one.id}"
        parsed = pages.parse_thread(algebra_embedded(thread), url)
        assert parsed is not None
        assert parsed.native_id == f"{thread.number + 1}-{one.id}"
        assert parsed.question == thread.text
        assert [(answer.answer_id, answer.text) for answer in parsed.answers] == [(one.id, one.text.strip())]
