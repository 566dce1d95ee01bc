"""The post store: which content is current, what stays as history, and that order never matters."""

import itertools
import json
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.canonical import RETRIEVAL, bucket_of, content_digest, digest_of, rows_digest, with_digest
from corpus.errors import DamageError, InputError, StoreError
from corpus.folders.files import Folder
from corpus.post_store import contents
from corpus.post_store.batch_files import BatchFile, GoneError
from corpus.post_store.batches import Sighting
from corpus.post_store.deposit import upsert
from corpus.post_store.recovery import recover
from corpus.post_store.store import PostStore, read_once
from corpus.post_store.tombstones import Tombstone
from corpus.records import Post
from corpus.schema import arrow_schema
from corpus.workspace import Workspace
from tests.corpus.samples import memory_folder, post
from tests.tiers import tier


@pytest.fixture
def store(tmp_path: Path) -> PostStore:
    return PostStore(Folder.at(tmp_path / "posts"))


def counts(store: PostStore, *posts: Post) -> tuple[int, int, int]:
    done = upsert(store, posts)
    return done.new, done.changed, done.unchanged


def questions(posts: list[Post]) -> list[str]:
    return [entry.question for entry in posts]


def loaded(store: PostStore, snapshot_id: str) -> list[Post]:
    """The posts of a snapshot in the order of their ids."""
    return sorted(store.load(store.open_snapshot(snapshot_id)), key=lambda entry: entry.post_id)


def test_upsert_tells_new_changed_and_unchanged(store: PostStore) -> None:
    assert counts(store, post("1", "A", 1), post("2", "B", 1)) == (2, 0, 0)
    assert counts(store, post("1", "A", 2), post("2", "B2", 2), post("3", "C", 2)) == (1, 1, 1)
    assert [entry.question for entry in store.posts().values()] == ["A", "B2", "C"]
    assert list(store.posts()) == ["forum:1", "forum:2", "forum:3"]


def test_an_unchanged_upsert_adds_no_batch_and_no_file(store: PostStore) -> None:
    first = upsert(store, [post("1", "A", 1)])
    assert first.batch is not None
    again = upsert(store, [post("1", "A", 1)])
    assert (again.unchanged, again.batch) == (1, None)
    assert store.batch_names() == (first.batch,)


def test_older_content_joins_the_history_and_changes_nothing(store: PostStore) -> None:
    upsert(store, [post("1", "new", 9)])
    assert counts(store, post("1", "old", 3)) == (0, 0, 1)
    assert store.posts()["forum:1"].question == "new"
    assert questions(store.history("forum:1")) == ["new", "old"]


def test_history_is_newest_first_and_keeps_what_one_upsert_brings_together(store: PostStore) -> None:
    upsert(store, [post("1", "A", 1), post("1", "B", 2), post("2", "other", 7)])
    upsert(store, [post("1", "C", 5)])
    history = store.history("forum:1")
    assert questions(history) == ["C", "B", "A"]
    assert [entry.retrieved_at for entry in history] == [f"2024-05-01T10:00:0{second}Z" for second in (5, 2, 1)]
    assert store.history("forum:none") == []


def test_a_content_seen_again_later_outlives_a_late_arrival(store: PostStore) -> None:
    upsert(store, [post("1", "A", 1)])
    upsert(store, [post("1", "A", 3)])
    assert counts(store, post("1", "B", 2)) == (0, 0, 1)
    assert store.posts()["forum:1"].question == "A"
    assert store.posts()["forum:1"].retrieved_at == "2024-05-01T10:00:03Z"


EVENTS = st.dictionaries(st.tuples(st.sampled_from("ab"), st.integers(1, 5)), st.sampled_from("XYZ"), max_size=7)


@settings(max_examples=tier(60, 15), deadline=None)
@given(events=EVENTS, data=st.data())
def test_the_newest_wins_whatever_the_order_and_grouping(
    events: dict[tuple[str, int], str], data: st.DataObject
) -> None:
    order = data.draw(st.permutations(sorted(events)))
    cuts = data.draw(st.lists(st.booleans(), min_size=len(order), max_size=len(order)))
    store, group = PostStore(memory_folder()), []
    for key, cut in zip(order, cuts, strict=True):
        group.append(post(key[0], events[key], key[1]))
        if cut:
            upsert(store, group)
            group = []
    upsert(store, group)
    expected = {}
    for native in sorted({native for native, _ in events}):
        second = max(second for name, second in events if name == native)
        expected[f"forum:{native}"] = with_digest(post(native, events[native, second], second))
    assert store.posts() == expected
    together = PostStore(memory_folder())
    upsert(together, [post(native, content, second) for (native, second), content in events.items()])
    assert store.snapshot().snapshot_id == together.snapshot().snapshot_id
    for native in "ab":
        assert store.history(f"forum:{native}") == together.history(f"forum:{native}")


