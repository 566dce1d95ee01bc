"""A store that lost batches says so, recovers what is anywhere, and goes on without the rest only when told to."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from corpus.canonical import rows_digest, with_digest
from corpus.errors import DamageError, StoreError
from corpus.folders.files import Folder
from corpus.post_store.batch_files import BatchEntry, BatchList
from corpus.post_store.batches import kind_of
from corpus.post_store.deposit import upsert
from corpus.post_store.recovery import Place, recover
from corpus.post_store.store import PostStore
from corpus.records import Post
from corpus.schema import read_table
from corpus.takedowns.forgetting import forget
from corpus.workspace import Workspace
from crawlers.recovery_sources import places
from curation.building.pruning import prune
from tests.corpus.samples import post, tree

POSTS = [with_digest(post(str(number), f"Ann has {number} apples. " * 5, number % 60)) for number in range(1_200)]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two batches, the second of which also brought a sighting."""
    folder = tmp_path_factory.mktemp("made") / "data"
    store = Workspace(str(folder)).posts
    upsert(store, POSTS[:1_190])
    upsert(store, [*POSTS[1_190:], POSTS[3].model_copy(update={"retrieved_at": "2025-01-01T00:00:00Z"})])
    return folder


@pytest.fixture
def workspace(made: Path, tmp_path: Path) -> Workspace:
    """A copy of it."""
    return Workspace(str(shutil.copytree(made, tmp_path / "data")))


def file_of(workspace: Workspace, prefix: str = "", rows: int = 1_190) -> Path:
    """The file of the batch of so many rows."""
    entries = workspace.posts.list.entries().values()
    (name,) = [one.batch for one in entries if one.rows == rows and one.batch.startswith(prefix)]
    return Path(workspace.data) / "posts/batches" / f"{name}.parquet"


def place(posts: list[Post], name: str = "elsewhere") -> Place:
    return Place(name, lambda: posts)


def flip(path: Path, share: float = 0.5) -> None:
    content = bytearray(path.read_bytes())
    content[int(len(content) * share)] ^= 4
    path.write_bytes(bytes(content))


@pytest.mark.parametrize("removing", [prune, lambda one: forget(one, "forum:1195")], ids=["prune", "forget"])
@pytest.mark.parametrize("prefix", ["", "seen-"])
def test_what_removes_stage_outputs_removes_none_while_a_store_is_damaged(
    workspace: Workspace, removing: Callable[[Workspace], object], prefix: str
) -> None:
    """The outputs are the last good copy: the texts of a batch are damaged, and its sources are gone."""
    workspace.outputs.save(("posts", "a"), Post, POSTS, [])
    before = tree(Path(workspace.data) / "posts")
    broken = file_of(workspace, prefix, 1 if prefix else 1_190)
    content = broken.read_bytes()
    place = 4 if prefix else len(content) // 3  # in the pages, not in what names them
    broken.write_bytes(
        content[:place] + bytes(byte ^ 255 for byte in content[place : place + 50]) + content[place + 50 :]
    )
    with pytest.raises(DamageError, match=rf"{broken} is damaged .*; run wordquarry store recover"):
        removing(workspace)
    assert (workspace.outputs.folder / "posts").names() == ["a"]
    (done,) = recover(workspace.posts.folder, places(workspace, workspace.posts, [], print))
    assert (done.whole, done.gone) == (True, ())
    assert {name: tree(Path(workspace.data) / "posts")[name] for name in before if name.endswith(".parquet")} == {
        name: digest for name, digest in before.items() if name.endswith(".parquet")
    }
    removing(workspace)
    assert (workspace.outputs.folder / "posts").names() == []


@pytest.mark.parametrize(
    "opening",
    [
        lambda one: one.posts.posts(),
        lambda one: one.posts.snapshot(),
        lambda one: upsert(one.posts, [post("x")]),
        lambda one: one.add_input([post("x")]),
        lambda one: forget(one, "forum:1"),
        prune,
    ],
    ids=["posts", "snapshot", "upsert", "build from files", "forget", "prune"],
)
def test_a_missing_batch_is_named_by_whatever_opens_the_store(
    workspace: Workspace, opening: Callable[[Workspace], object]
) -> None:
    path = file_of(workspace)
    path.unlink()
    with pytest.raises(DamageError) as named:
        opening(workspace)
    assert f"lacks 1 of 3 batches: {path.name} (1190 rows); run wordquarry store recover" in str(named.value)


