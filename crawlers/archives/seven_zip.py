"""Members of a 7z archive as bounded streams. The library takes a while to import: only a 7z archive asks for it."""

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import py7zr
from py7zr.exceptions import ArchiveError, PasswordRequired
from py7zr.io import Py7zIO, WriterFactory

from corpus.errors import InputError
from corpus.folders.open_files import open_file
from crawlers.archives.bounded_streams import DAMAGE, MAX_UNPACKED, BoundedStream, Stream, first_line, wanted_names

MAX_DICTIONARY = 256 << 20
_DAMAGE = (*DAMAGE, ArchiveError, KeyError, TypeError, AssertionError)
_LZMA, _LZMA2 = b"\x03\x01\x01", b"\x21"


def seven_zip_members(path: Path, file: IO[bytes], wanted: Callable[[str], bool]) -> Iterator[tuple[str, Stream]]:
    """The wanted members with their names for messages; InputError for an archive that is damaged or encrypted."""
    try:
        with py7zr.SevenZipFile(file, "r") as archive:
            names = [entry.filename for entry in archive.list() if not entry.is_directory]
            encrypted = archive.needs_password()
            _check_dictionary(path, archive)
    except (*_DAMAGE, PasswordRequired) as error:
        raise InputError(f"{path}: damaged 7z archive ({first_line(error)}); get the file again") from error
    if encrypted:
        raise InputError(f"{path}: the archive is encrypted; unpack it first")
    size = path.stat().st_size
    for name in wanted_names(path, names, wanted):
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
                raise EOFError(first_line(self._failure))
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
            except _DAMAGE as error:
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
