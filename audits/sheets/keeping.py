"""The one writer of a sheet: holds its lock, writes verdicts into its log, and lets the sheet show them.

A verdict is saved once it is in the log and on the disk. The sheet follows; what somebody wrote into it by hand since
it was last looked at goes into the log first, so that neither overwrites the other. A sheet that cannot be read at the
moment is left alone and named, and verdicts go on into the log.
"""

import contextlib
import fcntl
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from audits.sheets.audit_sheets import Sheet, check_lines, sheet_of
from audits.sheets.verdict_log import GivenVerdict, LogError, LogFile, VerdictLine
from corpus.errors import CorpusError, InputError, StoreError, store_errors
from corpus.folders.local_files import replace_file, sweep
from corpus.folders.locks import held
from corpus.folders.open_files import read_file, spare_inputs
from corpus.lines.sheet_lines import content_of

TRIES = 20
"""How often the sheet is looked at again where somebody keeps saving it in the very moment in which it is written."""
WHILE_SECONDS = 0.05
"""How long a sheet that cannot be read is given, once, for its editor to finish."""


class Keeper:
    """The writer of one sheet, for the process that holds its lock; ``say`` takes lines for who started it."""

    def __init__(self, path: Path, say: Callable[[str], None]) -> None:
        self.path, self._say = path, say
        sweep(path.parent)
        self._content, self._shown = b"", -1
        self._sheet = sheet_of(content_of(path), path)
        self._file = LogFile(path, self._sheet.header.sheet_id, say)
        check_lines(self._sheet, self._file.log, path)
        self._mutex = threading.RLock()
        self.trouble: str | None = None
        self._closed = False
        self._meet_sheet()

    @property
    def sheet(self) -> Sheet:
        """The sheet with all verdicts so far."""
        with self._mutex:
            self._meet_sheet()
            return self._sheet.showing(self._file.log)

    @property
    def last(self) -> int:
        """The number of the last verdict."""
        return self._file.log.last

    def take(self, given: GivenVerdict, *, seen: bool = False) -> VerdictLine:
        """Save one verdict, once for each key; InputError for one that cannot stand on the sheet.

        ``seen`` is for givers that do not say what they had seen: nothing is a conflict then.
        """
        self._sheet.check(given.row_id, given.verdict, given.note)
        with self._mutex:
            if self._closed:
                raise StoreError("the server is ending; the verdict waits in the page")
            self._meet_sheet()
            known = self._file.log.with_key(given.key)
            if known is not None:
                if (known.row_id, known.said) != (given.row_id, given.said):
                    raise InputError(f"key {given.key} was sent with another verdict, number {known.seq}")
                return known
            base = {"base": self.last} if seen else {}
            line = self._file.append([given.model_copy(update=base)])[0]
            self._meet_sheet()
            return line

    def close(self) -> None:
        """Take no verdict any more: the lock is about to go."""
        with self._mutex:
            self._meet_sheet()
            self._closed = True

    def state(self, row_id: str) -> dict[str, Any]:
        """What a row holds: verdict, note, number, who gave it, and the verdict that its giver had not seen."""
        with self._mutex:
            log = self._file.log
            line, unseen, said = log.last_of(row_id), log.unseen(row_id), log.said(row_id)
        other = {"verdict": unseen.verdict, "note": unseen.note, "by": unseen.by} if unseen else None
        given = {"seq": line.seq, "by": line.by} if line else {"seq": 0, "by": ""}
        return {"row_id": row_id, "verdict": said[0], "note": said[1], **given, "unseen": other}

    def changes(self, after: int) -> list[dict[str, Any]]:
        """The rows that were judged behind a number, as they are now; looks at the sheet on the disk first."""
        with self._mutex:
            self._meet_sheet()
            return [self.state(row_id) for row_id in self._file.log.changed(after)]

    def _meet_sheet(self) -> None:
        """Take up what was written into the sheet by hand, then let it show the log; never in a verdict's way."""
        if self._closed:
            return
        try:
            self._merge_and_show()
        except LogError as error:
            self._report(str(error))
        except CorpusError as error:
            self._report(f"{error}; until it is repaired, verdicts are kept in {self._file.path.name} alone")
        else:
            self.trouble = None

    def _report(self, trouble: str) -> None:
        if trouble != self.trouble:
            self._say(trouble)
        self.trouble = trouble

    def _merge_and_show(self) -> None:
        for _ in range(TRIES):
            content = self._read()
            if content != self._content:
                self._merge(sheet_of(content, self.path))
                self._content, self._shown = content, -1
            if self._shown == self.last:
                break
            shown, wanted = self.last, self._sheet.showing(self._file.log).lines().encode("utf-8")
            if wanted != content:
                with store_errors("write", str(self.path)):
                    old = replace_file(self.path, wanted, self._readable)
                if old is None:
                    continue
                self._content = wanted
                if old != content:
                    self._merge(sheet_of(old, self.path))
            self._shown = shown

    def _read(self) -> bytes:
        """The bytes of the sheet; where an editor may be in the midst of writing it, those of a moment later."""
        content = content_of(self.path)
        if self.trouble or self._readable(content):
            return content
        time.sleep(WHILE_SECONDS)
        return content_of(self.path)

    def _readable(self, content: bytes) -> bool:
        """Whether a sheet is whole; one in the midst of being written is not."""
        if content == self._content:
            return True
        with contextlib.suppress(InputError):
            return bool(sheet_of(content, self.path).rows)
        return False

    def _merge(self, found: Sheet) -> None:
        edits = found.edits(self._file.log)
        if not edits:
            return
        rows = [line.row_id for line in self._file.append(edits)]
        against = [row_id for row_id in rows if self._file.log.unseen(row_id)]
        also = f"; judged differently in the meantime, the sheet counts: {_some(against)}" if against else ""
        self._say(f"{self.path}: {len(rows)} rows that were changed by hand are now counted ({_some(rows)}){also}")


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


@contextlib.contextmanager
def sole_writer(path: Path) -> Iterator[Callable[[str], None]]:
    """Hold the lock of the sheet at ``path``; gives a function that writes into it where its holder is to be found.

    StoreError that names the holder where another process has the sheet. The lock goes with its process.
    """
    content_of(path)  # no lock beside what is not there
    lock = path.with_name(f"{path.name}.lock")
    spare_inputs(lock)
    with contextlib.ExitStack() as stack:
        with store_errors("write", str(lock)):
            try:
                file = stack.enter_context(held(lock, fcntl.LOCK_EX | fcntl.LOCK_NB))
            except BlockingIOError as error:
                raise StoreError(
                    f"{path} is in use by {_holder(lock)}; judge on its page, or end that process and start again"
                ) from error

        def sign(where: str) -> None:
            with store_errors("write", str(lock)):
                file.truncate(0)
                file.write(f"process {os.getpid()} {where}\n")
                file.flush()

        sign("(starting)")
        yield sign


def _holder(lock: Path) -> str:
    with contextlib.suppress(OSError, UnicodeDecodeError):
        text = read_file(lock).decode().strip()[:200]
        if text.isprintable() and text:
            return text
    return "another process"
