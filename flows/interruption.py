"""How a command ends early at Ctrl-C: promptly. How helper processes end with it is ``corpus.lifeline``.

Whatever a command writes is written in one step, so that ending it at any moment leaves nothing half done.
"""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any, NoReturn

from corpus.errors import CorpusError
from flows.log import note

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
