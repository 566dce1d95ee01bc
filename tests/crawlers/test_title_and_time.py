"""The title of a thread by itself and when it was posted, from each kind of source that tells."""

import json
from pathlib import Path

import pytest

from corpus.canonical import content_digest
from crawlers.archives.bounded_streams import RecordError
from crawlers.dumps.stackexchange_dump import read_stack_exchange
from crawlers.dumps.tally import Options, Tally
from crawlers.dumps.yahoo_dump import read_yahoo
from crawlers.parsers import bundled, pages, stackexchange
from crawlers.posts import ParsedThread, to_post
from crawlers.thread_records import post_of, row_of
from tests.crawlers.board_forms import question2answer
from tests.crawlers.dump_files import L6_DOCUMENT, collect, l6_xml, posts_xml, thread_rows
from tests.crawlers.forms import discourse, plain_list, qapage_linked, qapage_marked, stack_exchange, stack_exchange_api
from tests.crawlers.made import made
from tests.crawlers.yahoo_forms import question_id, yahoo_2018

PAGES = Path(__file__).parent / "pages"
THREAD = made(3)  # it has an answer
SITE = "https://board.example/questions/3"
ASKED = '<div class="user-action-time">asked <span title="2012-03-04 05:06:07Z" class="relativetime">once</span></div>'
HEADER = '<time itemprop="dateCreated" datetime="2012-03-04T05:06:07">11 years ago</time>'


def thread_of(html: str, url: str = SITE) -> ParsedThread:
    (thread,) = pages.threads_of(html, url)
    return thread


def test_the_bundled_site_tells_both() -> None:
    thread = bundled.parse_thread((PAGES / "bundled.html").read_text(), SITE)
    assert thread is not None
    assert thread.title
    assert (thread.question.startswith(thread.title), thread.posted_at) == (True, "2015-02-03T10:00:00Z")


def with_before(html: str, mark: str, added: str) -> str:
    """A page with something before the first place where ``mark`` stands."""
    assert mark in html
    return html.replace(mark, added + mark, 1)


LINKED, MARKED, TOPIC, ASKED_THERE = (
    form(THREAD) for form in (qapage_linked, qapage_marked, discourse, stack_exchange)
)
ZONED = '<time itemprop="dateCreated" datetime="2019-03-01T12:00+02:00"></time>'
Q2A = '<time datetime="2011-01-02T03:04:05+0000">x</time>'
PARSED = {
    "JSON-LD": (LINKED, "2019-03-01T10:00:00Z"),
    "microdata": (with_before(MARKED, '<span itemprop="upvoteCount">', ZONED), "2019-03-01T10:00:00Z"),
    "no time": (MARKED, None),
    "no time of ISO": (LINKED.replace("2019-03-01T10:00:00Z", "March 1"), None),
    "a year out of reach": (LINKED.replace("2019-03-01T10:00:00Z", "0001-01-01T00:00+01:00"), None),
    "Discourse": (TOPIC.replace("<time ", '<time datetime="2010-03-12T01:02:03Z" ', 1), "2010-03-12T01:02:03Z"),
    "Discourse, in words": (TOPIC, None),
    "Question2Answer": (
        with_before(question2answer(THREAD), '<div class="qa-q-view-content">', Q2A),
        "2011-01-02T03:04:05Z",
    ),
    "a list": (plain_list(THREAD), None),
    "Stack Exchange": (with_before(ASKED_THERE, "</h1>", HEADER), "2012-03-04T05:06:07Z"),
    "Stack Exchange before": (with_before(ASKED_THERE, '<a href="/questions/tagged', ASKED), "2012-03-04T05:06:07Z"),
    "Stack Exchange, of an answer": (with_before(ASKED_THERE, '<div class="answercell">', HEADER), None),
}


@pytest.mark.rows(("html", "posted_at"), PARSED.values(), ids=PARSED)
def test_a_page_with_a_time(html: str, posted_at: str | None) -> None:
    thread = thread_of(html)
    assert (thread.title, thread.posted_at) == (THREAD.title, posted_at)
    assert thread.question == f"{THREAD.title}\n{THREAD.text}"


