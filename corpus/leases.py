"""Leases: locks on object stores, which know none. Held by a process that shows again and again that it lives.

A lease is a small file: who holds it, and a beat that the holder raises every few seconds. Whoever waits for it
watches: only a beat that has not changed for as long as the *watcher* looked at it is that of a dead holder. No time is
written and no clocks are compared, so a clock that jumps changes nothing. Every change is a write on condition, so two
that take over a dead lease at once do not both get it, and a holder that slept learns that it has lost.
"""

import secrets
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from corpus.canonical import canonical_json
from corpus.errors import StoreError
from corpus.files import Folder
from corpus.object_store import Tagged
from corpus.strict_json import load_json

WAIT_SECONDS = 600.0


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
_OURS: set[str] = set()
"""The leases that this process holds."""


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

    @contextmanager
    def held(self, wait_seconds: float = WAIT_SECONDS, *, once: bool = False) -> Iterator["Lease"]:
        """Hold the lease inside this block; StoreError if a living holder keeps it for longer than one waits.

        A lease that is used ``once`` is removed afterwards; any other stays, as free.
        """
        self._take(wait_seconds)
        _OURS.add(str(self))
        beating = threading.Thread(target=self._keep, daemon=True)
        beating.start()
        try:
            yield self
        finally:
            self._over.set()
            beating.join()
            _OURS.discard(str(self))
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
            elif time.monotonic() >= end:
                raise StoreError(f"another command holds {self} and is alive; wait for it and run this one again")
            else:
                self._pace.rest()

    def _put(self, tag: str | None, owner: str | None = None) -> str | None:
        state = {"beat": self._beat, "owner": self._owner if owner is None else owner}
        return self._folder.put_if(self._name, canonical_json(state).encode(), tag)

    def _keep(self) -> None:
        """Beat until the lease is over or lost; a store that cannot be reached for too long is a loss too."""
        shown = time.monotonic()
        while not self._over.wait(self._pace.beat):
            try:
                self._beat += 1
                tag = self._put(self._tag)
            except StoreError:
                if time.monotonic() - shown > self._pace.patience - self._pace.beat:
                    return self._lost.set()
                continue
            if tag is None:
                return self._lost.set()
            self._tag, shown = tag, time.monotonic()
        return None

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
    """Looks at a lease of somebody else and says when it must be dead."""

    def __init__(self, folder: Folder, name: str, pace: LeasePace = LEASE_PACE) -> None:
        self._folder, self._name, self._patience = folder, name, pace.patience
        self._tag: str | None = None
        self._since = 0.0

    def is_dead(self, there: Tagged) -> bool:
        """Whether what one sees now has stood still for the whole time one looked."""
        if there.tag != self._tag:
            self._tag, self._since = there.tag, time.monotonic()
        return time.monotonic() - self._since > self._patience

    def ended(self) -> bool:
        """Whether the lease is gone, free or dead, as far as one has looked."""
        there = self._folder.tagged(self._name)
        return there is None or _is_free(there) or self.is_dead(there)


def any_alive(folder: Folder, names: Sequence[str] | None = None, pace: LeasePace = LEASE_PACE) -> bool:
    """Whether one of the leases in a folder is held, or of those named; looks on until a beat shows it or all are dead.

    Those that are dead are removed. Of one that this process holds no beat has to be seen.
    """
    watches = {name: Watch(folder, name, pace) for name in (folder.names() if names is None else names)}
    if any(str(Lease(folder, name)) in _OURS for name in watches):
        return True
    begun = {name: folder.tagged(name) for name in watches}
    while watches:
        for name, watch in list(watches.items()):
            if watch.ended():
                folder.remove(name)
                del watches[name]
            elif folder.tagged(name) != begun[name]:
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
