"""Posts from JSON Lines: what is read, and one line for everything that cannot be."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from corpus.canonical import content_digest, with_digest
from corpus.errors import InputError
from corpus.folders.files import Folder
from corpus.post_store.deposit import Deposit
from corpus.post_store.store import PostStore, StoreSizes
from corpus.reasons import Reason
from crawlers.ingest import IngestResult, LineReading, deposit_posts, read_posts

GOOD = {"id": "a", "question": "2 + 2?", "answers": [{"text": "4"}]}


def write(tmp_path: Path, *rows: Any) -> Path:
    path = tmp_path / "posts.jsonl"
    lines = (row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows)
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


def test_the_least_a_record_needs(tmp_path: Path) -> None:
    (post,) = read_posts(write(tmp_path, GOOD)).posts
    assert (post.post_id, post.source, post.question) == ("file:a", "file", "2 + 2?")
    assert [(answer.answer_id, answer.text) for answer in post.answers] == [("1", "4")]
    assert post.content_sha256 == content_digest(post)
    assert post.retrieved_at is None


def test_everything_a_record_may_hold(tmp_path: Path) -> None:
    row = {
        "id": 7,
        "source": "Forum",
        "url": "https://forum.example/7",
        "retrieved_at": "2024-05-06T07:08:09+02:00",
        "license": "CC BY-SA 4.0",
        "attribution": "Forum contributors",
        "question": "q",
        "question_html": "<p>q",
        "tags": ["ages"],
        "answers": [{"text": "x", "answer_id": 12, "is_best": True, "score": -3, "author": "Tom"}],
        "gold_answer": "9",
        "in_scope": True,
        "author": "Ann",
    }
    (post,) = read_posts(write(tmp_path, row)).posts
    expected = {name: row[name] for name in ("url", "license", "attribution", "question", "question_html")}
    dumped = post.model_dump()
    assert {name: dumped[name] for name in expected} == expected
    assert post.post_id == "forum:7"
    assert post.retrieved_at == "2024-05-06T05:08:09Z"
    assert post.tags == ("ages",)
    assert post.answers[0].model_dump() == {"answer_id": "12", "text": "x", "is_best": True, "score": -3}
    assert "Tom" not in post.model_dump_json()
    assert "Ann" not in post.model_dump_json()


def test_a_post_that_was_exported_is_read_back_unchanged(tmp_path: Path) -> None:
    (post,) = read_posts(write(tmp_path, GOOD), source="gsm8k").posts
    (again,) = read_posts(write(tmp_path, post.model_dump(mode="json"))).posts
    assert again == post


def test_mails_and_phones_are_removed(tmp_path: Path) -> None:
    row = GOOD | {"question": "2 + 2? mail a@b.example", "answers": [{"text": "4, call 555-123-4567"}]}
    result = read_posts(write(tmp_path, row))
    assert result.posts[0].question == "2 + 2? mail [mail]"
    assert result.posts[0].answers[0].text == "4, call [phone]"
    assert (result.removed.mails, result.removed.phones) == (1, 1)


def test_order_of_lines_does_not_matter(tmp_path: Path) -> None:
    rows = [GOOD | {"id": name} for name in "cab"]
    assert read_posts(write(tmp_path, *rows)).posts == read_posts(write(tmp_path, *reversed(rows))).posts


def test_identical_duplicates_are_merged(tmp_path: Path) -> None:
    result = read_posts(write(tmp_path, GOOD, GOOD | {"gold_answer": "4"}, b"", GOOD))
    assert (len(result.posts), result.merged) == (1, 2)


def test_an_id_with_two_contents_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD, GOOD | {"question": "3 + 3?"})
    with pytest.raises(InputError, match=r"posts\.jsonl:2: id file:a has different content than at .*posts\.jsonl:1"):
        read_posts(path)


def test_an_id_with_two_contents_is_no_post_whatever_the_order(tmp_path: Path) -> None:
    rows = [GOOD, GOOD | {"question": "3 + 3?"}, GOOD | {"id": "b"}]
    for order in (rows, rows[::-1]):
        result = read_posts(write(tmp_path, *order), skip_bad=True)
        assert [post.post_id for post in result.posts] == ["file:b"]
        assert len(result.rejected) == 2


@pytest.mark.parametrize("seed", range(3))
def test_a_deposit_finds_the_lines_that_repeat(tmp_path: Path, seed: int) -> None:
    sizes = StoreSizes(deposit_posts=5)
    draw = random.Random(seed)
    rows = [GOOD | {"id": draw.choice("abcdefghij"), "question": draw.choice(["2 + 2?", "3 + 3?"])} for _ in range(16)]
    path = write(tmp_path, *rows, *(GOOD | {"id": f"other{number}"} for number in range(4)))
    plain, store = read_posts(path, skip_bad=True), PostStore(Folder.at(tmp_path / "store"), sizes=sizes)
    told: list[str] = []
    with Deposit(store) as deposit:
        deposit.add(with_digest(plain.posts[0]).model_dump(), file=7, line=1)  # of another file: no repeat
        read = deposit_posts(path, deposit, how=LineReading(skip_bad=True, tell=lambda line: told.append(line.where)))
        deposit.commit()
    assert list(store.posts().values()) == list(plain.posts)
    assert (read.used, read.merged) == (len(plain.posts), plain.merged)
    conflicting = {row["id"] for row in rows} - {post.post_id.removeprefix("file:") for post in plain.posts}
    assert conflicting
    assert {rows[int(where.rpartition(":")[2]) - 1]["id"] for where in told} == conflicting


WINDOWS = '{"id": "a", "question": "caf\u00e9?"}'.encode("cp1252")
BEGUN = json.dumps([GOOD | {"id": str(number)} for number in range(3)])


@pytest.mark.parametrize("skip_bad", [True, False])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (BEGUN.encode(), "posts.jsonl: a JSON array, not JSON Lines; write one object a line, as jq -c '.[]' does"),
        (b"\xef\xbb\xbf  " + BEGUN.encode(), "a JSON array"),
        (BEGUN.replace("}, {", "},\n{").encode(), "a JSON array"),
        (b"[" + b" " * (9 << 20), "a JSON array"),
        (json.dumps(GOOD, indent=1).encode(), "an object over several lines, not JSON Lines; write one"),
        (b"id,question,answers\n1,2 + 2?,4\n", "a table with the columns id, question, answers (CSV?), not JSON Lines"),
        (b'\xef\xbb\xbf"id";"the question"\r\n"1";"2 + 2?"\r\n', "the columns id, the question (CSV?)"),
        (b"id\tquestion\tanswers\n", "the columns id, question, answers"),
        (WINDOWS, "posts.jsonl:1: not a JSON object (byte 0xe9 at 28 is not UTF-8, '\u00e9' in Windows-1252; save the"),
    ],
    ids=["array", "bom", "lines", "blank", "indented", "csv", "quoted", "tabs", "windows"],
)  # fmt: skip
def test_other_files_are_refused_at_once(content: bytes, message: str, skip_bad: bool, tmp_path: Path) -> None:
    path = write(tmp_path, content)
    if skip_bad and "Windows" in message:
        assert message in read_posts(path, True).rejected[0].message
        return
    with pytest.raises(InputError) as refused:
        read_posts(path, skip_bad)
    assert message in str(refused.value)


def test_a_first_line_that_only_looks_like_a_header_is_one_bad_line(tmp_path: Path) -> None:
    result = read_posts(write(tmp_path, b"well, hello", GOOD), skip_bad=True)
    assert ([post.post_id for post in result.posts], len(result.rejected)) == (["file:a"], 1)


BAD: list[tuple[str, Any, Reason, str]] = [
    ("not json", b"{", Reason.MALFORMED_LINE, "not a JSON object"),
    ("not an object", b"[1]", Reason.MALFORMED_LINE, "not an object"),
    ("not utf-8", b'{"id": "\xff"}', Reason.MALFORMED_LINE, "not a JSON object"),
    ("nan", b'{"id": "a", "question": "x", "answers": [], "score": NaN}', Reason.MALFORMED_LINE, "NaN is not JSON"),
    ("doubled", b'{"id": "a", "id": "b"}', Reason.MALFORMED_LINE, 'posts.jsonl:2: the key "id" comes twice in one'),
    ("deep", b"[" * 100_000, Reason.MALFORMED_LINE, "nested too deeply|not a JSON object"),
    ("long", b'{"id": "' + b"x" * (4 * 1024 * 1024) + b'"}', Reason.MALFORMED_LINE, "4194304"),
    ("no id", {"question": "x", "answers": []}, Reason.MALFORMED_LINE, "no id; give each record an id"),
    ("id with spaces", GOOD | {"id": "a b"}, Reason.MALFORMED_LINE, "id 'a b' is unusable"),
    ("id true", GOOD | {"id": True}, Reason.MALFORMED_LINE, "no id"),
    ("null question", GOOD | {"question": None}, Reason.NO_TEXT, "question is empty or null"),
    ("missing question", {"id": "a", "answers": []}, Reason.NO_TEXT, "question is missing; a post needs its text"),
    ("question elsewhere", {"id": "a", "text": "x", "answers": []}, Reason.NO_TEXT, "there are answers, id, text; "),
    ("answers elsewhere", {"id": "a", "question": "x", "replies": []}, Reason.MALFORMED_LINE, "id, question, replies"),
    ("text elsewhere", GOOD | {"answers": [{"body": "4"}]}, Reason.MALFORMED_LINE, "text is missing .there are body."),
    ("blank question", GOOD | {"question": " \n"}, Reason.NO_TEXT, "question is empty or null"),
    ("numeric question", GOOD | {"question": 5}, Reason.MALFORMED_LINE, "question is a int, not a string"),
    ("surrogate", b'{"id": "a", "question": "\\ud800", "answers": []}', Reason.MALFORMED_LINE, "lone surrogate"),
    ("no answers", {"id": "a", "question": "x"}, Reason.MALFORMED_LINE, "answers is missing or not a list"),
    ("answer string", GOOD | {"answers": ["4"]}, Reason.MALFORMED_LINE, "answer 1 is not an object"),
    ("answer no text", GOOD | {"answers": [{"text": "4"}, {}]}, Reason.MALFORMED_LINE, "answer 2: text is missing"),
    ("many answers", GOOD | {"answers": [{"text": ""}] * 501}, Reason.MALFORMED_LINE, "501 answers; at most 500"),
    ("score", GOOD | {"answers": [{"text": "", "score": 1.5}]}, Reason.MALFORMED_LINE, "score is not a whole number"),
    ("best", GOOD | {"answers": [{"text": "", "is_best": 1}]}, Reason.MALFORMED_LINE, "is_best is not true or false"),
    (
        "answer ids",
        GOOD | {"answers": [{"text": "", "answer_id": "2"}, {"text": ""}]},
        Reason.MALFORMED_LINE,
        "two answers share an answer_id",
    ),
    ("tags", GOOD | {"tags": "ages"}, Reason.MALFORMED_LINE, "tags is not a list"),
    ("source", GOOD | {"source": 5}, Reason.MALFORMED_LINE, "source is not a string"),
    ("time", GOOD | {"retrieved_at": "yesterday"}, Reason.MALFORMED_LINE, "not a time in ISO 8601"),
    ("late", GOOD | {"retrieved_at": "9999-12-31T23:59:59-12:00"}, Reason.MALFORMED_LINE, "not a time in ISO 8601"),
    ("digits", b'{"id": "a", "question": "x", "answers": [], "n": ' + b"9" * 9000 + b"}", Reason.MALFORMED_LINE, ":2"),
]


@pytest.mark.parametrize(("row", "reason", "message"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_bad_lines(row: Any, reason: Reason, message: str, tmp_path: Path) -> None:
    path = write(tmp_path, GOOD | {"id": "first"}, row, GOOD | {"id": "last"})
    with pytest.raises(InputError, match=message) as caught:
        read_posts(path)
    assert str(caught.value).startswith(f"{path}:2: ")
    assert "\n" not in str(caught.value)
    result = read_posts(path, skip_bad=True)
    assert [post.post_id for post in result.posts] == ["file:first", "file:last"]
    assert [(line.reason, line.where) for line in result.rejected] == [(reason, f"{path}:2")]
    assert [(line.reason, line.message) for line in result.rejected] == [(reason, str(caught.value))]


def test_missing_empty_and_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read .*none\.jsonl: No such file"):
        read_posts(tmp_path / "none.jsonl")
    with pytest.raises(InputError, match=r"cannot read .*: Is a directory"):
        read_posts(tmp_path, skip_bad=True)
    with pytest.raises(InputError, match="holds no records"):
        read_posts(write(tmp_path, b"", b"  "))


def shared(shared_data: Path, name: str, *, skip_bad: bool = False) -> IngestResult:
    return read_posts(shared_data / name, skip_bad=skip_bad)


@pytest.mark.shared
def test_gsm8k_threads(shared_data: Path) -> None:
    result = shared(shared_data, "gsm8k/threads.jsonl")
    assert len(result.posts) == 400
    assert {len(post.answers) for post in result.posts} == {4}
    assert result.posts[0].post_id == "file:gsm8k-0001"
    assert result.removed.mails == result.removed.phones == 0


@pytest.mark.shared
def test_stackmathqa_posts(shared_data: Path) -> None:
    result = shared(shared_data, "stackmathqa/posts.jsonl")
    assert len(result.posts) == 300
    assert sum(len(post.answers) for post in result.posts) == 342
    assert {post.source for post in result.posts} == {
        "mathoverflow.net",
        "physics.stackexchange.com",
        "stats.stackexchange.com",
    }


@pytest.mark.shared
def test_realposts_without_question(shared_data: Path) -> None:
    result = shared(shared_data, "realposts/posts.jsonl", skip_bad=True)
    assert (len(result.posts), len(result.rejected)) == (343, 36)
    assert {line.reason for line in result.rejected} == {Reason.NO_TEXT}
