"""Audit sheets as tasks of Label Studio, and its exports as the sheets of their annotators."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from audits.several.annotators import ADJUDICATOR, ANNOTATOR, part_of
from audits.sheets.audit_sheets import Sheet, SheetRow, Verdict
from audits.sheets.studio import studio_choices, studio_result, studio_tasks, studio_values
from audits.sheets.verdict_log import Said
from corpus.canonical import canonical_json
from corpus.errors import InputError
from corpus.sheet_lines import MAX_NOTE

VERDICT, NOTE, SHOWN = "verdict", "note", "row"
AUDIT_VIEW: Final = f"""<View>
  <Text name="{SHOWN}" value="$text"/>
  <Choices name="{VERDICT}" toName="{SHOWN}" choice="single" required="true">
{"".join(f'    <Choice value="{verdict}"/>' + chr(10) for verdict in Verdict)}  </Choices>
  <TextArea name="{NOTE}" toName="{SHOWN}"/>
</View>
"""
"""The labelling interface that the exported tasks belong to."""


def studio_sheet(sheet: Sheet) -> str:
    """A sheet as a list of tasks; rows with a verdict have an annotation."""
    return canonical_json([_task(sheet, row) for row in sheet.rows]) + "\n"


def _task(sheet: Sheet, row: SheetRow) -> dict[str, Any]:
    facts = [f"{name}: {value}" for name, value in row.facts.items()]
    answers = [f"Answer {place}: {answer.text}" for place, answer in enumerate(row.answers, start=1)]
    parts = [sheet.header.question, f"Values: {'; '.join(row.values)}", *facts, row.question, *answers]
    data = {"sheet_id": sheet.header.sheet_id, "post_id": row.post_id, "stratum": row.stratum, "url": row.url}
    task: dict[str, Any] = {"id": row.row, "data": {**data, "text": "\n\n".join(parts)}, "annotations": []}
    if row.verdict is not None:
        said = [studio_result(VERDICT, SHOWN, "choices", [row.verdict])]
        said += [studio_result(NOTE, SHOWN, "text", [row.note])] if row.note else []
        task["annotations"] = [{"completed_by": sheet.header.annotator, "result": said, "was_cancelled": False}]
    return task


def sheets_of_export(sheet: Sheet, content: bytes, path: Path) -> dict[str, Sheet]:
    """The sheet of each annotator of an export, with the rows that they judged and their verdicts.

    ``sheet`` is the one whose tasks they are. Annotations that were skipped say nothing. InputError names the task of
    another sheet, of a row that is not on it, and of a row with two verdicts of one annotator.
    """
    if sheet.header.annotator is not None:
        raise InputError(
            f"sheet {sheet.header.sheet_id} is one annotator's; give the whole sheet, and export the tasks of that one"
        )
    known = {row.post_id: row for row in sheet.rows}
    said: dict[str, dict[str, Said]] = {}
    for where, data, annotations in studio_tasks(content, path):
        post_id = data.get("post_id")
        if data.get("sheet_id") != sheet.header.sheet_id:
            raise InputError(f"{where} is of sheet {str(data.get('sheet_id'))[:40]}, not of {sheet.header.sheet_id}")
        if post_id not in known:
            raise InputError(f"{where}: row {str(post_id)[:80]} is not on sheet {sheet.header.sheet_id}; leave it out")
        for annotation in annotations:
            found = _said(annotation, where)
            if found is None:
                continue
            name = _name(annotation)
            if said.setdefault(name, {}).setdefault(post_id, found)[0] != found[0]:
                raise InputError(f"{where}: {name} has two verdicts of {post_id}; delete one annotation")
    return {name: _filled(sheet, name, rows) for name, rows in sorted(said.items())}


def _said(annotation: Any, where: str) -> Said | None:
    chosen = studio_choices(annotation, VERDICT, tuple(Verdict), where)
    if not chosen:
        return None
    if len(set(chosen)) > 1:
        raise InputError(f"{where}: one annotation has the verdicts {', '.join(sorted(set(chosen)))}; choose one")
    lines = studio_values(annotation, NOTE, "text", where)
    return chosen[0], "\n".join(str(line) for line in lines)[:MAX_NOTE]


def _name(annotation: Mapping[str, Any]) -> str:
    """The annotator's name: the first part of the mail address, or the number."""
    by = annotation.get("completed_by")
    who = by.get("email") or by.get("id") if isinstance(by, dict) else by
    name = re.sub(r"[^a-z0-9_-]+", "-", str("" if who is None else who).lower().partition("@")[0])[:30].strip("-")
    if name.isdigit():
        name = f"annotator-{name}"
    return name if ANNOTATOR.fullmatch(name) and name != ADJUDICATOR else "annotator"


def _filled(sheet: Sheet, name: str, said: Mapping[str, Said]) -> Sheet:
    part = part_of(sheet, name, (row for row in sheet.rows if row.post_id in said))
    return Sheet(part.header, tuple(row.saying(said[row.post_id]) for row in part.rows))
