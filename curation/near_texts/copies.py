"""A search shared out to copies of this process, which see its memory as it is, so that nothing is sent to them."""

import gc
import sys
from collections.abc import Callable
from multiprocessing import current_process, get_context
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from typing import Any, TypeVar

from corpus.folders.lifeline import end_with_starter

SharedT = TypeVar("SharedT")


def by_copies(work: Callable[[int], SharedT], shares: int) -> list[SharedT]:
    """What ``work`` gives for each share, by its number; a copy of this process does each but the first.

    What a copy changes in memory stays with it. Where a copy is ended from outside, or none can be made (elsewhere than
    on Linux, without memory, in a process that may have no children), its share is done here. What ``work`` raises is
    raised here.
    """
    if shares == 1 or sys.platform != "linux" or current_process().daemon:
        return [work(number) for number in range(shares)]
    fork, copies = get_context("fork"), dict[int, tuple[ForkProcess, Connection]]()
    try:
        for number in range(1, shares):
            ours, theirs = fork.Pipe(duplex=False)
            copy = fork.Process(target=_tell, args=(theirs, work, number), daemon=True)
            try:
                copy.start()
                copies[number] = copy, ours
            except OSError:
                ours.close()
            finally:
                theirs.close()
        return [
            _told(copies[number][1], work, number) if number in copies else work(number) for number in range(shares)
        ]
    finally:
        for copy, ours in copies.values():
            copy.kill()  # at its end already, unless something was raised
            copy.join()
            ours.close()


def _tell(end: Connection, work: Callable[[int], Any], number: int) -> None:
    end_with_starter()
    gc.disable()  # looking for cycles writes to memory that is shared until then
    try:
        end.send(work(number))
    except Exception as error:  # noqa: BLE001 - it is raised where the answer is read
        end.send(error)


def _told(end: Connection, work: Callable[[int], SharedT], number: int) -> SharedT:
    try:
        told: SharedT | Exception = end.recv()
    except (EOFError, OSError):  # it ended before, or while, it answered
        return work(number)
    if isinstance(told, Exception):
        raise told
    return told
