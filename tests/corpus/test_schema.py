"""The schemas on disk, spelled out; parquet bytes that are the same everywhere; and what damaged bytes say."""

import hashlib
import inspect
import os
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from corpus import records
from corpus.code import ROOT
from corpus.errors import StoreError
from corpus.records import Answer, ClassifiedPost, Post, Problem, RankedAnswer, Record, TrainingRow
from corpus.schema import arrow_schema, arrow_type, read_parquet
from tests.corpus.samples import parquet_bytes, post, problems
from tests.tiers import in_turn, tier

POST = """
post_id: string not null
source: string not null
url: string
retrieved_at: string
license: string
attribution: string
question: string not null
question_html: string
answers: list<item: struct<answer_id: string not null, text: string not null, is_best: bool not null, score: int64, license: string, attribution: string>> not null
tags: list<item: string> not null
content_sha256: string not null
response_sha256: string
parser: string
title: string
posted_at: string
"""  # noqa: E501 - one column a line


EDITS = "list<item: struct<start: int64 not null, end: int64 not null, replacement: string not null>> not null"
SPANS = (
    "list<item: struct<answer_id: string not null, start: int64 not null, end: int64 not null, raw: string not null>>"
    " not null"
)
PROBLEM = f"""
problem_id: string not null
post_id: string not null
url: string
license: string
attribution: string
title: string
posted_at: string
topic: string
question: string not null
question_type: string
cleaning_steps: list<item: struct<name: string not null, edits: {EDITS}>> not null
numbers: list<item: struct<value: string not null, start: int64 not null, end: int64 not null, raw: string not null, kind: string not null, unit: string>> not null
answer: string not null
answer_exact: list<item: string> not null
answer_values: list<item: double>
answer_dim: int64 not null
answer_confidence: double not null
answer_spans: {SPANS}
solution: string
confidence: double
equations: list<item: string>
unknowns: list<item: string> not null
asked: list<item: string>
solutions: list<item: list<item: string>> not null
solution_values: list<item: list<item: double>>
votes: list<item: string> not null
n_votes: int64 not null
equation_spans: {SPANS}
agreement: string not null
template: list<item: string>
template_id: string
alignment: list<item: struct<slot: string not null, value: string not null, start: int64 not null, end: int64 not null>> not null
equivalent_numbers: list<item: list<item: int64>> not null
ambiguous: bool not null
linear: bool
lexicon_diversity: double not null
nearest_id: string
variant_of: string
problem_type: string
problem_type_probability: double
grade: string
grade_probability: double
difficulty_unknowns: int64
difficulty_steps: int64
split: string not null
"""  # noqa: E501 - one column a line
TRAINING_ROW = """
id: string not null
question: string not null
answer: string not null
answer_values: list<item: double>
solution: string
equations: list<item: string> not null
messages: list<item: struct<role: string not null, content: string not null>> not null
topic: string
source: string not null
url: string
license: string
posted_at: timestamp[us, tz=UTC]
confidence: double
"""


@pytest.mark.rows(("record", "golden"), [(Post, POST), (Problem, PROBLEM), (TrainingRow, TRAINING_ROW)])
def test_the_schema_on_disk(record: type[Record], golden: str) -> None:
    schema = arrow_schema(record)
    lines = [f"{field.name}: {field.type}{'' if field.nullable else ' not null'}" for field in schema]
    assert lines == golden.strip().splitlines()


def test_an_annotation_without_an_arrow_type_is_a_fault() -> None:
    with pytest.raises(TypeError, match="no arrow type for"):
        arrow_type(dict[str, int])


WRITE = """
import hashlib
from corpus.records import Post, Problem
from tests.corpus.samples import parquet_bytes, post, problems
for rows, kind in (([post(str(n), "q" * n) for n in range(40)], Post), (problems(), Problem), ([], Problem)):
    print(hashlib.sha256(parquet_bytes(rows, kind)).hexdigest())
"""


@pytest.mark.full
def test_bytes_are_equal_across_processes_hash_seeds_and_threads() -> None:
    def digests(seed: str, threads: str) -> list[str]:
        environment = os.environ | {"PYTHONHASHSEED": seed, "OMP_NUM_THREADS": threads}
        command = [sys.executable, "-c", WRITE]
        return subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
        ).stdout.split()

    here = hashlib.sha256(parquet_bytes(problems(), Problem)).hexdigest()
    first = digests("0", "1")
    assert first == digests("4242", "4")
    assert first[1] == here
    assert len(set(first)) == 3


def test_bytes_do_not_depend_on_how_the_rows_were_made() -> None:
    rows = problems()
    again = [Problem.model_validate_json(row.model_dump_json()) for row in rows]
    assert parquet_bytes(rows, Problem) == parquet_bytes(again, Problem)


def values(annotation: Any) -> st.SearchStrategy[Any]:
    """Values of an annotation that a record field may have."""
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return st.builds(
            annotation, **{name: values(part.annotation) for name, part in annotation.model_fields.items()}
        )
    return st.from_type(annotation) if annotation not in PLAIN else PLAIN[annotation]


PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    str: st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    int: st.integers(-(2**63), 2**63 - 1),
    float: st.floats(allow_nan=False, allow_infinity=False),
    datetime: st.datetimes(timezones=st.just(ZoneInfo("UTC"))).map(lambda moment: moment.replace(fold=0)),
}
for plain, strategy in PLAIN.items():
    st.register_type_strategy(plain, strategy)

