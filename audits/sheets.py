"""Audit sheets: JSON Lines that a person fills in, with a page that shows each row and its evidence.

The first line says what the sheet is; every other line is one decision with its post, the characters it rests on, and
``verdict`` (null, ``right``, ``wrong`` or ``unsure``) and ``note`` to fill in.
"""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from audits.sampling import Draw, Group, Sampled, Unit, sample
from audits.sheet_page import sheet_page
from corpus.canonical import canonical_json, digest_of
from corpus.errors import InputError
from corpus.files import Folder, explained
from corpus.jsonl import numbered_lines, parse_object
from corpus.records import Answer, Record, TextSpan
from corpus.schema import RecordT
from corpus.versions import Version
from corpus.workspace import Workspace

FORMAT = 1
Verdict = Literal["right", "wrong", "unsure"]
MAX_NOTE = 2000


class StratumHeader(Record):
    """One stratum of a sheet: its population, and how many of it stand on the sheet."""

    stratum: str
    group: Group
    population: int = Field(ge=1)
    sampled: int = Field(ge=0)


class SheetHeader(Record):
    """What a sheet is: ``sheet_id`` is a digest of the version, the draw and the rows, without verdicts."""

    format: Literal[1]
    sheet_id: str
    version: str
    stage: str
    n: int
    seed: int
    question: str
    strata: tuple[StratumHeader, ...]


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


QUESTIONS: Mapping[str, str] = {
    "answers": "Are these values the answer to the question: all that is asked for, and nothing else?",
    "equations": "Do these equations model the problem, so that solving them answers it?",
    "in_scope": "Is the stage's decision right? In scope is one elementary problem with all that it needs.",
}


@dataclass(frozen=True)
class Sheet:
    """A sheet in memory."""

    header: SheetHeader
    rows: tuple[SheetRow, ...]

    def lines(self) -> str:
        """The sheet as JSON Lines."""
        records = [self.header, *self.rows]
        return "".join(canonical_json(record.model_dump(mode="json")) + "\n" for record in records)

    def with_verdict(self, post_id: str, verdict: Verdict | None, note: str) -> "Sheet":
        """The sheet with one row judged; InputError for a post that is not on it or a note that is too long."""
        place = next((place for place, row in enumerate(self.rows) if row.post_id == post_id), None)
        if place is None:
            raise InputError(f"post {post_id[:80]} is not on sheet {self.header.sheet_id}")
        if len(note) > MAX_NOTE:
            raise InputError(f"a note of {len(note)} characters; the limit is {MAX_NOTE}")
        row = self.rows[place].model_copy(update={"verdict": verdict, "note": note})
        return replace(self, rows=(*self.rows[:place], row, *self.rows[place + 1 :]))


@dataclass(frozen=True)
class Written:
    """Where a sheet and its page are, how many rows it has, and how many verdicts it holds already."""

    sheet: Path
    page: Path
    rows: int
    judged: int


def _identity(version: str, draw: Draw, rows: Sequence[SheetRow], strata: Sequence[StratumHeader]) -> str:
    blank = [row.model_dump(mode="json", exclude={"verdict", "note"}) for row in rows]
    sizes = [stratum.model_dump(mode="json") for stratum in strata]
    return digest_of([FORMAT, version, draw.stage, draw.n, draw.seed, blank, sizes])[:24]


def make_sheet(version: str, draw: Draw, units: Sequence[Unit], strata: Sequence[Sampled]) -> Sheet:
    """A sheet without verdicts."""
    rows = tuple(
        SheetRow(
            row=number,
            post_id=unit.post_id,
            stratum=unit.stratum,
            url=unit.url,
            question=unit.question,
            answers=unit.answers,
            values=unit.values,
            facts=dict(unit.facts),
            spans=unit.spans,
        )
        for number, unit in enumerate(units, start=1)
    )
    sizes = tuple(StratumHeader(**vars(stratum)) for stratum in strata)
    header = SheetHeader(
        format=FORMAT,
        sheet_id=_identity(version, draw, rows, sizes),
        version=version,
        stage=draw.stage,
        n=draw.n,
        seed=draw.seed,
        question=QUESTIONS[draw.stage],
        strata=sizes,
    )
    return Sheet(header, rows)


def read_sheet(path: Path) -> Sheet:
    """Read a sheet and check that nothing but verdicts and notes was changed; InputError names the line otherwise."""
    with explained("read", str(path)):
        content = path.read_bytes()
    lines = [(where, parse_object(line, where)) for where, line in numbered_lines(io.BytesIO(content), str(path))]
    if not lines:
        raise InputError(f"{path} is empty; write a sheet with wordquarry audit sample")
    header = _parsed(SheetHeader, *lines[0])
    rows = tuple(_parsed(SheetRow, where, record) for where, record in lines[1:])
    draw = Draw(header.stage, header.n, header.seed)
    if _identity(header.version, draw, rows, header.strata) != header.sheet_id:
        raise InputError(
            f"{path}: its {len(rows)} rows are not those of sheet {header.sheet_id}; change only verdict and note, "
            "and keep every row (draw it again with wordquarry audit sample elsewhere and copy the verdicts)"
        )
    return Sheet(header, rows)


def _parsed(kind: type[RecordT], where: str, record: Mapping[str, Any]) -> RecordT:
    try:
        return kind.model_validate(record)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "record"
        what = "the first line of a sheet" if kind is SheetHeader else "a row of a sheet"
        raise InputError(f"{where}: {field}: {first['msg']}; this is not {what}") from error


def save_sheet(sheet: Sheet, path: Path) -> None:
    """Write the sheet so that readers see the old one or the new one, never a part."""
    Folder.at(path.parent).write(path.name, sheet.lines().encode("utf-8"))


def sheet_name(version: Version, draw: Draw) -> str:
    """The file name of a sheet, without its ending."""
    return f"{version.name}-{version.version_id}-{draw.stage}-n{draw.n}-seed{draw.seed}"


def write_sample(workspace: Workspace, version: Version, draw: Draw, folder: Path) -> Written:
    """Draw a sample and write ``<name>.jsonl`` and ``<name>.html``; verdicts that are filled in already stay.

    Raises InputError for a stage that cannot be audited, for a version with nothing to judge, and for a file in the
    way that is not this sheet.
    """
    units, strata = sample(workspace, version, draw)
    sheet = make_sheet(version.label, draw, units, strata)
    path = folder / f"{sheet_name(version, draw)}.jsonl"
    if path.exists():
        held = read_sheet(path)
        if held.header.sheet_id != sheet.header.sheet_id:
            raise InputError(f"{path} is sheet {held.header.sheet_id}, not {sheet.header.sheet_id}; move it away")
        sheet = held
    save_sheet(sheet, path)
    page = path.with_suffix(".html")
    Folder.at(folder).write(page.name, page_of(sheet).encode("utf-8"))
    return Written(path, page, len(sheet.rows), sum(row.verdict is not None for row in sheet.rows))


def page_of(sheet: Sheet, token: str | None = None) -> str:
    """The sheet's page; with a token it saves verdicts to the server it came from, without one it offers a download."""
    header = sheet.header.model_dump(mode="json")
    return sheet_page(header, [row.model_dump(mode="json") for row in sheet.rows], token)