def test_equal_times_are_settled_by_the_greater_digest() -> None:
    contents = [with_digest(post("1", text, 4)) for text in ("A", "B", "C")]
    winner = max(contents, key=lambda entry: entry.content_sha256)
    for order in itertools.permutations(contents):
        store = PostStore(memory_folder())
        for one in order:
            store.add([one], Post)
        assert store.posts() == {"forum:1": winner}


def test_times_are_compared_as_instants_not_as_text(store: PostStore) -> None:
    upsert(store, [post("1", "A", "2024-05-01T12:00:00+02:00")])  # 10:00 UTC
    upsert(store, [post("1", "B", "2024-05-01T10:30:00Z")])
    upsert(store, [post("1", "C", "2024-05-01T10:30:00.500Z")])
    assert questions(store.history("forum:1")) == ["C", "B", "A"]


def test_a_time_that_is_none_is_refused_by_name(store: PostStore) -> None:
    upsert(store, [post("1", "A", 1)])
    with pytest.raises(InputError, match=r"^post forum:1: retrieved_at 'yesterday' is not a time in ISO 8601$"):
        upsert(store, [post("1", "B", "yesterday")])


@pytest.mark.parametrize(
    ("held", "incoming"),
    [
        pytest.param(None, None, id="neither dated"),
        pytest.param(4, None, id="new one undated"),
        pytest.param(4, 4, id="same second"),
    ],
)
def test_an_undatable_conflict_is_refused_and_adds_nothing(
    store: PostStore, held: int | None, incoming: int | None
) -> None:
    upsert(store, [post("1", "A", held)])
    before = store.batch_names()
    with pytest.raises(InputError) as refused:
        upsert(store, [post("0", "fine", 1), post("1", "B", incoming)])
    message = str(refused.value)
    assert message.startswith("post forum:1 is stored with different content and nothing says which is newer; give its")
    assert "a --source of its own" in message
    assert "\n" not in message
    assert store.batch_names() == before


def test_two_undated_contents_at_once_are_refused(store: PostStore) -> None:
    with pytest.raises(InputError, match=r"^post forum:1 comes twice with different content .*give retrieved_at"):
        upsert(store, [post("1", "A"), post("1", "B")])
    assert store.batch_names() == ()


def test_a_dated_content_follows_an_undated_one(store: PostStore) -> None:
    upsert(store, [post("1", "A")])
    assert counts(store, post("1", "B", 1)) == (0, 1, 0)
    assert store.posts()["forum:1"].question == "B"


def test_snapshots_depend_on_content_and_not_on_the_route(tmp_path: Path) -> None:
    direct, roundabout = (PostStore(Folder.at(tmp_path / name)) for name in ("direct", "roundabout"))
    upsert(direct, [post("1", "B", 5), post("2", "C", 5)])
    upsert(roundabout, [post("2", "C", 1)])
    upsert(roundabout, [post("1", "A", 1)])
    upsert(roundabout, [post("1", "B", 2)])
    first, second = direct.snapshot(), roundabout.snapshot()
    assert first.snapshot_id == second.snapshot_id
    assert len(first.batches) == 1
    assert len(second.batches) == 3
    read = [
        {entry.post_id: content_digest(entry) for entry in loaded(store, first.snapshot_id)}
        for store in (direct, roundabout)
    ]
    assert read[0] == read[1]


def test_a_snapshot_still_gives_its_posts_after_later_upserts(store: PostStore) -> None:
    upsert(store, [post("1", "A", 1)])
    snapshot = store.snapshot()
    upsert(store, [post("1", "B", 2), post("2", "C", 2)])
    assert store.snapshot().snapshot_id != snapshot.snapshot_id
    assert questions(loaded(store, snapshot.snapshot_id)) == ["A"]


