"""Tables under other names: the column map over parquet and JSON Lines, and damage named by its row."""

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from corpus.errors import InputError
from corpus.reasons import Reason
from corpus.records import Post
from crawlers.dumps import tables as parquet_file
from crawlers.dumps.tables import parse_columns, read_table
from crawlers.dumps.tally import Options, Tally
from crawlers.thread_records import RejectedLine
from tests.crawlers.dump_files import collect

ROWS = [
    {"qid": 1, "title": "Ages", "body": "How old is Ann?", "replies": [{"body": "9", "votes": 3, "ok": True}]},
    {"qid": 2, "title": "Ages", "body": "ages of Bob and Ann?", "replies": []},
]
MAP = "id=qid,question=title+body,answers=replies,answers.text=body,answers.score=votes,answers.is_best=ok"


def read(path: Path, columns: str = "", **options: Any) -> tuple[list[Post], list[RejectedLine], str]:
    tally = Tally()
    return collect(read_table(path, Options(columns=parse_columns(columns), **options), tally), tally)


def parquet(tmp_path: Path, rows: list[dict[str, Any]], **how: Any) -> Path:
    path = tmp_path / "posts.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path, **how)
    return path


def lines(tmp_path: Path, rows: list[Any]) -> Path:
    path = tmp_path / "posts.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("write", [parquet, lines])
def test_a_map_names_the_columns(write: Any, tmp_path: Path) -> None:
    posts, refused, failure = read(write(tmp_path, ROWS), MAP, source="forum.example")
    assert (refused, failure) == ([], "")
    assert [post.post_id for post in posts] == ["forum.example:1", "forum.example:2"]
    assert [post.question for post in posts] == ["Ages\nHow old is Ann?", "ages of Bob and Ann?"]
    assert [(one.text, one.score, one.is_best) for one in posts[0].answers] == [("9", 3, True)]


def test_answers_as_texts_as_one_text_and_as_lists_side_by_side(tmp_path: Path) -> None:
    base = {"id": "a", "question": "2 + 2?"}
    forms: list[tuple[Any, list[tuple[str, int | None]]]] = [
        (["4", "four"], [("4", None), ("four", None)]),
        ("4", [("4", None)]),
        ({"text": ["4", "5"], "score": [7, -1]}, [("4", 7), ("5", -1)]),
    ]
    for answers, wanted in forms:
        (post,), _, _ = read(parquet(tmp_path, [base | {"answers": answers}]), "answers=answers")
        assert [(one.text, one.score) for one in post.answers] == wanted


def test_times_and_fields_that_keep_their_names(tmp_path: Path) -> None:
    row = {"id": "a", "question": "q", "answers": ["4"], "license": "CC0 1.0",
           "retrieved_at": datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)}  # fmt: skip
    (post,), _, _ = read(parquet(tmp_path, [row]))
    assert (post.retrieved_at, post.license) == ("2024-05-06T07:08:09Z", "CC0 1.0")
    (post,), _, _ = read(parquet(tmp_path, [{"id": "a", "question": "q", "answers": ["4"]}]), retrieved_at="2020-01-01")
    assert post.retrieved_at == "2020-01-01"


def test_bad_rows_are_named_and_the_rest_is_read(tmp_path: Path) -> None:
    good = {"id": "z", "question": "q", "answers": ["4"]}
    bad = [good | {"id": None}, good | {"question": ""}, good | {"answers": {"text": ["4"], "score": [1, 2]}}, {"x": 1}]
    posts, refused, failure = read(lines(tmp_path, [*bad, good]))
    assert ([post.post_id for post in posts], failure) == (["file:z"], "")
    assert [one.where.rpartition(":")[2] for one in refused] == ["1", "2", "3", "4"]
    assert refused[1].reason == Reason.NO_TEXT
    assert "differ in length" in refused[2].message


def test_a_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    posts, refused, _ = read(lines(tmp_path, ROWS), MAP.replace("title", "headline"))
    assert posts == []
    assert "no column 'headline'; there are body, qid, replies, title" in refused[0].message


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            MAP.replace("title", "headline"),
            "no column 'headline'; there are body, qid, replies, title; correct --columns",
        ),
        (
            MAP.replace("id=qid,", ""),
            "no column 'id'; there are body, qid, replies, title; map one with --columns id=COL",
        ),
        (MAP.replace("question=title+body,", ""), "no column 'question'; there are body"),
        ("id=qid,question=body", "no column 'answers'; there are body"),
        (
            "id=qid,question=body,answers=replies",
            "no column 'text' in the answers; there are body, ok, votes; map them",
        ),
        (MAP.replace("=votes", "=points"), "no column 'points' in the answers; there are body, ok, votes"),
    ],
)
def test_a_wrong_map_of_a_table_is_one_error_that_lists_its_columns(columns: str, message: str, tmp_path: Path) -> None:
    posts, refused, failure = read(parquet(tmp_path, ROWS), columns)
    assert (posts, refused) == ([], [])
    assert message in failure


