"""Folding: fewer files, the same store; when killed, after forgetting, by old snapshots, beside another writer."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from corpus.errors import StoreError
from corpus.folders.files import Folder
from corpus.folders.locks import folding as fold_lock
from corpus.post_store.batches import SEEN, Sighting
from corpus.post_store.deposit import upsert
from corpus.post_store.folding import fold
from corpus.post_store.recovery import Place, recover
from corpus.post_store.store import PostStore, StoreSizes
from corpus.post_store.tombstones import GONE, Tombstone
from corpus.records import Post
from corpus.takedowns.forgetting import forget
from corpus.workspace import Workspace
from tests.corpus.samples import memory_folder, post, tree
from tests.tiers import in_turn

DAYS, FAN = 5, 4
SECRET = "what nobody may know"


def day(number: int) -> list[Post]:
    """What is found on a day: a new post, one that changes every third day, one as ever, one of an earlier day."""
    return [
        post(f"new{number}", f"New on day {number}.", number),
        post("changing", f"Version {number // 3}.", number),
        post("same", "As ever.", number),
        post(f"new{number // 2}", f"New on day {number // 2}.", number),
    ]


def posts_in(folder: Folder | Path, sizes: StoreSizes = StoreSizes(fan=FAN)) -> PostStore:  # noqa: B008 - frozen
    """The store of a data folder, which folds earlier than in earnest."""
    return PostStore(Workspace(str(folder)).posts.folder if isinstance(folder, Path) else folder, sizes=sizes)


def unfolded(folder: Folder | Path, days: int) -> PostStore:
    """So many days in a store, none of them folded."""
    store = posts_in(folder, StoreSizes(fan=1_000))
    for number in range(days):
        upsert(store, day(number))
    return store


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a few days that are not folded yet."""
    folder = tmp_path_factory.mktemp("made") / "data"
    unfolded(folder, DAYS)
    return folder


@pytest.fixture
def store(made: Path, tmp_path: Path) -> PostStore:
    """The store in a copy of it."""
    return posts_in(shutil.copytree(made, tmp_path / "data"))


def view(store: PostStore) -> object:
    """Everything that can be asked of a store, but for its files."""
    histories = [store.history(f"forum:{native}") for native in ("same", "changing")]
    return list(store.posts().values()), histories, store.snapshot().snapshot_id


def test_a_store_grows_and_has_few_files(tmp_path: Path) -> None:
    store, apart = posts_in(Folder.at(tmp_path / "folded")), unfolded(memory_folder(), 18)
    for number in range(18):
        upsert(store, day(number))
        assert len(store.batch_names()) < 4 * FAN
    assert len(apart.batch_names()) == 35
    assert view(store) == view(apart)
    assert (
        {path.stem for path in (tmp_path / "folded/keys").iterdir()} == set(store.files()) == set(store.batch_names())
    )


def test_sightings_fold_to_the_last_of_each_content_and_all_of_posts_that_changed(store: PostStore) -> None:
    before = view(store)
    assert fold(store) == 2
    (name,) = (name for name in store.batch_names() if name.startswith(SEEN))
    seen = [one.post_id for one in store.read(name, Sighting)]
    assert (seen.count("forum:same"), seen.count("forum:changing")) == (1, 3)
    assert view(store) == before
    assert fold(store) == 0


@pytest.mark.parametrize("how", ["gone", "back"])
def test_a_post_that_its_site_removed_is_gone_or_back_as_before(store: PostStore, how: str) -> None:
    noted = "2024-05-01T10:00:02Z" if how == "back" else "2024-05-01T11:00:00Z"
    store.add_tombstones([Tombstone(kind="removed", post_id="forum:same", noted_at=noted)])
    before = view(store)
    assert ("forum:same" in store.current()) == (how == "back")
    assert fold(store) == 2
    assert view(store) == before


def test_snapshots_of_every_day_are_read_after_folds_of_folds(tmp_path: Path) -> None:
    store = posts_in(Folder.at(tmp_path), StoreSizes(fan=3))
    kept = {}
    for number in range(12):
        upsert(store, day(number))
        if number == 6:
            store.add_tombstones([Tombstone(kind="removed", post_id="forum:same", noted_at="2024-05-01T10:00:06Z")])
        snapshot = store.snapshot()
        kept[snapshot.snapshot_id] = {one.post_id: one.question for one in store.posts().values()}
    assert len({tuple(entry.of) for entry in store.list.entries().values() if len(entry.of) > 3}) > 1, "folds of folds"
    for snapshot_id, questions in kept.items():
        held = store.open_snapshot(snapshot_id)
        assert {one.post_id: one.question for one in store.load(held)} == questions


def test_a_forgotten_post_is_in_no_file_and_its_snapshots_say_so(store: PostStore, tmp_path: Path) -> None:
    workspace = Workspace(str(tmp_path / "data"))
    without = store.snapshot()
    upsert(store, [post("secret", SECRET, 1)])
    with_it = store.snapshot()
    assert len(store.batch_names()) == 2, "folded"
    folded = set(store.batch_names())
    assert forget(workspace, "forum:secret").batches == 1
    rows = [str(pq.read_table(path).to_pylist()) for path in tmp_path.rglob("*.parquet") if GONE not in path.name]
    assert SECRET not in "".join(rows)
    assert "forum:secret" not in "".join(path.read_text() for path in tmp_path.rglob("keys/*") if GONE not in path.name)
    assert "forum:secret" not in store.posts()
    assert len(store.open_snapshot(without.snapshot_id)) == without.posts
    with pytest.raises(StoreError, match="held posts that are forgotten by now; build a new version"):
        store.open_snapshot(with_it.snapshot_id)
    assert len(folded - set(store.batch_names())) == 1, "the other file stays"
    assert forget(workspace, "forum:secret").batches == 0


