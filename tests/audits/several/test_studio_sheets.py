"""Audit sheets in Label Studio and back: its documented JSON, several annotators, and what is refused.

The form is that of https://labelstud.io/guide/export (JSON): ``completed_by`` is a number, or a record with ``id`` and
``email``; a skipped task has ``was_cancelled``; a comment control gives a result of type ``textarea``.
"""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from audits.several.annotators import read_annotated
from audits.sheets.audit_sheets import read_sheet
from corpus.errors import InputError
from flows.annotating import run_from_studio, run_merge, run_to_studio
from tests.audits.several.test_annotators import parts, whole_sheet
from tests.audits.sheets.sheet_files import edit, verdicts


def annotation(who: Any, verdict: str, note: str | None = None, **more: Any) -> dict[str, Any]:
    """An annotation as Label Studio exports it."""
    choice = {"value": {"choices": [verdict]}, "id": "a1", "from_name": "verdict", "to_name": "row", "type": "choices"}
    comment = {"value": {"text": [note]}, "id": "a2", "from_name": "note", "to_name": "row", "type": "textarea"}
    result = [{**choice, "origin": "manual"}, *([comment] if note else [])]
    return {"id": 7, "completed_by": who, "result": result, "was_cancelled": False, "ground_truth": False, **more}


def exported(sheet: Path, annotations: dict[str, list[dict[str, Any]]]) -> Path:
    """The tasks of a sheet with annotations by post, as an export."""
    out = sheet.with_name("tasks.json")
    run_to_studio(sheet, out)
    tasks = json.loads(out.read_text(encoding="utf-8"))
    for task in tasks:
        task["annotations"] = annotations.get(task["data"]["post_id"], [])
    path = sheet.with_name("export.json")
    path.write_text(json.dumps(tasks, indent=1), encoding="utf-8")
    return path


def test_tasks_have_the_documented_form_and_fit_their_interface(tmp_path: Path) -> None:
    sheet = whole_sheet(tmp_path)
    edit(sheet, site_1=("wrong", "it is 3"))
    run_to_studio(sheet, tmp_path / "tasks.json")
    tasks = json.loads((tmp_path / "tasks.json").read_text(encoding="utf-8"))
    assert len(tasks) == 20
    assert "How many are 0 and 1?" in tasks[0]["data"]["text"]
    assert [len(task["annotations"]) for task in tasks[:3]] == [0, 1, 0]
    results = tasks[1]["annotations"][0]["result"]
    assert [(one["from_name"], one["type"], one["value"]) for one in results] == [
        ("verdict", "choices", {"choices": ["wrong"]}),
        ("note", "textarea", {"text": ["it is 3"]}),
    ]
    view = ET.fromstring((tmp_path / "tasks.xml").read_text(encoding="utf-8"))
    assert view.find("Text").attrib == {"name": "row", "value": "$text"}  # type: ignore[union-attr]
    assert {one.attrib["toName"] for one in view if "toName" in one.attrib} == {"row"}
    assert [one.attrib["value"] for one in view.iter("Choice")] == ["right", "wrong", "unsure"]


def test_each_annotator_of_an_export_gets_a_sheet_and_they_are_merged(tmp_path: Path) -> None:
    sheet = whole_sheet(tmp_path)
    ann, bob = {"id": 4, "email": "Ann.Lee@studio.example"}, 12
    export = exported(
        sheet,
        {
            "site:0": [annotation(ann, "right"), annotation(bob, "right")],
            "site:1": [annotation(ann, "wrong", "it is 2"), annotation(bob, "right")],
            "site:2": [annotation(bob, "wrong", was_cancelled=True), annotation(ann, "unsure")],
            "site:3": [{"id": 9, "completed_by": 12, "result": []}],
        },
    )
    run_from_studio(sheet, export)
    first, second = (tmp_path / f"sheet.{name}.jsonl" for name in ("ann-lee", "annotator-12"))
    assert verdicts(read_sheet(first)) == {"site:0": "right", "site:1": "wrong", "site:2": "unsure"}
    assert read_sheet(first).rows[1].note == "it is 2"
    assert verdicts(read_sheet(second)) == {"site:0": "right", "site:1": "right"}
    annotated = read_annotated([first, second])
    assert [row.post_id for row in annotated.disagreements()] == ["site:1"]
    run_merge(sheet, [first, second])
    merged = verdicts(read_sheet(sheet))
    assert (merged["site:0"], merged["site:1"], merged["site:2"], merged["site:3"]) == ("right", None, "unsure", None)


def test_what_goes_out_comes_back_the_same(tmp_path: Path) -> None:
    sheet = whole_sheet(tmp_path)
    said = {"site_1": ("wrong", "two\nlines"), "site_2": ("unsure", ""), "site_19": ("right", "yes")}
    edit(sheet, **said)
    run_to_studio(sheet, tmp_path / "tasks.json")
    run_from_studio(sheet, tmp_path / "tasks.json")
    back = read_sheet(tmp_path / "sheet.annotator.jsonl")
    assert {row.post_id.replace(":", "_"): (row.verdict, row.note) for row in back.rows} == said


def spoiled(tasks: list[dict[str, Any]], kind: str) -> Any:
    twice = [annotation(1, "right"), annotation(1, "wrong")]
    both = annotation(1, "right")
    both["result"][0]["value"]["choices"] = ["right", "wrong"]
    tasks[0]["annotations"] = {"twice": twice, "both": [both], "choice": [annotation(1, "perhaps")]}.get(kind, [])
    if kind == "unknown":
        tasks[0]["data"]["post_id"] = "site:99"
    if kind == "sheet":
        tasks[0]["data"]["sheet_id"] = "another"
    return {"tasks": tasks} if kind == "form" else tasks


REFUSED = {
    "twice": r"task 1: annotator-1 has two verdicts of site:0; delete one annotation",
    "both": r"task 1: one annotation has the verdicts right, wrong; choose one",
    "choice": r"task 1: choice 'perhaps'; there are: right, wrong, unsure",
    "unknown": r"task 1: row site:99 is not on sheet \w+; leave it out",
    "sheet": r"task 1 is of sheet another, not of \w+",
    "form": r"is no list of tasks; export tasks as JSON",
    "none": r"holds no verdicts; export it again when somebody has annotated tasks",
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_cannot_be_taken_is_named(kind: str, tmp_path: Path) -> None:
    sheet = whole_sheet(tmp_path)
    export = exported(sheet, {})
    tasks = spoiled(json.loads(export.read_text(encoding="utf-8")), kind)
    export.write_text(json.dumps(tasks), encoding="utf-8")
    with pytest.raises(InputError, match=REFUSED[kind]):
        run_from_studio(sheet, export)
    assert sorted(path.name for path in tmp_path.glob("sheet.*.jsonl")) == []


def test_one_annotators_sheet_takes_no_export_of_others(tmp_path: Path) -> None:
    ann, _ = parts(tmp_path)
    export = exported(ann, {"site:0": [annotation(3, "right")]})
    with pytest.raises(InputError, match="is one annotator's; give the whole sheet"):
        run_from_studio(ann, export)
