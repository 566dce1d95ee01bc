"""Helper processes that end with the process that started them, however it ends, from their first moment on.

A helper with a command line of its own is started as ``python -m corpus.folders.lifeline MODULE``, with a pipe as its
standard input. On Linux the kernel ends it together with its parent; everywhere it ends when the pipe closes. Both
are in place before the module is imported, which takes seconds. What multiprocessing starts looks after its parent by
its number.
"""

import contextlib
import ctypes
import os
import runpy
import signal
import sys
import threading
import time

COMMAND = "WORDQUARRY_COMMAND"
"""The environment variable in which a command says its process number to what multiprocessing starts for it."""
ORPHANED = 70
_LOOK_SECONDS = 0.1
_PR_SET_PDEATHSIG = 1


def helper(module: str, *arguments: str) -> list[str]:
    """The command line of a helper; start it with a pipe as standard input and keep the other end open."""
    return [sys.executable, "-m", __name__, module, *arguments]


def end_with_parent() -> None:
    """End this process when its parent does: by the kernel where it can, by the pipe that is standard input anywhere.

    To the kernel the parent is the thread that started this process; whoever starts a helper waits for it there.
    """
    end_with_starter()
    threading.Thread(target=_end_at_end_of_input, daemon=True).start()


def end_with_starter() -> None:
    """End this process when the thread that started it does, where the kernel can do so."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _end_at_end_of_input() -> None:
    while os.read(0, 4096):
        pass
    os._exit(ORPHANED)


def end_with_parent_if_spawned() -> None:
    """In a process that multiprocessing spawned, end with its parent or with the command; elsewhere do nothing.

    The kernel is of no use here: pools start processes from threads that end before. Ctrl-C is left to the command,
    which ends what it started.
    """
    if "--multiprocessing-fork" in sys.orig_argv:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        command = int(os.environ.get(COMMAND, os.getppid()))
        threading.Thread(target=_end_after, args=(os.getppid(), command), daemon=True).start()


def _end_after(parent: int, command: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        while os.getppid() == parent:
            os.kill(command, 0)
            time.sleep(_LOOK_SECONDS)
    os._exit(ORPHANED)


if __name__ == "__main__":
    end_with_parent()
    sys.argv = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
