"""``--log FILE``: what a command did and when, one event a line behind its UTC time, added to the end of a file.

The environment carries the file's name, so that processes that a command starts write to the same one. Results are not
in it, and neither are keys and tokens.
"""

import contextlib
import os
import re
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from corpus.errors import InputError
from corpus.open_files import open_file, without_waiting

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
