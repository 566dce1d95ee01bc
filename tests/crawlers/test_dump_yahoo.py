"""The L6 collection and its JSON form: every document a thread or a reason, streamed, damage named."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from corpus.reasons import Reason
from corpus.records import Post
from crawlers.dumps.tally import Options, Tally
from crawlers.dumps.yahoo_dump import read_yahoo
from crawlers.thread_records import RejectedLine
from tests.crawlers.dump_files import L6_DOCUMENT, collect, l6_xml

ITEM = {
    "main_category": "Education & Reference",
    "question": "How old is Ann if she is twice 9?",
    "nbestanswers": ["18, I think", "2 * 9 = 18 <br /> mail tom@forum.example"],
    "answer": "2 * 9 = 18 <br /> mail tom@forum.example",
    "id": "2020338",
}


def read(path: Path, options: Options | None = None) -> tuple[list[Post], list[RejectedLine], Tally, str]:
    tally = Tally()
    posts, refused, failure = collect(read_yahoo(path, options or Options(), tally), tally)
    return posts, refused, tally, failure


def file(tmp_path: Path, content: bytes | list[Any]) -> Path:
    path = tmp_path / "FullOct2007.xml"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def test_a_document_is_a_thread_with_the_best_answer_once_and_first(tmp_path: Path) -> None:
    (post,), refused, _, failure = read(
        file(tmp_path, l6_xml(L6_DOCUMENT)), Options(retrieved_at="2020-01-01T00:00:00Z")
    )
    assert (refused, failure) == ([], "")
    assert (post.post_id, post.source, post.url, post.license) == ("yahoo-l6:432470", "yahoo-l6", None, None)
    assert post.question == "How old is Ann?\nShe is twice as old as Bob, who is 9.\nThanks"
    assert [(one.text, one.is_best) for one in post.answers] == [("2*9 = 18", True), ("no idea", False)]
    assert post.tags == ("Science", "Mathematics")
    assert post.retrieved_at == "2020-01-01T00:00:00Z"


def test_a_best_answer_that_is_not_among_the_others_comes_first(tmp_path: Path) -> None:
    without = L6_DOCUMENT.replace("<answer_item>2*9 = 18</answer_item>", "")
    assert [one.text for one in read(file(tmp_path, l6_xml(without)))[0][0].answers] == ["2*9 = 18", "no idea"]
    only = L6_DOCUMENT.replace("<bestanswer>2*9 = 18</bestanswer>", "")
    assert [one.is_best for one in read(file(tmp_path, l6_xml(only)))[0][0].answers] == [False, False]


def test_categories_choose_documents(tmp_path: Path) -> None:
    other = L6_DOCUMENT.replace("Mathematics", "Astronomy").replace("432470", "5")
    path = file(tmp_path, l6_xml(other, L6_DOCUMENT))
    posts, _, tally, _ = read(path, Options(tags=frozenset(("mathematics",))))
    assert [post.post_id for post in posts] == ["yahoo-l6:432470"]
    assert dict(tally.refused) == {Reason.NOT_CHOSEN: 1}


def test_the_json_form(tmp_path: Path) -> None:
    (post,), _, tally, failure = read(file(tmp_path, [ITEM]))
    assert (post.post_id, failure) == ("yahoo-nfl6:2020338", "")
    assert post.question == ITEM["question"]
    texts = [(one.text, one.is_best) for one in post.answers]
    assert texts == [("2 * 9 = 18\nmail [mail]", True), ("18, I think", False)]
    assert post.tags == ("Education & Reference",)
    assert tally.removed.mails == 1


def test_a_record_with_a_key_twice_is_refused_and_the_rest_is_read(tmp_path: Path) -> None:
    doubled = json.dumps(ITEM)[:-1] + ', "more": {"a": 1, "a": 2}}'
    posts, refused, tally, failure = read(file(tmp_path, f"[{doubled}, {json.dumps(ITEM | {'id': '9'})}]".encode()))
    assert ([post.post_id for post in posts], failure) == (["yahoo-nfl6:9"], "")
    assert dict(tally.refused) == {Reason.MALFORMED_LINE: 1}
    assert 'xml#1: the key "a" comes twice in one object; keep one of the two' in str(refused[0])


def test_json_is_read_across_chunks_whatever_their_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    items = [ITEM | {"id": str(number), "question": "é" * number} for number in range(1, 60)]
    whole = read(file(tmp_path, items))[0]
    monkeypatch.setattr("crawlers.dumps.yahoo_dump.CHUNK", 7)
    assert read(file(tmp_path, items))[0] == whole
    assert len(whole) == 59
    packed = tmp_path / "nfL6.json.gz"
    packed.write_bytes(gzip.compress(json.dumps(items).encode()))
    assert read(packed)[0] == whole


BAD_DOCUMENTS = [
    ("no id", L6_DOCUMENT.replace("432470", ""), Reason.MALFORMED_LINE, "id '' is unusable"),
    ("no text", "<document><uri>5</uri></document>", Reason.NO_TEXT, "neither title nor question"),
    ("many", L6_DOCUMENT.replace("<nbestanswers>", "<nbestanswers>" + "<answer_item>7</answer_item>" * 501),
     Reason.TOO_LARGE, "has 503 answers; at most 500"),
    ("large", L6_DOCUMENT.replace("Thanks", "x" * (5 << 20)), Reason.TOO_LARGE, "document of more than"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("document", "reason", "message"), [case[1:] for case in BAD_DOCUMENTS], ids=[case[0] for case in BAD_DOCUMENTS]
)
def test_bad_documents_are_named_and_the_rest_is_read(
    document: str, reason: Reason, message: str, tmp_path: Path
) -> None:
    posts, refused, _, failure = read(file(tmp_path, l6_xml(document, L6_DOCUMENT)))
    assert [post.post_id for post in posts] == ["yahoo-l6:432470"]
    assert [one.reason for one in refused] == [reason]
    assert message in refused[0].message
    assert refused[0].where == f"{tmp_path}/FullOct2007.xml:3"
    assert failure == ""


def test_bad_items_are_named_and_the_rest_is_read(tmp_path: Path) -> None:
    bad = [7, ITEM | {"id": "a b"}, ITEM | {"nbestanswers": [3]}, ITEM | {"question": ""}, ITEM | {"question": [1]}]
    posts, refused, _, failure = read(file(tmp_path, [*bad, ITEM]))
    assert ([post.post_id for post in posts], failure) == (["yahoo-nfl6:2020338"], "")
    assert [one.where.rpartition("#")[2] for one in refused] == ["1", "2", "3", "4", "5"]
    assert refused[3].reason == Reason.NO_TEXT


HOSTILE = [
    (l6_xml(L6_DOCUMENT, L6_DOCUMENT)[:-300], 1, "damaged or cut short"),
    (l6_xml(L6_DOCUMENT).replace(b"<ystfeed>", b'<!DOCTYPE ystfeed [<!ENTITY a "b">]><ystfeed>'), 0, "has a DOCTYPE"),
    (b"<ystfeed>" + b"<a>" * 100_000, 0, "nested deeper than 64"),
    (b"<posts/>", 0, "<posts> where <ystfeed> should be"),
    (json.dumps([ITEM, ITEM]).encode()[:-40], 1, "#2: damaged, cut short or too large"),
    (json.dumps([ITEM]).encode()[:-1], 1, "#1: damaged or cut short: ends in the middle of the array"),
    (json.dumps([ITEM]).encode() + b"[]", 1, "something follows the end of the array"),
    (b"[" * 100_000, 0, "#1: damaged"),
    (b'[{"id": "' + b"x" * (6 << 20), 0, "#1: damaged, cut short or too large"),
]


@pytest.mark.parametrize(("content", "count", "message"), HOSTILE)
def test_damage_is_one_clear_error_and_what_was_read_stays(
    content: bytes, count: int, message: str, tmp_path: Path
) -> None:
    posts, _, _, failure = read(file(tmp_path, content))
    assert len(posts) == count
    assert message in failure
    assert "\n" not in failure
