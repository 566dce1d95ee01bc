"""Spreading a snapshot over shards: every post once, the same parts however many posts are read at once."""

from pathlib import Path

import pytest

from corpus.canonical import bucket_of
from corpus.outputs import OutputPart
from corpus.post_store.batch_files import BatchFile
from corpus.post_store.deposit import upsert
from corpus.post_store.tombstones import Tombstone
from corpus.records import Post
from corpus.workspace import Workspace
from curation.building.partitioning import partition_posts
from tests.corpus.samples import leftovers, post

SHARDS = 5


def test_parts_do_not_depend_on_batches_or_on_how_much_is_read_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    posts = [post(str(number), f"Question {number}?", 1) for number in range(40)]
    together = Workspace(str(first)).posts
    upsert(together, posts)
    apart = Workspace(str(second)).posts
    for start in range(0, 40, 8):
        upsert(apart, [post(str(start), "An older question?", 0), *posts[start + 1 : start + 8]])
        upsert(apart, [posts[start]])
    parts = spread(first)
    opened: list[str] = []
    groups = BatchFile.groups
    monkeypatch.setattr(BatchFile, "groups", lambda file, ids=None: opened.append(file.where) or groups(file, ids))
    assert contents(spread(second, at_once=9)) == contents(parts)
    assert len(opened) == len(set(opened)) > 1  # every batch is read once
    assert leftovers(second) == []
    rows = {shard: Workspace(str(second)).outputs.kept(part, Post) for shard, part in enumerate(parts)}
    assert all(bucket_of(row.post_id, SHARDS) == shard for shard, held in rows.items() for row in held)
    assert sorted(row.question for held in rows.values() for row in held) == sorted(entry.question for entry in posts)
    assert {row.retrieved_at for held in rows.values() for row in held} == {None}


def test_parts_that_are_there_are_found_and_a_missing_one_is_made_again(tmp_path: Path) -> None:
    upsert(Workspace(str(tmp_path)).posts, [post(str(number), f"Question {number}?") for number in range(20)])
    parts = spread(tmp_path)
    Workspace(str(tmp_path)).outputs.folder.remove(f"posts/{parts[2].key}")
    again = spread(tmp_path)
    assert [part.reused for part in again] == [True, True, False, True, True]
    assert contents(again) == contents(parts)


def test_a_group_of_parts_may_have_nothing_new(tmp_path: Path) -> None:
    store = Workspace(str(tmp_path)).posts
    upsert(store, [post(str(number), f"Question {number}?", 1) for number in range(40)])
    whole = spread(tmp_path)
    for number in range(40):
        if bucket_of(f"forum:{number}", SHARDS) < 3:
            upsert(store, [post(str(number), f"Another question {number}?", 2)])
    store.add_tombstones([Tombstone(kind="removed", post_id="forum:1", noted_at="2024-05-01T11:00:00Z")])
    again = spread(tmp_path, at_once=1)
    held = {row.post_id: row for part in again for row in Workspace(str(tmp_path)).outputs.kept(part, Post)}
    assert set(held) == {f"forum:{number}" for number in range(40)} - {"forum:1"}  # in a shard without new posts
    assert [one.key == other.key for one, other in zip(whole, again, strict=True)].count(False) >= 3


def spread(data: Path, at_once: int = 100) -> list[OutputPart]:
    """The parts of everything that a data folder holds."""
    snapshot = Workspace(str(data)).posts.snapshot()
    return partition_posts(str(data), "posts", snapshot.snapshot_id, SHARDS, at_once=at_once)


def contents(parts: list[OutputPart]) -> list[tuple[str, str, int]]:
    """What the parts are addressed by and hold."""
    return [(part.key, part.content, part.kept) for part in parts]
