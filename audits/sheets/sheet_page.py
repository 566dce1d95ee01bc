"""The page of an audit sheet: each row with its post, evidence highlighted, and verdicts to choose."""

from collections.abc import Mapping, Sequence
from typing import Any

from audits.evidence import EvidenceMark, MarkedSegment, segments
from audits.rendering import render

HOST = "127.0.0.1"
"""Where sheets are served."""
VALUES = ("right", "wrong", "unsure")
"""Verdicts by which rows can be shown."""
FACTS = ("decision", "answer", "confidence", "agreement", "equations", "solutions", "asked", "probability", "why")
"""What is said of a row, in the order in which it is shown; a file keeps it by the alphabet."""
KIND = {"answers": "answer", "equations": "equation", "in_scope": "number"}


def _answers(row: Mapping[str, Any], kind: str) -> list[dict[str, Any]]:
    found = []
    for answer in row["answers"]:
        spans = [span for span in row["spans"] if span["answer_id"] == answer["answer_id"]]
        marks = [EvidenceMark(span["start"], span["end"], kind) for span in spans]
        found.append({**answer, "segments": segments(answer["text"], marks)})
    return found


def _view(row: Mapping[str, Any], kind: str) -> dict[str, Any]:
    question: tuple[MarkedSegment, ...] = segments(row["question"], ())
    facts = {name: row["facts"][name] for name in FACTS if name in row["facts"]}
    return {**row, "answers": _answers(row, kind), "question": question, "facts": facts}


def web_address(url: str | None) -> str | None:
    """The address if it is one a page may link to; posts bring ``javascript:`` too.

    >>> web_address("https://forum.example/7"), web_address("javascript:alert(1)")
    ('https://forum.example/7', None)
    """
    return url if url and url.lower().startswith(("http://", "https://")) else None


def sheet_page(header: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], server: Mapping[str, Any] | None) -> str:
    """The page as HTML: one file, no outside resources, every text escaped.

    With a ``server`` it saves to it, and may ask other ports of this machine for one that was started anew.
    """
    kind = KIND[header["stage"]]
    views = [{**_view(row, kind), "url": web_address(row["url"])} for row in rows]
    payload = {"header": header, "rows": list(rows), "server": server, "field": "verdict", "done": "judged"}
    connect = f"'self' http://{HOST}:*" if server else "'none'"
    scripts = ("sheet.js", "rows.js", "saving.js")
    strata = sorted({str(row["stratum"]) for row in rows})
    shown = {"header": header, "rows": views, "payload": payload, "strata": strata, "values": VALUES}
    return render("sheet.html", scripts, connect=connect, **shown)
