"""Which of several builds of a dataset is the newest: each takes a turn when it begins, and ``latest`` goes by turns.

The build that began last is the latest, whichever ends last: a slow one that began earlier publishes its version and
leaves ``latest`` alone. A turn is a count kept beside the versions, so no clocks are compared.
"""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, replace

from corpus.canonical import canonical_json
from corpus.errors import StoreError
from corpus.files import Folder
from corpus.leases import LEASE_PACE, LeasePace
from corpus.locks import alone
from corpus.object_store import MOST_TRIES
from corpus.strict_json import load_json


@dataclass(frozen=True)
class Turn:
    """How many turns were taken for a dataset, the latest of them that published, and the version it published."""

    taken: int = 0
    latest: int = 0
    version: str = ""


class Turns:
    """The turns of all datasets of a data folder, one small file a dataset; publishers wait at a ``pace``."""

    def __init__(self, folder: Folder, pace: LeasePace = LEASE_PACE) -> None:
        self.folder, self._pace = folder, pace

    def take(self, name: str) -> int:
        """A turn for a build of a dataset that begins now: one more than any before."""
        with alone(self.folder, f"{name}.turn") if self.folder.local else contextlib.nullcontext():
            return self._change(name, lambda turn: replace(turn, taken=max(turn.taken, turn.latest) + 1)).taken

    def publishing(self, name: str) -> contextlib.AbstractContextManager[Callable[[], None]]:
        """Held by whoever publishes a version of a dataset, one at a time; see ``corpus.locks.alone``."""
        return alone(self.folder, name, self._pace)

    def claim(self, name: str, turn: int, version: str) -> str:
        """Note that the build of this turn published a version; gives that of the latest turn which has."""
        with alone(self.folder, f"{name}.turn") if self.folder.local else contextlib.nullcontext():

            def claimed(before: Turn) -> Turn:
                return before if before.latest > turn else replace(before, latest=turn, version=version)

            return self._change(name, claimed).version

    def _read(self, name: str) -> tuple[Turn, str | None]:
        found = self.folder.tagged(f"{name}.json")
        if found is None:
            return Turn(), None
        try:
            state = load_json(found.content)
            return Turn(int(state["taken"]), int(state["latest"]), str(state["version"])), found.tag
        except (ValueError, KeyError, TypeError) as error:
            raise StoreError(
                f"{self.folder}/{name}.json is damaged; remove it while nothing is being built, and build again"
            ) from error

    def _change(self, name: str, change: Callable[[Turn], Turn]) -> Turn:
        for _ in range(MOST_TRIES):
            before, tag = self._read(name)
            after = change(before)
            content = canonical_json({"taken": after.taken, "latest": after.latest, "version": after.version}).encode()
            if after == before or self.folder.put_if(f"{name}.json", content, tag) is not None:
                return after
        raise StoreError(f"cannot write {self.folder}/{name}.json: others write it all the time; run the build again")
