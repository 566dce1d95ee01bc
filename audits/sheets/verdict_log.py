"""The log of a sheet's verdicts: JSON Lines beside the sheet (``SHEET.log``), appended to and never rewritten.

The first line says which sheet it belongs to. Every other line is one verdict with its number, in the order in which
verdicts were taken; a row holds what its last line says. A verdict that was given without sight of another one on the
same row (``base`` is lower than the other's number) and says otherwise is a conflict, until somebody who has seen both
judges the row again. Fields that are not known here are left alone; a change that readers have to know of gets another
``format``.
"""

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from pydantic import ConfigDict, Field

from corpus.canonical import canonical_json
from corpus.errors import InputError, StoreError, store_errors
from corpus.folders.files import Folder
from corpus.lines.jsonl import parse_object
from corpus.lines.sheet_lines import MAX_NOTE, content_of, parsed
from corpus.records import Record

FORMAT: Final = 1
BY_HAND: Final = "sheet"
"""Who gave a verdict that was written into the sheet itself."""
Said = tuple[str | None, str]
"""What a row says: its verdict and its note."""
BLANK: Final[Said] = (None, "")


class LogHeader(Record):
    """The first line of a log."""

    model_config = ConfigDict(extra="ignore")
    format: Literal[1]
    kind: Literal["verdicts"]
    sheet_id: str


class GivenVerdict(Record):
    """One verdict as it was given.

    ``by`` names the page, or is BY_HAND; ``base`` is the number of the last line that its giver had seen; ``key`` is
    made by the page, once for each verdict, so that one that is sent twice counts once.
    """

    model_config = ConfigDict(extra="ignore")
    row_id: str
    verdict: str | None
    note: str = Field("", max_length=MAX_NOTE)
    by: str = Field(max_length=40)
    base: int = Field(0, ge=0)
    key: str = Field("", max_length=40)

    @property
    def said(self) -> Said:
        """Verdict and note."""
        return self.verdict, self.note


class VerdictLine(GivenVerdict):
    """One verdict as it stands in the log, with its number."""

    seq: int = Field(ge=1)


class LogError(StoreError):
    """A verdict could not be written into the log."""


def log_path(sheet: Path) -> Path:
    """Where the log of a sheet is: beside the file itself, also where the sheet is a link to it."""
    sheet = sheet.resolve()
    return sheet.with_name(f"{sheet.name}.log")


def _bytes_of(record: Record) -> bytes:
    return f"{canonical_json(record.model_dump(mode='json'))}\n".encode()


class VerdictLog:
    """The verdicts of a sheet in order, and what each row holds by them."""

    def __init__(self, sheet_id: str) -> None:
        self.header = LogHeader(format=FORMAT, kind="verdicts", sheet_id=sheet_id)
        self.lines: list[VerdictLine] = []
        self._of_row: dict[str, list[VerdictLine]] = {}
        self._of_key: dict[str, VerdictLine] = {}
        self._sum = hashlib.sha256()
        self._marks: dict[str, int] = {}

    def add(self, line: VerdictLine, text: bytes | None = None) -> None:
        """Take up the next line; ``text`` is how it stands in the file, without its end."""
        self.lines.append(line)
        self._of_row.setdefault(line.row_id, []).append(line)
        if line.key:
            self._of_key.setdefault(line.key, line)
        self._sum.update(_bytes_of(line) if text is None else text + b"\n")
        self._marks[self.mark or ""] = line.seq

    def numbered(self, given: Sequence[GivenVerdict]) -> list[VerdictLine]:
        """Verdicts as the lines that come next."""
        return [VerdictLine(**dict(one), seq=self.last + place) for place, one in enumerate(given, start=1)]

    @property
    def last(self) -> int:
        """The number of the last line, 0 where there is none."""
        return self.lines[-1].seq if self.lines else 0

    @property
    def mark(self) -> str | None:
        """How a sheet says that it shows this log up to its last line: number and digest of all lines so far."""
        return f"{self.last}:{self._sum.hexdigest()[:16]}" if self.lines else None

    def marked(self, mark: str | None) -> int:
        """The line up to which a sheet with this mark shows the log; 0 for a sheet that does not come from it."""
        return self._marks.get(mark or "", 0)

    def last_of(self, row_id: str, upto: int | None = None) -> VerdictLine | None:
        """The last line of a row, of those up to a number."""
        lines = (line for line in reversed(self._of_row.get(row_id, ())) if upto is None or line.seq <= upto)
        return next(lines, None)

    def said(self, row_id: str, upto: int | None = None) -> Said:
        """What a row holds, by the lines up to a number."""
        line = self.last_of(row_id, upto)
        return BLANK if line is None else line.said

    def with_key(self, key: str) -> VerdictLine | None:
        """The line of a verdict that was sent before."""
        return self._of_key.get(key) if key else None

    def unseen(self, row_id: str) -> VerdictLine | None:
        """What another giver had said of a row, which the one whose verdict counts had not seen and contradicts."""
        lines = self._of_row.get(row_id, [])
        for line in reversed(lines[:-1]):
            counts = lines[-1]
            if line.seq > counts.base and line.by != counts.by and _contradict(counts, line):
                return line
        return None

    def changed(self, after: int) -> list[str]:
        """The rows of the lines behind a number, each once."""
        return list(dict.fromkeys(line.row_id for line in self.lines if line.seq > after))


