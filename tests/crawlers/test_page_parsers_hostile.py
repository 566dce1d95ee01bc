"""Whatever a page holds, a parser gives a thread, nothing, or a named error, and soon."""

import contextlib
import json
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawlers.parsers import algebra, forums, lists, pages, qapage, stackexchange, yahoo
from extractors.extraction_errors import ExtractionError
from tests.crawlers.made import read_by
from tests.growth.counting import assert_bounded
from tests.tiers import in_turn

FOLDER = Path(__file__).parent / "pages"
PAGES = {
    path.relative_to(FOLDER).as_posix(): path.read_bytes().decode("utf-8", "replace")
    for path in sorted(FOLDER.rglob("*.*"))
    if path.suffix in (".html", ".js")
}
URL = "https://forum.example/t/17"
ALGEBRA_URL = "https://www.algebra.com/x.faq.question.1.html"
PARSERS = [
    *(parser.parse_thread for parser in (algebra, pages, stackexchange, yahoo)),
    *(partial(read_by, parser) for parser in (forums, lists, qapage)),
]

LEAVES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=12), st.just("Question"))
FIELDS = "@type @id @graph text name url author comment upvoteCount mainEntity acceptedAnswer suggestedAnswer license"
KEYS = st.sampled_from(FIELDS.split())
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=20
)


def survive(html: str, url: str = URL) -> None:
    """Every parser gives a thread with a question and an id, nothing, or an ExtractionError."""
    for parser in PARSERS:
        with contextlib.suppress(ExtractionError):
            thread = parser(html, url)
            assert thread is None or (thread.question.strip() and thread.native_id)


@given(st.sampled_from(sorted(PAGES)), st.data())
@settings(max_examples=150, deadline=None)
def test_pages_with_pieces_lost_doubled_or_moved(name: str, data: st.DataObject) -> None:
    html = PAGES[name]
    start = data.draw(st.integers(0, len(html)))
    end = data.draw(st.integers(start, min(len(html), start + 400)))
    target = data.draw(st.integers(0, len(html)))
    piece = html[start:end]
    changed = data.draw(
        st.sampled_from([html[:start] + html[end:], html[:target] + piece + html[target:], html[:end], piece + "<"])
    )
    survive(changed, data.draw(st.sampled_from([URL, ALGEBRA_URL, ALGEBRA_URL + "?show-question-source.mpl"])))


@given(JSON, JSON)
@settings(max_examples=200, deadline=None)
def test_any_json_in_a_page_or_a_response(question: object, answers: object) -> None:
    entity = {"@type": "Question", "name": question, "text": question, "suggestedAnswer": answers, "author": answers}
    data = {"@context": "https://schema.org", "@type": "QAPage", "license": question, "mainEntity": entity}
    survive(f'<script type="application/ld+json">{json.dumps(data)}</script>')
    item = {"question_id": question, "body": question, "title": answers, "answers": answers, "tags": question}
    with contextlib.suppress(ExtractionError):
        for row in stackexchange.api_items(json.dumps({"items": [item, answers]})):
            stackexchange.parse_api_item(row, URL)


BRAKE = "data-questionid= schema.org Question answer message--post "


@pytest.mark.rows(
    "html",
    in_turn(
        [
            '<div class="question answer body">' * 200 + "x",
            '<div itemscope itemtype="https://schema.org/Question" itemprop="text suggestedAnswer">' * 200,
            '<p itemscope itemtype="https://schema.org/Question"><b itemprop="text">1</b></p>' * 4_000,
            "<article class='message message--post' id='post-1'><div class='bbWrapper'>x</div></article>" * 2_000,
            '<div class="post" id="p1"><div class="content">' * 120 + "x",
            '<script type="application/ld+json">'
            + '{"@type":"QAPage","mainEntity":' * 900
            + "0"
            + "}" * 900
            + "</script>",
            '<script type="application/ld+json">[' + ",".join(['{"@type":"Question"}'] * 10_000) + "]</script>",
            'document.write( "Question 1: ' + '\\n\\"' * 8_000 + '" );',
            "document.write( " * 10_000,
            "<B>Question 1</B>: " + "Answer by x(1)<BR>" * 4_000,
            "<B>Question 1</B>: (Found 2 solutions by " + "a, " * 40_000,
            "<b>Question 1</b> You can put this solution " * 4_000,
            '<a href="' + "show-question-source.mpl?" * 20_000 + '">x</a>',
            "<i>Question " * 100 + "9 " * 40_000,
            '<x class="' + "answer " * 60_000 + '">',
            '<div id="ya-question-detail"><h1>q</h1>' + '<span class="ya-q-text">x</span>' * 4_000,
            '<div id="ya-question-detail"><h1>q</h1>' + '<div data-ya-type="answer"><b class="ya-q-full-text">' * 150,
            '<div id="yan-question"><h1 class="subject">q</h1>'
            + '<div class="answer"><div class="qa-container content">' * 150,
            '<div class="qa-q-view"></div>' + '<div class="qa-a-list-item"><p class="qa-a-item-content">' * 150,
            '<h1 class="Question__title___1">q</h1><ul class="AnswersList__answersList___1">' + "<li>x" * 4_000,
            '<li class="answer" id="a1"><p class="body">x</p></li>' * 4_000
            + '<div class="question"><p class="body">q</p></div>',
        ],
        6,
    ),
    ids=lambda text: text[:24],
)
def test_hostile_pages_are_read_in_linear_time(html: str) -> None:
    def sixteen_readings() -> None:
        survive(BRAKE + html)
        survive(html, ALGEBRA_URL)

    assert_bounded(sixteen_readings, len(html))
