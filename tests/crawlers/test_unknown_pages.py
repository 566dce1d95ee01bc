"""Pages of sites whose software nobody knows: threads are found, what only looks like one is left alone, nothing is wrong."""

import pytest

from crawlers.parsers import lists, pages
from crawlers.parsers.lists import role_of
from tests.crawlers.made import AUTHORS, Made, made, read_by
from tests.crawlers.unknown_forms import LAYOUTS, OTHERS, SILENT, Other, bem, best_apart, hashed, other_page
from tests.crawlers.yahoo_forms import best_first

URL = "https://unknown.example/math/{}"
THREADS = tuple(thread for thread in map(made, range(60)) if thread.answers)
MARKED = frozenset(("bem", "hashed", "camel", "osqa", "best_apart"))
COUNTED = MARKED - {"best_apart"}


@pytest.mark.rows("name", sorted(set(LAYOUTS) - SILENT))
def test_threads_of_a_layout_are_read_as_they_were_made(name: str) -> None:
    for thread in THREADS:
        parsed = pages.parse_thread(LAYOUTS[name](thread), URL.format(thread.number))
        assert parsed is not None
        answers = best_first(thread) if name == "best_apart" else thread.answers
        assert parsed.question == f"{thread.title}\n{thread.text}"
        assert [one.text for one in parsed.answers] == [one.text.strip("\n") for one in answers]
        assert [one.is_best for one in parsed.answers] == [one.best and name in MARKED for one in answers]
        assert [one.score for one in parsed.answers] == [one.score if name in COUNTED else None for one in answers]
        assert not [author for author in AUTHORS if author in repr(parsed)]


@pytest.mark.rows("name", sorted(SILENT))
def test_layouts_that_say_too_little_are_left_alone(name: str) -> None:
    assert {pages.parse_thread(LAYOUTS[name](thread), URL.format(1)) for thread in THREADS} == {None}


@pytest.mark.rows("other", OTHERS, ids=[other.name for other in OTHERS])
def test_what_only_looks_like_a_thread_is_left_alone(other: Other) -> None:
    assert pages.parse_thread(other_page(other), URL.format(1)) is None


def damaged(thread: Made, old: str, new: str) -> str:
    html = bem(thread)
    assert old in html
    return html.replace(old, new, 1)


@pytest.mark.rows(
    ("old", "new"),
    [
        ('class="answer__body"', 'class="it"'),
        ('class="answer__body">', 'class="answer__body"></div><div class="answer__text">'),
        ("</article><article", "</article></div><div><article"),
        ('<article class="answer" ', '<div class="answer" '),
        ('class="question__body"', 'class="it"'),
        ('<div class="question">', '<div class="question"><div class="question__text">x</div>'),
        ('<div class="question">', '<div class="question"><p class="question-text">x</p></div><div class="question">'),
    ],
    ids=["no text", "two texts", "two lists", "two tags", "no question", "two question texts", "two questions"],
)
def test_one_doubt_is_enough(old: str, new: str) -> None:
    thread = made(2)
    assert len(thread.answers) == 4
    assert read_by(lists, bem(thread), URL.format(2)) is not None
    assert read_by(lists, damaged(thread, old, new), URL.format(2)) is None


def test_a_best_answer_that_stands_twice_counts_once() -> None:
    thread = next(thread for thread in THREADS if len(thread.answers) == 4 and thread.answers[0].best)
    html = best_apart(thread)
    block = html[html.index('<div class="answer best"') : html.index('</div><div class="rest">')]
    parsed = read_by(lists, html.replace('<div class="rest">', f'<div class="rest">{block}'), URL.format(1))
    assert parsed is not None
    assert [one.is_best for one in parsed.answers] == [True, False, False, False]


def test_the_place_to_write_an_answer_is_none() -> None:
    form = '<article class="answer"><div class="answer__body"><textarea></textarea></div><a href="/users/5">you</a>'
    parsed = read_by(
        lists,
        damaged(made(2), '<div class="answers-list">', f'<div class="answers-list">{form}</article>'),
        URL.format(1),
    )
    assert parsed is not None
    assert len(parsed.answers) == 4


def test_further_pages_are_left_alone() -> None:
    assert read_by(lists, bem(made(2)), URL.format("t?page=1")) is not None
    assert read_by(lists, bem(made(2)), URL.format("question-17.html")) is not None
    assert read_by(lists, bem(made(2)), URL.format("t?page=2")) is None
    assert read_by(lists, bem(made(2)), URL.format("t/page/2")) is None


def test_hashes_of_a_build_say_nothing() -> None:
    assert [role_of(name) for name in ("Answer_item__x9Y1z", "Answer__item___3kPq2", "answer__body")] == [
        "answer", "answer", "answer text",
    ]  # fmt: skip
    assert role_of("Answer_item__later") == ""
    assert "Answer_item__x9Y1z" in hashed(made(2))


BLOG = "".join(
    f'<div class="post" id="post-{number}"><h2>How to solve {number}</h2><div class="content">Take {number}.</div></div>'
    for number in range(3)
)
FOUND = "".join(
    f'<div class="post-{number} {kind} type-{kind}"><div class="bbp-{kind}-content">What is {number}?</div></div>'
    for number, kind in ((7, "topic"), (8, "reply"))
)


@pytest.mark.rows(
    "html",
    [
        f'<h1>My blog</h1><div class="post_wrapper postbody">{BLOG}</div>',
        f'<h1>My blog</h1><div class="post_body">{BLOG}</div>',
        f'<h1>Found</h1><ul class="forums bbp-search-results">{FOUND}</ul>',
        '<ul><li class="ItemDiscussion" id="Discussion_1"><p class="Title">x</p></li></ul>',
        '<div class="qa-q-list-item">x</div><div class="qa-a-list-item" id="a1"><p class="qa-a-item-content">y</p></div>',
    ],
    ids=["blog", "another blog", "search", "list of discussions", "answers of a user"],
)
def test_names_of_software_alone_make_no_thread(html: str) -> None:
    assert pages.parse_thread(html, URL.format(1)) is None
