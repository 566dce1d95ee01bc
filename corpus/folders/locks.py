"""Who may write to what: builds side by side, or who removes stage outputs; one writer of a thing at a time.

On a local disk, or one that several machines share, these are locks of the system, which go with their process. Object
stores know none; there they are leases, small files that say who holds them, with a beat that the holder raises every
few seconds. Whoever waits for a lease watches: only a beat that has not changed for as long as the *watcher* looked at
it is that of a dead holder. No time is written and no clocks are compared, so a clock that jumps changes nothing. Every
change is a write on condition, so two that take over a dead lease at once do not both get it, and a holder that slept
learns that it has lost.
"""

import contextlib
import fcntl
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from corpus.canonical import canonical_json
from corpus.errors import StoreError, store_errors
from corpus.folders.files import Folder
from corpus.folders.object_store import Tagged
from corpus.strict_json import load_json

LOCK, FOLD = "build.lock", "fold"
LOCKS, BUILDING, REMOVING = "locks", "building", "removing"
WAIT_SECONDS = 600.0


class BusyError(StoreError):
    """Another command, which is alive, holds what one does not wait for."""


@dataclass(frozen=True)
class LeasePace:
    """Seconds between beats, without a beat before a watcher takes the holder for dead, and between looks at most."""

    beat: float = 10.0
    patience: float = 60.0
    look: float = 1.0

    def rest(self) -> None:
        """Wait until the next look."""
        time.sleep(min(self.look, self.patience / 4))


LEASE_PACE = LeasePace()


class Lease:
    """One lease, ``name`` in a folder; see ``held``."""

    def __init__(self, folder: Folder, name: str, pace: LeasePace = LEASE_PACE) -> None:
        self._folder, self._name, self._pace = folder, name, pace
        self._owner = secrets.token_hex(8)
        self._tag: str | None = None
        self._beat = 0
        self._lost = threading.Event()
        self._over = threading.Event()

    def __str__(self) -> str:
        return f"{self._folder}/{self._name}"

    @contextlib.contextmanager
    def held(self, wait_seconds: float = WAIT_SECONDS, *, once: bool = False) -> Iterator["Lease"]:
        """Hold the lease inside this block; BusyError if a living holder keeps it for longer than one waits.

        Who waits for no time at all looks on until a beat shows that the holder lives. A lease that is used ``once`` is
        removed afterwards; any other stays, as free.
        """
        self._take(wait_seconds)
        beating = threading.Thread(target=self._keep, daemon=True)
        beating.start()
        try:
            yield self
        finally:
            self._over.set()
            beating.join()
            self._give_back(remove=once)

    def check(self) -> None:
        """StoreError if another took the lease over, since this process did not show for a minute that it lives."""
        if self._lost.is_set():
            raise StoreError(
                f"lost {self}: this command stood still, or could not reach the store, and another took over; "
                "nothing more was written; run it again, what is done is kept"
            )

    def _take(self, wait_seconds: float) -> None:
        watched, end = Watch(self._folder, self._name, self._pace), time.monotonic() + wait_seconds
        while True:
            there = self._folder.tagged(self._name)
            if there is None or _is_free(there) or watched.is_dead(there):
                self._beat = _beat_of(there) + 1
                self._tag = self._put(there.tag if there else None)
                if self._tag is not None:
                    return
            elif time.monotonic() >= end and (wait_seconds or watched.beats):
                raise BusyError(f"another command holds {self} and is alive; wait for it and run this one again")
            else:
                self._pace.rest()

    def _put(self, tag: str | None, owner: str | None = None) -> str | None:
        state = {"beat": self._beat, "owner": self._owner if owner is None else owner}
        return self._folder.put_if(self._name, canonical_json(state).encode(), tag)

    def _keep(self) -> None:
        """Beat until the lease is over or lost; a store that cannot be reached for too long is a loss too."""
        shown = time.monotonic()
        try:
            while not self._over.wait(self._pace.beat):
                try:
                    self._beat += 1
                    tag = self._put(self._tag)
                except StoreError:
                    if time.monotonic() - shown > self._pace.patience - self._pace.beat:
                        return
                    continue
                if tag is None:
                    return
                self._tag, shown = tag, time.monotonic()
        finally:  # whatever ended it, nobody beats any more
            if not self._over.is_set():
                self._lost.set()

    def _give_back(self, *, remove: bool) -> None:
        if self._lost.is_set():
            return
        self._beat += 1
        try:
            if remove:
                self._folder.remove(self._name)
            else:
                self._put(self._tag, owner="")
        except StoreError:
            return  # whoever comes next sees no beat and takes it


