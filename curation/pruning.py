"""Removing stage outputs that no published version came through: every change of posts, code or config leaves some."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from corpus.files import Folder
from corpus.locks import nobody_building
from corpus.manifest import MANIFEST
from corpus.workspace import Workspace
from curation.run_records import RUNS, BuildRecord, run_of


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

    Outputs of a build that was killed go, too: run again, it makes them anew. StoreError while a build is under way or
    where a store lacks batches that outputs may still hold, VersionError where the record behind a version is damaged,
    so that nobody knows what it needs; nothing is removed then.
    """
    for store in workspace.stores().values():
        store.batch_names()
    if dry_run or not workspace.outputs.folder.exists():
        return _prune(workspace, dry_run=True)
    with nobody_building(workspace.folder):
        return _prune(workspace, dry_run=False)


def _prune(workspace: Workspace, *, dry_run: bool) -> Pruned:
    runs = list(_runs(workspace))
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


def _outputs(folder: Folder) -> Iterator[tuple[str, str]]:
    return ((stage, key) for stage in folder.names() for key in (folder / stage).names())


def _runs(workspace: Workspace) -> Iterator[BuildRecord]:
    """The record of each version that is still there and was made in this data folder."""
    versions = workspace.versions.folder
    for name in versions.names():
        for version_id in (versions / name).names():
            made_here = workspace.folder.exists(f"{RUNS}/{name}/{version_id}.json")
            if made_here and (versions / name / version_id).exists(MANIFEST):
                yield run_of(workspace, workspace.versions.open(f"{name}/{version_id}", unchecked=True))
