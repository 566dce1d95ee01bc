"""Files as dumps come: plain, gzip, bzip2, xz, zstd, or members of a zip or 7z archive, unpacked as a bounded stream.

Nothing is written to disk under a name that an archive gives. What is packed may not unpack to more than MAX_RATIO
times its size, nor to more than MAX_UNPACKED bytes. gzip.open and its like are not used for WARC files, where each
record is a member of its own.
"""

import bz2
import contextlib
import gzip
import lzma
import os
import re
import threading
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any, Protocol

import py7zr
from backports import zstd
from py7zr.exceptions import ArchiveError, PasswordRequired
from py7zr.io import Py7zIO, WriterFactory

from corpus.errors import InputError
from corpus.open_files import open_file

MAX_UNPACKED = 1 << 40
MAX_RATIO = 200
FREE_BYTES = 64 << 20
"""Bytes that may be unpacked whatever the ratio."""
MAX_MEMBERS = 100_000
MAX_DICTIONARY = 256 << 20
_SIGNS: tuple[tuple[bytes, str], ...] = (
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
)
_OPENERS: dict[str, Callable[[Any], Any]] = {
    "gzip": gzip.open,
    "bzip2": bz2.open,
    "xz": lzma.open,
    "zstd": zstd.open,
}
_MEMBERS = ("gzip", "zstd")
_DAMAGE = (
    ArchiveError,
    EOFError,
    OSError,
    RuntimeError,
    NotImplementedError,
    ValueError,
    lzma.LZMAError,
    zstd.ZstdError,
    zipfile.BadZipFile,
    zlib.error,
)
_DRIVE = re.compile(r"[A-Za-z]:")
_LZMA, _LZMA2 = b"\x03\x01\x01", b"\x21"


class Stream(Protocol):
    """What a reader of a dump needs of a file."""

    def read(self, size: int, /) -> bytes: ...


class BoundedStream:
    """A stream that says where it broke off, and refuses to unpack without end.

    ``packed`` tells how many packed bytes went in so far.
    """

    def __init__(self, name: str, inner: Stream, packed: Callable[[], int]) -> None:
        self._name, self._packed = name, packed
        self._read: Callable[[int], bytes] = getattr(inner, "read1", inner.read)
        self._unpacked = 0
        self._failure: Exception | None = None

    def read(self, size: int, /) -> bytes:
        """At most ``size`` bytes, fewer before damage and at the end; InputError where the file is damaged or a bomb.

        What comes out before the damage is given first: libraries raise with up to ``size`` good bytes in hand.
        """
        parts: list[bytes] = []
        missing = size
        while missing and self._failure is None:
            try:
                data = self._read(missing)
            except _DAMAGE as error:
                self._failure = error
                break
            if not data:
                break
            parts.append(data)
            missing -= len(data)
            self._count(len(data))
        if self._failure is not None and not parts:
            raise InputError(
                f"{self._name}: damaged or cut short after {self._unpacked} unpacked bytes "
                f"({_first_line(self._failure)}); get the file again"
            ) from self._failure
        return b"".join(parts)

    def _count(self, size: int) -> None:
        self._unpacked += size
        if self._unpacked > min(MAX_UNPACKED, FREE_BYTES + MAX_RATIO * self._packed()):
            raise InputError(
                f"{self._name}: unpacks to more than {MAX_RATIO} times its size (a bomb?); "
                f"stopped after {self._unpacked} bytes"
            )


def kind_of(path: Path) -> str:
    """How a file is packed, by its first bytes; InputError if it cannot be read."""
    try:
        with open_file(path) as file:
            head = file.read(8)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}; check the path") from error
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


def _unbounded() -> int:
    return MAX_UNPACKED


def check_names(path: Path, names: list[str]) -> None:
    """InputError for an archive with too many members or a name that leads out of its folder."""
    if len(names) > MAX_MEMBERS:
        raise InputError(f"{path}: {len(names)} members; at most {MAX_MEMBERS} are read")
    for name in names:
        pure = PurePosixPath(name.replace("\\", "/"))
        if pure.is_absolute() or ".." in pure.parts or _DRIVE.match(name):
            raise InputError(f"{path}: member {name[:100]!r} leads out of its folder; the archive is not read")


def _wanted_names(path: Path, names: list[str], wanted: Callable[[str], bool]) -> list[str]:
    check_names(path, names)
    chosen = [name for name in names if wanted(name)]
    if not chosen:
        raise InputError(f"{path}: none of its {len(names)} members is what was expected; check the file and --format")
    return chosen