class Watch:
    """Looks at a lease of somebody else and says when it must be dead; ``beats`` counts the changes that it saw."""

    def __init__(self, folder: Folder, name: str, pace: LeasePace = LEASE_PACE) -> None:
        self._folder, self._name, self._patience = folder, name, pace.patience
        self._tag: str | None = None
        self._since = 0.0
        self.beats = 0

    def is_dead(self, there: Tagged) -> bool:
        """Whether what one sees now has stood still for the whole time one looked."""
        if there.tag != self._tag:
            self.beats += self._tag is not None
            self._tag, self._since = there.tag, time.monotonic()
        return time.monotonic() - self._since > self._patience

    def ended(self) -> bool:
        """Whether the lease is gone, free or dead, as far as one has looked."""
        there = self._folder.tagged(self._name)
        return there is None or _is_free(there) or self.is_dead(there)


def any_alive(folder: Folder, pace: LeasePace = LEASE_PACE) -> bool:
    """Whether one of the leases in a folder is held; looks on until a beat shows it or all are dead.

    Those that are dead are removed.
    """
    watches = {name: Watch(folder, name, pace) for name in folder.names()}
    while watches:
        for name, watch in list(watches.items()):
            if watch.ended():
                folder.remove(name)
                del watches[name]
            elif watch.beats:
                return True
        if watches:
            pace.rest()
    return False


def _state(there: Tagged) -> dict[str, object]:
    try:
        state = load_json(there.content)
    except ValueError:
        return {}
    return state if isinstance(state, dict) else {}


def _is_free(there: Tagged) -> bool:
    return _state(there).get("owner") == ""


def _beat_of(there: Tagged | None) -> int:
    beat = _state(there).get("beat") if there else 0
    return beat if isinstance(beat, int) else 0


@contextlib.contextmanager
def held(path: Path, how: int) -> Iterator[IO[str]]:
    """Hold a lock file as ``fcntl.flock`` says; BlockingIOError where another has it and ``how`` is not to wait.

    What stands in the file stays: who holds it may write there who it is.
    """
    with path.open("a+", encoding="utf-8") as file:
        fcntl.flock(file, how)
        yield file


@contextlib.contextmanager
def alone(
    folder: Folder, name: str, pace: LeasePace = LEASE_PACE, *, wait: bool = True
) -> Iterator[Callable[[], None]]:
    """Held by one command at a time. Gives what fails with StoreError once another took over.

    Waits for the others, or is a BusyError where one does not ``wait`` and another has it.
    """
    if not folder.local:
        with Lease(folder, f"{name}.lease", pace).held(WAIT_SECONDS if wait else 0) as lease:
            yield lease.check
        return
    path = Path(folder.path) / f"{name}.lock"
    with contextlib.ExitStack() as stack:
        with store_errors("write", str(path)):
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                stack.enter_context(held(path, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB)))
            except BlockingIOError as error:
                raise BusyError(f"another command holds {path}; wait for it and run this one again") from error
        yield _still_alone


def folding(
    folder: Folder, *, wait: bool, pace: LeasePace = LEASE_PACE
) -> contextlib.AbstractContextManager[Callable[[], None]]:
    """Held, as ``alone`` says, while batches are folded or what was forgotten is taken out; not where no store is."""
    return alone(folder, FOLD, pace, wait=wait) if folder.exists() else contextlib.nullcontext(_still_alone)


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
        if any_alive(folder / LOCKS / BUILDING, pace):
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


def _still_alone() -> None:
    """Nobody takes over what a lock of the system holds."""