def test_a_question_of_yahoo_answers_says_it_by_its_number() -> None:
    url = f"https://answers.yahoo.com/question/index?qid={question_id(THREAD)}"
    assert thread_of(yahoo_2018(THREAD), url).posted_at == "2010-03-01T15:34:00Z"
    wrong = url.replace("20100301", "20101301")
    assert thread_of(yahoo_2018(THREAD), wrong).posted_at is None


def test_the_api_of_stack_exchange() -> None:
    (item,) = stackexchange.api_items(stack_exchange_api(THREAD))
    told = stackexchange.parse_api_item({**item, "creation_date": 1336872377}, SITE)
    assert (told.title, told.posted_at) == (THREAD.title, "2012-05-13T01:26:17Z")
    for said in (None, True, -1, 10**30, "soon"):
        assert stackexchange.parse_api_item({**item, "creation_date": said}, SITE).posted_at is None


def test_the_dumps(tmp_path: Path) -> None:
    (tmp_path / "Posts.xml").write_bytes(posts_xml(*thread_rows()))
    tally = Tally()
    posts, _, failure = collect(
        read_stack_exchange(tmp_path / "Posts.xml", Options(source="math.stackexchange.com"), tally), tally
    )
    assert (failure, [(post.title, post.posted_at) for post in posts]) == (
        "",
        [("How old is Ann?", "2012-05-06T07:08:09Z")],
    )
    (tmp_path / "l6.xml").write_bytes(
        l6_xml(L6_DOCUMENT, L6_DOCUMENT.replace("1126836000", "lately").replace("432", "5"))
    )
    tally = Tally()
    posts, _, failure = collect(read_yahoo(tmp_path / "l6.xml", Options(), tally), tally)
    assert [(post.title, post.posted_at) for post in posts] == [
        ("How old is Ann?", "2005-09-16T02:00:00Z"),
        ("How old is Ann?", None),
    ]


def test_names_are_taken_out_of_a_title() -> None:
    html = qapage_linked(THREAD).replace(
        f'"name": "{THREAD.title}"', '"name": "for math_fan22: mail joe@forum.example"'
    )
    thread = thread_of(html)
    assert thread.title is not None
    assert "joe@" not in thread.title
    assert "math_fan22" not in thread.title


RECORD = {"id": "7", "question": "How old is Ann?\nShe is 9.", "answers": [{"text": "9"}]}


def test_a_record_of_a_file() -> None:
    post, _ = post_of(RECORD | {"title": "How old is Ann?", "posted_at": "2014-05-06T09:08:09+02:00"}, "file:7")
    assert (post.title, post.posted_at) == ("How old is Ann?", "2014-05-06T07:08:09Z")
    assert json.loads(post.model_dump_json())["posted_at"] == "2014-05-06T07:08:09Z"
    in_seconds, _ = post_of(RECORD | {"posted_at": 1336872377}, "file:7")
    assert in_seconds.posted_at == "2012-05-13T01:26:17Z"
    assert post_of(RECORD | {"posted_at": "20140506"}, "file:7")[0].posted_at == "2014-05-06T00:00:00Z"
    with pytest.raises(RecordError, match="posted_at is a float, not a string"):
        post_of(RECORD | {"posted_at": 13.5}, "file:7")
    with pytest.raises(RecordError, match="posted_at 'lately' is not a time in ISO 8601"):
        post_of(RECORD | {"posted_at": "lately"}, "file:7")


def test_a_post_that_tells_neither_keeps_its_digest() -> None:
    row, _ = row_of(RECORD, "file:7")
    post, _ = post_of(RECORD, "file:7")
    assert row["content_sha256"] == content_digest(post)
    assert not {"title", "posted_at"} & post.model_dump().keys()
    dated, _ = row_of(RECORD | {"posted_at": "2014-05-06T07:08:09Z"}, "file:7")
    assert dated["content_sha256"] != row["content_sha256"]
    thread = thread_of(qapage_linked(THREAD))
    assert to_post(thread, "board.example", None).posted_at == "2019-03-01T10:00:00Z"
