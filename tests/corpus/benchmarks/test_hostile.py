"""Benchmark files from hostile hands: every record is read or refused, and written or refused again."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.benchmarks.formats import FORMATS, Format
from corpus.benchmarks.reading import read_file, write_corpus
from corpus.reasons import Reason
from tests.corpus.benchmarks.test_reading import FILES, NAMES

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
@settings(max_examples=20)
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


@pytest.mark.parametrize("name", [name for name in NAMES if name != "asdiv"])
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
