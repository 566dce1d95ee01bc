"""Sheets on which a person aligns the slots that a program cannot (Annotating Derivations, sections 3.2 and 5).

The first line of a sheet says what it is; every other line is one slot (``curation.open_slots``) with its candidates,
the likeliest first, and ``choice`` to fill in: the candidate meant, or several where they state one quantity.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from audits.rendering import render
from corpus.benchmarks.gold_problems import Corpus
from corpus.errors import InputError
from corpus.result_files import write_results
from corpus.sheet_lines import content_of, object_lines, parsed
from curation.open_slots import SlotRow, SlotSheet, SlotSheetHeader, sheet_of_slots, slot_sheet

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
    """The sheet as a page on which choices are ticked."""
    header, *rows = (one.model_dump(mode="json") for one in (sheet.header, *sheet.rows))
    return slot_page(header, rows)


def slot_page(header: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> str:
    """The page as HTML: one file, no outside resources, every text escaped; it gives the filled sheet as a download."""
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
