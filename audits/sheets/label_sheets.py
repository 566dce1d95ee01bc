"""Sheets of posts to label: JSON Lines to fill in by hand, and the tasks of Label Studio, both ways.

A row is one post with what the model thinks of it and ``scope_reason`` to fill in: ``ok`` for one elementary problem,
else why not (null: not labelled yet). Rows that are filled in stay when the sheet is written anew. Label Studio's JSON
is the format of https://labelstud.io/guide/task_format: a list of tasks with ``data``, ``predictions`` and
``annotations``.
Sheets of slots ask a person to align what a program cannot (Annotating Derivations, sections 3.2 and 5). The first line
says what the sheet is; every other line is one slot (``open_slots``) with its candidates, the likeliest first,
and ``choice`` to fill in: the candidate meant, or several where they state one quantity.
"""

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pydantic import Field

from audits.rendering import render
from audits.sheets.studio import StudioPart, StudioText, studio_result, studio_tasks
from corpus.benchmarks.gold_problems import Corpus
from corpus.canonical import canonical_json, digest_of
from corpus.errors import InputError, store_errors
from corpus.folders.open_files import read_file
from corpus.folders.result_files import write_results
from corpus.lines.jsonl import MAX_LINE, numbered_lines, parse_object
from corpus.lines.sheet_lines import MAX_NOTE, content_of, object_lines, parsed
from corpus.records import Label, Record, ScopeOutcome
from curation.equivalence.open_slots import SlotRow, SlotSheet, SlotSheetHeader, sheet_of_slots, slot_sheet

OUTCOMES: Final = tuple(ScopeOutcome)
FROM_NAME: Final = "scope"
TO_NAME: Final = "post"
MAX_BYTES: Final = 256 * 1024 * 1024
STUDIO_VIEW: Final = f"""<View>
  <Text name="{TO_NAME}" value="$text"/>
  <Choices name="{FROM_NAME}" toName="{TO_NAME}" choice="single">
{"".join(f'    <Choice value="{outcome}"/>' + chr(10) for outcome in OUTCOMES)}  </Choices>
</View>
"""
"""The labelling interface that the exported tasks belong to."""


class LabelRow(Record):
    """One post of a sheet: the model's ``probability`` of one elementary problem and its ``outcome``, and the label.

    ``gold_answer``, which ``calibrate`` and ``train answers`` want, may be filled in beside it: the values as texts.
    """

    post_id: str = Field(min_length=1)
    question: str
    answers: tuple[str, ...] = ()
    probability: float | None = Field(None, ge=0, le=1)
    outcome: ScopeOutcome | None = None
    scope_reason: ScopeOutcome | None = None
    gold_answer: tuple[str, ...] | None = None
    note: str = Field("", max_length=MAX_NOTE)

    def label(self) -> Label | None:
        """The label, None where the row is not filled in."""
        if self.scope_reason is None:
            return None
        inside = self.scope_reason is ScopeOutcome.OK
        return Label(
            post_id=self.post_id, in_scope=inside, scope_reason=self.scope_reason, gold_answer=self.gold_answer
        )


def merged(held: Sequence[LabelRow], fresh: Sequence[LabelRow]) -> list[LabelRow]:
    """A sheet written anew: filled-in rows first, as they are, then fresh ones of other posts."""
    done = [row for row in held if row.scope_reason is not None or row.note]
    kept = {row.post_id for row in done}
    return [*done, *(row for row in fresh if row.post_id not in kept)]


def read_sheet_rows(path: Path) -> list[LabelRow]:
    """The rows of a sheet in JSON Lines or of an export of Label Studio; which of them it is, the content says.

    InputError names the place of what cannot be read, and of two labels of one post that are not the same.
    """
    with store_errors("read", str(path)):
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path} has more than {MAX_BYTES} bytes; split it")
        content = read_file(path)
    studio = content.lstrip()[:1] == b"["
    pairs = list(_studio_rows(content, path) if studio else _sheet_rows(content, path))
    found: dict[str, tuple[str, LabelRow]] = {}
    for where, row in pairs:
        place, held = found.setdefault(row.post_id, (where, row))
        if (held.scope_reason, held.gold_answer) != (row.scope_reason, row.gold_answer):
            raise InputError(f"{where}: {row.post_id} has another label at {place}; keep one of the two")
    if not found:
        raise InputError(f"{path} holds no rows; write a sheet with wordquarry sheet labels")
    return [row for _, row in found.values()]


