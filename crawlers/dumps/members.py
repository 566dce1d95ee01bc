"""Members of a packed web archive: a gzip member or a zstd frame, each unpacked apart from the one before it.

A zstd archive may begin with a dictionary for all of its frames, in a skippable frame of its own (WARC zstd, IIPC).
"""

import struct
import zlib
from collections.abc import Callable
from typing import Protocol

from backports import zstd

from corpus.errors import InputError

MAX_DICTIONARY = 4 << 20
_GZIP, _FRAME = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_DICTIONARY = b"\x5d\x2a\x4d\x18"
_HEAD = 8
DAMAGE = (zlib.error, zstd.ZstdError)


class Member(Protocol):
    """One member under way; ``pending``: more comes out of it before anything has to be put in."""

    kind: str
    ended: bool
    pending: bool

    def unpack(self, data: bytes, limit: int) -> tuple[bytes, bytes]:
        """At most ``limit`` bytes that come out of ``data``, and what of it was not taken in."""


class _GzipMember:
    kind = "gzip member"

    def __init__(self) -> None:
        self._unpacker = zlib.decompressobj(31)
        self.ended = self.pending = False

    def unpack(self, data: bytes, limit: int) -> tuple[bytes, bytes]:
        piece = self._unpacker.decompress(data, limit)
        self.ended = self._unpacker.eof
        return piece, self._unpacker.unused_data if self.ended else self._unpacker.unconsumed_tail


class _ZstdFrame:
    """A frame may ask for a window of 128 MiB at the most, the library's own bound."""

    kind = "zstd frame"

    def __init__(self, dictionary: zstd.ZstdDict | None) -> None:
        self._unpacker = zstd.ZstdDecompressor(dictionary)
        self.ended = self.pending = False

    def unpack(self, data: bytes, limit: int) -> tuple[bytes, bytes]:
        piece = self._unpacker.decompress(data, limit)
        self.ended = self._unpacker.eof
        self.pending = not self.ended and not self._unpacker.needs_input
        return piece, self._unpacker.unused_data if self.ended else b""


def opener(name: str, head: bytes, read: Callable[[int], bytes]) -> tuple[Callable[[], Member] | None, bytes, int]:
    """What opens the members of a file that begins with ``head``, None if it is not packed.

    Also what of the file comes next, and how many bytes were read and dropped. Raises InputError for a dictionary that
    is damaged, cut short or too large.
    """
    if head.startswith(_GZIP):
        return _GzipMember, head, 0
    if head.startswith(_FRAME):
        return lambda: _ZstdFrame(None), head, 0
    if not head.startswith(_DICTIONARY):
        return None, head, 0
    while len(head) < _HEAD and (more := read(_HEAD)):
        head += more
    size = struct.unpack("<I", head[4:_HEAD])[0] if len(head) >= _HEAD else MAX_DICTIONARY + 1
    if size > MAX_DICTIONARY:
        raise InputError(f"{name}@0: no dictionary of at most {MAX_DICTIONARY >> 20} MiB; the file is damaged")
    while len(head) < _HEAD + size and (more := read(size)):
        head += more
    dictionary = _dictionary(name, head[_HEAD : _HEAD + size], size)
    return lambda: _ZstdFrame(dictionary), head[_HEAD + size :], _HEAD + size


def _dictionary(name: str, content: bytes, size: int) -> zstd.ZstdDict:
    """The dictionary, which may be packed itself."""
    try:
        if len(content) < size:
            raise EOFError("it breaks off")
        if content.startswith(_FRAME):
            unpacker = zstd.ZstdDecompressor()
            content = unpacker.decompress(content, MAX_DICTIONARY + 1)
            if len(content) > MAX_DICTIONARY or not unpacker.eof:
                raise EOFError("it breaks off, or is too large")
        return zstd.ZstdDict(content)
    except (zstd.ZstdError, EOFError, ValueError) as error:
        raise InputError(f"{name}@0: damaged dictionary ({error}); get the file again") from error
