"""Audit sheets: JSON Lines that a person fills in, with a page that shows each row and its evidence.

The first line says what the sheet is; every other line is one decision with its post, the characters it rests on, and
``verdict`` (null, ``right``, ``wrong`` or ``unsure``) and ``note`` to fill in. What a page gives goes into the log
beside the sheet (``audits.sheets.verdict_log``); the sheet shows the log, and what is written into it by hand counts
as well."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from pydantic import Field

from audits.rendering import EvidenceMark, MarkedSegment, render, segments
from audits.sheets.verdict_log import GivenVerdict, Said, VerdictLine, VerdictLog, edits_by_hand, log_path, read_log
from corpus.canonical import canonical_json, digest_of
from corpus.errors import InputError
from corpus.folders.files import Folder
from corpus.lines.sheet_lines import MAX_NOTE, content_of, object_lines, parsed
from corpus.records import Answer, Record, TextSpan, added_later

FORMAT = 1
HOST = "127.0.0.1"
"""Where sheets are served."""
FACTS = ("decision", "answer", "confidence", "agreement", "equations", "solutions", "asked", "probability", "why")
"""What is said of a row, in the order in which it is shown; a file keeps it by the alphabet."""


class Verdict(StrEnum):
    """What a person says of a decision."""

    RIGHT = "right"
    WRONG = "wrong"
    UNSURE = "unsure"


VERDICTS = (None, *Verdict)


class JudgedKind(NamedTuple):
    """The decisions of one stage: what is asked of each, and how its evidence is marked."""

    question: str
    mark: str


STAGES: Final = {
    "answers": JudgedKind(
        "Are these values the answer to the question: everything it asks for, and nothing else?", "answer"
    ),
    "equations": JudgedKind("Do these equations model the problem, so that solving them answers it?", "equation"),
    "in_scope": JudgedKind(
        "Is the stage's decision right? In scope means one elementary problem with everything it needs.", "number"
    ),
}
"""The stages whose decisions can be judged."""


def check_stage(stage: str) -> None:
    """InputError for a stage whose decisions cannot be judged."""
    if stage not in STAGES:
        raise InputError(f"cannot audit stage {stage!r}; there are: {', '.join(STAGES)}")


class Group(StrEnum):
    """What a stage did with a post that is sampled."""

    KEPT = "kept"
    DROPPED = "dropped"


class StratumHeader(Record):
    """One stratum of a sheet: its population, and how many of it stand on the sheet."""

    stratum: str
    group: Group
    population: int = Field(ge=1)
    sampled: int = Field(ge=0)


class SheetHeader(Record):
    """What a sheet is: ``sheet_id`` is a digest of the version, the draw and the rows, without verdicts.

    ``shows`` says up to which line of its log the sheet shows verdicts, so that what was written by hand since is told.
    A sheet for one ``annotator`` has rows of another sheet, the ``whole`` (audits.sheets).
    """

    format: Literal[1]
    sheet_id: str
    version: str
    stage: str
    n: int
    seed: int
    question: str
    strata: tuple[StratumHeader, ...]
    shows: str | None = added_later()
    annotator: str | None = added_later()
    whole: str | None = added_later()


class SheetRow(Record):
    """One decision to judge."""

    row: int
    post_id: str
    stratum: str
    url: str | None
    question: str
    answers: tuple[Answer, ...]
    values: tuple[str, ...]
    facts: dict[str, str]
    spans: tuple[TextSpan, ...]
    verdict: Verdict | None = None
    note: str = Field("", max_length=MAX_NOTE)

    def saying(self, said: Said) -> "SheetRow":
        """The row with this verdict and note."""
        if (self.verdict, self.note) == said:
            return self
        verdict = None if said[0] is None else Verdict(said[0])
        return self.model_copy(update={"verdict": verdict, "note": said[1]})


@dataclass(frozen=True)
class Sheet:
    """A sheet in memory.

    ``unseen`` are pairs: a verdict that counts, and the latest one that contradicts it and that its giver had not seen.
    """

    header: SheetHeader
    rows: tuple[SheetRow, ...]
    unseen: tuple[tuple[VerdictLine, VerdictLine], ...] = ()

    @property
    def judged(self) -> int:
        """How many rows have a verdict."""
        return sum(row.verdict is not None for row in self.rows)

    def lines(self) -> str:
        """The sheet as JSON Lines."""
        records = [self.header, *self.rows]
        return "".join(canonical_json(record.model_dump(mode="json")) + "\n" for record in records)

    def with_verdict(self, post_id: str, verdict: Verdict | None, note: str) -> "Sheet":
        """The sheet with one row judged; InputError for a post that is not on it or a note that is too long."""
        self.check(post_id, verdict, note)
        rows = (row.saying((verdict, note)) if row.post_id == post_id else row for row in self.rows)
        return replace(self, rows=tuple(rows))

    def check(self, post_id: str, verdict: str | None, note: str) -> None:
        """InputError for a verdict that cannot stand on this sheet."""
        if all(row.post_id != post_id for row in self.rows):
            raise InputError(f"post {post_id[:80]} is not on sheet {self.header.sheet_id}")
        if verdict not in VERDICTS:
            raise InputError(f"verdict {str(verdict)[:40]!r} of {post_id}; there are right, wrong, unsure and null")
        if len(note) > MAX_NOTE:
            raise InputError(f"a note of {len(note)} characters; the limit is {MAX_NOTE}")

    def edits(self, log: VerdictLog) -> list[GivenVerdict]:
        """What was written into this sheet by hand and is not in its log."""
        return edits_by_hand(log, ((row.post_id, (row.verdict, row.note)) for row in self.rows), self.header.shows)

    def showing(self, log: VerdictLog) -> "Sheet":
        """The sheet with the verdicts of a log and no others."""
        rows = tuple(row.saying(log.said(row.post_id)) for row in self.rows)
        pairs = ((log.last_of(row.post_id), log.unseen(row.post_id)) for row in self.rows)
        unseen = tuple((counts, other) for counts, other in pairs if counts is not None and other is not None)
        return Sheet(self.header.model_copy(update={"shows": log.mark}), rows, unseen)


def _identity(header: SheetHeader, rows: Sequence[SheetRow]) -> str:
    blank = [row.model_dump(mode="json", exclude={"verdict", "note"}) for row in rows]
    sizes = [stratum.model_dump(mode="json") for stratum in header.strata]
    part = [header.whole, header.annotator] if header.whole else []
    return digest_of([FORMAT, header.version, header.stage, header.n, header.seed, blank, sizes, *part])[:24]


def identified(header: SheetHeader, rows: Sequence[SheetRow]) -> Sheet:
    """A sheet of these rows, its header with the id that they give it."""
    return Sheet(header.model_copy(update={"sheet_id": _identity(header, rows)}), tuple(rows))


def read_sheet(path: Path) -> Sheet:
    """A sheet with all verdicts: those of its log, and those that were written into it by hand.

    InputError names the line of what cannot be read, in the sheet or in the log.
    """
    sheet = sheet_of(content_of(path), path)  # before the log: what the sheet shows is in the log then
    log = checked_log(sheet, path)
    mark = log.mark
    for line in log.numbered(sheet.edits(log)):
        log.add(line)
    found = sheet.showing(log)
    return replace(found, header=found.header.model_copy(update={"shows": mark}))


def checked_log(sheet: Sheet, path: Path) -> VerdictLog:
    """The log of the sheet at ``path``, every verdict of which can stand on it; empty where there is none."""
    log = read_log(path, sheet.header.sheet_id)
    check_lines(sheet, log, path)
    return log


def check_lines(sheet: Sheet, log: VerdictLog, path: Path) -> None:
    """InputError for a log with verdicts that cannot stand on the sheet at ``path``."""
    known = {row.post_id for row in sheet.rows}
    for line in log.lines:
        if line.row_id not in known or line.verdict not in VERDICTS:
            raise InputError(
                f"{log_path(path)}: number {line.seq} says {line.verdict} of {line.row_id[:80]}, which does not fit "
                f"sheet {sheet.header.sheet_id}; the log was changed: put back a copy"
            )


def sheet_of(content: bytes, path: Path) -> Sheet:
    """The sheet of a file as it is; InputError where something else than verdicts and notes was changed."""
    lines = object_lines(content, path)
    if not lines:
        raise InputError(f"{path} is empty; write a sheet with wordquarry sheet verdicts")
    header = parsed(SheetHeader, *lines[0], "the first line of a sheet")
    rows = tuple(parsed(SheetRow, where, record, "a row of a sheet") for where, record in lines[1:])
    check_stage(header.stage)
    if _identity(header, rows) != header.sheet_id:
        raise InputError(
            f"{path}: its {len(rows)} rows are not those of sheet {header.sheet_id}; change only verdict and note, "
            "and keep every row (draw it again with wordquarry sheet verdicts elsewhere and copy the verdicts)"
        )
    return Sheet(header, rows)


def save_sheet(sheet: Sheet, path: Path) -> None:
    """Write the sheet so that readers see the old one or the new one, never a part.

    InputError, and nothing is written, for a sheet that ``sheet_of`` could not read.
    """
    content = sheet.lines().encode("utf-8")
    sheet_of(content, path)
    Folder.at(path.parent).write(path.name, content)


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


def page_of(sheet: Sheet, server: Mapping[str, Any] | None = None) -> str:
    """The sheet's page: one file, no outside resources, every text escaped.

    With a server it saves verdicts to it, and may ask other ports of this machine for one that was started anew;
    without one it offers a download.
    """
    header, *rows = (record.model_dump(mode="json") for record in (sheet.header, *sheet.rows))
    views = [{**_view(row, STAGES[sheet.header.stage].mark), "url": web_address(row["url"])} for row in rows]
    payload = {"header": header, "rows": rows, "server": server, "field": "verdict", "done": "judged"}
    connect = f"'self' http://{HOST}:*" if server else "'none'"
    strata = sorted({str(row["stratum"]) for row in rows})
    shown = {"header": header, "rows": views, "payload": payload, "strata": strata, "values": [*Verdict]}
    return render("sheet.html", ("sheet.js", "rows.js", "saving.js"), connect=connect, **shown)
