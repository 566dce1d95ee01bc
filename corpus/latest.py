"""Which version of a dataset ``latest`` names: the newest of those that are accepted, by what their manifests say now.

The newest is the one whose build began last (corpus.turns). A version of which no turn is known, built by code that
noted only the last one, is the latest where it is so already, or where it is the only one accepted: nothing says which
of several came last.
"""

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from corpus.errors import VersionError
from corpus.files import Folder
from corpus.gate_verdicts import missing_stages
from corpus.manifest import read_manifest, read_unchecked
from corpus.object_store import MOST_TRIES

LATEST = "latest"


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
