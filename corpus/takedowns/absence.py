"""Is anything left of posts in a folder: a search through the text of every file for ids, addresses and runs of words.

Texts are compared by their ASCII letters and digits alone, whatever stands between them, so that cleaning, markup and
escapes hide nothing. Every run of eight words from the beginning of a text is looked for: a copy of fifteen words in a
row holds one of them. What the post stores hold as well, once the posts are out of them, is another post's and says
nothing.
"""

import contextlib
import gzip
import html
import re
import sqlite3
import zlib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import IO, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from corpus.errors import StoreError, store_errors
from corpus.folders.files import Folder
from corpus.post_store.tombstones import GONE

RUN: Final = 8
LEAST: Final = 20
"""Letters and digits of a run of words that is looked for; shorter ones stand everywhere."""
_PIECE, _OVERLAP = 8 * 2**20, 2**16
_LOWER: Final = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"abcdefghijklmnopqrstuvwxyz")
_NO_LETTERS: Final = bytes(code for code in range(256) if not chr(code).isascii() or not chr(code).isalnum())
_ESCAPE: Final = re.compile(rb"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_TAGS: Final = re.compile(rb"<[^<>]*>")
_STORES: Final = ("posts", "inputs")


@dataclass(frozen=True)
class Sought:
    """What posts are known by: ids, addresses (``address_key``), and runs of the words of their texts (``runs_of``)."""

    ids: frozenset[str]
    urls: frozenset[str]
    runs: frozenset[str] = frozenset()


@dataclass
class Searched:
    """What a search found: kinds of traces by path, what could not be read, and how much was looked at.

    ``shared`` are addresses and runs of words that other posts have as well.
    """

    found: dict[str, set[str]] = field(default_factory=dict)
    shared: set[str] = field(default_factory=set)
    files: int = 0
    size: int = 0


def runs_of(texts: Iterable[str]) -> frozenset[str]:
    """The runs of words of texts that are looked for, of a shorter text all of it, without what is between words."""
    found = set[str]()
    for text in texts:
        words = re.findall(rb"[0-9a-z]+", text.encode("utf-8", "surrogatepass").translate(_LOWER))
        starts = [*range(0, len(words) - RUN + 1, RUN), max(0, len(words) - RUN)]
        found.update(b"".join(words[start : start + RUN]).decode() for start in starts)
    return frozenset(run for run in found if len(run) >= LEAST)


def search(folder: Folder, sought: Sought, skipped: Collection[str]) -> Searched:
    """Look through every file below a folder but tombstones and what is in ``skipped`` folders; stores come first."""
    done = Searched()
    with store_errors("list", str(folder)):
        paths = [path[len(folder.path) + 1 :] for path in folder.fs.find(folder.path)]
    for path in sorted(paths, key=lambda one: (not _is_stored(one), one)):
        if path.partition("/")[0] not in skipped and not _is_tombstone(path):
            done.files += 1
            done.size += folder.size(path)
            _look(folder, path, _Needles.of(sought, done.shared), done)
    return done


def _is_stored(path: str) -> bool:
    return path.partition("/")[0] in _STORES


def _is_tombstone(path: str) -> bool:
    return _is_stored(path) and path.rpartition("/")[2].startswith(GONE)


def _look(folder: Folder, path: str, needles: "_Needles", done: Searched) -> None:
    try:
        found = set[tuple[str, str]]()
        for text in _texts(folder, path):
            found.update(needles.found_in(text))
    except (StoreError, pa.ArrowException, OSError, EOFError, ValueError, zlib.error, sqlite3.Error):
        done.found.setdefault(path, set()).add("cannot be read")
        return
    for kind, trace in found:
        if kind != "id" and _is_stored(path):
            done.shared.add(trace)
        else:
            done.found.setdefault(path, set()).add(kind)


@dataclass(frozen=True)
class _Needles:
    """What is looked for, with the bytes of each and, where it must stand by itself, a pattern."""

    plain: tuple[tuple[str, str, bytes, re.Pattern[bytes]], ...]
    runs: tuple[tuple[str, bytes], ...]

    @classmethod
    def of(cls, sought: Sought, shared: Collection[str]) -> "_Needles":
        named = [("id", one) for one in sought.ids] + [("address", one) for one in sought.urls - set(shared)]
        forms = {(kind, one, form.encode()) for kind, one in named for form in (one, html.escape(one))}
        plain = (
            (*one, re.compile(rb"(?<![0-9A-Za-z_-])" + re.escape(one[2]) + rb"(?![0-9A-Za-z_-])"))
            for one in sorted(forms)
        )
        return cls(tuple(plain), tuple((run, run.encode()) for run in sorted(sought.runs - set(shared))))

    def found_in(self, text: "bytes | pa.Array") -> Iterator[tuple[str, str]]:
        """The kind of each trace in a text, or in a column of texts, and the trace."""
        whole = text if isinstance(text, bytes) else _joined(text)
        for kind, trace, needle, pattern in self.plain:
            if needle in whole and any(map(pattern.search, _holding(text, needle))):
                yield kind, trace
        letters = whole.translate(_LOWER, _NO_LETTERS) if self.runs else b""
        for run, needle in self.runs:
            if needle in letters:
                yield "words", run


def _joined(column: pa.Array) -> bytes:
    held = column.buffers()[2]
    return bytes(held.to_pybytes()) if held is not None else b""


def _holding(text: "bytes | pa.Array", needle: bytes) -> Iterable[bytes]:
    """The text itself, or the values of a column that hold some bytes."""
    if isinstance(text, bytes):
        return [text]
    column = text.cast(pa.binary()) if pa.types.is_string(text.type) else text
    return [bytes(one) for one in column.filter(pc.match_substring(column, needle.decode())).to_pylist()]


def _texts(folder: Folder, path: str) -> Iterator["bytes | pa.Array"]:
    """All text in a file: columns of a table, what is packed in an archive or a database, everything else as it is."""
    with folder.opened(path) as file:
        if path.endswith(".parquet"):
            yield from _columns(file)
            return
        packed: Any = gzip.GzipFile(fileobj=file) if path.endswith(".gz") else file
        for piece in _pieces(packed):
            yield piece
            if b"\\" in piece:
                yield _ESCAPE.sub(_escaped, piece)
            if b"</" in piece:
                yield html.unescape(_TAGS.sub(b" ", piece).decode("utf-8", "replace")).encode("utf-8", "replace")
    if path.endswith(".sqlite") and folder.local:
        yield from _unpacked(f"{folder.path}/{path}")


def _escaped(found: re.Match[bytes]) -> bytes:
    """What an escape of JSON stands for, as far as it is a letter or part of an address."""
    return b" " if found[1][:1] in b"ubfnrt" else found[1]


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    rest = b""
    while piece := file.read(_PIECE):
        yield rest + piece
        rest = piece[-_OVERLAP:]


def _columns(file: IO[bytes]) -> Iterator[pa.Array]:
    table = pq.ParquetFile(file, pre_buffer=False)
    for group in range(table.num_row_groups):
        for column in table.read_row_group(group, use_threads=False).columns:
            for chunk in column.chunks:
                yield from _leaves(chunk)


def _leaves(array: pa.Array) -> Iterator[pa.Array]:
    """The arrays of texts within an array."""
    kind = array.type
    if pa.types.is_map(kind):
        for inner in (array.keys, array.items):
            yield from _leaves(inner)
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
        yield from _leaves(array.values)
    elif pa.types.is_struct(kind):
        for place in range(kind.num_fields):
            yield from _leaves(array.field(place))
    elif pa.types.is_string(kind) or pa.types.is_binary(kind):
        yield array


def _unpacked(path: str) -> Iterator[bytes]:
    """What a database of pages holds packed."""
    from corpus.zstandard import zstd

    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)) as database:
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for name in names:
            for row in database.execute(f'SELECT * FROM "{name}"'):  # noqa: S608 - a name of the database itself
                for value in row:
                    for unpack in (zlib.decompress, zstd.decompress) if isinstance(value, bytes) else ():
                        with contextlib.suppress(zlib.error, zstd.ZstdError):
                            yield unpack(value)
