"""Spreading a snapshot over shards: every post once, the same parts however many posts are read at once."""

from pathlib import Path

import pytest

from corpus.canonical import bucket_of
from corpus.outputs import OutputPart
from corpus.records import Post
from corpus.workspace import Workspace
from curation import partitioning
from curation.partitioning import partition_posts
from tests.corpus.samples import post

SHARDS = 5


def test_parts_do_not_depend_on_batches_or_on_how_much_is_read_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    posts = [post(str(number), f"Question {number}?", 1) for number in range(40)]
    together = Workspace(str(first)).posts
    together.upsert(posts)
    apart = Workspace(str(second)).posts
    for start in range(0, 40, 8):
        apart.upsert([post(str(start), "An older question?", 0), *posts[start + 1 : start + 8]])
        apart.upsert([posts[start]])
    parts = spread(first)
    monkeypatch.setattr(partitioning, "POSTS_AT_ONCE", 9)
    assert contents(spread(second)) == contents(parts)
    rows = {shard: Workspace(str(second)).outputs.kept(part, Post) for shard, part in enumerate(parts)}
    assert all(bucket_of(row.post_id, SHARDS) == shard for shard, held in rows.items() for row in held)
    assert sorted(row.question for held in rows.values() for row in held) == sorted(entry.question for entry in posts)
    assert {row.retrieved_at for held in rows.values() for row in held} == {None}


def test_parts_that_are_there_are_found_and_a_missing_one_is_made_again(tmp_path: Path) -> None:
    Workspace(str(tmp_path)).posts.upsert([post(str(number), f"Question {number}?") for number in range(20)])
    parts = spread(tmp_path)
    Workspace(str(tmp_path)).outputs.folder.remove(f"posts/{parts[2].key}")
    again = spread(tmp_path)
    assert [part.reused for part in again] == [True, True, False, True, True]
    assert contents(again) == contents(parts)


def spread(data: Path) -> list[OutputPart]:
    """The parts of everything that a data folder holds."""
    snapshot = Workspace(str(data)).posts.snapshot()
    return partition_posts(str(data), "posts", snapshot.snapshot_id, SHARDS)


def contents(parts: list[OutputPart]) -> list[tuple[str, str, int]]:
    """What the parts are addressed by and hold."""
    return [(part.key, part.content, part.kept) for part in parts]
