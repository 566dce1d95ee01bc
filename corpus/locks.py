"""Who may write to what: builds side by side, or who removes stage outputs; one writer of a thing at a time.

On a local disk, or one that several machines share, these are locks of the system, which go with their process. On
object stores they are leases (corpus.leases), kept at a ``pace``.
"""

import contextlib
import fcntl
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from corpus.errors import StoreError, store_errors
from corpus.files import Folder
from corpus.leases import LEASE_PACE, Lease, LeasePace, any_alive

LOCK, FOLD = "build.lock", "fold"
LOCKS, BUILDING, REMOVING = "locks", "building", "removing"


@contextlib.contextmanager
def held(path: Path, how: int) -> Iterator[IO[str]]:
    """Hold a lock file as ``fcntl.flock`` says; BlockingIOError where another has it and ``how`` is not to wait.

    What stands in the file stays: who holds it may write there who it is.
    """
    with path.open("a+", encoding="utf-8") as file:
        fcntl.flock(file, how)
        yield file


@contextlib.contextmanager
def alone(folder: Folder, name: str, pace: LeasePace = LEASE_PACE) -> Iterator[Callable[[], None]]:
    """Held by one command at a time; waits for the others. Gives what fails with StoreError once another took over."""
    if not folder.local:
        with Lease(folder, f"{name}.lease", pace).held() as lease:
            yield lease.check
        return
    path = Path(folder.path) / f"{name}.lock"
    with contextlib.ExitStack() as stack:
        with store_errors("write", str(path)):
            path.parent.mkdir(parents=True, exist_ok=True)
            stack.enter_context(held(path, fcntl.LOCK_EX))
        yield _still_alone


@contextlib.contextmanager
def building(folder: Folder, pace: LeasePace = LEASE_PACE) -> Iterator[None]:
    """Held while stage outputs are made and read; waits for whoever removes some."""
    if folder.local:
        with _locked(folder, fcntl.LOCK_SH):
            yield
        return
    builders = folder / LOCKS / BUILDING
    with Lease(builders, secrets.token_hex(8), pace).held(once=True):
        with Lease(folder / LOCKS, REMOVING, pace).held():
            pass  # one that begins to remove from here on sees this build
        yield


@contextlib.contextmanager
def nobody_building(folder: Folder, pace: LeasePace = LEASE_PACE) -> Iterator[None]:
    """Held while stage outputs are removed; StoreError if a build is under way. The lock goes with its process."""
    if folder.local:
        with _locked(folder, fcntl.LOCK_EX | fcntl.LOCK_NB):
            yield
        return
    with Lease(folder / LOCKS, REMOVING, pace).held():
        if any_alive(folder / LOCKS / BUILDING, pace=pace):
            raise _busy(folder)
        yield


def _busy(folder: Folder) -> StoreError:
    return StoreError(f"a build is running in {folder}; wait for it; nothing was removed")


@contextlib.contextmanager
def _locked(folder: Folder, how: int) -> Iterator[None]:
    path = Path(folder.path) / LOCK
    with contextlib.ExitStack() as stack:
        with store_errors("write", str(path)):
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                stack.enter_context(held(path, how))
            except BlockingIOError as error:
                raise _busy(folder) from error
        yield


@contextlib.contextmanager
def folding(folder: Folder, *, wait: bool, pace: LeasePace = LEASE_PACE) -> Iterator[Callable[[], None] | None]:
    """Held while batches of a store are folded or what was forgotten is taken out.

    Gives what fails with StoreError once another took over; without ``wait`` None where another command holds it. Where
    no store is, nothing is held.
    """
    if not folder.exists():
        yield _still_alone
        return
    check = None
    with contextlib.ExitStack() as stack:
        if wait or (not folder.local and not any_alive(folder, [f"{FOLD}.lease"], pace)):
            check = stack.enter_context(alone(folder, FOLD, pace))
        elif folder.local:
            path = Path(folder.path) / f"{FOLD}.lock"
            with store_errors("write", str(path)), contextlib.suppress(BlockingIOError):
                stack.enter_context(held(path, fcntl.LOCK_EX | fcntl.LOCK_NB))
                check = _still_alone
        yield check


def _still_alone() -> None:
    """Nobody takes over what a lock of the system holds."""
