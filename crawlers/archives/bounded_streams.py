"""What every reader of files needs: bounds on what unpacks, names that lead nowhere else, errors of one record."""

import lzma
import re
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Protocol

from corpus.errors import InputError
from corpus.reasons import Reason
from corpus.zstandard import zstd

MAX_UNPACKED = 1 << 40
MAX_RATIO = 200
FREE_BYTES = 64 << 20
"""Bytes that may be unpacked whatever the ratio."""
MAX_MEMBERS = 100_000
DAMAGE = (
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
"""What libraries raise for a packed file that is damaged."""
_DRIVE = re.compile(r"[A-Za-z]:")


class RecordError(InputError):
    """One record cannot be a post; ``reason`` says which rule it breaks."""

    def __init__(self, message: str, reason: Reason = Reason.MALFORMED_LINE, record_id: str | None = None) -> None:
        super().__init__(message)
        self.reason, self.record_id = reason, record_id


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
            except DAMAGE as error:
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
                f"({first_line(self._failure)}); get the file again"
            ) from self._failure
        return b"".join(parts)

    def _count(self, size: int) -> None:
        self._unpacked += size
        if self._unpacked > min(MAX_UNPACKED, FREE_BYTES + MAX_RATIO * self._packed()):
            raise InputError(
                f"{self._name}: unpacks to more than {MAX_RATIO} times its size (a bomb?); "
                f"stopped after {self._unpacked} bytes"
            )


def check_names(path: Path, names: list[str]) -> None:
    """InputError for an archive with too many members or a name that leads out of its folder."""
    if len(names) > MAX_MEMBERS:
        raise InputError(f"{path}: {len(names)} members; at most {MAX_MEMBERS} are read")
    for name in names:
        pure = PurePosixPath(name.replace("\\", "/"))
        if pure.is_absolute() or ".." in pure.parts or _DRIVE.match(name):
            raise InputError(f"{path}: member {name[:100]!r} leads out of its folder; the archive is not read")


def wanted_names(path: Path, names: list[str], wanted: Callable[[str], bool]) -> list[str]:
    """The members that are wanted, by name; InputError for names as above, and where none is wanted."""
    check_names(path, names)
    chosen = [name for name in names if wanted(name)]
    if not chosen:
        raise InputError(f"{path}: none of its {len(names)} members is what was expected; check the file and --format")
    return chosen


def first_line(error: BaseException) -> str:
    """What an error says, on one line."""
    return next(iter(str(error).splitlines()), "") or type(error).__name__