def _sheet_rows(content: bytes, path: Path) -> Iterable[tuple[str, LabelRow]]:
    for where, line in numbered_lines(io.BytesIO(content), str(path)):
        yield where, _row(parse_object(line, where), where)


def _row(fields: Mapping[str, Any], where: str) -> LabelRow:
    return parsed(LabelRow, where, fields, "a row of a sheet of labels")


class _PostData(StudioPart):
    """Of the data of a task: the post."""

    post_id: StudioText
    question: StudioText
    answers: list[StudioText] | None = None


def _studio_rows(content: bytes, path: Path) -> Iterable[tuple[str, LabelRow]]:
    for where, data, annotations in studio_tasks(content, path, _PostData):
        chosen = sorted({one for annotation in annotations for one in annotation.choices(FROM_NAME, OUTCOMES, where)})
        if len(chosen) > 1:
            names = ", ".join(chosen)
            raise InputError(f"{where}: {data.post_id} has the labels {names}, which contradict each other")
        fields = data.model_dump(exclude_none=True)
        yield where, _row({**fields, "scope_reason": next(iter(chosen), None)}, where)


def _studio_task(number: int, row: LabelRow) -> dict[str, Any]:
    texts = [row.question, *(f"Answer {place}: {text}" for place, text in enumerate(row.answers, start=1))]
    data = {"post_id": row.post_id, "question": row.question, "answers": list(row.answers)}
    task: dict[str, Any] = {"id": number, "data": {**data, "text": "\n\n".join(texts)}, "annotations": []}
    if row.scope_reason is not None:
        task["annotations"] = [
            {"result": [studio_result(FROM_NAME, TO_NAME, "choices", [row.scope_reason])], "was_cancelled": False}
        ]
    if row.outcome is not None and row.probability is not None:
        task["predictions"] = [
            {"model_version": "wordquarry", "score": row.probability, "result": [_result(row.outcome)]}
        ]
    return task


def _result(outcome: str) -> Mapping[str, Any]:
    return studio_result(FROM_NAME, TO_NAME, "choices", [outcome])