def test_all_damaged_batches_are_named_at_once(workspace: Workspace) -> None:
    first, second = file_of(workspace), file_of(workspace, rows=10)
    flip(first)
    second.write_bytes(b"")
    with pytest.raises(DamageError) as named:
        workspace.check_stores()
    assert first.stem in str(named.value)
    assert second.stem in str(named.value)


def test_a_snapshot_of_other_batches_names_the_missing_one_too(workspace: Workspace) -> None:
    snapshot = workspace.posts.snapshot()
    upsert(workspace.posts, [post("later")])
    later = next(one for one in workspace.posts.list.entries().values() if one.rows == 1 and "-" not in one.batch)
    (Path(workspace.data) / "posts/batches" / f"{later.batch}.parquet").unlink()
    with pytest.raises(DamageError, match="lacks 1 of 4 batches"):
        workspace.posts.open_snapshot(snapshot.snapshot_id)


def test_a_damaged_batch_comes_back_from_itself_and_from_elsewhere(workspace: Workspace) -> None:
    snapshot = workspace.posts.snapshot().snapshot_id
    before = tree(Path(workspace.data) / "posts/batches")
    flip(file_of(workspace))
    read_later = [one.model_copy(update={"retrieved_at": "2026-01-01T00:00:00Z"}) for one in POSTS]
    (done,) = recover(workspace.posts.folder, [place(read_later)])
    assert done.whole
    assert done.found.total() == 1_190
    assert done.found["the damaged file"] in (500, 690), "a row group is lost, the other two are read"
    assert tree(Path(workspace.data) / "posts/batches") == before
    assert len(workspace.posts.open_snapshot(snapshot)) == 1_200
    assert workspace.posts.posts()["forum:3"].retrieved_at == "2025-01-01T00:00:00Z"
    assert recover(workspace.posts.folder, []) == []


def test_what_is_gone_is_said_and_stays_missed_until_it_is_accepted(workspace: Workspace) -> None:
    snapshot = workspace.posts.snapshot().snapshot_id
    file_of(workspace).unlink()
    for _ in range(2):
        (done,) = recover(workspace.posts.folder, [place(POSTS[100:])])
        assert (done.whole, done.accepted, len(done.gone)) == (False, False, 100)
        assert set(done.gone) == {one.post_id for one in POSTS[:100]}
        with pytest.raises(DamageError, match="lacks 1 of 4 batches"):
            workspace.posts.posts()
    (done,) = recover(workspace.posts.folder, [], accept=True)
    assert (done.accepted, len(done.gone)) == (True, 100)
    assert len(workspace.posts.posts()) == 1_100
    ((lost,),) = workspace.posts.state().values()
    assert lost["posts"] == 100
    with pytest.raises(StoreError, match="held posts of 1 batches that have been lost since; build a new version"):
        workspace.posts.open_snapshot(snapshot)
    assert upsert(workspace.posts, [post("new")]).new == 1


def test_what_was_given_up_comes_back_when_it_is_found(workspace: Workspace) -> None:
    snapshot = workspace.posts.snapshot().snapshot_id
    file_of(workspace).unlink()
    recover(workspace.posts.folder, [], accept=True)
    assert len(workspace.posts.posts()) == 10
    (done,) = recover(workspace.posts.folder, [place(POSTS)])
    assert done.whole
    assert len(workspace.posts.open_snapshot(snapshot)) == 1_200
    assert workspace.posts.state() == {}


def test_forgotten_posts_do_not_come_back(workspace: Workspace) -> None:
    forget(workspace, "forum:5")
    assert not any(
        '"forum:5"' in path.read_text() for path in Path(workspace.data).rglob("keys/*") if "gone" not in path.name
    )
    file_of(workspace, rows=1_189).unlink()
    (done,) = recover(workspace.posts.folder, [place(POSTS)])
    assert done.whole
    assert len(workspace.posts.posts()) == 1_199
    assert "forum:5" not in workspace.posts.posts()


