"""Audit sheets in Label Studio and back: its documented JSON, several annotators, and what is refused.

The form is that of https://labelstud.io/guide/export (JSON): ``completed_by`` is a number, or a record with ``id`` and
``email``; a skipped task has ``was_cancelled``; a comment control gives a result of type ``textarea``.
"""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from audits.sheets.annotators import checked_annotators, read_annotated
from audits.sheets.audit_sheets import Sheet, read_sheet, save_sheet, sheet_of
from audits.sheets.label_sheets import read_sheet_rows, sheet_text
from audits.sheets.studio import annotator_names, sheets_of_export
from corpus.errors import InputError
from flows.command_line.judge_commands import sheet_from_studio, sheet_merge, sheet_to_studio
from tests.audits.sheets.sheet_files import edit, verdicts
from tests.audits.sheets.test_annotators import parts, whole_sheet

HALF = "\ud83d"
HOSTILE: tuple[Any, ...] = (
    None, True, 0, -1, 10**30, 1.5, "", "x", HALF, f"a{HALF}b", "\0", "x" * 5_000, [], ["x"], [HALF], [[]], [None], {},
    {"id": 1}, {"id": [1]}, {"email": HALF}, {HALF: HALF}, {"choices": ["right", "right"]}, {"text": [HALF]},
)  # fmt: skip
"""What may stand in any place of a file that was made elsewhere."""


def annotation(who: Any, verdict: str, note: str | None = None, **more: Any) -> dict[str, Any]:
    """An annotation as Label Studio exports it."""
    choice = {"value": {"choices": [verdict]}, "id": "a1", "from_name": "verdict", "to_name": "row", "type": "choices"}
    comment = {"value": {"text": [note]}, "id": "a2", "from_name": "note", "to_name": "row", "type": "textarea"}
    result = [{**choice, "origin": "manual"}, *([comment] if note else [])]
    return {"id": 7, "completed_by": who, "result": result, "was_cancelled": False, "ground_truth": False, **more}


def exported(sheet: Path, annotations: dict[str, list[dict[str, Any]]]) -> Path:
    """The tasks of a sheet with annotations by post, as an export."""
    out = sheet.with_name("tasks.json")
    sheet_to_studio(sheet, out)
    tasks = json.loads(out.read_text(encoding="utf-8"))
    for task in tasks:
        task["annotations"] = annotations.get(task["data"]["post_id"], [])
    path = sheet.with_name("export.json")
    path.write_text(json.dumps(tasks, indent=1), encoding="utf-8")
    return path


def test_tasks_have_the_documented_form_and_fit_their_interface(tmp_path: Path) -> None:
    sheet = whole_sheet(tmp_path)
    edit(sheet, site_1=("wrong", "it is 3"))
    sheet_to_studio(sheet, tmp_path / "tasks.json")
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
    sheet_from_studio(sheet, export)
    first, second = (tmp_path / f"sheet.{name}.jsonl" for name in ("ann-lee", "annotator-12"))
    assert verdicts(read_sheet(first)) == {"site:0": "right", "site:1": "wrong", "site:2": "unsure"}
    assert read_sheet(first).rows[1].note == "it is 2"
    assert verdicts(read_sheet(second)) == {"site:0": "right", "site:1": "right"}
    annotated = read_annotated([first, second])
    assert [row.post_id for row in annotated.disagreements()] == ["site:1"]
    sheet_merge(sheet, [first, second])
    merged = verdicts(read_sheet(sheet))
    assert (merged["site:0"], merged["site:1"], merged["site:2"], merged["site:3"]) == ("right", None, "unsure", None)


def test_what_goes_out_comes_back_the_same(tmp_path: Path) -> None:
    sheet = whole_sheet(tmp_path)
    said = {"site_1": ("wrong", "two\nlines"), "site_2": ("unsure", ""), "site_19": ("right", "yes")}
    edit(sheet, **said)
    sheet_to_studio(sheet, tmp_path / "tasks.json")
    sheet_from_studio(sheet, tmp_path / "tasks.json")
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
        sheet_from_studio(sheet, export)
    assert sorted(path.name for path in tmp_path.glob("sheet.*.jsonl")) == []


def test_one_annotators_sheet_takes_no_export_of_others(tmp_path: Path) -> None:
    ann, _ = parts(tmp_path)
    export = exported(ann, {"site:0": [annotation(3, "right")]})
    with pytest.raises(InputError, match="is one annotator's; give the whole sheet"):
        sheet_from_studio(ann, export)


def places(value: Any) -> Iterator[tuple[Any, ...]]:
    """The way to every value within a value, itself first."""
    yield ()
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield from ((key, *rest) for rest in places(inner))


def replaced(value: Any, way: tuple[Any, ...], by: Any) -> Any:
    """A copy of a value with another one in a place."""
    copy = json.loads(json.dumps(value))
    if not way:
        return by
    inner = copy
    for key in way[:-1]:
        inner = inner[key]
    inner[way[-1]] = by
    return copy


