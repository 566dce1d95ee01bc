"""The page of a sheet of slots: the question with its candidates marked, and boxes to tick."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from audits.rendering import render


def slot_page(header: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> str:
    """The page as HTML: one file, no outside resources, every text escaped; it gives the filled sheet as a download."""
    payload = {"header": header, "rows": list(rows), "server": None, "field": "choice", "done": "decided"}
    views = [{**row, "parts": list(_parts(row["question"], row["candidates"]))} for row in rows]
    return render("slots.html", ("slots.js", "rows.js", "saving.js"), header=header, rows=views, payload=payload)


def _parts(question: str, candidates: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The question in stretches, those of candidates with their number; of overlapping ones the first is marked."""
    place = 0
    for one in sorted(candidates, key=lambda candidate: (candidate["start"], candidate["end"])):
        if one["start"] >= place:
            yield {"text": question[place : one["start"]], "candidate": None}
            yield {"text": question[one["start"] : one["end"]], "candidate": one["candidate"]}
            place = one["end"]
    yield {"text": question[place:], "candidate": None}