def test_tombstones_and_sightings_come_back_from_what_is_noted_of_them(workspace: Workspace) -> None:
    forget(workspace, "forum:5")
    for path in (Path(workspace.data) / "posts/batches").glob("*-*"):
        path.write_bytes(b"")
    with pytest.raises(DamageError, match="lacks tombstones: forgotten posts could come back"):
        PostStore(workspace.posts.folder, incomplete=True).posts()
    done = recover(workspace.posts.folder, [])
    assert [(one.whole, dict(one.found)) for one in done] == [(True, {"what is noted about it": 1})] * 2
    assert workspace.posts.tombstones().forgotten == {"forum:5"}
    assert workspace.posts.posts()["forum:3"].retrieved_at == "2025-01-01T00:00:00Z"


def test_without_a_note_of_tombstones_nothing_else_is_touched(workspace: Workspace) -> None:
    forget(workspace, "forum:5")
    for path in [*Path(workspace.data).rglob("gone-*"), file_of(workspace, rows=1_189)]:
        path.unlink()
    done = recover(workspace.posts.folder, [place(POSTS)])
    assert [(one.batch[:5], one.whole, one.known) for one in done] == [("gone-", False, False)]


def test_where_nothing_tells_what_a_batch_held_the_sources_are_taken_in_again(workspace: Workspace) -> None:
    path = file_of(workspace)
    path.unlink()
    (Path(workspace.data) / "posts/keys" / f"{path.stem}.jsonl").unlink()
    (done,) = recover(workspace.posts.folder, [place(POSTS[:700]), place(POSTS, "not ours")._replace(own=False)])
    assert (done.known, done.whole, done.rows, dict(done.found)) == (False, False, None, {"elsewhere": 700})
    recover(workspace.posts.folder, [], accept=True)
    assert len(workspace.posts.posts()) == 710
    assert workspace.posts.state() == {"lost": [{"batch": path.stem, "posts": None}]}


def test_an_incomplete_store_is_read_when_asked_and_says_what_it_lacks(workspace: Workspace) -> None:
    path = file_of(workspace)
    flip(path)
    store = PostStore(workspace.posts.folder, incomplete=True)
    snapshot = store.snapshot()
    assert snapshot.posts == 10
    assert store.state() == {"broken": [{"batch": path.stem, "posts": 1_190, "state": "damaged"}]}
    assert len(workspace.posts.open_snapshot(snapshot.snapshot_id)) == 10, "stages read it without being asked again"


@pytest.mark.parametrize("listed", [True, False])
def test_a_store_of_an_early_version_says_how_it_is_read_and_is_brought_up_to_date(
    workspace: Workspace, listed: bool
) -> None:
    """Its batches are named by all their rows and do not say so themselves; before version 0.2 there was no list."""
    folder, renamed = Path(workspace.data) / "posts", dict[str, str]()
    before = workspace.posts.posts()
    snapshot = workspace.posts.snapshot().snapshot_id
    for path in sorted((folder / "batches").iterdir()):
        prefix = path.stem[:-32]
        renamed[path.stem] = prefix + rows_digest(workspace.posts.read(path.stem, kind_of(path.stem)))[:32]
        table = read_table(path.read_bytes()).replace_schema_metadata(None)
        path.unlink()
        pq.write_table(table, path.with_stem(renamed[path.stem]), row_group_size=500)
    record = folder / f"snapshots/{snapshot}.json"
    record.write_text(json.dumps({"batches": sorted(renamed.values()), "posts": 1_200}))
    (folder / "batches.jsonl").unlink()
    shutil.rmtree(folder / "keys")
    if listed:
        workspace.posts.list.note([BatchEntry(name, "held") for name in renamed.values()])
    why = "was written by version 0.2" if listed else "batches.jsonl is gone"
    with pytest.raises(DamageError, match=f"{why}.*; run wordquarry store recover"):
        workspace.posts.posts()
    assert all(done.whole for done in recover(workspace.posts.folder, []))
    assert workspace.posts.posts() == before
    assert len(workspace.posts.open_snapshot(snapshot)) == 1_200
    assert recover(workspace.posts.folder, []) == []


