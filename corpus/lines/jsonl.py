"""JSON Lines in and out, line by line, with errors that name the line."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from corpus.canonical import canonical_json
from corpus.errors import InputError
from corpus.folders.open_files import open_file
from corpus.strict_json import DoubledKeyError, load_json

MAX_LINE = 4 * 1024 * 1024
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MAX_HEADER = 4_000
_SEPARATOR = re.compile(r"[,;\t|]")
_HEADER = re.compile(r'"?\w[\w .#()/-]{0,60}"?(?:[,;\t|] {0,3}"?\w[\w .#()/-]{0,60}"?){1,400}')


def parse_object(line: str | bytes, where: str) -> dict[str, Any]:
    """One JSON object from one line; InputError with ``where`` in front for anything else.

    >>> parse_object('{"id": "a"}', "posts.jsonl:1")
    {'id': 'a'}
    """
    if len(line) > MAX_LINE:
        raise InputError(f"{where}: line of more than {MAX_LINE} bytes; split or drop that record")
    try:
        if isinstance(line, bytes) and b"\0" in line:
            raise ValueError("it holds zero bytes, as UTF-16 and binary files do; save it as UTF-8")
        value = load_json(line)
    except DoubledKeyError as error:
        raise InputError(f"{where}: {error}") from error
    except ValueError as error:
        reason = _not_utf8(error) if isinstance(error, UnicodeDecodeError) else str(error)
        raise InputError(f"{where}: not a JSON object ({reason}); expected JSON Lines, one object per line") from error
    if not isinstance(value, dict):
        raise InputError(f"{where}: a JSON {type(value).__name__}, not an object; expected one object per line")
    return value


def fields_of(record: Mapping[str, Any]) -> str:
    """The names of a record's fields for a message that one is missing, at most 20 of them.

    >>> fields_of({"qid": 7, "body": ""}), fields_of({"a\\x1b[2J": 1}), fields_of({})
    ('there are body, qid', 'there are a\\\\x1b[2J', 'there are no fields')
    """
    names = [name if name.isprintable() else ascii(name)[1:-1] for name in sorted(str(name)[:40] for name in record)]
    return f"there are {', '.join(names[:20]) or 'no fields'}"


def _not_utf8(error: UnicodeDecodeError) -> str:
    """Which byte is not UTF-8, and what it would be in the encoding that Windows gives to files."""
    byte = error.object[error.start]
    shown = bytes([byte]).decode("cp1252", "replace")
    meant = "" if shown == "\ufffd" else f", {shown!r} in Windows-1252"
    return (
        f"byte 0x{byte:02x} at {error.start} is not UTF-8{meant}; save the file as UTF-8, "
        "as iconv -f WINDOWS-1252 -t UTF-8 does"
    )


def object_lines(source: IO[bytes], name: str) -> Iterator[tuple[str, bytes]]:
    """Like numbered_lines, of a file of JSON objects; InputError at once for a JSON array or a CSV table."""
    lines = numbered_lines(_Begun(source, name), name)  # type: ignore[arg-type]
    for place, (where, line) in enumerate(lines):
        if not place and (columns := _columns(line)):
            following = next(lines, None)
            if following is None or following[1].lstrip()[:1] != b"{":
                raise InputError(
                    f"{name}: a table with the columns {', '.join(columns)} (CSV?), not JSON Lines; "
                    "write one JSON object a line, or a parquet file for --format parquet"
                )
            yield where, line
            yield following
        else:
            yield where, line


class _Begun:
    """A stream of lines that is refused with its first line, if that begins an array; its end is not read for that."""

    def __init__(self, source: IO[bytes], name: str) -> None:
        self._source, self._name, self._begun = source, name, False

    def readline(self, limit: int) -> bytes:
        line = self._source.readline(limit)
        begin = b"" if self._begun else line.removeprefix(_BYTE_ORDER_MARK).strip()
        if begin:
            self._begun = True
            if begin[:1] == b"[" or begin == b"{":
                what, how = ("a JSON array", "'.[]'") if begin[:1] == b"[" else ("an object over several lines", ".")
                raise InputError(f"{self._name}: {what}, not JSON Lines; write one object a line, as jq -c {how} does")
        return line


def _columns(line: bytes) -> list[str]:
    """The names in the header of a CSV table; none for any other line."""
    header = line.removeprefix(_BYTE_ORDER_MARK).decode("utf-8", "replace").strip()[:_MAX_HEADER]
    if not _HEADER.fullmatch(header):
        return []
    return [name.strip(' "') for name in _SEPARATOR.split(header)][:20]


def numbered_lines(source: IO[bytes], name: str, *, blank: bool = False) -> Iterator[tuple[str, bytes]]:
    """Pairs of ``name:line`` and the line; an overlong line comes cut, so that it is refused later.

    Blank lines are left out unless ``blank`` asks for them.
    """
    number = 0
    while line := source.readline(MAX_LINE + 2):
        number += 1
        if not line.endswith(b"\n"):
            _skip_rest(source, line)
        if blank or line.strip():
            yield f"{name}:{number}", line.rstrip(b"\r\n")


def file_objects(path: Path, what: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Each JSON object of a file with its place ``file:line``; InputError for a file or a line that cannot be read.

    ``what`` is what the file holds, for the message.
    """
    try:
        with open_file(path) as lines:
            for where, line in numbered_lines(lines, str(path)):
                yield where, parse_object(line, where)
    except OSError as error:
        name = f"{what} {path}".lstrip()
        raise InputError(f"cannot read {name}: {error.strerror or error}; check the path") from error


def _skip_rest(source: IO[bytes], line: bytes) -> None:
    while line and not line.endswith(b"\n"):
        line = source.readline(MAX_LINE)


def write_lines(values: Iterable[object], sink: IO[str]) -> int:
    """Write one canonical JSON line per value; returns how many."""
    count = 0
    for value in values:
        sink.write(canonical_json(value) + "\n")
        count += 1
    return count
