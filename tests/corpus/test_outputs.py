"""Stage outputs: their addresses, their account, and that damage is noticed and made good."""

import itertools
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.canonical import set_digest
from corpus.errors import DamageError, StoreError
from corpus.folders.files import Folder
from corpus.outputs import KEPT, ROW_GROUP, OutputPart, Outputs, PartChange, check_account, part_key, total
from corpus.records import ClassifiedPost, Dropped
from corpus.schema import record_table
from tests.corpus.samples import memory_folder

INGREDIENTS: dict[str, Any] = {
    "stage": "clean", "inputs": ["a", "b"], "config": {"max": 1}, "code": "c1", "model": "m1",
}  # fmt: skip


def kept(native: str, probability: float = 0.75) -> ClassifiedPost:
    return ClassifiedPost(post_id=f"forum:{native}", in_scope=True, probability=probability, outcome="ok")


def dropped(native: str, reason: str = "not_math") -> Dropped:
    return Dropped(post_id=f"forum:{native}", reason=reason, detail="no number in it", score=0.25)


@pytest.fixture(params=["local", "memory"])
def outputs(request: pytest.FixtureRequest, tmp_path: Path) -> Outputs:
    return Outputs(Folder.at(tmp_path / "stages") if request.param == "local" else memory_folder())


def save(outputs: Outputs, key: str = "k1") -> OutputPart:
    return outputs.save(
        ("classify", key), ClassifiedPost, [kept("2"), kept("1")], [dropped("3"), dropped("0", "general")]
    )


def test_who_reads_once_keeps_what_was_whole_and_nothing_else(outputs: Outputs) -> None:
    part, once = save(outputs), outputs.reading_once()
    rows = once.kept(part, ClassifiedPost)
    (outputs.folder / "classify" / "k1").write(KEPT, b"no more")
    assert once.kept(part, ClassifiedPost) == rows
    for other in (outputs, outputs.reading_once()):
        with pytest.raises(DamageError, match="is damaged"):
            other.kept(part, ClassifiedPost)
    assert outputs.reading_once().look("classify", "k1") is None
    (outputs.folder / "classify" / "k1").remove(KEPT)
    with pytest.raises(DamageError, match="is gone"):
        once.kept(part, ClassifiedPost)


@pytest.mark.rows(
    "change",
    [{"stage": "split"}, {"inputs": ["b", "a"]}, {"inputs": ["a"]}, {"config": {"max": 2}}, {"config": {}},
     {"code": "c2"}, {"model": "m2"}, {"model": ""}],
    ids=str,
)  # fmt: skip
def test_the_key_changes_with_each_ingredient(change: dict[str, Any]) -> None:
    key = part_key(**INGREDIENTS)
    assert part_key(**INGREDIENTS) == key
    assert len(key) == 32
    assert part_key(**(INGREDIENTS | change)) != key


def test_the_key_does_not_depend_on_the_order_of_settings() -> None:
    one = part_key("s", [], {"a": 1, "b": 2}, "", "")
    assert one == part_key("s", [], {"b": 2, "a": 1}, "", "")


def test_rows_come_back_sorted_with_their_reasons(outputs: Outputs) -> None:
    part = save(outputs)
    assert (part.rows_in, part.kept, part.reasons) == (4, 2, {"general": 1, "not_math": 1})
    assert outputs.kept(part, ClassifiedPost) == [kept("1"), kept("2")]
    assert outputs.dropped(part) == [dropped("0", "general"), dropped("3")]
    assert outputs.find("classify", "k1") == OutputPart(**{**part.as_dict(), "reused": True})
    assert outputs.find("classify", "k2") is None
    assert outputs.find("split", "k1") is None


def test_where_two_builds_write_one_part_both_are_told_what_lies_there(outputs: Outputs) -> None:
    rows = [kept(f"{n:02d}") for n in range(20)]
    source = outputs.save(("classify", "k1"), ClassifiedPost, rows, [])
    whole = outputs.save(("classify", "k2"), ClassifiedPost, rows[1:], [dropped("00")])
    change = PartChange(
        {"forum:00"}, record_table([], ClassifiedPost), record_table([dropped("00")], Dropped), "0" * 64
    )
    assert outputs.save_change(("classify", "k2"), ClassifiedPost, source, change) == whole
    assert outputs.is_sound(whole)