KINDS = sorted(
    (kind for _, kind in inspect.getmembers(records, inspect.isclass) if issubclass(kind, Record) and kind != Record),
    key=lambda kind: kind.__name__,
)


@pytest.mark.parametrize("kind", in_turn(KINDS, 2), ids=lambda kind: kind.__name__)
@settings(max_examples=tier(25, 8), deadline=None)
@given(data=st.data())
def test_every_record_comes_back_as_it_was(kind: type[Record], data: st.DataObject) -> None:
    rows = data.draw(st.lists(values(kind), max_size=3))
    content = parquet_bytes(rows, kind)
    back = read_parquet(content, kind, "here")
    assert back == rows
    assert [repr(row) for row in back] == [repr(row) for row in rows]  # -0.0 and the order of fields, too
    assert parquet_bytes(back, kind) == content


def test_none_and_empty_lists_are_different_things() -> None:
    full, empty = problems()[0], problems()[2]
    nothing = empty.model_copy(update={"equations": ()})
    back = read_parquet(parquet_bytes([full, empty, nothing], Problem), Problem, "here")
    assert [row.equations for row in back] == [("x + 2 = 9",), None, ()]
    assert [len(row.solutions) for row in back] == [2, 0, 0]
    assert back[0].equivalent_numbers[1] == ()


@pytest.mark.rows("value", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_are_not_finite_never_become_records(value: float) -> None:
    with pytest.raises(ValidationError, match="finite number"):
        ClassifiedPost(post_id="f:1", in_scope=True, probability=value, outcome="ok")
    with pytest.raises(ValidationError, match="finite number"):
        RankedAnswer(values=("1",), score=value)


@pytest.mark.rows(
    ("change", "problem"),
    [({"question": "half \ud83d"}, "surrogates not allowed"), ({"question": None}, "non-nullable"),
     ({"answers": (Answer(answer_id="1", text="", score=2**63),)}, "too large|too big|overflow|out of range")],
    ids=["lone surrogate", "none where a value must be", "beyond 64 bits"],
)  # fmt: skip
def test_what_parquet_cannot_hold_is_named_in_one_line(change: dict[str, Any], problem: str) -> None:
    rows = [post("1"), post("2").model_copy(update=change)]
    with pytest.raises(StoreError, match=problem) as refused:
        parquet_bytes(rows, Post)
    assert str(refused.value).startswith("cannot store ")
    assert "\n" not in str(refused.value)
    if "question" not in change or change["question"]:
        assert str(refused.value).startswith("cannot store Post 'forum:2' as parquet: ")


def other_schema() -> bytes:
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"post_id": ["f:1"], "in_scope": [True], "probability": [1], "outcome": ["ok"]}), sink)
    return bytes(sink.getvalue())


@pytest.mark.rows(
    "content",
    [b"", b"PAR1", b"PAR1" * 5, b"\x00" * 100, parquet_bytes([post("1")], Post), other_schema()],
    ids=["empty", "magic", "magics", "zeros", "another record", "another type"],
)
def test_what_is_no_such_parquet_is_named_in_one_line(content: bytes) -> None:
    with pytest.raises(StoreError) as refused:
        read_parquet(content, ClassifiedPost, "stages/x.parquet")
    assert str(refused.value).startswith("stages/x.parquet is damaged (")
    assert str(refused.value).endswith("); remove it and run the command again")
    assert "\n" not in str(refused.value)


ROWS = [post(str(number), "a question of some length") for number in range(3)]
CONTENT = parquet_bytes(ROWS, Post)


@settings(max_examples=150, deadline=None)
@given(at=st.integers(0, len(CONTENT) - 1), bit=st.integers(0, 7), cut=st.booleans())
def test_any_flipped_bit_gives_the_same_rows_or_one_error(at: int, bit: int, cut: bool) -> None:
    damaged = CONTENT[:at] if cut else CONTENT[:at] + bytes([CONTENT[at] ^ 1 << bit]) + CONTENT[at + 1 :]
    try:
        rows = read_parquet(damaged, Post, "x")
    except StoreError as error:
        rows, told = ROWS, str(error).startswith("x is damaged (")
    else:
        told = True
    assert told
    assert rows == ROWS


THREADS = """
import sys
import psutil
from corpus.takedowns.forgetting import _clear_outputs
from corpus.outputs import OutputPart
from corpus.records import Post
from corpus.workspace import Workspace
from tests.corpus.samples import post

outputs = Workspace(sys.argv[1]).outputs
part = outputs.save(("posts", "k"), Post, [post("1"), post("2")], [])
before = psutil.Process().num_threads()
assert len(outputs.kept(part, Post)) == 2
assert len(outputs.rows(part, ["forum:1"])) == 1
assert _clear_outputs(outputs, {"forum:none"}) == 0
assert _clear_outputs(outputs, {outputs.kept(part, Post)[0].post_id}) == 1
print(psutil.Process().num_threads() - before)
"""


def test_reading_starts_no_threads(tmp_path: Path) -> None:
    """Arrow's pools now and then abort a process that is just about to exit: ``forget`` ended so after its work."""
    command = [sys.executable, "-c", THREADS, str(tmp_path / "data")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.stdout.strip(), done.stderr) == ("0", "")
