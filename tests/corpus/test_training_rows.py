"""The small rows that a version is loaded by, and how others read them."""

import json
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pandas
import polars
import pytest

from corpus.benchmarks.format_registry import FORMATS
from corpus.benchmarks.reading import read_file
from corpus.folders.files import Folder
from corpus.records import Problem
from corpus.schema import record_table
from corpus.versioning.version_tables import training_table
from corpus.versioning.versions import Version, Versions
from tests.corpus.samples import problem, release


@pytest.fixture
def version(tmp_path: Path) -> Version:
    """A published version."""
    return Versions(Folder.at(tmp_path)).publish(release())[0]


def test_a_small_row_says_what_the_whole_one_says() -> None:
    when = {"posted_at": "2014-05-01T10:00:00+02:00"}
    full, empty = problem(0).model_copy(update=when), problem(1, full=False).model_copy(update={"posted_at": "May"})
    row, bare = training_table(record_table([full, empty], Problem)).to_pylist()
    assert (row["id"], row["source"], row["topic"], row["answer_values"]) == ("p0000", "forum", "ages", [3.5, 9.0])
    assert row["posted_at"] == datetime(2014, 5, 1, 8, tzinfo=UTC)
    assert [turn["role"] for turn in row["messages"]] == ["user", "assistant"]
    assert row["messages"][1]["content"] == "x + 2 = 9, so x is 7 or so\n\nAnswer: 7/2 and 9"
    assert (bare["posted_at"], bare["equations"], bare["answer_values"]) == (None, [], None)
    assert bare["messages"][1]["content"] == "Answer: 7/2 and 9"


def test_values_are_numbers_for_pandas_polars_and_duckdb(version: Version) -> None:
    data = f"{version.folder.path}/data"
    sums = pandas.read_parquet(data).answer_values.dropna().map(sum)
    known = sum(one.answer_values is not None for one in version.training_rows())
    assert sums.tolist() == [12.5] * known
    lazy = polars.scan_parquet(f"{data}/*.parquet").select(polars.col("answer_values").list.sum().drop_nulls())
    assert lazy.collect()["answer_values"].to_list() == [12.5] * known
    found = duckdb.sql(f"SELECT list_sum(answer_values) FROM '{data}/*.parquet' WHERE answer_values IS NOT NULL")
    assert found.fetchall() == [(12.5,)] * known


def test_an_export_with_the_names_of_before_says_what_to_do(tmp_path: Path) -> None:
    row = json.loads(problem(1).model_dump_json())
    before = {"gold_answer": row.pop("answer_exact"), **row}
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(before) + "\n", encoding="utf-8")
    (refused,) = read_file(path, FORMATS["problems"], "rows").refused
    assert "exported before gold_answer was called answer_exact; build the version again" in refused.detail
