"""Posts taken in one by one give the same store as posts taken in together, with bounded batches."""

import contextlib
from pathlib import Path

import pytest

from corpus.errors import InputError
from corpus.files import Folder
from corpus.intake import Intake, Taken
from corpus.records import Post
from corpus.store import PostStore
from corpus.tombstones import Tombstone
from corpus.view import StoreSizes
from tests.corpus.samples import post


@pytest.fixture
def store(tmp_path: Path) -> PostStore:
    return PostStore(Folder.at(tmp_path / "posts"))


def take(store: PostStore, *posts: Post) -> Taken:
    with Intake(store) as intake:
        for one in posts:
            intake.take(one)
    return intake.taken


def test_new_changed_and_unchanged(store: PostStore) -> None:
    assert take(store, post("1", "A", 1), post("2", "B", 1)) == Taken(new=2)
    assert take(store, post("1", "A", 2), post("2", "B2", 2), post("3", "C", 2)) == Taken(1, 1, 1)
    assert [one.question for one in store.posts().values()] == ["A", "B2", "C"]
    assert store.posts()["forum:1"].retrieved_at == "2024-05-01T10:00:02Z"
    assert take(store, post("2", "older", 0), post("3", "C", 1)) == Taken(unchanged=2)


def test_the_store_is_the_one_of_an_upsert(store: PostStore, tmp_path: Path) -> None:
    rounds = [
        [post("1", "A", 1), post("2", "B", 1), post("1", "A", 3)],
        [post("1", "older", 0), post("2", "B", 5), post("2", "C", 4), post("3", "undated")],
        [post("3", "undated"), post("1", "new", 9)],
    ]
    other = PostStore(Folder.at(tmp_path / "other"))
    for posts in rounds:
        take(store, *posts)
        other.upsert(posts)
        assert store.posts() == other.posts()
        assert store.snapshot().snapshot_id == other.snapshot().snapshot_id
    assert [one.question for one in store.history("forum:1")] == ["new", "A", "older"]


def test_batches_are_bounded(tmp_path: Path) -> None:
    store = PostStore(Folder.at(tmp_path), sizes=StoreSizes(intake_posts=2))
    take(store, *(post(str(number), "A", 1) for number in range(5)))
    assert sorted(len(store.read_batch(name)) for name in store.batch_names()) == [1, 2, 2]
    assert len(store.posts()) == 5


@pytest.mark.parametrize("at", [None, 1])
def test_a_contradiction_is_refused_and_the_rest_stays(store: PostStore, at: int | None) -> None:
    with Intake(store) as intake:
        intake.take(post("1", "A", at))
        intake.take(post("2", "B", at))
        with pytest.raises(
            InputError,
            match=r"forum:1 is stored with different content .* give a time with --retrieved-at, .* --source of",
        ):
            intake.take(post("1", "B", at))
    assert [one.question for one in store.posts().values()] == ["A", "B"]


def test_what_was_taken_before_an_error_is_stored(store: PostStore) -> None:
    intake = Intake(store)
    with contextlib.suppress(InputError), intake:
        intake.take(post("1", "A", 1))
        raise InputError("the file broke off")
    assert list(store.posts()) == ["forum:1"]


def test_forgotten_posts_are_not_taken_in(store: PostStore) -> None:
    store.add_tombstones([Tombstone(kind="forgotten", post_id="forum:1")])
    assert take(store, post("1", "A", 1), post("2", "B", 1)) == Taken(new=1, forgotten=1)
    assert list(store.posts()) == ["forum:2"]
