"""The process of a command: its three streams, its log, and its end by Ctrl-C.

Streams: what cannot be read or written is an error like any other, told in one line, whatever the caller did to them:
closed, full, or with nobody at the other end. A stream that is closed keeps its number, so that no file that is opened
later is taken for it.

Log: ``--log FILE`` says what a command did and when, one event a line behind its UTC time, added to the end of a file.
The environment carries the file's name, so that processes that a command starts write to the same one. Results are not
in it, and neither are keys and tokens.

End: whatever a command writes is written in one step, so that ending it at any moment leaves nothing half done. How
helper processes end with it is ``corpus.folders.lifeline``.
"""

import contextlib
import errno
import io
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final, NoReturn, TextIO

from corpus.errors import CorpusError, InputError
from corpus.folders.open_files import open_file, without_waiting

LOG = "WORDQUARRY_LOG"
_TIME_BYTES = 25
_BEGUN = re.compile(rb"\Z|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z ")
"""How a log begins: with nothing yet, or with a time."""


def log_to(path: Path) -> None:
    """Log to a file from now on, also in processes that are started.

    InputError where something else is in it, OSError where it cannot be written.
    """
    place = path.resolve()
    with _opened(place):
        if place.is_file():
            with open_file(place) as file:
                if not _BEGUN.match(file.read(_TIME_BYTES)):
                    raise InputError(f"{path} is no log of wordquarry; give another file for --log")
        os.environ[LOG] = str(place)
    note(f"begin: wordquarry {' '.join(sys.argv[1:])}")


def _opened(place: Path) -> IO[str]:
    """The log to be added to; OSError also where it is a pipe that nobody reads."""
    return open(place, "a", encoding="utf-8", errors="backslashreplace", opener=without_waiting)


def note(text: str) -> None:
    """Add an event to the log, if there is one."""
    place = os.environ.get(LOG)
    if place:
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line = " ".join(text.split())
        with contextlib.suppress(OSError), _opened(Path(place)) as log:
            log.write(f"{now} {line}\n")


@contextlib.contextmanager
def noted_end() -> Iterator[None]:
    """Note how a command ended, and after how many seconds."""
    started, status = time.monotonic(), "0"
    try:
        yield
    except SystemExit as ended:
        status = str(ended.code or 0)
        raise
    except BaseException as error:
        status = type(error).__name__
        raise
    finally:
        note(f"end: exit status {status}, {time.monotonic() - started:.1f} s")


_CLOSED: Final = ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_WRONLY))
"""How the place of each closed stream is taken: what is said on standard error is lost, any other use is an error."""


class StreamError(CorpusError):
    """Standard input cannot be read, or standard output not be written."""


class _InputBytes(io.FileIO):
    def readinto(self, buffer: Any) -> int | None:
        try:
            return super().readinto(buffer)
        except OSError as error:
            raise StreamError(f"cannot read standard input: {_why(error)}; give a file, or open it") from error


class _OutputBytes(io.FileIO):
    """What comes after a failure is dropped: the failure is told once."""

    failed = False

    def write(self, content: Any) -> int:
        try:
            return len(content) if self.failed else super().write(content)
        except OSError as error:
            self.failed = True
            raise StreamError(f"cannot write standard output: {_why(error)}; what it holds is incomplete") from error


class _MessageBytes(io.FileIO):
    """Messages: the work is done whether anybody can hear of it or not."""

    def write(self, content: Any) -> int:
        try:
            return super().write(content)
        except OSError:
            return len(content)


def _why(error: OSError) -> str:
    return "it is closed" if error.errno == errno.EBADF else error.strerror or type(error).__name__


def take_streams() -> None:
    """Have ``sys.stdin``, ``sys.stdout`` and ``sys.stderr`` there, with StreamError where they cannot be used.

    A stream that was put in the place of the process's own stays.
    """
    for number, flags in _CLOSED:
        _fill(number, flags)
    if sys.stdin is sys.__stdin__:
        raw = io.BufferedReader(_InputBytes(_descriptor(0, sys.stdin), "r", False))
        sys.stdin = io.TextIOWrapper(raw, *_encoding(sys.stdin))
    if sys.stdout is sys.__stdout__:
        sys.stdout = _text(_OutputBytes(_descriptor(1, sys.stdout), "w", False), sys.stdout)
    if sys.stderr is sys.__stderr__:
        sys.stderr = _text(_MessageBytes(_descriptor(2, sys.stderr), "w", False), sys.stderr)


def _descriptor(number: int, own: TextIO | None) -> int:
    """That of a stream; one that cannot be used for a closed stream, whose number a file may have taken since."""
    return number if own is not None else os.open(os.devnull, dict(_CLOSED)[number])


def _encoding(own: TextIO | None) -> tuple[str, str | None]:
    return (own.encoding, own.errors) if own is not None else ("utf-8", "backslashreplace")


def _text(raw: io.FileIO, own: TextIO | None) -> io.TextIOWrapper:
    if own is not None:
        own.flush()
    at_once = raw.fileno() == 2 or raw.isatty()
    return io.TextIOWrapper(io.BufferedWriter(raw), *_encoding(own), line_buffering=at_once)


def _fill(number: int, flags: int) -> None:
    try:
        os.fstat(number)
    except OSError:
        taken = os.open(os.devnull, flags)
        if taken != number:
            os.dup2(taken, number)
            os.close(taken)
        os.set_inheritable(number, True)


INTERRUPTED = 130
MESSAGE = "wordquarry: interrupted"
PATIENCE_SECONDS = 5.0


def leave(status: int, message: str = "") -> NoReturn:
    """End the process now, without the second that an interpreter full of modules takes to tidy up."""
    note(f"end: exit status {status}")
    with contextlib.suppress(OSError, ValueError, CorpusError):  # somebody may have closed them
        sys.stderr.write(message)
        sys.stderr.flush()
        sys.stdout.flush()
    os._exit(status)


def leave_soon(seconds: float, status: int, message: str = "") -> None:
    """End the process with this exit status and message, unless it has ended by itself until then."""
    timer = threading.Timer(seconds, leave, (status, message))
    timer.daemon = True
    timer.start()


@contextlib.contextmanager
def prompt_interrupts() -> Iterator[None]:
    """Let Ctrl-C end this block in order, and end the process if work in threads holds that up for long."""

    def interrupt(*_: Any) -> None:
        leave_soon(PATIENCE_SECONDS, INTERRUPTED, f"{MESSAGE}\n")
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