def hostile_copies(tasks: Any) -> Iterator[str]:
    """A file with each hostile value in each place, and with what is JSON for some programs only."""
    for way in places(tasks):
        for value in HOSTILE:
            yield json.dumps(replaced(tasks, way, value))
        for raw in ("NaN", "-Infinity", "1e999", "9" * 5_000, "[" * 500 + "]" * 500):
            yield json.dumps(replaced(tasks, way, "@@")).replace('"@@"', raw)


def test_whatever_an_export_holds_sheets_come_out_that_can_be_read_or_one_line(tmp_path: Path) -> None:
    path = whole_sheet(tmp_path)
    sheet = read_sheet(path)
    said = annotation({"id": 4, "email": "ann@a.example"}, "wrong", "it is 2")
    export = exported(path, {"site:0": [said, annotation(12, "right")]})
    tasks = json.loads(export.read_text(encoding="utf-8"))[:1]
    taken = refused = 0
    for content in hostile_copies(tasks):
        try:
            parts = sheets_of_export(sheet, content.encode(), export)
        except InputError as error:
            str(error).encode()
            refused += 1
            continue
        for name, part in parts.items():
            back = sheet_of(part.lines().encode(), path)
            assert (back.header.annotator, len(back.rows)) == (name, 1)
        taken += 1
    assert taken > 100
    assert refused > 200


def test_whatever_an_export_of_labels_holds_rows_come_out_that_can_be_written_or_one_line(tmp_path: Path) -> None:
    choice = {"from_name": "scope", "to_name": "post", "type": "choices", "value": {"choices": ["general"]}}
    data = {"post_id": "f:1", "question": "2 + 2?", "answers": ["4"]}
    task = {"data": data, "annotations": [{"completed_by": 1, "result": [choice], "was_cancelled": False}]}
    export, back = tmp_path / "export.json", tmp_path / "sheet.jsonl"
    taken = 0
    for content in hostile_copies([task]):
        export.write_text(content, encoding="utf-8")
        with contextlib.suppress(InputError):
            rows = read_sheet_rows(export)
            json.dumps([row.model_dump(mode="json") for row in rows], ensure_ascii=False).encode()
            back.write_text(sheet_text(rows, studio=False), encoding="utf-8")
            assert read_sheet_rows(back) == rows
            sheet_text(rows, studio=True).encode()
            taken += 1
    assert taken > 50


MAILS = (
    "j\u00f6rg@a.example", "j\u00fcrg@a.example", "jo\u0308rg@a.example", "ann@a.example", "ann@b.example",
    "Ann@a.example", "ann", "ann.", "\u738b@a.example", "\u674e@a.example", "@a.example", "@b.example", "",
    "adjudicated@a.example",
    "annotator-7@a.example", "7@a.example", "x" * 40 + "1@a.example", "x" * 40 + "2@a.example",
    "ann-0123456789@a.example",
)  # fmt: skip


def test_no_two_annotators_have_one_name() -> None:
    people: list[tuple[int | None, str | None]] = [(None, mail) for mail in MAILS]
    people += [(None, None), (7, None), (8, None), (8, "ann@a.example"), (9, "ann@a.example"), (9, "")]
    names = annotator_names(people)
    assert len(set(names.values())) == len(people)
    assert all(checked_annotators([name, "zoe"]) for name in names.values())
    assert annotator_names(reversed(people)) == names
    again: list[tuple[int | None, str | None]] = [*people, *((None, f"{name}@c.example") for name in names.values())]
    assert len(set(annotator_names(again).values())) == len(again)


def test_annotators_that_differ_behind_the_at_or_beyond_ascii_stay_two(tmp_path: Path) -> None:
    sheet = whole_sheet(tmp_path)
    people = ["ann@a.example", "ann@b.example", "j\u00f6rg@a.example", "j\u00fcrg@a.example"]
    said = [annotation({"email": mail}, verdict) for mail, verdict in zip(people, ("right", "wrong") * 2, strict=True)]
    sheet_from_studio(sheet, exported(sheet, {"site:0": said}))
    found = sorted(tmp_path.glob("sheet.*.jsonl"))
    assert [path.name.split(".")[1][:-11] for path in found] == ["ann", "ann", "j-rg", "j-rg"]
    annotated = read_annotated(found)
    assert (
        sorted(str(one.get("site:0", ("", ""))[0]) for one in annotated.said.values()) == ["right"] * 2 + ["wrong"] * 2
    )


def test_a_note_that_is_too_long_is_not_cut(tmp_path: Path) -> None:
    sheet = whole_sheet(tmp_path)
    export = exported(sheet, {"site:0": [annotation(1, "right", "x" * 2_001)]})
    with pytest.raises(InputError, match="task 1: a note of 2001 characters; shorten it to 2000"):
        sheet_from_studio(sheet, export)


def test_a_sheet_that_could_not_be_read_is_not_written(tmp_path: Path) -> None:
    path = whole_sheet(tmp_path)
    sheet, before = read_sheet(path), path.read_bytes()
    broken = sheet.rows[0].model_copy(update={"note": HALF})
    with pytest.raises(InputError, match="note holds half a character"):
        save_sheet(Sheet(sheet.header, (broken, *sheet.rows[1:])), path)
    assert path.read_bytes() == before
