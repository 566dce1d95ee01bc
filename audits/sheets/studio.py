"""The JSON of Label Studio (https://labelstud.io/guide/task_format): tasks with ``data`` and ``annotations``.

A file of it was written elsewhere. It is checked whole before anything is made of it: what is read of a task has the
type that it is said to have, every text can be written as UTF-8, and what is not read may be anything."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from audits.sheets.annotators import ADJUDICATOR, ANNOTATOR, part_of
from audits.sheets.audit_sheets import Sheet, SheetRow, Verdict
from audits.sheets.verdict_log import Said
from corpus.canonical import canonical_json, digest_of
from corpus.errors import InputError
from corpus.lines.jsonl import MAX_LINE
from corpus.lines.sheet_lines import MAX_NOTE, parsed
from corpus.strict_json import load_json

MOST_NUMBER: Final = 2**63 - 1
StudioText = Annotated[str, Field(max_length=MAX_LINE)]
"""A text within bounds. Of a text without bounds pydantic would not say that it holds half a character."""


class StudioPart(BaseModel):
    """Base of what is read of an export; other fields are left unread."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


PartT = TypeVar("PartT", bound=StudioPart)


class Annotator(StudioPart):
    """Who annotated: exports tell people by number, by mail address, or by both in a record."""

    id: int | None = Field(None, ge=0, le=MOST_NUMBER, strict=True)
    email: StudioText | None = None

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, given: Any) -> Any:
        """A number or an address that stands for the record."""
        names = {int: "id", str: "email"}
        return {names[type(given)]: given} if type(given) in names else given


class _ControlSaid(StudioPart):
    """What one control of the interface says, whichever it is."""

    from_name: StudioText | None = None
    value: Any = None


class _ChoicesSaid(StudioPart):
    choices: list[StudioText] | None = None


class _LinesSaid(StudioPart):
    text: list[StudioText] | None = None


class Annotation(StudioPart):
    """What somebody said of a task."""

    completed_by: Annotator | None = None
    result: list[_ControlSaid] | None = None
    was_cancelled: bool | None = Field(None, strict=True)

    def choices(self, from_name: str, allowed: Collection[str], where: str) -> list[str]:
        """What was chosen in one control; InputError for a choice that there is not."""
        found = [choice for part in self._of(from_name, _ChoicesSaid, where) for choice in part.choices or ()]
        for choice in found:
            if choice not in allowed:
                raise InputError(f"{where}: choice {choice[:40]!r}; there are: {', '.join(allowed)}")
        return found

    def text(self, from_name: str, where: str) -> str:
        """What was written into one control."""
        return "\n".join(line for part in self._of(from_name, _LinesSaid, where) for line in part.text or ())

    def _of(self, from_name: str, kind: type[PartT], where: str) -> list[PartT]:
        said = (one.value for one in self.result or () if one.from_name == from_name)
        return [checked(kind, where, value) for value in said if value is not None]


class _Task(StudioPart):
    data: dict[str, Any]
    annotations: list[Annotation] | None = None


def studio_tasks(content: bytes, path: Path, kind: type[PartT]) -> list[tuple[str, PartT, list[Annotation]]]:
    """Each task of an export: where it stands, its ``data``, and its annotations that were not skipped.

    InputError for a file that is no such export, whichever part of it.
    """
    try:
        tasks = load_json(content)
    except ValueError as error:
        raise InputError(f"{path} is neither JSON Lines nor JSON ({str(error)[:120]}); export it again") from error
    if not isinstance(tasks, list):
        raise InputError(f"{path} is no list of tasks; export tasks as JSON")
    found = []
    for number, given in enumerate(tasks, start=1):
        where = f"{path} task {number}"
        if not isinstance(given, dict) or not isinstance(given.get("data"), dict):
            raise InputError(f"{where}: no 'data'; export tasks as JSON, not as JSON-MIN or CSV")
        task = checked(_Task, where, given)
        annotations = [one for one in task.annotations or () if not one.was_cancelled]
        found.append((where, checked(kind, where, task.data), annotations))
    return found


def checked(kind: type[PartT], where: str, value: Any) -> PartT:
    """What is read of a part of an export; InputError with the place and the field."""
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        fault = error.errors()[0]
        if fault["type"] == "list_type":
            field = ".".join(map(str, fault["loc"]))
            raise InputError(f"{where}: {field!r} is not a list; export tasks as JSON") from error
    return parsed(kind, where, value, "a task of Label Studio")


def studio_result(from_name: str, to_name: str, kind: str, values: list[str]) -> Mapping[str, Any]:
    """What one control of an annotation says; ``kind`` is ``choices`` or ``text``."""
    control = {"choices": "choices", "text": "textarea"}[kind]
    return {"from_name": from_name, "to_name": to_name, "type": control, "value": {kind: values}}


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
    if not said:
        raise InputError(f"{path} holds no verdicts; export it again when somebody has annotated tasks")
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
