"""The first place where two files differ: row and column of a table, line and byte of anything else."""

from typing import Any

import pyarrow as pa

from corpus.manifest import TABLE, damage_in
from corpus.schema import read_table

LONGEST = 60
_FAILURES = (pa.ArrowException, OSError, ValueError)


def first_difference(path: str, found: bytes, wanted: bytes) -> str:
    """Where ``found`` first differs from ``wanted``, in words; rows and lines count from 1, bytes from 0.

    >>> first_difference("README.md", b"one\\ntwo\\n", b"one\\ntoo\\n")
    "line 2, byte 5: 'two' instead of 'too'"
    """
    if not found:
        return f"empty instead of {len(wanted)} bytes"
    if path.endswith(TABLE):
        return _table_difference(path, found, wanted)
    return _line_difference(found, wanted)


def first_byte(found: bytes, wanted: bytes) -> int:
    """The offset of the first byte that differs, or the length of the shorter one."""
    shorter = min(len(found), len(wanted))
    if found[:shorter] == wanted[:shorter]:
        return shorter
    low, high = 0, shorter
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if found[:middle] == wanted[:middle] else (low, middle)
    return low


def _line_difference(found: bytes, wanted: bytes) -> str:
    byte = first_byte(found, wanted)
    line = wanted.count(b"\n", 0, byte) + 1
    start = wanted.rfind(b"\n", 0, byte) + 1
    return f"line {line}, byte {byte}: {_line_at(found, start)} instead of {_line_at(wanted, start)}"


def _line_at(content: bytes, start: int) -> str:
    if start >= len(content):
        return "the end"
    return _short(content[start : start + 4 * LONGEST].partition(b"\n")[0].decode("utf-8", "replace").strip())


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else str(value)
    return repr(text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}...")


def _table_difference(path: str, found: bytes, wanted: bytes) -> str:
    byte = f"byte {first_byte(found, wanted)}"
    try:
        old, new = read_table(found), read_table(wanted)
    except _FAILURES:
        return f"{damage_in(path, found) or 'cannot be read'}; the first different byte is {byte}"
    columns = [name for name in new.column_names if name not in old.column_names]
    columns += [name for name in old.column_names if name not in new.column_names]
    if columns or not old.schema.equals(new.schema):
        return f"its columns are others: {', '.join(columns) or 'of other types'}"
    place = _first_cell(old, new)
    if place is not None:
        row, name = place
        values = f"{_short(old[name][row].as_py())} instead of {_short(new[name][row].as_py())}"
        return f"row {row + 1}{_named(new, row)}, column {name}: {values}"
    if old.num_rows != new.num_rows:
        return f"row {min(old.num_rows, new.num_rows) + 1}: {old.num_rows} rows instead of {new.num_rows}"
    return f"the same rows in other bytes, from {byte} on"


def _first_cell(old: pa.Table, new: pa.Table) -> tuple[int, str] | None:
    """Row and column of the first cell that differs, among the rows that both tables have."""
    rows = min(old.num_rows, new.num_rows)
    found = []
    for place, name in enumerate(new.column_names):
        before, after = old[name].slice(0, rows), new[name].slice(0, rows)
        if not before.equals(after):
            pairs = enumerate(zip(before.to_pylist(), after.to_pylist(), strict=True))
            found += [(row, place) for row, (one, other) in pairs if one != other][:1]
    if not found:
        return None
    row, place = min(found)
    return row, new.column_names[place]


def _named(table: pa.Table, row: int) -> str:
    return f" ({table['problem_id'][row].as_py()})" if "problem_id" in table.column_names else ""