@pytest.mark.parametrize("content", [b"[{}]", b"qid,title\n1,Ages\n"])
def test_arrays_and_csv_are_one_error(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "posts.json.gz"
    path.write_bytes(gzip.compress(content))
    posts, refused, failure = read(path, MAP)
    assert (posts, refused) == ([], [])
    assert "not JSON Lines; write one" in failure


def test_a_line_without_an_id_says_what_it_has(tmp_path: Path) -> None:
    (one, _) = read(lines(tmp_path, ROWS), "question=body,answers=replies,answers.text=body")[1]
    assert "no id; give each record an id, a string or whole number (there are answers, body, qid," in one.message


@pytest.mark.rows("text", ["question", "question=", "gold=x", "answers.author=x", "=x"])
def test_a_map_that_is_none(text: str) -> None:
    with pytest.raises(InputError, match="is not field=column; fields are id, post_id"):
        parse_columns(text)


def test_damaged_and_cut_files_are_one_clear_error(tmp_path: Path) -> None:
    rows = [{"id": str(number), "question": f"q {number}", "answers": ["4"]} for number in range(4000)]
    path = parquet(tmp_path, rows, row_group_size=1000, write_page_checksum=True, use_dictionary=False)
    whole = path.read_bytes()
    assert len(read(path)[0]) == 4000
    path.write_bytes(whole[:-100])
    posts, _, failure = read(path)
    assert (posts, "damaged or cut short after row 0" in failure) == ([], True)
    damaged = bytearray(whole)
    at = len(whole) // 2
    damaged[at : at + 20] = bytes(20)
    path.write_bytes(damaged)
    posts, _, failure = read(path)
    assert 0 < len(posts) < 4000
    assert "damaged or cut short after row " in failure
    packed = tmp_path / "posts.jsonl.gz"
    packed.write_bytes(gzip.compress(lines(tmp_path, rows).read_bytes())[:-3000])
    posts, _, failure = read(packed)
    assert len(posts) > 100
    assert "damaged or cut short after" in failure


def said_often(path: Path, texts: list[str], said: list[int], **columns: Any) -> Path:
    """A table whose questions are named by their place in a list that stands in the file once."""
    question = pa.DictionaryArray.from_arrays(pa.array(said, pa.int32()), pa.array(texts))
    table = {"id": [str(number) for number in range(len(said))], "question": question, "answers": [["9"]] * len(said)}
    pq.write_table(pa.table(table | columns), path, compression="zstd", store_schema=False)
    return path


def test_a_text_of_megabytes_in_every_row_is_refused_row_by_row(tmp_path: Path) -> None:
    path = said_often(tmp_path / "bomb.parquet", ["How old?", "x" * 6_000_000], [0, *[1] * 3_000, 0])
    assert path.stat().st_size < 50_000, "18 GB where every text is put together"
    posts, refused, failure = read(path)
    assert ([post.post_id for post in posts], failure) == (["file:0", "file:3001"], "")
    assert {one.reason for one in refused} == {Reason.TOO_LARGE}
    assert refused[0].message.startswith(f"{path}:2: row of 60000")
    assert len(refused) == 3_000


def test_rows_below_the_bound_are_put_together_few_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = said_often(tmp_path / "rows.parquet", ["How old?", "y " * 9_000], [1, 0, 1, 1, 1, 0, 1, 1])
    whole = read(path)
    for bound in (1, 20_000, 40_000, 100_000):
        monkeypatch.setattr(parquet_file, "_AT_ONCE", bound)
        assert read(path) == whole
    assert (len(whole[0]), whole[2]) == (8, "")


def test_nested_texts_are_weighed_too(tmp_path: Path) -> None:
    answers = [[{"text": "z" * 90_000}] * 60, [{"text": "9"}], None, []]
    path = said_often(tmp_path / "rows.parquet", ["How old?"], [0] * 4, answers=pa.array(answers))
    posts, refused, _ = read(path)
    assert [post.post_id for post in posts] == ["file:1", "file:3"]
    assert [one.where.rpartition(":")[2] for one in refused] == ["1", "3"]
    assert "row of 54004" in refused[0].message
    assert "answers is missing" in refused[1].message


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["x" * 70_000_000], "column question of row group 0 holds 1 values in 70"),
        (["a"], "column answers.list.element of row group 0 holds 40000000 values in"),
    ],
    ids=["dictionary", "values"],
)
def test_a_column_that_unpacks_without_end_is_one_error(texts: list[str], message: str, tmp_path: Path) -> None:
    nulls = (
        {}
        if len(texts[0]) > 1
        else {"answers": pa.ListArray.from_arrays([0, 40_000_000], pa.nulls(40_000_000, pa.string()))}
    )
    path = said_often(tmp_path / "bomb.parquet", texts, [0], **nulls)
    assert path.stat().st_size < 1 << 20
    failure = read(path)[2]
    assert f"{path}: {message}" in failure
    assert failure.endswith("(a bomb?)")


