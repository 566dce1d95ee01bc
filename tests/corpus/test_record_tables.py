"""Tables of records say what the records say, in whatever shape a field is null."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import psutil
import pyarrow as pa

from corpus.record_tables import SpreadRows, digest_sum, plain_rows
from corpus.records import Record, added_later
from corpus.schema import record_table


class Part(Record):
    """A record within another, with a field that may be null and one that is left out where it is."""

    name: str
    size: float | None = None
    late: str | None = added_later()


class Holder(Record):
    """A record with every shape of a field."""

    post_id: str
    part: Part | None
    parts: tuple[Part, ...] | None
    lists: tuple[tuple[int, ...], ...]


def test_rows_of_a_table_are_those_of_its_records() -> None:
    part, bare = Part(name="a", size=0.5, late="b"), Part(name="c")
    rows = [
        Holder(post_id="1", part=part, parts=(bare, part), lists=((1, 2), ())),
        Holder(post_id="2", part=None, parts=None, lists=()),
        Holder(post_id="3", part=bare, parts=(), lists=((3,),)),
    ]
    plain = plain_rows(record_table(rows, Holder), Holder)
    assert [Holder.model_validate(row) for row in plain] == rows
    assert plain[1] == {"post_id": "2", "part": None, "parts": None, "lists": []}
    assert digest_sum(plain) == digest_sum([row.model_dump() for row in rows])
    assert digest_sum(plain_rows(record_table(rows, Holder).slice(1, 1), Holder)) == digest_sum([rows[1].model_dump()])


def test_rows_that_are_spread_hold_no_file_open_once_they_are_asked_for(tmp_path: Path) -> None:
    def waiting() -> list[str]:
        return [file.path for file in psutil.Process().open_files() if file.path.startswith(str(folder))]

    folder = tmp_path / "waiting"
    folder.mkdir()
    with SpreadRows(lambda: folder) as spread:
        for start in (0, 6):
            spread.add(pa.table({"n": range(start, start + 6)}), np.arange(6) % 3)
        assert len(waiting()) == 3
        found = spread.rows(1)
        assert found is not None
        assert found["n"].to_pylist() == [1, 4, 7, 10]
        assert waiting() == []
    assert not folder.exists()


GROWN = """
import sys
import pyarrow as pa
from corpus.record_tables import by_id, rows_without, strings

older, newer = (pa.table({"post_id": strings(ids)}) for ids in (["b", "c", "e"], ["a", "c"]))
print(*by_id([rows_without(older, ["c"]), newer])["post_id"].to_pylist())
print(*by_id([newer, older.slice(2)])["post_id"].to_pylist(), "pandas" in sys.modules)
"""


def test_the_rows_of_a_grown_part_are_put_together_without_pandas() -> None:
    """PyArrow loads it for many a call, which takes ``explain`` longer than all that it reads."""
    done = subprocess.run([sys.executable, "-c", GROWN], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["a b c e", "a c e False"]