@pytest.mark.parametrize("incomplete", [False, True])
@pytest.mark.parametrize("also", ["", "a batch", "a batch and its keys", "a batch and all keys"])
def test_a_store_that_lost_its_list_is_not_read(workspace: Workspace, also: str, incomplete: bool) -> None:
    folder, lost = Path(workspace.data) / "posts", file_of(workspace)
    (folder / "batches.jsonl").unlink()
    if also:
        lost.unlink()
    if also.endswith("its keys"):
        (folder / "keys" / f"{lost.stem}.jsonl").unlink()
    if also.endswith("all keys"):
        shutil.rmtree(folder / "keys")
    for use in (PostStore.posts, PostStore.snapshot, PostStore.batch_names, lambda store: upsert(store, [])):
        with pytest.raises(DamageError, match=r"batches\.jsonl is gone, .*; run wordquarry store recover"):
            use(PostStore(workspace.posts.folder, incomplete=incomplete))
    assert not (folder / "batches.jsonl").exists()


def test_a_list_that_is_gone_is_made_of_what_is_noted(workspace: Workspace) -> None:
    folder, lost = Path(workspace.data) / "posts", file_of(workspace)
    (folder / "batches.jsonl").unlink()
    assert recover(workspace.posts.folder, []) == []
    assert len(workspace.posts.posts()) == 1_200
    (folder / "batches.jsonl").unlink()
    lost.unlink()
    (done,) = recover(workspace.posts.folder, [])
    assert (done.batch, done.rows, done.whole) == (lost.stem, 1_190, False)


def test_where_nothing_tells_what_batches_there_were_only_an_accepted_loss_goes_on(workspace: Workspace) -> None:
    folder = Path(workspace.data) / "posts"
    file_of(workspace).unlink()
    (folder / "batches.jsonl").unlink()
    shutil.rmtree(folder / "keys")
    with pytest.raises(DamageError, match="nobody can say which others there were"):
        recover(workspace.posts.folder, [])
    assert not (folder / "batches.jsonl").exists()
    recover(workspace.posts.folder, [], accept=True)
    assert workspace.posts.state() == {"lost": [{"batch": "unknown", "posts": None}]}
    assert len(workspace.posts.posts()) == 10
    recover(workspace.posts.folder, [])
    assert workspace.posts.state() == {"lost": [{"batch": "unknown", "posts": None}]}


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_damaged_list_is_named_and_made_again(workspace: Workspace, number: int) -> None:
    path = Path(workspace.data) / "posts/batches.jsonl"
    lines = path.read_bytes().split(b"\n")
    lines[number] = lines[number].replace(b'"held"', b'"lost"')
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(DamageError, match=rf"batches\.jsonl:{number + 1} is damaged; run wordquarry store recover"):
        workspace.posts.posts()
    assert recover(workspace.posts.folder, []) == []
    assert len(workspace.posts.posts()) == 1_200
    assert {one.state for one in workspace.posts.list.entries().values()} == {"held"}


def test_half_a_line_of_a_killed_command_is_none_and_its_batch_comes_again(workspace: Workspace) -> None:
    path = Path(workspace.data) / "posts/batches.jsonl"
    content = path.read_bytes()
    path.write_bytes(content[:-20])
    assert workspace.posts.posts()["forum:3"].retrieved_at == POSTS[3].retrieved_at
    upsert(workspace.posts, [POSTS[3].model_copy(update={"retrieved_at": "2025-01-01T00:00:00Z"})])
    assert path.read_bytes() == content


def test_the_last_line_of_a_batch_holds(tmp_path: Path) -> None:
    listed = BatchList(Workspace(str(tmp_path)).posts.folder)
    source = {"kind": "file", "paths": ["posts.jsonl"], "sha256": hashlib.sha256(b"").hexdigest()}
    listed.note(
        [
            BatchEntry("a", "held", 3, source),
            BatchEntry("b", "held", 1),
            BatchEntry("a", "lost", 2),
            BatchEntry("b", "removed"),
        ]
    )
    assert listed.entries() == {"a": BatchEntry("a", "lost", 2, source), "b": BatchEntry("b", "removed")}


def test_a_batch_that_is_cleared_away_before_it_is_listed_is_written_again(workspace: Workspace) -> None:
    other, cleared = workspace.posts, list[str]()

    class Beside(Folder):
        """Another command takes what is new for what a killed one left, just before it is listed."""

        def append(self, name: str, content: bytes) -> None:
            for batch in other.leftovers():
                other.clear_removed(batch)
                cleared.append(batch)
            super().append(name, content)

    upsert(PostStore(Beside(other.folder.fs, other.folder.path)), [post("late")])
    assert len(cleared) == 1
    assert len(workspace.posts.posts()) == 1_201
    assert other.leftovers() == []