def sheet_text(rows: Sequence[LabelRow], *, studio: bool) -> str:
    """A sheet as JSON Lines, or a list of tasks of Label Studio; InputError for a row beyond the bound of a line."""
    if studio:
        return canonical_json([_studio_task(number, row) for number, row in enumerate(rows, start=1)]) + "\n"
    lines = [canonical_json(row.model_dump(mode="json")) + "\n" for row in rows]
    if any(len(line) > MAX_LINE // 4 for line in lines):
        raise InputError(f"a post of more than {MAX_LINE // 4} characters is too long for a sheet; leave it out")
    return "".join(lines)


SAID: Final[Mapping[ScopeOutcome, tuple[str, str]]] = {
    ScopeOutcome.OK: (
        "one elementary problem with all that it needs",
        "Two numbers add up to 15, and one is twice the other. Which are they?",
    ),
    ScopeOutcome.GENERAL: (
        "a question about mathematics, and no problem",
        "Why is dividing by a fraction the same as multiplying by its reciprocal?",
    ),
    ScopeOutcome.COLLEGE: ("beyond elementary mathematics", "Find the general solution of y'' + 4y = 3 sin x."),
    ScopeOutcome.MULTIPLE: (
        "several problems",
        "1) A pen costs $3. What do 5 cost? 2) A car drives 90 miles in 2 hours. How fast is it?",
    ),
    ScopeOutcome.INCOMPLETE: (
        "something is missing: a figure, a number, the question",
        "What is the area of the shaded part of the figure?",
    ),
    ScopeOutcome.NOT_MATH: ("no mathematics", "How do I make my essay longer?"),
}
"""Of each outcome what it means, and a post that it is said of."""


def label_page(rows: Sequence[LabelRow]) -> str:
    """The page of a sheet of posts to label; what is chosen on it is downloaded as the filled sheet."""
    plain = [row.model_dump(mode="json") for row in rows]
    names = [str(outcome) for outcome in SAID]
    header = {"sheet_id": "labels-" + digest_of([row.post_id for row in rows])[:24]}
    payload = {"header": header, "headless": True, "rows": plain, "server": None, "outcomes": names}
    payload |= {"field": "scope_reason", "done": "labelled"}
    views = [{**row, "row": number} for number, row in enumerate(plain, start=1)]
    outcomes = {str(outcome): told for outcome, told in SAID.items()}
    shown: dict[str, Any] = {"header": header, "rows": views, "payload": payload, "outcomes": outcomes}
    return render("labels.html", ("labels.js", "rows.js", "saving.js"), strata=(), values=names, **shown)


LINE = "a line of a sheet of slots"


def read_slot_sheet(path: Path) -> SlotSheet:
    """Read a sheet and check that nothing but choices and notes was changed; InputError names the line otherwise."""
    lines = object_lines(content_of(path), path)
    if not lines:
        raise InputError(f"{path} is empty; write a sheet with wordquarry sheet slots")
    header = parsed(SlotSheetHeader, *lines[0], LINE)
    rows = []
    for where, record in lines[1:]:
        rows.append(parsed(SlotRow, where, record, LINE))
        _check_choice(rows[-1], where)
    sheet = SlotSheet(header, tuple(rows))
    if sheet_of_slots(header.corpus, sheet.rows).header.sheet_id != header.sheet_id:
        raise InputError(f"{path}: its rows are not those of sheet {header.sheet_id}; change only choice and note")
    return sheet


def _check_choice(row: SlotRow, where: str) -> None:
    choice = row.choice
    known = range(1, len(row.candidates) + 1)
    if choice is not None and (not choice or len(set(choice)) < len(choice) or any(n not in known for n in choice)):
        raise InputError(f"{where}: choice {list(choice)} must be numbers of its {len(known)} candidates, each once")


def write_slot_sheet(corpus: Corpus, path: Path) -> SlotSheet:
    """Write the sheet of a corpus, and its page beside it (``.html``); choices that the file holds already stay.

    Raises InputError where the file is no sheet, or holds a choice for a slot that is asked no more.
    """
    sheet = slot_sheet(corpus)
    if path.exists():
        held = {row.asked: row for row in read_slot_sheet(path).rows if row.choice is not None or row.note}
        lost = sorted(set(held) - {row.asked for row in sheet.rows})
        if lost:
            row = held[lost[0]]
            raise InputError(
                f"{path} holds {len(lost)} choices or notes that are no longer asked for, such as slot {row.slot} of "
                f"{row.problem_id}; apply that sheet first, or write to another file"
            )
        kept = [row.model_copy(update=_given(held.get(row.asked))) for row in sheet.rows]
        sheet = SlotSheet(sheet.header, tuple(kept))
    write_results([(path, sheet.lines()), (path.with_suffix(".html"), page_of_slots(sheet))], kept=[path])
    return sheet


def _given(row: SlotRow | None) -> dict[str, object]:
    return {} if row is None else {"choice": row.choice, "note": row.note}


def page_of_slots(sheet: SlotSheet) -> str:
    """The sheet as a page on which choices are ticked; it gives the filled sheet as a download."""
    header, *rows = (one.model_dump(mode="json") for one in (sheet.header, *sheet.rows))
    payload = {"header": header, "rows": list(rows), "server": None, "field": "choice", "done": "decided"}
    views = [{**row, "parts": list(_parts(row["question"], row["candidates"]))} for row in rows]
    shown: dict[str, Any] = {"header": header, "rows": views, "payload": payload, "strata": (), "values": ()}
    return render("slots.html", ("slots.js", "rows.js", "saving.js"), **shown)


def _parts(question: str, candidates: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The question in stretches, those of candidates with their number; of overlapping ones the first is marked."""
    place = 0
    for one in sorted(candidates, key=lambda candidate: (candidate["start"], candidate["end"])):
        if one["start"] >= place:
            yield {"text": question[place : one["start"]], "candidate": None}
            yield {"text": question[one["start"] : one["end"]], "candidate": one["candidate"]}
            place = one["end"]
    yield {"text": question[place:], "candidate": None}
