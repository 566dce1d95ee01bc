"""Posts taken in though some contradict others: what came first stays, and the rest is told."""

from pathlib import Path

import pytest

from corpus.folders.files import Folder
from corpus.post_store.deposit import upsert
from corpus.post_store.store import PostStore, StoreSizes
from corpus.post_store.tombstones import Tombstone
from corpus.records import Post
from tests.corpus.samples import post


@pytest.fixture
def store(tmp_path: Path) -> PostStore:
    return PostStore(Folder.at(tmp_path / "posts"))


def take(store: PostStore, *posts: Post) -> dict[str, int]:
    counts = upsert(store, posts, lenient=True).counts()
    return {name: count for name, count in counts.items() if count}


def test_new_changed_and_unchanged(store: PostStore) -> None:
    assert take(store, post("1", "A", 1), post("2", "B", 1)) == {"new": 2}
    assert take(store, post("1", "A", 2), post("2", "B2", 2), post("3", "C", 2)) == {
        "new": 1,
        "changed": 1,
        "unchanged": 1,
    }
    assert [one.question for one in store.posts().values()] == ["A", "B2", "C"]
    assert store.posts()["forum:1"].retrieved_at == "2024-05-01T10:00:02Z"
    assert take(store, post("2", "older", 0), post("3", "C", 1)) == {"unchanged": 2}


def test_the_store_is_the_one_of_an_upsert(store: PostStore, tmp_path: Path) -> None:
    rounds = [
        [post("1", "A", 1), post("2", "B", 1), post("1", "A", 3)],
        [post("1", "older", 0), post("2", "B", 5), post("2", "C", 4), post("3", "undated")],
        [post("3", "undated"), post("1", "new", 9)],
    ]
    other = PostStore(Folder.at(tmp_path / "other"))
    for posts in rounds:
        take(store, *posts)
        upsert(other, posts)
        assert store.posts() == other.posts()
        assert store.snapshot().snapshot_id == other.snapshot().snapshot_id
    assert [one.question for one in store.history("forum:1")] == ["new", "A", "older"]


def test_batches_are_bounded(tmp_path: Path) -> None:
    store = PostStore(Folder.at(tmp_path), sizes=StoreSizes(deposit_posts=2))
    take(store, *(post(str(number), "A", 1) for number in range(5)))
    assert sorted(len(store.read_batch(name)) for name in store.batch_names()) == [1, 2, 2]
    assert len(store.posts()) == 5


@pytest.mark.parametrize("at", [None, 1])
@pytest.mark.parametrize("together", [True, False])
def test_a_contradiction_is_left_out_and_told_and_the_rest_stays(
    store: PostStore, at: int | None, together: bool
) -> None:
    first, second = [post("1", "B", at), post("2", "B", at)], [post("1", "A", at), post("3", "C", at)]
    if together:
        refused = upsert(store, [*first, *second], lenient=True).refused
        assert [why.startswith("post forum:1 comes twice with different content ") for why in refused] == [True]
    else:
        take(store, *first)
        (why,) = upsert(store, second, lenient=True).refused
        assert why.startswith("post forum:1 is stored with different content ")
        assert "a time with --retrieved-at, or, " in why
        assert "each a --source of" in why
    assert [one.question for one in store.posts().values()] == ["B", "B", "C"]


def test_forgotten_posts_are_not_taken_in(store: PostStore) -> None:
    store.add_tombstones([Tombstone(kind="forgotten", post_id="forum:1")])
    assert take(store, post("1", "A", 1), post("2", "B", 1)) == {"new": 1, "forgotten": 1}
    assert list(store.posts()) == ["forum:2"]
