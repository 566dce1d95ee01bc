"""Sheets of labels: written, filled in, read again, to Label Studio and back, and what is refused."""

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from audits.sheets.label_sheets import LabelRow, merged, read_sheet_rows, sheet_text
from corpus.errors import InputError

ROWS = [
    LabelRow(post_id="f:1", question="2 + 2?\nplease", answers=("4", "☃"), probability=0.5, outcome="ok"),
    LabelRow(post_id="f:2", question="Why?", scope_reason="general"),
]


@pytest.mark.parametrize("studio", [False, True])
def test_round_trip_keeps_posts_and_labels(studio: bool, tmp_path: Path) -> None:
    path = tmp_path / "sheet"
    path.write_text(sheet_text(ROWS, studio=studio), encoding="utf-8")
    found = read_sheet_rows(path)
    assert [(row.post_id, row.question, row.answers, row.scope_reason) for row in found] == [
        ("f:1", "2 + 2?\nplease", ("4", "☃"), None),
        ("f:2", "Why?", (), "general"),
    ]
    assert [row.label() is None for row in found] == [True, False]


def test_tasks_have_the_form_of_label_studio(tmp_path: Path) -> None:
    first, second = json.loads(sheet_text(ROWS, studio=True))
    assert first["data"]["text"] == "2 + 2?\nplease\n\nAnswer 1: 4\n\nAnswer 2: ☃"
    choice = {"from_name": "scope", "to_name": "post", "type": "choices", "value": {"choices": ["ok"]}}
    assert first["predictions"] == [{"model_version": "wordquarry", "score": 0.5, "result": [choice]}]
    assert second["annotations"][0]["result"][0]["value"] == {"choices": ["general"]}


def test_a_sheet_written_anew_keeps_what_is_filled_in() -> None:
    fresh = [LabelRow(post_id="f:2", question="Why?"), LabelRow(post_id="f:3", question="How?")]
    assert [(row.post_id, row.scope_reason) for row in merged(ROWS, fresh)] == [("f:2", "general"), ("f:3", None)]


def task(post_id: str = "f:1", *labels: str, **more: Any) -> dict[str, Any]:
    results = [{"from_name": "scope", "type": "choices", "value": {"choices": [label]}} for label in labels]
    annotations = [{"result": [result]} for result in results]
    return {"data": {"post_id": post_id, "question": "2+2?"}, "annotations": annotations, **more}


def studio(tmp_path: Path, *tasks: object) -> Path:
    path = tmp_path / "export.json"
    path.write_text(json.dumps(tasks, indent=1), encoding="utf-8")
    return path


def test_skipped_and_foreign_results_say_nothing(tmp_path: Path) -> None:
    skipped = task("f:1", "general")
    skipped["annotations"][0]["was_cancelled"] = True
    foreign = task("f:2", "general")
    foreign["annotations"][0]["result"][0]["from_name"] = "mood"
    assert [row.scope_reason for row in read_sheet_rows(studio(tmp_path, skipped, foreign))] == [None, None]


def test_two_gold_answers_of_one_post_are_refused(tmp_path: Path) -> None:
    row = {"post_id": "f:1", "question": "How many?", "answers": ["7"], "scope_reason": "ok", "gold_answer": ["7"]}
    path = tmp_path / "sheet.jsonl"
    for other, refused in ((["7"], False), (["5"], True), (None, True)):
        path.write_text(
            "".join(json.dumps(one) + "\n" for one in (row, row | {"gold_answer": other})), encoding="utf-8"
        )
        with pytest.raises(InputError, match="f:1 has another label at") if refused else nullcontext():
            assert [one.gold_answer for one in read_sheet_rows(path)] == [("7",)]


@pytest.mark.parametrize(
    ("tasks", "said"),
    [
        ([task("f:1", "ok", "general")], "task 1: f:1 has the labels general, ok, which contradict each other"),
        ([task("f:1", "ok"), task("f:1", "general")], "task 2: f:1 has another label at .*task 1"),
        ([task("f:1", "perhaps")], "task 1: choice 'perhaps'; there are: ok, general"),
        ([{"id": 3}], "task 1: no 'data'"),
        (["x"], "task 1: no 'data'"),
        ([task("")], "task 1: post_id: "),
        ([task("f:1", annotations={"result": []})], "task 1: 'annotations' is not a list"),
    ],
)
def test_tasks_that_are_refused(tasks: list[object], said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        read_sheet_rows(studio(tmp_path, *tasks))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no rows"),
        ("[", "neither JSON Lines nor JSON"),
        ("[" * 100_000, "neither JSON Lines nor JSON"),
        ('[{"data": {}, "data": {}}]', 'the key "data" comes twice in one object'),
        ("{}\n", "sheet.jsonl:1: post_id: missing"),
        ('{"post_id": "f:1", "question": "q", "scope_reason": "maybe"}\n', "sheet.jsonl:1: scope_reason: must be"),
        ('{"post_id": "f:1", "question": "q", "probability": 7}\n', "sheet.jsonl:1: probability: must be at most 1"),
        ('{"post_id": "f:1", "question": "q"}\n{"post_id": "f:1"', "sheet.jsonl:2: not a JSON object"),
    ],
)
def test_sheets_that_are_refused(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "sheet.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        read_sheet_rows(path)