ANSWERS = [["3 + 4 = 7", "7"], ["9", "nine"]]


def forms() -> dict[str, pa.Table]:
    """One table in the forms that pandas and others give it: gaps turn whole numbers into floating point."""
    question = pa.array(["How many?", "How old?"])
    scored = [[{"text": text, "score": float(place)} for place, text in enumerate(row)] for row in ANSWERS]
    gaps = [[{"text": text, "score": float("nan")} for text in row] for row in ANSWERS]
    plain = {"id": pa.array([1, 2]), "question": question, "answers": pa.array(ANSWERS)}
    return {
        "plain": pa.table(plain),
        "id as a float": pa.table(plain | {"id": pa.array([1.0, 2.0])}),
        "id as a half float": pa.table(plain | {"id": pa.array(np.array([1, 2], np.float16))}),
        "fixed-size lists": pa.table(plain | {"answers": pa.array(ANSWERS, pa.list_(pa.string(), 2))}),
        "fixed-size lists of records": pa.table(plain | {"answers": pa.FixedSizeListArray.from_arrays(
            pa.array([{"text": text} for row in ANSWERS for text in row]), 2)}),
        "scores as floats": pa.table(plain | {"answers": pa.array(scored)}),
        "no scores": pa.table(plain | {"answers": pa.array(gaps)}),
        "a gap where a time would be": pa.table(plain | {"posted_at": pa.array([float("nan"), 1.15e9])}),
        "texts as bytes": pa.table(plain | {"question": pa.array([b"How many?", b"How old?"])}),
    }  # fmt: skip


@pytest.mark.parametrize("name", forms())
def test_tables_as_pandas_writes_them(name: str, tmp_path: Path) -> None:
    pq.write_table(forms()[name], tmp_path / "posts.parquet")
    posts, refused, failure = read(tmp_path / "posts.parquet")
    assert (refused, failure) == ([], "")
    assert [post.post_id for post in posts] == ["file:1", "file:2"]
    assert [[answer.text for answer in post.answers] for post in posts] == ANSWERS
    scores = [0, 1] if name == "scores as floats" else [None, None]
    assert [answer.score for answer in posts[0].answers] == scores
    assert [post.posted_at for post in posts] == [None, "2006-06-11T04:26:40Z" if "time" in name else None]


@pytest.mark.parametrize("value", [1.5, float("nan"), float("inf"), 2.0**60, True])
def test_what_is_no_whole_number_is_no_id(value: Any, tmp_path: Path) -> None:
    posts, refused, _ = read(parquet(tmp_path, [{"id": value, "question": "2 + 2?", "answers": ["4"]}]))
    assert (posts, "no id" in refused[0].message) == ([], True)


def test_rows_of_fixed_size_lists_are_weighed_in_every_slice() -> None:
    column = pa.array([["a", "bcd"], None, ["efghij", ""]], pa.list_(pa.string(), 2))
    assert parquet_file.weights_of(column)[[0, 2]].tolist() == [20, 22]
    assert parquet_file.weights_of(column.slice(2)).tolist() == [22]


def test_a_parquet_file_that_is_packed_once_more_is_named(tmp_path: Path) -> None:
    path = tmp_path / "posts.parquet.gz"
    path.write_bytes(gzip.compress(parquet(tmp_path, ROWS).read_bytes()))
    assert "a parquet file that is packed once more; unpack it first" in read(path)[2]