def test_rows_of_a_few_posts_come_from_the_row_groups_that_may_hold_them(
    outputs: Outputs, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = outputs.save(("classify", "k1"), ClassifiedPost, [kept(f"{n:04d}") for n in range(10 * ROW_GROUP)], [])
    went, came = {"forum:0500", "forum:5500"}, record_table([kept("5500", 0.5), kept("A")], ClassifiedPost)
    change = PartChange(went, came, record_table([dropped("0500")], Dropped), "0" * 64)
    grown = outputs.save_change(("classify", "k2"), ClassifiedPost, part, change)
    assert grown is not None
    read = []
    groups = pq.ParquetFile.read_row_groups

    def noted(file: pq.ParquetFile, chosen: list[int], **how: Any) -> pa.Table:
        read.append(chosen)
        return groups(file, chosen, **how)

    monkeypatch.setattr(pq.ParquetFile, "read_row_groups", noted)
    wanted = ["forum:A", "forum:1900", "forum:0500", "forum:5500", "forum:9000", "forum:19005", "other:1"]
    rows = outputs.rows(grown, wanted).to_pylist()
    assert [(row["post_id"], row["probability"]) for row in rows] == [
        ("forum:1900", 0.75), ("forum:5500", 0.5), ("forum:9000", 0.75), ("forum:A", 0.75),
    ]  # fmt: skip
    assert read == [[0, 1, 5, 9]]
    assert outputs.rows(grown, ["forum:A", "forum:5500"])["post_id"].to_pylist() == ["forum:5500", "forum:A"]
    assert len(read) == 1
    assert len(outputs.rows(part, [])) == 0


def test_an_empty_part_is_a_part(outputs: Outputs) -> None:
    part = outputs.save(("classify", "k0"), ClassifiedPost, [], [])
    assert (part.rows_in, part.kept, part.reasons, part.content) == (0, 0, {}, "0" * 64)
    assert outputs.find("classify", "k0") is not None
    assert outputs.kept(part, ClassifiedPost) == []
    assert outputs.dropped(part) == []


@pytest.mark.rows(
    ("keeps", "drops"),
    [(["1"], []), (["1", "2"], ["2"]), (["1", "1"], ["2"]), (["1", "2"], ["3"]), ([], [])],
    ids=["lost", "kept and dropped", "kept twice", "from nowhere", "all lost"],
)
def test_the_account_catches_lost_and_doubled_posts(keeps: list[str], drops: list[str]) -> None:
    with pytest.raises(StoreError, match=r"^stage classify: in 2, kept \d, dropped \d do not add up at forum:[123];"):
        check_account(
            "classify", ["forum:1", "forum:2"], [f"forum:{key}" for key in keeps], [f"forum:{key}" for key in drops]
        )


def test_the_account_passes_what_adds_up() -> None:
    ids = ["forum:2", "forum:1"]
    assert check_account("classify", ids, ["forum:1"], ["forum:2"]) is None
    assert check_account("classify", [], [], []) is None


def damage_mark(change: dict[str, Any]) -> Any:
    def damage(place: Folder) -> None:
        record = json.loads(place.read("part.json"))
        place.write("part.json", json.dumps({**record, **change}).encode())

    return damage


DAMAGES: dict[str, Any] = {
    "kept gone": lambda place: place.remove("kept.parquet"),
    "dropped cut": lambda place: place.write("dropped.parquet", place.read("dropped.parquet")[:-9]),
    "kept replaced": lambda place: place.write("kept.parquet", place.read("dropped.parquet")),
    "mark empty": lambda place: place.write("part.json", b""),
    "mark a list": lambda place: place.write("part.json", b"[]"),
    "mark not utf-8": lambda place: place.write("part.json", b"\xff\xfe\x00"),
    "mark lacks a field": lambda place: place.write("part.json", b'{"stage": "classify"}'),
    "mark names no files": damage_mark({"files": {}}),
    "mark files a list": damage_mark({"files": ["kept.parquet"]}),
    "mark doubled": lambda place: place.write("part.json", b'{"a": 1, "a": 2}'),
    "part of another key": damage_mark({"key": "k9"}),
}


WRONG = {
    "kept gone": "kept.parquet is gone",
    "dropped cut": "dropped.parquet is damaged (its bytes are not those that were written)",
    "kept replaced": "kept.parquet is damaged (its bytes are not those that were written)",
    "mark empty": "part.json is damaged (Expecting value",
    "mark a list": "part.json is damaged (no part)",
    "mark not utf-8": "part.json is damaged ('utf-",
    "mark lacks a field": "part.json is damaged (no part)",
    "mark names no files": "part.json does not name its files",
    "mark files a list": "part.json does not name its files",
    "mark doubled": 'part.json is damaged (the key "a" comes twice',
    "part of another key": "part.json is that of classify/k9",
}


@pytest.mark.parametrize(("damage", "wrong"), [(DAMAGES[name], WRONG[name]) for name in DAMAGES], ids=DAMAGES)
def test_a_damaged_part_does_not_count_is_named_and_can_be_made_again(
    outputs: Outputs, damage: Any, wrong: str
) -> None:
    part = save(outputs)
    damage(outputs.folder / "classify" / "k1")
    named: list[str] = []
    assert outputs.find("classify", "k1", named.append) is None
    assert [line.startswith(f"{outputs.folder}/classify/k1/{wrong}") for line in named] == [True], named
    assert not (outputs.folder / "classify" / "k1").exists()
    assert save(outputs) == part
    assert outputs.kept(part, ClassifiedPost) == [kept("1"), kept("2")]


def test_damage_after_the_check_is_noticed_when_read(outputs: Outputs) -> None:
    part = save(outputs)
    (outputs.folder / "classify" / "k1").write("kept.parquet", b"PAR1 rubbish PAR1")
    with pytest.raises(
        StoreError, match=r"k1/kept\.parquet is damaged \(its bytes are not those that were written\); run the build"
    ):
        outputs.kept(part, ClassifiedPost)


def test_a_part_that_cannot_be_read_is_told_and_not_thrown_away(tmp_path: Path) -> None:
    outputs = Outputs(Folder.at(tmp_path))
    save(outputs)
    file = tmp_path / "classify/k1/kept.parquet"
    file.unlink()
    file.mkdir()  # reading gives EISDIR, as a failing disk would give EIO
    with pytest.raises(StoreError, match=r"^cannot read .*kept\.parquet: Is a directory; check the path"):
        outputs.find("classify", "k1")
    assert (tmp_path / "classify/k1/part.json").exists()


ROWS = [kept(str(number), number / 8) for number in range(6)]


@given(order=st.permutations(ROWS), cuts=st.lists(st.integers(0, 6), max_size=3))
def test_the_content_digest_knows_neither_order_nor_partition(order: list[ClassifiedPost], cuts: list[int]) -> None:
    whole = set_digest(ROWS)
    assert set_digest(order) == whole
    bounds = [0, *sorted(cuts), 6]
    parts = [
        OutputPart("s", str(index), len(rows), len(rows), {}, set_digest(rows), {})
        for index, rows in enumerate(order[start:end] for start, end in itertools.pairwise(bounds))
    ]
    summed = total(parts)
    assert summed == {"in": 6, "kept": 6, "dropped": {}, "content": whole}


def test_the_content_digest_sees_every_value_and_every_row() -> None:
    assert set_digest(ROWS[1:]) != set_digest(ROWS)
    assert set_digest([*ROWS, ROWS[0]]) != set_digest(ROWS)
    assert set_digest([*ROWS[:-1], kept("5", 0.626)]) != set_digest(ROWS)


def test_totals_add_up_by_reason() -> None:
    parts = [
        OutputPart("s", "a", 3, 1, {"not_math": 2}, "1" + "0" * 63, {}),
        OutputPart("s", "b", 2, 1, {"general": 1}, "f" + "0" * 63, {}),
    ]
    assert total(parts) == {"in": 5, "kept": 2, "dropped": {"general": 1, "not_math": 2}, "content": "0" * 64}


def test_an_output_that_was_removed_is_named_with_the_way_out(outputs: Outputs) -> None:
    part = save(outputs)
    (outputs.folder / "classify").remove("k1")
    with pytest.raises(DamageError, match=r"k1/kept\.parquet is gone \(.*\); run the build again"):
        outputs.kept(part, ClassifiedPost)
