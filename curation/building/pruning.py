"""Removing stage outputs that no published version came through: every change of posts, code or config leaves some."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from corpus.errors import StoreError
from corpus.folders.files import Folder
from corpus.folders.locks import nobody_building
from corpus.post_store.batch_files import SNAPSHOTS
from corpus.workspace import Workspace
from curation.building.run_rows import RUNS, BuildRecord, run_of


@dataclass(frozen=True)
class Pruned:
    """What pruning did, or would do: the stage outputs kept for so many versions and those removed, with bytes.

    A file that outputs share counts once, and as kept if any of them is.
    """

    versions: int
    kept: int
    kept_bytes: int
    removed: int
    removed_bytes: int


def prune(workspace: Workspace, *, dry_run: bool = False) -> Pruned:
    """Remove every stage output that no version in the data folder came through; with ``dry_run`` only count.

    Outputs of a build that was killed go, too: run again, it makes them anew, as long as the posts are there.
    StoreError while a build is under way, or where a store is not whole, so that outputs may be the last to hold a
    post; VersionError where a version or the record behind it is damaged, so that nobody knows what it needs. Nothing
    is removed then.
    """
    workspace.check_stores()
    if dry_run or not workspace.outputs.folder.exists():
        return _prune(workspace, dry_run=True)
    with nobody_building(workspace.folder):
        return _prune(workspace, dry_run=False)


def _prune(workspace: Workspace, *, dry_run: bool) -> Pruned:
    runs = list(_runs(workspace))
    for run in runs:
        _check_posts(workspace, run)
    wanted = {(part.stage, part.key) for run in runs for parts in run.parts.values() for part in parts}
    counts, sizes = Counter[bool](), defaultdict[bool, dict[object, int]](dict)
    for stage in () if dry_run else workspace.outputs.folder.names():
        (workspace.outputs.folder / stage).tidy()
    for stage, key in list(_outputs(workspace.outputs.folder)):
        place, kept = workspace.outputs.folder / stage, (stage, key) in wanted
        counts[kept] += 1
        sizes[kept] |= place.sizes(key)
        if not kept and not dry_run:
            place.remove(key)
    if not dry_run:
        workspace.earlier.keep(set(_outputs(workspace.outputs.folder)))
    gone = sum(size for file, size in sizes[False].items() if file not in sizes[True])
    return Pruned(len(runs), counts[True], sum(sizes[True].values()), counts[False], gone)


def _check_posts(workspace: Workspace, run: BuildRecord) -> None:
    """StoreError where the store that a version was built from is gone, or is another one by now."""
    store = workspace.store(run.store).folder
    if not store.exists(f"{SNAPSHOTS}/{run.snapshot_id}.json"):
        raise StoreError(
            f"{store} does not know the posts that {run.name}/{run.version_id} was built from (snapshot "
            f"{run.snapshot_id}), and stage outputs may be the last to hold them; restore it, or move the version "
            "away; nothing was removed"
        )


def _outputs(folder: Folder) -> Iterator[tuple[str, str]]:
    return ((stage, key) for stage in folder.names() for key in (folder / stage).names())


def _runs(workspace: Workspace) -> Iterator[BuildRecord]:
    """The record of each version that is still there and was made in this data folder."""
    versions = workspace.versions.folder
    for name in versions.names():
        for version_id in (versions / name).names():
            if workspace.folder.exists(f"{RUNS}/{name}/{version_id}.json"):
                yield run_of(workspace, workspace.versions.open(f"{name}/{version_id}", unchecked=True))