def test_a_fold_beside_a_forgetting_does_nothing(store: PostStore) -> None:
    before = store.batch_names()
    with fold_lock(store.folder, wait=False) as check:
        check()
        assert fold(store) == 0
    assert store.batch_names() == before
    assert fold(store) == 2


def test_what_is_forgotten_while_a_fold_is_written_is_not_in_it(store: PostStore) -> None:
    """Tombstones come at any time; only taking out what they forget waits for the fold."""

    class Overtaken(PostStore):
        def add_table(self, *arguments: Any) -> str:
            batch = super().add_table(*arguments)
            store.add_tombstones([Tombstone(kind="forgotten", post_id="forum:new2")])
            return batch

    fold(Overtaken(store.folder, sizes=store.sizes))
    assert "forum:new2" not in "".join(path.read_text() for path in Path(f"{store.folder}/keys").glob("[0-9a-f]*"))
    assert len(store.posts()) == DAYS + 1, "two besides the new ones, less the forgotten one"


class KilledError(Exception):
    """Stands for a process that is no more."""


WRITES = ("write", "append", "remove")


def dying(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """Let a process change the disk so many times, and no more."""
    left = [after]
    for name in WRITES:
        real = getattr(Folder, name)

        def call(*arguments: object, real: Callable[..., object] = real) -> object:
            if not left[0]:
                raise KilledError
            left[0] -= 1
            return real(*arguments)

        monkeypatch.setattr(Folder, name, call)


def test_a_fold_that_is_killed_at_any_step_changes_nothing_and_is_finished_by_the_next(
    store: PostStore, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    before = view(store)
    undisturbed = Path(str(tmp_path / "undisturbed"))
    shutil.copytree(data, undisturbed)
    fold(posts_in(undisturbed))
    expected = files(undisturbed)
    steps = 2 * (3 + 2 * DAYS) - 2  # two folds: keys, file and line, and two removals a batch
    for step in (*in_turn(range(steps), 4), steps):
        folder = tmp_path / f"killed{step}"
        shutil.copytree(data, folder)
        with pytest.MonkeyPatch.context() as patch:
            dying(patch, step)
            try:
                fold(posts_in(folder))
            except KilledError:
                assert step < steps
            else:
                assert step == steps
        again = posts_in(folder)
        assert view(again) == before, step
        fold(again)
        assert files(folder) == expected, step


def files(folder: Path) -> dict[str, str]:
    """Batches and keys, which have to be those of an undisturbed fold."""
    return {name: digest for name, digest in tree(folder).items() if "/batches/" in name or "/keys/" in name}


def test_a_reader_that_began_before_the_fold_reads_on(store: PostStore) -> None:
    held = store.current()
    questions = [one.question for one in store.load(held)]
    loading = store.load(held)
    first = next(loading)
    assert fold(posts_in(store.folder)) == 2
    assert sorted([first.question, *(one.question for one in loading)]) == sorted(questions)
    assert len(list(store.load(held))) == len(questions), "from where the rows are now"


@pytest.mark.full
def test_two_writers_fold_at_once_and_lose_nothing() -> None:
    store = unfolded(memory_folder(), DAYS)
    before, other = view(store), posts_in(store.folder)

    class Overtaken(PostStore):
        def add_table(self, *arguments: Any) -> str:
            fold(other)
            upsert(other, [post("late", "Written meanwhile.", 1)])
            return super().add_table(*arguments)

    fold(Overtaken(store.folder, sizes=other.sizes))
    assert "forum:late" in store.current()
    forget(Workspace(store.folder.path), "forum:none")
    questions = [one.question for one in store.posts().values() if one.post_id != "forum:late"]
    assert questions == [one.question for one in before[0]]  # type: ignore[index]


def test_a_damaged_folded_batch_comes_back_whole(store: PostStore, tmp_path: Path) -> None:
    snapshot, before = store.snapshot(), view(store)
    fold(store)
    (name,) = (name for name in store.batch_names() if "-" not in name)
    path = tmp_path / f"data/posts/batches/{name}.parquet"
    content = path.read_bytes()
    path.write_bytes(content[:1000])
    contents = [one for number in range(DAYS) for one in day(number)]
    given = [one.model_copy(update={"content_sha256": digest(one)}) for one in contents]
    (done,) = recover(store.folder, [Place("elsewhere", lambda: given)])
    assert done.whole
    assert path.read_bytes() == content
    assert (view(store), len(store.open_snapshot(snapshot.snapshot_id))) == (before, snapshot.posts)


def digest(one: Post) -> str:
    from corpus.canonical import content_digest

    return content_digest(one)


@pytest.mark.parametrize("damage", ["gone", "last line"])
def test_the_list_is_made_anew_of_folded_files(store: PostStore, tmp_path: Path, damage: str) -> None:
    snapshot, before = store.snapshot(), view(store)
    fold(store)
    path = tmp_path / "data/posts/batches.jsonl"
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes().replace(b'"instead"', b'"inst3ad"'))
    assert recover(store.folder, []) == []
    assert view(Workspace(str(tmp_path / "data")).posts) == before
    assert len(store.open_snapshot(snapshot.snapshot_id)) == snapshot.posts


@pytest.mark.parametrize("full", [{"full_posts": 1}, {"full_bytes": 1}])
def test_large_batches_are_left_alone(store: PostStore, full: dict[str, int]) -> None:
    assert fold(posts_in(store.folder, StoreSizes(fan=FAN, **full))) == 1, "sightings only"
