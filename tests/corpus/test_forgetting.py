"""Forgetting: the content is gone from the folder, a tombstone stays, and nothing brings the post back."""

import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from corpus.errors import InputError, StoreError
from corpus.post_store.batch_files import BatchEntry, BatchList
from corpus.post_store.batches import Batches
from corpus.post_store.deposit import upsert
from corpus.post_store.tombstones import Tombstone
from corpus.records import Dropped, Post
from corpus.takedowns.forgetting import Forgotten, forget
from corpus.workspace import Workspace
from curation.stages.diversity_stage import PostDiversity
from tests.corpus.samples import post

SECRET = "Ann's secret age"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(str(tmp_path / "data"))


def secret(at: int = 1) -> Post:
    return post("1", SECRET, at).model_copy(update={"url": "https://forum.example/q/1"})


def holds_secret(workspace: Workspace) -> list[str]:
    """Files below the data folder in which the post's text or id stands, tombstones aside."""
    found = []
    for path in Path(workspace.data).rglob("*.parquet"):
        if path.name.startswith("gone-"):
            continue
        rows = str(pq.read_table(path).to_pylist())
        if SECRET in rows or "'forum:1'" in rows:
            found.append(str(path))
    return found


@pytest.mark.parametrize("name", ["forum:1", "http://www.forum.example/q/1/", "https://forum.example/q/1#answers"])
def test_a_forgotten_post_leaves_only_a_tombstone(workspace: Workspace, name: str) -> None:
    store = workspace.posts
    upsert(store, [secret(), post("2", "B", 1)])
    upsert(store, [secret(5), post("3", "C", 2)])
    assert holds_secret(workspace)
    done = forget(workspace, name)
    assert done.post_ids == ("forum:1",)
    assert holds_secret(workspace) == []
    assert list(store.posts()) == ["forum:2", "forum:3"]
    assert store.history("forum:1") == []
    assert forget(workspace, name) == Forgotten((), 0, 0), "a second time finds nothing"


def test_a_later_crawl_does_not_bring_it_back(workspace: Workspace) -> None:
    store = workspace.posts
    upsert(store, [secret(1)])
    forget(workspace, "forum:1")
    done = upsert(store, [secret(9), post("1", "other words", 10), post("2", "B", 9)])
    assert (done.new, list(store.posts())) == (1, ["forum:2"])
    assert holds_secret(workspace) == []


def test_an_address_is_kept_out_before_anything_was_read_from_it(workspace: Workspace) -> None:
    done = forget(workspace, "https://forum.example/q/1")
    assert done == Forgotten((), 0, 0)
    upsert(workspace.posts, [secret(), post("2", "B", 1)])
    assert list(workspace.posts.posts()) == ["forum:2"]


def test_the_next_build_from_a_file_is_without_it_and_the_old_snapshot_says_why(workspace: Workspace) -> None:
    name, snapshot = workspace.add_input([secret(), post("2", "B", 1)])
    old = upsert(workspace.posts, [secret(), post("2", "B", 1)]) and workspace.posts.snapshot()
    forget(workspace, "forum:1")
    for store, held in ((workspace.store(name), snapshot), (workspace.posts, old)):
        with pytest.raises(StoreError, match="held posts that are forgotten by now; build a new version"):
            store.open_snapshot(held.snapshot_id)
    again, fresh = workspace.add_input([secret(), post("2", "B", 1)])
    assert list(workspace.store(again).open_snapshot(fresh.snapshot_id)) == ["forum:2"]
    now = workspace.posts.snapshot()
    assert list(workspace.posts.open_snapshot(now.snapshot_id)) == ["forum:2"]


def test_snapshots_without_it_are_read_as_before(workspace: Workspace) -> None:
    upsert(workspace.posts, [post("2", "B", 1)])
    before = workspace.posts.snapshot()
    upsert(workspace.posts, [secret()])
    forget(workspace, "forum:1")
    assert list(workspace.posts.open_snapshot(before.snapshot_id)) == ["forum:2"]


