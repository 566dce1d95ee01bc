"""Audit sheets as tasks of Label Studio, and its exports as the sheets of their annotators."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from audits.several.annotators import ADJUDICATOR, ANNOTATOR, part_of
from audits.sheets.audit_sheets import Sheet, SheetRow, Verdict
from audits.sheets.studio import Annotation, StudioPart, StudioText, studio_result, studio_tasks
from audits.sheets.verdict_log import Said
from corpus.canonical import canonical_json, digest_of
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
_DIGEST: Final = re.compile(r"-[0-9a-f]{10}$")
"""How a name ends that has a digest: no name without one may end so."""


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


class _RowData(StudioPart):
    """Of the data of a task: which row of which sheet it is."""

    sheet_id: StudioText
    post_id: StudioText


Person = tuple[int | None, str | None]
"""An annotator as an export tells people apart: number and mail address."""


def sheets_of_export(sheet: Sheet, content: bytes, path: Path) -> dict[str, Sheet]:
    """The sheet of each annotator of an export, with the rows that they judged and their verdicts.

    ``sheet`` is the one whose tasks they are. Annotations that were skipped say nothing. InputError names what is no
    task, the task of another sheet, of a row that is not on it, and of a row with two verdicts of one annotator.
    """
    if sheet.header.annotator is not None:
        raise InputError(
            f"sheet {sheet.header.sheet_id} is one annotator's; give the whole sheet, and export the tasks of that one"
        )
    known = {row.post_id for row in sheet.rows}
    said: dict[Person, dict[str, Said]] = {}
    for where, data, annotations in studio_tasks(content, path, _RowData):
        if data.sheet_id != sheet.header.sheet_id:
            raise InputError(f"{where} is of sheet {data.sheet_id[:40]}, not of {sheet.header.sheet_id}")
        if data.post_id not in known:
            raise InputError(f"{where}: row {data.post_id[:80]} is not on sheet {sheet.header.sheet_id}; leave it out")
        for annotation in annotations:
            found = _said(annotation, where)
            person = _person(annotation)
            if found and said.setdefault(person, {}).setdefault(data.post_id, found)[0] != found[0]:
                name = _slug(person)
                raise InputError(f"{where}: {name} has two verdicts of {data.post_id}; delete one annotation")
    names = annotator_names(said)
    return {names[person]: _filled(sheet, names[person], rows) for person, rows in said.items()}


def _said(annotation: Annotation, where: str) -> Said | None:
    chosen = sorted(set(annotation.choices(VERDICT, tuple(Verdict), where)))
    if len(chosen) > 1:
        raise InputError(f"{where}: one annotation has the verdicts {', '.join(chosen)}; choose one")
    note = annotation.text(NOTE, where)
    if len(note) > MAX_NOTE:
        raise InputError(f"{where}: a note of {len(note)} characters; shorten it to {MAX_NOTE}")
    return (chosen[0], note) if chosen else None


def _person(annotation: Annotation) -> Person:
    by = annotation.completed_by
    return (by.id, by.email) if by else (None, None)


def annotator_names(people: Iterable[Person]) -> dict[Person, str]:
    """The name of each annotator, no two alike: the first part of the mail address, or the number.

    Where that is the name of several, all of them have a digest of number and address behind it.

    >>> list(annotator_names([(4, "Ann.Lee@one.example"), (12, None)]).values())
    ['ann-lee', 'annotator-12']
    >>> list(annotator_names([(None, "j\u00f6rg@one.example"), (None, "j\u00fcrg@one.example")]).values())
    ['j-rg-d4bcda8448', 'j-rg-7e499d61e8']
    """
    slugs = {person: _slug(person) for person in people}
    shared = Counter(slugs.values())
    return {
        person: f"{slug[:19]}-{digest_of(person)[:10]}" if shared[slug] > 1 or _DIGEST.search(slug) else slug
        for person, slug in slugs.items()
    }


def _slug(person: Person) -> str:
    number, email = person
    name = re.sub(r"[^a-z0-9_-]+", "-", (email or "").lower().partition("@")[0])[:30].strip("-")
    name = name or ("" if number is None else str(number))
    if name.isdigit():
        name = f"annotator-{name}"
    return name if ANNOTATOR.fullmatch(name) and name != ADJUDICATOR else "annotator"


def _filled(sheet: Sheet, name: str, said: Mapping[str, Said]) -> Sheet:
    part = part_of(sheet, name, (row for row in sheet.rows if row.post_id in said))
    return Sheet(part.header, tuple(row.saying(said[row.post_id]) for row in part.rows))
