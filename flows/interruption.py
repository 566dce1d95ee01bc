"""How a command ends early: promptly at Ctrl-C, and every helper process with the command that started it.

Whatever a command writes is written in one step, so that ending it at any moment leaves nothing half done.
"""

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any

INTERRUPTED = 130
MESSAGE = "wordquarry: interrupted"
PATIENCE_SECONDS = 5.0


def _give_up() -> None:
    sys.stderr.write(f"{MESSAGE}\n")
    sys.stderr.flush()
    os._exit(INTERRUPTED)


@contextlib.contextmanager
def prompt_interrupts() -> Iterator[None]:
    """Let Ctrl-C end this block in order, and end the process if work in threads holds that up for long."""

    def interrupt(*_: Any) -> None:
        timer = threading.Timer(PATIENCE_SECONDS, _give_up)
        timer.daemon = True
        timer.start()
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def follow_parent() -> None:
    """In a worker process: leave Ctrl-C to the parent, and end when the parent does, however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()


def end_with_parent() -> None:
    """In a process that multiprocessing started: end when the parent does, however it ends; nothing elsewhere."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent,), daemon=True).start()


def _end_after(parent: Any) -> None:
    parent.join()
    os._exit(INTERRUPTED)
