"""Which of several versions of a dataset is the newest: each build takes a turn when it begins, and versions keep it.

The version whose build began last is the newest, whichever ends last (corpus.latest says which is the latest). A turn
is a count kept beside the versions, so no clocks are compared.
"""

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from corpus.canonical import canonical_json
from corpus.errors import StoreError
from corpus.files import Folder
from corpus.leases import LEASE_PACE, LeasePace
from corpus.locks import alone
from corpus.object_store import MOST_TRIES
from corpus.strict_json import load_json


@dataclass(frozen=True)
class Turn:
    """How many turns were taken for a dataset, and the last one of each version that was published."""

    taken: int = 0
    versions: Mapping[str, int] = field(default_factory=dict)


class Turns:
    """The turns of all datasets of a data folder, one small file a dataset; publishers wait at a ``pace``."""

    def __init__(self, folder: Folder, pace: LeasePace = LEASE_PACE) -> None:
        self.folder, self._pace = folder, pace

    def take(self, name: str) -> int:
        """A turn for a build of a dataset that begins now: one more than any before."""
        with alone(self.folder, f"{name}.turn") if self.folder.local else contextlib.nullcontext():
            return self._change(
                name, lambda turn: replace(turn, taken=max(turn.taken, *turn.versions.values(), 0) + 1)
            ).taken

    def publishing(self, name: str) -> contextlib.AbstractContextManager[Callable[[], None]]:
        """Held by whoever publishes a version of a dataset, one at a time; see ``corpus.locks.alone``."""
        return alone(self.folder, name, self._pace)

    def of(self, name: str) -> Mapping[str, int]:
        """The last turn of each version of a dataset, by its id."""
        return self._read(name)[0].versions

    def claim(self, name: str, turn: int, version: str) -> None:
        """Note that the build of this turn published a version, unless a later one has published the same."""
        with alone(self.folder, f"{name}.turn") if self.folder.local else contextlib.nullcontext():

            def claimed(before: Turn) -> Turn:
                last = max(turn, before.versions.get(version, 0))
                return replace(before, versions={**before.versions, version: last})

            self._change(name, claimed)

    def _read(self, name: str) -> tuple[Turn, str | None]:
        found = self.folder.tagged(f"{name}.json")
        if found is None:
            return Turn(), None
        try:
            return _parsed(load_json(found.content)), found.tag
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise StoreError(
                f"{self.folder}/{name}.json is damaged; remove it while nothing is being built, and build again"
            ) from error

    def _change(self, name: str, change: Callable[[Turn], Turn]) -> Turn:
        for _ in range(MOST_TRIES):
            before, tag = self._read(name)
            after = change(before)
            content = canonical_json({"taken": after.taken, "versions": dict(after.versions)}).encode()
            if after == before or self.folder.put_if(f"{name}.json", content, tag) is not None:
                return after
        raise StoreError(f"cannot write {self.folder}/{name}.json: others write it all the time; run the build again")


def _parsed(state: Any) -> Turn:
    """A turn as it was written, also by code that noted the version of the latest turn alone."""
    if "versions" not in state:
        return Turn(int(state["taken"]), {str(state["version"]): int(state["latest"])} if state["version"] else {})
    return Turn(int(state["taken"]), {str(version): int(turn) for version, turn in state["versions"].items()})