def test_stage_outputs_that_hold_it_go_and_others_stay(workspace: Workspace) -> None:
    outputs = workspace.outputs
    outputs.save(("clean", "a" * 32), Post, [secret()], [])
    outputs.save(("clean", "b" * 32), Post, [post("2", "B", 1)], [])
    dropped = Dropped(post_id="forum:1", reason="no_answers", detail=SECRET)
    outputs.save(("clean", "c" * 32), Post, [post("2", "B", 1)], [dropped])
    alike = PostDiversity(post_id="forum:2", lexicon_diversity=0.5, nearest_id="forum:1")
    outputs.save(("diversity", "d" * 32), PostDiversity, [alike], [])
    detail = "lexicon diversity 0.01 to forum:1, which is accepted"
    near = Dropped(post_id="forum:2", reason="low_diversity", detail=detail, evidence=SECRET)
    outputs.save(("diversity", "e" * 32), PostDiversity, [], [near])
    outputs.save(("diversity", "f" * 32), PostDiversity, [], [near.model_copy(update={"detail": "to forum:12, which"})])
    upsert(workspace.posts, [secret()])
    assert forget(workspace, "forum:1").outputs == 4
    assert [outputs.find("clean", letter * 32) is not None for letter in "abc"] == [False, True, False]
    assert [outputs.find("diversity", letter * 32) is not None for letter in "def"] == [False, False, True]
    (workspace.folder / "stages" / "diversity").remove("f" * 32)
    assert holds_secret(workspace) == []


@pytest.mark.parametrize("name", ["", "Ann", "forum:", ":1", "two words", "x" * 5000])
def test_what_is_neither_id_nor_address(workspace: Workspace, name: str) -> None:
    with pytest.raises(InputError, match="is neither a post id nor a URL; give one such as"):
        forget(workspace, name)


def test_a_post_removed_by_its_site_is_out_until_it_is_seen_again(workspace: Workspace) -> None:
    store = workspace.posts
    upsert(store, [post("1", "A", 1), post("2", "B", 1)])
    before = store.snapshot()
    store.add_tombstones([Tombstone(kind="removed", post_id="forum:1", noted_at="2024-05-01T10:00:03Z")])
    assert list(store.posts()) == ["forum:2"]
    assert [one.question for one in store.history("forum:1")] == ["A"], "its content stays as history"
    assert list(store.open_snapshot(before.snapshot_id)) == ["forum:1", "forum:2"], "versions made before keep it"
    upsert(store, [post("1", "A", 2)])
    assert list(store.posts()) == ["forum:2"], "seen before it was removed"
    upsert(store, [post("1", "A", 5)])
    assert list(store.posts()) == ["forum:1", "forum:2"]


@pytest.mark.parametrize("held", [True, False], ids=["holds the forgotten post", "holds others"])
def test_what_another_writes_meanwhile_is_neither_lost_nor_brings_it_back(
    workspace: Workspace, held: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    upsert(workspace.posts, [secret(), post("2", "B", 1)])
    written, looked, listed = threading.Event(), threading.Event(), threading.Event()
    note, leftovers = BatchList.note, Batches.leftovers

    def slow_note(batches: BatchList, entries: Iterable[BatchEntry]) -> None:
        entries = list(entries)
        if threading.current_thread() is writer and any(entry.state == "held" for entry in entries):
            written.set()  # the file is there, and no line yet
            looked.wait(60)
        note(batches, entries)

    def slow_look(batches: Batches) -> list[str]:
        found = leftovers(batches)
        if threading.current_thread() is not writer and found:
            looked.set()  # it is taken for a leftover, and not removed yet
            listed.wait(60)
        return found

    def write() -> None:
        try:
            upsert(Workspace(workspace.data).posts, [*([secret(7)] if held else []), post("3", "C", 2)])
        finally:
            listed.set()

    writer = threading.Thread(target=write)
    monkeypatch.setattr(BatchList, "note", slow_note)
    monkeypatch.setattr(Batches, "leftovers", slow_look)
    writer.start()
    assert written.wait(60)
    forget(workspace, "forum:1")
    writer.join()
    workspace.posts.check()
    assert list(workspace.posts.posts()) == ["forum:2", "forum:3"]
    assert holds_secret(workspace) == []


def test_posts_are_taken_in_and_forgotten_side_by_side(workspace: Workspace) -> None:
    upsert(workspace.posts, [post(str(number), f"How much is {number} + 3?", 1) for number in range(40)])

    def take_in(who: int) -> None:
        for day in range(30):
            upsert(Workspace(workspace.data).posts, [post(f"{who}-{day}-{number}", "B", 2) for number in range(5)])

    with ThreadPoolExecutor(2) as pool:
        writers = [pool.submit(take_in, who) for who in range(2)]
        for number in range(12):
            forget(workspace, f"forum:{number}")
        for writer in writers:
            writer.result()
    workspace.posts.check()
    assert len(workspace.posts.posts()) == 28 + 2 * 30 * 5
