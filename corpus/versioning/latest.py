"""Which version of a dataset is the newest, and which one ``latest`` names: the newest of those that are accepted.

Each build takes a turn when it begins, and versions keep it: the version whose build began last is the newest,
whichever ends last. A turn is a count kept beside the versions, so no clocks are compared. A version of which no turn
is known, built by code that noted only the last one, is the latest where it is so already, or where it is the only one
accepted: nothing says which of several came last.
"""

import contextlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from corpus.canonical import canonical_json
from corpus.errors import StoreError, VersionError
from corpus.folders.files import Folder
from corpus.folders.locks import LEASE_PACE, LeasePace, alone
from corpus.folders.object_store import MOST_TRIES
from corpus.strict_json import load_json
from corpus.versioning.gate_verdicts import missing_stages
from corpus.versioning.manifest import read_manifest, read_unchecked

LATEST = "latest"


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
        return self._change(
            name, lambda turn: replace(turn, taken=max(turn.taken, *turn.versions.values(), 0) + 1)
        ).taken

    def publishing(self, name: str) -> contextlib.AbstractContextManager[Callable[[], None]]:
        """Held by whoever publishes a version of a dataset, one at a time; see ``alone``."""
        return alone(self.folder, name, self._pace)

    def of(self, name: str) -> Mapping[str, int]:
        """The last turn of each version of a dataset, by its id."""
        return self._read(name)[0].versions

    def claim(self, name: str, turn: int, version: str) -> None:
        """Note that the build of this turn published a version, unless a later one has published the same."""

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
        with alone(self.folder, f"{name}.turn") if self.folder.local else contextlib.nullcontext():
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


def settle(place: Folder, ids: Callable[[], Collection[str]], turns: Mapping[str, int]) -> str | None:
    """Let ``latest`` of the dataset in a folder name the newest accepted version, or be gone; gives the id it names.

    ``ids`` gives those of its complete versions. It is asked for anew until nobody has changed it meanwhile.
    """
    for _ in range(MOST_TRIES):
        there = place.tagged(LATEST)
        held = there.content.decode("utf-8", "replace") if there else None
        wanted = _newest_accepted(place, set(ids()), turns, held)
        if wanted == held:
            return held
        if wanted is None:
            place.remove(LATEST)
        else:
            place.put_if(LATEST, wanted.encode(), there.tag if there else None)
    raise VersionError(f"cannot write {place}/{LATEST}: others write it all the time; run the command again")


def no_latest(place: Folder, ids: Collection[str]) -> str:
    """Why the name of a dataset that has versions opens none of them."""
    name = Path(place.path).name
    missing = {f"{name}/{one}": missing_stages(read_unchecked(place / one)) for one in ids}
    if all(missing.values()):
        return f"no version of {name} is accepted; give a candidate by its id: {', '.join(missing)}"
    accepted = ", ".join(label for label, stages in missing.items() if not stages)
    return f"nothing says which version of {name} is the newest; give one by its id ({accepted}), or build it again"


def _newest_accepted(place: Folder, there: set[str], turns: Mapping[str, int], held: str | None) -> str | None:
    """The id of the newest accepted version of those ``there``; None where none is, or nothing says which it is.

    ``held`` is the latest until now. Where its manifest is damaged it stays, since that says nothing against it.
    """

    def accepted(version_id: str) -> bool:
        try:
            manifest = read_manifest(place / version_id, f"{Path(place.path).name}/{version_id}")
        except VersionError:
            return version_id == held
        return not missing_stages(manifest)

    known = sorted(there.intersection(turns), key=lambda one: turns[one], reverse=True)
    newest = next(filter(accepted, known), None)
    if newest is None and held in there and accepted(held):
        return held
    others = list(filter(accepted, there.difference(turns))) if newest is None else []
    return others[0] if len(others) == 1 else newest