def test_a_likely_snapshot_is_taken_as_recorded_of_the_same_batches_and_of_no_others(
    store: PostStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    upsert(store, [post("1", "A", 1)])
    first = store.snapshot()
    read: list[object] = []
    plain = PostStore.current

    def counted(self: PostStore, batches: Sequence[str] | None = None) -> contents.Holdings:
        read.append(batches)
        return plain(self, batches)

    gone, opened = list[str](), store.open

    def folded(batch: str) -> BatchFile:
        if batch in gone:
            return opened(batch)
        gone.append(batch)
        raise GoneError(f"{batch} is gone")

    monkeypatch.setattr(PostStore, "current", counted)
    assert store.snapshot(first.snapshot_id) == first
    assert not read
    record = tmp_path / f"posts/snapshots/{first.snapshot_id}.json"
    whole = record.read_bytes()
    several = whole.replace(b'"posts":1', b'"posts":"several"')
    for other in (b"", b"[]", several, whole.replace(b"}", b',"forgotten":true}')):
        record.write_bytes(other)
        assert store.snapshot(first.snapshot_id) == store.snapshot("0" * 32) == first
    assert record.read_bytes() == whole
    assert len(read) == 8
    with monkeypatch.context() as patch:
        patch.setattr(store, "open", folded)
        assert store.snapshot(first.snapshot_id) == first
    assert len(read) == 9
    upsert(store, [post("2", "B", 1)])
    second = store.snapshot(first.snapshot_id)
    assert second.posts == 2
    batch = tmp_path / f"posts/batches/{first.batches[0]}.parquet"
    batch.write_bytes(batch.read_bytes()[:-20])
    with pytest.raises(DamageError, match=first.batches[0]):
        store.snapshot(second.snapshot_id)
    assert len(read) == 10


def test_what_batches_give_is_read_once_where_one_asks_for_that(store: PostStore) -> None:
    upsert(store, [post("1", "A", 1)])
    with read_once():
        first = store.snapshot()
        held = store.open_snapshot(first.snapshot_id)
        assert PostStore(store.folder).open_snapshot(first.snapshot_id) is held
        upsert(store, [post("2", "B", 1)])
        assert list(store.open_snapshot(store.snapshot().snapshot_id)) == ["forum:1", "forum:2"]
        assert store.open_snapshot(first.snapshot_id) is held
        store.add_tombstones([Tombstone(kind="forgotten", post_id="forum:1", noted_at="2026-01-01T00:00:00Z")])
        assert list(store.current()) == ["forum:2"]
    assert store.open_snapshot(first.snapshot_id) is not held


@pytest.mark.rows("native", ["2", 'a "b"', "a\\b", "a\nb", "a\n", "\x7f", "é", "\U0001f600", ""])
def test_the_digest_of_holdings_is_that_of_their_canonical_json(native: str) -> None:
    pairs = [("forum:1", "c1"), (f"forum:{native}", "c2")]
    columns = {"post_id": [one for one, _ in pairs], "content_sha256": [one for _, one in pairs]}
    held = contents.Holdings(pa.table(columns))
    assert held.digest == digest_of([list(pair) for pair in pairs])[:32]
    assert contents.NONE.digest == digest_of([])[:32]


def test_buckets_share_out_the_posts_in_order(store: PostStore) -> None:
    upsert(store, [post(str(number), "A", 1) for number in range(40)])
    held = store.current()
    for buckets in (4, 5, 4):
        ids = [list(some) for some in held.by_bucket(buckets)]
        assert ids == [[one for one in held if bucket_of(one, buckets) == number] for number in range(buckets)]
    assert held.contents() == {one.post_id: one.content_sha256 for one in held.values()}


def test_an_empty_store_has_a_snapshot_too(store: PostStore) -> None:
    snapshot = store.snapshot()
    assert snapshot.posts == 0
    assert store.open_snapshot(snapshot.snapshot_id) == {}


def test_files_that_are_no_batches_are_left_alone(store: PostStore, tmp_path: Path) -> None:
    upsert(store, [post("1", "A", 1)])
    (tmp_path / "posts/batches/notes.txt").write_text("mine")
    assert len(store.batch_names()) == 1
    assert list(store.posts()) == ["forum:1"]


def damage_bit(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 4]) + content[middle + 1 :]


@pytest.mark.parametrize(
    "damage",
    [lambda content: content[: len(content) // 2], lambda content: b"", damage_bit, lambda content: b"PAR1 no"],
    ids=["cut", "empty", "one bit", "not parquet"],
)
def test_a_damaged_batch_is_named_in_one_line(store: PostStore, tmp_path: Path, damage: object) -> None:
    upsert(store, [post("1", "A" * 500, 1)])
    file = next((tmp_path / "posts/batches").iterdir())
    file.write_bytes(damage(file.read_bytes()))  # type: ignore[operator]
    with pytest.raises(StoreError) as refused:
        store.posts()
    assert str(refused.value).startswith(f"{file} is damaged (")
    assert "\n" not in str(refused.value)


def test_a_batch_under_another_name_is_refused(store: PostStore, tmp_path: Path) -> None:
    upsert(store, [post("1", "A", 1)])
    file = next((tmp_path / "posts/batches").iterdir())
    file.rename(file.with_name("0" * 32 + ".parquet"))
    with pytest.raises(
        StoreError,
        match=r"lacks 1 of 1 batches: [0-9a-f]{32}\.parquet \(1 rows\); run wordquarry store recover, which ",
    ):
        store.posts()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b'{"batches": 3}', b"\xff"])
