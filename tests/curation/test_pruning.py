"""Pruning: what no version came through goes, whatever a version needs stays, and doubt removes nothing."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from corpus.earlier import Shard
from corpus.errors import StoreError, VersionError
from corpus.folders.locks import building
from corpus.outputs import KEPT, OutputPart
from corpus.records import ClassifiedPost, Dropped
from corpus.versioning.versions import Version
from corpus.workspace import Workspace
from curation.building.pruning import Pruned, prune
from tests.corpus.samples import release


def save(workspace: Workspace, key: str, native: str) -> OutputPart:
    row = ClassifiedPost(post_id=f"forum:{native}", in_scope=True, probability=0.75, outcome="ok")
    gone = Dropped(post_id="forum:0", reason="not_math", detail="no number in it", score=0.25)
    return workspace.outputs.save(("classify", key), ClassifiedPost, [row], [gone])


SNAPSHOT = {"store": "posts", "snapshot": "s", "removed": {}}


def write_record(workspace: Workspace, version: Version, parts: dict[str, list[dict[str, Any]]]) -> None:
    """The record of the run behind a version, and the snapshot that it was built from."""
    workspace.folder.write("posts/snapshots/s.json", b'{"batches":[],"posts":0}')
    workspace.folder.write(f"runs/{version.label}.json", json.dumps({**SNAPSHOT, "parts": parts}).encode())


def publish(workspace: Workspace, title: str, parts: list[OutputPart]) -> Version:
    """A version with the record of the run behind it, as a build leaves them."""
    version, _ = workspace.versions.publish(release(title=title))
    write_record(workspace, version, {"classify": [part.as_dict() for part in parts]})
    return version


def publish_with_posts(workspace: Workspace, parts: list[OutputPart], posts: OutputPart) -> None:
    """A version that came through these parts, and this one of posts."""
    version = publish(workspace, "One", parts)
    plain = {"classify": [part.as_dict() for part in parts], "posts": [posts.as_dict()]}
    write_record(workspace, version, plain)


def size(workspace: Workspace, key: str) -> int:
    return sum(path.stat().st_size for path in (Path(workspace.data) / "stages/classify" / key).iterdir())


def test_a_file_that_outputs_share_counts_once_and_stays_with_the_one_that_is_kept(workspace: Workspace) -> None:
    kept, gone = save(workspace, "kept", "1"), save(workspace, "gone", "1")
    folder = Path(workspace.data) / "stages" / "classify"
    (folder / "gone" / KEPT).unlink()
    (folder / "gone" / KEPT).hardlink_to(folder / "kept" / KEPT)
    publish(workspace, "One", [kept])
    shared, both = (folder / "gone" / KEPT).stat().st_size, size(workspace, "gone")
    told = Pruned(1, 1, size(workspace, "kept"), 1, both - shared)
    assert prune(workspace, dry_run=True) == prune(workspace) == told
    assert workspace.outputs.is_sound(kept)
    assert not workspace.outputs.folder.exists(f"classify/{gone.key}")


def test_pointers_to_what_was_removed_go_as_well(workspace: Workspace) -> None:
    kept = [save(workspace, "kept", "1")]
    posts = workspace.outputs.save(("posts", "p"), ClassifiedPost, [], [])
    save(workspace, "gone", "2")
    publish_with_posts(workspace, kept, posts)
    shard, other = Shard(1, 4), Shard(2, 4)
    workspace.earlier.note(shard, "p", {"classify": ("base", "kept"), "clean": ("base", "nowhere")})
    workspace.earlier.note(shard, "p", {"classify": ("older", "gone")})
    workspace.earlier.note(other, "another", {"classify": ("base", "kept")})
    workspace.earlier.folder.write("mine.txt", b"x")
    prune(workspace, dry_run=True)
    assert list(workspace.earlier.parts(shard, "classify", "older")) == [(("p", "gone"),)]
    prune(workspace)
    assert workspace.earlier.folder.names() == ["1-of-4.json", "mine.txt"]
    assert list(workspace.earlier.parts(shard, "classify", "base")) == [(("p", "kept"),)]
    assert list(workspace.earlier.parts(shard, "classify", "older")) == []
    assert list(workspace.earlier.parts(shard, "clean", "base")) == []


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(str(tmp_path / "data"))


@pytest.fixture
def versions(workspace: Workspace) -> tuple[Version, Version]:
    """Two versions that share one output; a third output belongs to no version."""
    first, shared, second = (save(workspace, key, key) for key in ("first", "shared", "second"))
    save(workspace, "nobodys", "x")
    return publish(workspace, "One", [first, shared]), publish(workspace, "Two", [shared, second])


def test_only_what_no_version_came_through_goes(workspace: Workspace, versions: tuple[Version, Version]) -> None:
    kept = sum(size(workspace, key) for key in ("first", "shared", "second"))
    expected = Pruned(2, 3, kept, 1, size(workspace, "nobodys"))
    assert prune(workspace, dry_run=True) == expected
    assert (workspace.outputs.folder / "classify").names() == ["first", "nobodys", "second", "shared"]
    assert prune(workspace) == expected
    assert (workspace.outputs.folder / "classify").names() == ["first", "second", "shared"]
    assert prune(workspace) == Pruned(2, 3, kept, 0, 0)


def test_a_version_that_was_removed_needs_nothing_and_what_it_shared_stays(
    workspace: Workspace, versions: tuple[Version, Version]
) -> None:
    shutil.rmtree(versions[0].folder.path)
    assert prune(workspace).removed == 2
    assert (workspace.outputs.folder / "classify").names() == ["second", "shared"]


def test_a_version_counts_without_the_file_that_names_the_latest(
    workspace: Workspace, versions: tuple[Version, Version]
) -> None:
    workspace.versions.folder.remove("demo/latest")
    assert prune(workspace).versions == 2


def test_a_damaged_record_removes_nothing(workspace: Workspace, versions: tuple[Version, Version]) -> None:
    workspace.folder.write(f"runs/{versions[1].label}.json", b"[]")
    with pytest.raises(VersionError, match="is damaged"):
        prune(workspace)
    assert len((workspace.outputs.folder / "classify").names()) == 4


@pytest.mark.parametrize("lost", ["posts", "posts/snapshots", "versions/demo/{}/manifest.json"])
def test_a_store_or_version_of_which_something_is_gone_removes_nothing(
    workspace: Workspace, versions: tuple[Version, Version], lost: str
) -> None:
    workspace.folder.remove(lost.format(versions[0].version_id))
    for dry_run in (True, False):
        with pytest.raises((StoreError, VersionError), match=r"restore it, or move .* away"):
            prune(workspace, dry_run=dry_run)
    assert len((workspace.outputs.folder / "classify").names()) == 4


def test_nothing_is_removed_under_a_build(workspace: Workspace, versions: tuple[Version, Version]) -> None:
    with building(workspace.folder), building(workspace.folder):
        with pytest.raises(StoreError, match="a build is running"):
            prune(workspace)
        assert prune(workspace, dry_run=True).removed == 1
    assert prune(workspace).removed == 1


def test_a_folder_that_is_not_there_stays_so(workspace: Workspace) -> None:
    assert prune(workspace) == Pruned(0, 0, 0, 0, 0)
    assert not Path(workspace.data).exists()


def test_an_object_store_is_pruned_without_a_lock() -> None:
    workspace = Workspace("memory://pruning")
    publish(workspace, "One", [save(workspace, "first", "1")])
    save(workspace, "nobodys", "x")
    assert prune(workspace).removed == 1
    assert (workspace.outputs.folder / "classify").names() == ["first"]