def _contradict(counts: VerdictLine, other: VerdictLine) -> bool:
    return counts.verdict != other.verdict or other.note not in ("", counts.note)


def edits_by_hand(log: VerdictLog, rows: Iterable[tuple[str, Said]], mark: str | None) -> list[GivenVerdict]:
    """What somebody wrote into a sheet since it was written at ``mark``: rows that differ from then and from now.

    A row that says what it said then was not touched, whatever the log says by now; so a copy that an editor held open
    takes nothing back. Rows of a sheet that does not come from this log count where they are filled in.
    """
    base = log.marked(mark)
    return [
        GivenVerdict(row_id=row_id, verdict=said[0], note=said[1], by=BY_HAND, base=base)
        for row_id, said in rows
        if said != log.said(row_id, base) and said != log.said(row_id)
    ]


@dataclass(frozen=True)
class _Extent:
    """How far a log file can be read: ``good`` bytes, then ``torn`` ones of a last line that a kill cut short."""

    good: int
    torn: int
    ended: bool


def read_log(sheet: Path, sheet_id: str) -> VerdictLog:
    """The log of a sheet, empty where there is none; a last line that was cut short is left out.

    InputError for the log of another sheet and for damage anywhere else.
    """
    return _read(log_path(sheet), sheet_id)[0]


def _read(path: Path, sheet_id: str) -> tuple[VerdictLog, _Extent]:
    log = VerdictLog(sheet_id)
    content = content_of(path) if path.exists() else b""
    *lines, rest = content.split(b"\n")
    whole = bool(rest) and _is_object(rest)
    held = [(number, text) for number, text in enumerate([*lines, rest] if whole else lines, start=1) if text.strip()]
    for place, (number, text) in enumerate(held):
        _take(log, text, f"{path}:{number}", place == 0)
    torn = 0 if whole else len(rest)
    return log, _Extent(len(content) - torn, torn, not whole)


def _is_object(text: bytes) -> bool:
    """Whether a last line without its end is whole: an editor may leave the end out, a kill leaves no whole object."""
    with contextlib.suppress(InputError):
        return bool(parse_object(text, ""))
    return False


def _take(log: VerdictLog, text: bytes, where: str, first: bool) -> None:
    try:
        fields = parse_object(text, where)
    except InputError as error:
        raise InputError(f"{error}; the log is damaged: put back a copy, or remove that line") from error
    if first:
        header = parsed(LogHeader, where, fields, "the first line of a log of verdicts")
        if header.sheet_id != log.header.sheet_id:
            raise InputError(f"{where}: the log of sheet {header.sheet_id}, not {log.header.sheet_id}; move it away")
        return
    line = parsed(VerdictLine, where, fields, "a line of a log of verdicts")
    if line.seq <= log.last:
        raise InputError(f"{where}: number {line.seq} after {log.last}; the log was changed: put back a copy")
    log.add(line, text)


class LogFile:
    """A log open for writing, for the one process that holds the sheet's lock.

    A torn last line, which nobody was told is saved, is cut off and named through ``say``.
    """

    def __init__(self, sheet: Path, sheet_id: str, say: Callable[[str], None]) -> None:
        self.path = log_path(sheet)
        self.log, extent = _read(self.path, sheet_id)
        if extent.good == 0:
            Folder.at(self.path.parent).write(self.path.name, _bytes_of(self.log.header))
        with store_errors("write", str(self.path)), self.path.open("ab", buffering=0) as file:
            if extent.good and extent.torn:
                file.truncate(extent.good)
            if not extent.ended:
                file.write(b"\n")
            os.fsync(file.fileno())
            self._known = _place(file.fileno())
        if extent.torn:
            say(f"{self.path}: its last line was cut short by a kill ({extent.torn} bytes, never saved); dropped")

    def append(self, given: Sequence[GivenVerdict]) -> list[VerdictLine]:
        """Write verdicts down; they are on the disk when this returns. LogError, and none of them taken, if not."""
        lines = self.log.numbered(given)
        try:
            with store_errors("write", str(self.path)):
                descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND)
                try:
                    self._write(descriptor, b"".join(map(_bytes_of, lines)))
                finally:
                    os.close(descriptor)
        except StoreError as error:
            raise LogError(str(error)) from error
        for line in lines:
            self.log.add(line)
        return lines

    def _write(self, descriptor: int, content: bytes) -> None:
        if _place(descriptor) != self._known:
            raise StoreError(
                f"{self.path} was changed or replaced by another program; stop the server and start it again"
            )
        try:
            written = 0
            while written < len(content):
                written += os.write(descriptor, content[written:])
            os.fsync(descriptor)
        except OSError:
            os.ftruncate(descriptor, self._known[1])
            raise
        self._known = _place(descriptor)


def _place(descriptor: int) -> tuple[int, int]:
    found = os.fstat(descriptor)
    return found.st_ino, found.st_size