def test_a_damaged_snapshot_is_named_in_one_line(store: PostStore, tmp_path: Path, content: bytes) -> None:
    upsert(store, [post("1", "A", 1)])
    snapshot = store.snapshot().snapshot_id
    file = tmp_path / f"posts/snapshots/{snapshot}.json"
    file.write_bytes(content)
    with pytest.raises(StoreError) as refused:
        store.open_snapshot(snapshot)
    assert str(refused.value) == f"{file} is damaged; remove it and build from these posts again"


def test_snapshots_that_are_unknown_or_lost_their_batches(store: PostStore, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"^no snapshot abc in .*; ingest or crawl its posts again$"):
        store.open_snapshot("abc")
    upsert(store, [post("1", "A", 1)])
    snapshot = store.snapshot().snapshot_id
    record = tmp_path / f"posts/snapshots/{snapshot}.json"
    record.write_text(json.dumps({"batches": [], "posts": 1}))
    with pytest.raises(StoreError, match=f"^the batches of snapshot {snapshot} in .* now give .*; restore them$"):
        store.open_snapshot(snapshot)


def test_a_sighting_without_its_batch_is_a_loss_that_is_told(store: PostStore, tmp_path: Path) -> None:
    batch = upsert(store, [post("1", "A", 1)]).batch
    upsert(store, [post("1", "A", 2)])
    assert [name.startswith("seen-") for name in store.batch_names()] == [False, True]
    (tmp_path / f"posts/batches/{batch}.parquet").unlink()
    with pytest.raises(
        StoreError, match=r"batches lacks 1 of 2 batches: .*; run wordquarry store recover, which loses nothing$"
    ):
        store.posts()
    assert set(Sighting.model_fields) == {"post_id", "content_sha256", "retrieved_at", "response_sha256", "parser"}


def test_inputs_of_a_build_keep_the_newest_of_dated_contents(tmp_path: Path) -> None:
    workspace = Workspace(str(tmp_path))
    name, snapshot = workspace.add_input([post("1", "B", 5), post("1", "A", 2), post("2", "C")])
    kept = loaded(workspace.store(name), snapshot.snapshot_id)
    assert questions(kept) == ["B", "C"]
    assert [entry.retrieved_at for entry in kept] == ["2024-05-01T10:00:05Z", None]
    assert workspace.add_input([post("2", "C"), post("1", "B", 9)]) == (name, snapshot)
    with pytest.raises(InputError, match="post forum:1 comes twice"):
        workspace.add_input([post("1", "A"), post("1", "B")])


def test_a_sighting_says_what_the_content_was_read_from_then(store: PostStore) -> None:
    first = post("1", "A", 1).model_copy(update={"response_sha256": "a" * 64, "parser": "pages@1"})
    upsert(store, [first])
    later = post("1", "A", 5).model_copy(update={"response_sha256": "b" * 64, "parser": "pages@2"})
    upsert(store, [later])
    (held,) = store.posts().values()
    assert (held.retrieved_at, held.response_sha256, held.parser) == ("2024-05-01T10:00:05Z", "b" * 64, "pages@2")
    bare = held.model_copy(update=dict.fromkeys(RETRIEVAL))
    assert store.retrieved(bare) == held
    assert store.retrieved(bare.model_copy(update={"content_sha256": "0" * 64})).retrieved_at is None


ADDED = ("response_sha256", "parser", "title", "posted_at")
ANSWERS_ONCE = pa.struct(
    [("answer_id", pa.string()), ("text", pa.string()), ("is_best", pa.bool_()), ("score", pa.int64())]
)


def schema_without(*names: str) -> pa.Schema:
    """The schema of posts before fields were added, the license of an answer among them where ``parser`` is."""
    fields = [field for field in arrow_schema(Post) if field.name not in names]
    once = pa.struct([one.with_nullable(one.name == "score") for one in ANSWERS_ONCE])
    return pa.schema(
        field.with_type(pa.list_(once)) if field.name == "answers" and "parser" in names else field for field in fields
    )


@pytest.mark.parametrize("lacking", [ADDED, ADDED[2:], ADDED[3:]], ids="-".join)
def test_a_batch_of_an_earlier_version_is_read(store: PostStore, tmp_path: Path, lacking: tuple[str, ...]) -> None:
    held = [with_digest(post("1", "A", 1)), with_digest(post("2", "B", 2))]
    table = pa.Table.from_pylist([row.model_dump() for row in held], schema=schema_without(*lacking))
    assert "title" in table.column_names or len(lacking) > 1
    folder = tmp_path / "posts/batches"
    folder.mkdir(parents=True)
    pq.write_table(table, folder / f"{rows_digest(held)[:32]}.parquet")
    assert [done.whole for done in recover(store.folder, [])] == [True]
    assert list(store.posts().values()) == held
    assert upsert(store, held).unchanged == 2
