"""Rows in order of first appearance, and row groups that versions share."""

import io
from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.records import Provenance
from corpus.versioning.row_groups import CUTS, Appearance, Cuts, RowGroups, appearance_keys, published_bytes

EMPTY = dict.fromkeys(Provenance.model_fields)


def rows(*ids: tuple[str, str]) -> pa.Table:
    """Posts and their problems."""
    return pa.table({"post_id": [post for post, _ in ids], "problem_id": [problem for _, problem in ids]})


@pytest.mark.parametrize(("at_once", "most", "files"), [(100, 64, 1), (2, 64, 3), (1, 2, 2)])
def test_rows_of_shards_come_in_one_order(tmp_path: Path, at_once: int, most: int, files: int) -> None:
    shards = [rows(("so:100", "a"), ("ask:7", "b"), ("so:20", "c")), rows(), rows(("so:3", "d"), ("ask:70", "e"))]
    shards[1] = shards[1].cast(shards[0].schema)
    several = [pa.table({"problem_id": list("aacb"), "n": [1, 2, 3, 4]}), pa.table({"problem_id": ["d"], "n": [5]})]
    order = Appearance(shards, rows_at_once=at_once, most_files=most)
    place = tmp_path / "waiting"

    def beside() -> Path:
        place.mkdir()
        return place

    def watched() -> Iterator[pa.Table]:
        yield from shards
        assert len(list(place.iterdir())) == files

    found = pa.concat_tables(order.ordered(watched(), beside))
    assert found["post_id"].to_pylist() == ["ask:7", "ask:70", "so:3", "so:20", "so:100"]
    assert pa.concat_tables(order.ordered(several, beside))["n"].to_pylist() == [4, 5, 3, 1, 2]
    assert not place.exists()
    with pytest.raises(KeyError, match="x"):
        list(order.ordered([rows(("so:1", "x"))], beside))


def test_what_is_dated_stands_by_its_date_behind_what_is_not() -> None:
    dates = ["2014-02-01T00:00:00Z", None, "2013-05-01T00:00:00Z"]
    table = rows(("so:1", "a"), ("so:9", "b"), ("so:2", "c")).append_column("posted_at", pa.array(dates))
    keys = appearance_keys(table).to_pylist()
    assert sorted(range(3), key=keys.__getitem__) == [1, 2, 0]


def published(numbers: Iterable[int], cuts: Cuts = CUTS) -> bytes:
    """A table with a row for each number."""
    made = [{**EMPTY, "problem_id": f"p{number:06d}", "post_id": f"so:{number * 7919}"} for number in numbers]
    schema = pa.schema([(name, pa.string()) for name in Provenance.model_fields])
    return published_bytes([pa.Table.from_pylist(made, schema)], Provenance, cuts)


def groups(content: bytes) -> list[bytes]:
    """The bytes of each row group."""
    footer = pq.read_metadata(io.BytesIO(content))
    columns = [footer.row_group(place).column(0) for place in range(footer.num_row_groups)]
    starts = [one.dictionary_page_offset or one.data_page_offset for one in columns]
    last = footer.row_group(footer.num_row_groups - 1)
    starts.append(starts[-1] + sum(last.column(place).total_compressed_size for place in range(footer.num_columns)))
    return [content[start:end] for start, end in pairwise(starts)]


def test_a_row_that_comes_in_or_goes_changes_its_own_group_alone() -> None:
    cuts, numbers = Cuts(least=50, often=100), list(range(0, 4000, 2))
    before = groups(published(numbers, cuts))
    assert len(before) > 8
    for changed in ([*numbers, 4000, 4002], sorted([*numbers, 1001]), [*numbers[:700], *numbers[701:]]):
        after = groups(published(changed, cuts))
        assert len(set(after) - set(before)) <= 2, "its own group, and the next where it ended one"
        assert len(set(after) & set(before)) >= len(before) - 2
    both = pq.read_table(io.BytesIO(published(numbers, cuts)))
    assert both["problem_id"].to_pylist() == [f"p{number:06d}" for number in numbers]


ENDING = {number for number in range(400) if int(sha256(str(number).encode()).hexdigest()[:12], 16) % 7 == 0}


@given(cuts=st.lists(st.integers(0, 400)), most=st.integers(20, 90))
def test_groups_end_where_rows_say_so_however_tables_are_cut(cuts: list[int], most: int) -> None:
    groups, found, bounds = RowGroups(Cuts(least=20, often=7, most=most)), list[pa.Table](), [0, *sorted(cuts), 400]
    for start, end in pairwise(bounds):
        table = pa.table({"post_id": pa.array([str(number) for number in range(start, end)], pa.string())})
        found += groups.add(table)
    found += groups.rest()
    expected, size = list[int](), 0
    for number in range(400):
        size += 1
        if size == most or (size >= 20 and number in ENDING) or number == 399:
            expected.append(size)
            size = 0
    assert [len(group) for group in found] == expected
    assert [row for group in found for row in group["post_id"].to_pylist()] == [str(number) for number in range(400)]


def test_no_group_is_larger_than_it_may_be() -> None:
    footer = pq.read_metadata(io.BytesIO(published(range(21), Cuts(least=1, often=1 << 48, most=20))))
    assert [footer.row_group(place).num_rows for place in range(2)] == [20, 1]
    assert footer.row_group(0).column(0).has_offset_index
