"""Files as dumps come: plain, gzip, bzip2, xz, zstd, or members of a zip or 7z archive, unpacked as a bounded stream.

Nothing is written to disk under a name that an archive gives. What is packed may not unpack to more than MAX_RATIO
times its size, nor to more than MAX_UNPACKED bytes. gzip.open and its like are not used for WARC files, where each
record is a member of its own.
"""

import bz2
import contextlib
import gzip
import lzma
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from corpus.errors import InputError
from corpus.folders.open_files import open_file
from corpus.zstandard import zstd
from crawlers.archives.bounded_streams import DAMAGE, MAX_UNPACKED, BoundedStream, Stream, first_line, wanted_names

_SIGNS: tuple[tuple[bytes, str], ...] = (
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
)
_OPENERS: dict[str, Callable[[Any], Any]] = {"gzip": gzip.open, "bzip2": bz2.open, "xz": lzma.open, "zstd": zstd.open}
_MEMBERS = ("gzip", "zstd")


def kind_of(path: Path) -> str:
    """How a file is packed, by its first bytes; InputError if it cannot be read."""
    try:
        with open_file(path) as file:
            return _kind(file.read(8))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}; check the path") from error


def _kind(head: bytes) -> str:
    return next((kind for sign, kind in _SIGNS if head.startswith(sign)), "plain")


@contextlib.contextmanager
def opened(
    path: Path, wanted: Callable[[str], bool], *, keep_members: bool = False
) -> Iterator[Iterator[tuple[str, Stream]]]:
    """The streams of a file with their names for messages: the file unpacked, or the wanted members of an archive.

    ``keep_members`` leaves a gzip or zstd file packed, for readers that unpack its members themselves.

    Raises InputError for a file that cannot be read, and for an archive that is damaged, encrypted, holds a name that
    leaves its folder, or holds none of what is wanted.
    """
    kind = kind_of(path)
    with open_file(path) as file:
        if kind == "zip":
            yield _zip_members(path, file, wanted)
        elif kind == "7z":
            yield _seven_zip_members(path, file, wanted)
        else:
            opener = None if keep_members and kind in _MEMBERS else _OPENERS.get(kind)
            unpacked = opener(file) if opener else file
            yield iter([(str(path), BoundedStream(str(path), unpacked, file.tell if opener else _unbounded))])


@contextlib.contextmanager
def opened_lines(path: Path, wanted: Callable[[str], bool]) -> Iterator[IO[bytes]]:
    """A file of lines, unpacked, for ``readline``; of an archive its only member that is wanted.

    A plain file may be a stream that the command was handed open. Raises OSError for what cannot be opened, InputError
    as ``opened`` does, and for an archive of several such members: their lines would share numbers.
    """
    chosen: list[str] = []

    def is_chosen(name: str) -> bool:
        chosen.extend([name] * wanted(name))
        return wanted(name)

    with open_file(path, stream=True) as file:
        if _kind(file.peek(8)) == "plain":
            yield file
            return
    with opened(path, is_chosen) as streams:
        _, stream = next(streams)
        if len(chosen) > 1:
            raise InputError(f"{path}: holds {len(chosen)} files of lines; unpack it and give one at a time")
        yield Lines(stream)  # type: ignore[misc]


class Lines:
    """``readline`` over a stream that can only read."""

    def __init__(self, stream: Stream) -> None:
        self._stream, self._rest, self._ended = stream, b"", False

    def readline(self, limit: int) -> bytes:
        """A line with its end, cut at ``limit`` bytes; empty at the end of the stream."""
        while (end := self._rest.find(b"\n", 0, limit)) < 0 and len(self._rest) < limit and not self._ended:
            data = self._stream.read(1 << 16)
            self._ended = not data
            self._rest += data
        size = end + 1 if end >= 0 else min(limit, len(self._rest))
        line, self._rest = self._rest[:size], self._rest[size:]
        return line


def is_lines(name: str) -> bool:
    """Whether a member of an archive is JSON Lines, by its name."""
    return name.lower().endswith((".jsonl", ".ndjson", ".json"))


def _unbounded() -> int:
    return MAX_UNPACKED


def _seven_zip_members(path: Path, file: IO[bytes], wanted: Callable[[str], bool]) -> Iterator[tuple[str, Stream]]:
    """What reads 7z takes a while to import, and few need it."""
    try:
        from crawlers.archives.seven_zip import seven_zip_members
    except ModuleNotFoundError as error:
        raise InputError(
            f"{path}: a 7z archive needs {error.name}: pip install 'wordquarry[archives]', or unpack the file first"
        ) from error
    return seven_zip_members(path, file, wanted)


def _zip_members(path: Path, file: IO[bytes], wanted: Callable[[str], bool]) -> Iterator[tuple[str, Stream]]:
    try:
        archive = zipfile.ZipFile(file)
    except DAMAGE as error:
        raise InputError(f"{path}: damaged zip archive ({first_line(error)}); get the file again") from error
    with archive:
        for name in wanted_names(path, archive.namelist(), wanted):
            where = f"{path}!{name}"
            try:
                member = archive.open(name)
            except DAMAGE as error:
                raise InputError(f"{where}: cannot be unpacked ({first_line(error)}); get the file again") from error
            size = archive.getinfo(name).compress_size
            with member:
                yield where, BoundedStream(where, member, lambda size=size: size)  # type: ignore[misc]
