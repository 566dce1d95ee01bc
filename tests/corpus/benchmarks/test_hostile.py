"""Benchmark files from hostile hands: every record is read or refused, and written or refused again."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.benchmarks.format_registry import FORMATS, Format
from corpus.benchmarks.reading import read_file, write_corpus
from corpus.reasons import Reason
from tests.corpus.benchmarks.test_reading import FILES, NAMES
from tests.corpus.samples import problem
from tests.tiers import tier

JSON_FORMATS = [each for each in FORMATS.values() if each.container != "xml"]
TEXTS = st.text(max_size=30) | st.sampled_from(
    [
        "x=1/0",
        "9^9^9^9",
        "(" * 99,
        "unkn: x\r\nequ: x=1e99",
        "\x00",
        "\ud83d",
        "a ) 1 , b ) 2",
        "add(1,n0)",
        "½",
        "NaN",
        "-" * 50,
    ]
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def records(chosen: Format) -> st.SearchStrategy[list[dict[str, object]]]:
    """Records that have the fields of a format, with anything in them."""
    return st.lists(st.fixed_dictionaries(dict.fromkeys(chosen.fields, VALUES)), min_size=1, max_size=4)


@pytest.mark.parametrize("chosen", JSON_FORMATS, ids=lambda each: each.name)
@settings(max_examples=tier(20, 8))
@given(data=st.data())
def test_any_values_in_the_fields(
    tmp_path_factory: pytest.TempPathFactory, chosen: Format, data: st.DataObject
) -> None:
    rows = data.draw(records(chosen))
    path = tmp_path_factory.getbasetemp() / "hostile.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    found = read_file(path, chosen, "hostile")
    assert found.records == len(rows) == len(found.problems) + len(found.refused)
    for target in FORMATS.values():
        if target.write is not None:
            content, refused = write_corpus(found.problems, target)
            content.encode("utf-8")
            assert {refusal.reason for refusal in refused} <= set(Reason)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("asdiv", "ai2")])
@settings(max_examples=15)
@given(data=st.data())
def test_one_field_of_a_good_record_replaced(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    content = (FILES / NAMES[name]).read_text(encoding="utf-8")
    record = json.loads(content.splitlines()[0] if content[0] == "{" else content)
    record = record if isinstance(record, dict) else record[0]
    field = data.draw(st.sampled_from(sorted(record)))
    path = tmp_path_factory.getbasetemp() / "hostile.json"
    path.write_text(json.dumps([record | {field: data.draw(VALUES)}, record]), encoding="utf-8")
    found = read_file(path, FORMATS[name], "hostile")
    assert len(found.problems) + len(found.refused) == 2
    assert found.problems, "the good record stays"


def test_long_and_deep_fields(tmp_path: Path) -> None:
    record = json.loads((FILES / "mawps.json").read_text(encoding="utf-8"))[0]
    rows = [
        record | {"id": 1, "original_text": "a" * 200_000},
        record | {"id": 2, "equation": "x=" + "(" * 50_000},
        record | {"id": 3, "ans": "1" * 90_000},
        record | {"id": 4},
    ]
    path = tmp_path / "mawps.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    found = read_file(path, FORMATS["mawps"], "long")
    assert [(refusal.record_id, refusal.reason) for refusal in found.refused] == [("1", Reason.RECORD_TOO_LARGE)]
    assert [problem.native_id for problem in found.problems] == ["2", "3", "4"]
    assert found.problems[1].notes == ("the answer holds no number",)


def test_a_record_with_a_key_twice_is_refused_and_the_rest_is_read(tmp_path: Path) -> None:
    good = json.dumps(json.loads((FILES / "mawps.json").read_text(encoding="utf-8"))[0])
    top, within = good[:-1] + ', "more": 1, "more": 2}', good[:-1] + ', "more": [{"a": 1, "a": 2}]}'
    path = tmp_path / "mawps.json"
    path.write_text(f"[{top}, {within}, {good}]", encoding="utf-8")
    found = read_file(path, FORMATS["mawps"], "doubled")
    assert [(one.where, one.reason, one.detail) for one in found.refused] == [
        (f"{path}: record 1", Reason.MALFORMED_LINE, 'the key "more" comes twice in one object; keep one of the two'),
        (f"{path}: record 2", Reason.MALFORMED_LINE, 'the key "a" comes twice in one object; keep one of the two'),
    ]
    assert len(found.problems) == 1


GOLD = {
    "problem_id": "a",
    "native_id": "a",
    "origin": "gold",
    "question": "Tom had 9 pens.",
    "equations": ["x=9"],
    "gold": [["9"]],
    "template": ["m = a"],
    "alignment": [{"slot": "a", "value": "9", "start": 8, "end": 9}],
}


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"gold": [["zzz"]]}, Reason.WRONG_FIELD),
        ({"gold": [["1/0"]]}, Reason.WRONG_FIELD),
        ({"gold": [["1"] * 1001]}, Reason.RECORD_TOO_LARGE),
        ({"question": "a" * 100_001}, Reason.RECORD_TOO_LARGE),
        ({"equations": ["a" * 100_001]}, Reason.RECORD_TOO_LARGE),
        ({"template": ["m = a"] * 1001}, Reason.RECORD_TOO_LARGE),
        ({"correct": 0}, Reason.WRONG_FIELD),
        ({"options": ["9", "8"], "correct": -1}, Reason.WRONG_FIELD),
        ({"alignment": [{"slot": "a", "value": "abc", "start": 8, "end": 9}]}, Reason.WRONG_FIELD),
        ({"alignment": [{"slot": "a", "value": "1.41421356237", "start": 8, "end": 9}]}, Reason.WRONG_FIELD),
        ({"alignment": [{"slot": "a", "value": "9", "start": 15, "end": 16}]}, Reason.BAD_ALIGNMENT),
        ({"alignment": [{"slot": "a", "value": "9", "start": 9, "end": 8}]}, Reason.BAD_ALIGNMENT),
        ({"equivalent_numbers": [[{"value": "9", "start": -1, "end": 9}]]}, Reason.BAD_ALIGNMENT),
    ],
)
def test_gold_problems_that_do_not_hold_together(tmp_path: Path, fields: dict[str, object], reason: Reason) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text("".join(json.dumps(GOLD | one) + "\n" for one in ({"problem_id": "b"}, fields)), encoding="utf-8")
    found = read_file(path, FORMATS["gold"], "gold")
    assert [problem.problem_id for problem in found.problems] == ["b"]
    assert [refusal.reason for refusal in found.refused] == [reason]
    for target in (each for each in FORMATS.values() if each.write is not None):
        write_corpus(found.problems, target)


def test_rows_of_a_dataset_with_numbers_that_are_not_there(tmp_path: Path) -> None:
    row = json.loads(problem(1).model_dump_json())
    path = tmp_path / "rows.jsonl"
    rows = [row | {"equivalent_numbers": []}, row | {"equivalent_numbers": [[0, 7]]}]
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    found = read_file(path, FORMATS["problems"], "rows")
    assert len(found.problems) == 1
    assert [refusal.reason for refusal in found.refused] == [Reason.BAD_ALIGNMENT]


@pytest.mark.parametrize("fields", [{"note": "half \ud800"}, {"half \udfff": 1}, {"note": {"inside": ["\ud83d"]}}])
def test_half_characters_anywhere_refuse_a_record(tmp_path: Path, fields: dict[str, object]) -> None:
    """A field that only one format has travels through ``details`` into whatever is written."""
    good = json.loads((FILES / "svamp.json").read_text(encoding="utf-8"))[0]
    for name, content in (
        ("svamp", json.dumps([good, good | fields])),
        ("gold", "".join(json.dumps(GOLD | {"details": one}) + "\n" for one in ({}, fields))),
    ):
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        found = read_file(path, FORMATS[name], name)
        assert (len(found.problems), len(found.refused)) == (1, 1)
        assert "half a character" in found.refused[0].detail


@pytest.mark.parametrize("details", [{"a b": "x"}, {"Body@": 5}, {"Body@": {"1": "x"}}, {"Body@": {"a": 1}}])
def test_details_that_xml_cannot_hold(tmp_path: Path, details: dict[str, object]) -> None:
    path = tmp_path / "gold.jsonl"
    record = GOLD | {"origin": "asdiv", "answer": "9", "formula": "9=9"}
    rows = [record, record | {"problem_id": "b", "details": details}]
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    found = read_file(path, FORMATS["gold"], "gold")
    content, refused = write_corpus(found.problems, FORMATS["asdiv"])
    assert [refusal.where for refusal in refused] == ["b"]
    assert content.count("<Problem ") == 1


@pytest.mark.parametrize("depth", [49, 50, 300, 700])
def test_deep_nests_in_a_field_that_the_format_does_not_know(tmp_path: Path, depth: int) -> None:
    good = json.dumps(json.loads((FILES / "svamp.json").read_text(encoding="utf-8"))[0])
    deep = good[:-1] + ', "more": ' + "[" * depth + "]" * depth + "}"
    for content in (f"[{good},{deep}]", f"{good}\n{deep}\n"):
        path = tmp_path / "deep"
        path.write_text(content, encoding="utf-8")
        found = read_file(path, FORMATS["svamp"], "deep")
        assert (len(found.problems), len(found.refused)) == ((2, 0) if depth < 50 else (1, 1))
        for target in ("svamp", "gold"):
            assert write_corpus(found.problems, FORMATS[target])[1] == ()