def _zip_members(path: Path, file: IO[bytes], wanted: Callable[[str], bool]) -> Iterator[tuple[str, Stream]]:
    try:
        archive = zipfile.ZipFile(file)
    except _DAMAGE as error:
        raise InputError(f"{path}: damaged zip archive ({_first_line(error)}); get the file again") from error
    with archive:
        for name in _wanted_names(path, archive.namelist(), wanted):
            where = f"{path}!{name}"
            try:
                member = archive.open(name)
            except _DAMAGE as error:
                raise InputError(f"{where}: cannot be unpacked ({_first_line(error)}); get the file again") from error
            size = archive.getinfo(name).compress_size
            with member:
                yield where, BoundedStream(where, member, lambda size=size: size)  # type: ignore[misc]


def _seven_zip_members(path: Path, file: IO[bytes], wanted: Callable[[str], bool]) -> Iterator[tuple[str, Stream]]:
    try:
        with py7zr.SevenZipFile(file, "r") as archive:
            names = [entry.filename for entry in archive.list() if not entry.is_directory]
            encrypted = archive.needs_password()
            _check_dictionary(path, archive)
    except (*_DAMAGE, PasswordRequired, KeyError, TypeError, AssertionError) as error:
        raise InputError(f"{path}: damaged 7z archive ({_first_line(error)}); get the file again") from error
    if encrypted:
        raise InputError(f"{path}: the archive is encrypted; unpack it first")
    size = path.stat().st_size
    for name in _wanted_names(path, names, wanted):
        where = f"{path}!{name}"
        with contextlib.closing(_SevenZipMember(path, name)) as member:
            yield where, BoundedStream(where, member, lambda: size)


def _check_dictionary(path: Path, archive: py7zr.SevenZipFile) -> None:
    """Refuse a declared dictionary that would take more memory than any archiver's usual settings."""
    streams = archive.header.main_streams
    folders = streams.unpackinfo.folders if streams is not None else []
    for coder in (coder for folder in folders for coder in folder.coders):
        size = dictionary_size(coder["method"], coder["properties"] or b"")
        if size > MAX_DICTIONARY:
            raise InputError(
                f"{path}: needs a dictionary of {size >> 20} MiB; at most {MAX_DICTIONARY >> 20} are allowed"
            )


def dictionary_size(method: bytes, properties: bytes) -> int:
    """Bytes of dictionary that an LZMA or LZMA2 coder of a 7z archive asks for; 0 for other coders.

    >>> dictionary_size(b"!", bytes([24])) >> 20, dictionary_size(b"\\x03\\x01\\x01", b"]\\x00\\x00\\x00\\x01") >> 20
    (16, 16)
    """
    if method == _LZMA2 and properties:
        bits = properties[0] & 63
        return (2 | bits & 1) << (bits // 2 + 11)
    return int.from_bytes(properties[1:5], "little") if method == _LZMA else 0


class _SevenZipMember:
    """A member of a 7z archive as a stream: the library writes into a pipe in a thread, we read at the other end."""

    def __init__(self, path: Path, name: str) -> None:
        ours, theirs = os.pipe()
        self._file = os.fdopen(ours, "rb", buffering=1 << 20)
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._unpack, args=(path, name, theirs), daemon=True)
        self._thread.start()

    def read(self, size: int, /) -> bytes:
        """At most ``size`` bytes; at the end, whatever the library complains of."""
        data = self._file.read(size)
        if len(data) < size:
            self._thread.join()
            if self._failure is not None and not data:
                raise EOFError(_first_line(self._failure))
        return data

    def close(self) -> None:
        """Let go of the pipe, which ends the thread."""
        self._file.close()
        self._thread.join()

    def _unpack(self, path: Path, name: str, theirs: int) -> None:
        with os.fdopen(theirs, "wb") as sink:
            try:
                with (
                    open_file(path) as packed,
                    py7zr.SevenZipFile(packed, "r", max_extract_size=MAX_UNPACKED) as archive,
                ):
                    archive.extract(targets=[name], factory=_Into(sink))
                sink.flush()
            except (*_DAMAGE, KeyError, TypeError, AssertionError) as error:
                self._failure = error
                with contextlib.suppress(OSError):
                    sink.flush()


class _Into(WriterFactory):
    """Makes every member that is unpacked a writer into one file."""

    def __init__(self, sink: IO[bytes]) -> None:
        self._sink = sink

    def create(self, filename: str) -> Py7zIO:
        return _Sink(self._sink)


class _Sink(Py7zIO):
    def __init__(self, sink: IO[bytes]) -> None:
        self._sink, self._size = sink, 0

    def write(self, s: bytes | bytearray) -> int:
        self._size += len(s)
        return self._sink.write(s)

    def read(self, size: int | None = None) -> bytes:
        return b""

    def seek(self, offset: int, whence: int = 0) -> int:
        return offset

    def flush(self) -> None:
        self._sink.flush()

    def size(self) -> int:
        return self._size

    def close(self) -> None:
        """The pipe is closed by the thread that owns it."""


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), "") or type(error).__name__
