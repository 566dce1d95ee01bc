"""WARC records (ISO 28500) as a stream, plain or packed by gzip or zstd, a record a member or all in one; also in WACZ.

Own reading rather than warcio or FastWARC: both take a file that breaks off for one that ends, and give the part of a
record that is there as if it were whole (tried with warcio 1.8.1 and FastWARC 2.0.1). Here every record is checked
against its length and digest, what is wrong names its offset, and reading goes on at the next record.
"""

import base64
import binascii
import hashlib
import re
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from corpus.errors import InputError
from corpus.zstandard import zstd
from crawlers.archives.bounded_streams import FREE_BYTES, MAX_RATIO, RecordError, Stream

MAX_DICTIONARY = 4 << 20
_GZIP, _FRAME = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_DICTIONARY = b"\x5d\x2a\x4d\x18"
_HEAD = 8
DAMAGE = (zlib.error, zstd.ZstdError)


class Member:
    """One member under way; ``pending``: more comes out of it before anything has to be put in.

    A zstd frame may ask for a window of 128 MiB at the most, the library's own bound.
    """

    def __init__(self, kind: str, unpacker: Any) -> None:
        self.kind, self._unpacker = kind, unpacker
        self.ended = self.pending = False

    def unpack(self, data: bytes, limit: int) -> tuple[bytes, bytes]:
        """At most ``limit`` bytes that come out of ``data``, and what of it was not taken in."""
        piece = self._unpacker.decompress(data, limit)
        self.ended = self._unpacker.eof
        self.pending = not self.ended and not getattr(self._unpacker, "needs_input", True)
        return piece, self._unpacker.unused_data if self.ended else getattr(self._unpacker, "unconsumed_tail", b"")


def _frame(dictionary: zstd.ZstdDict | None = None) -> Member:
    return Member("zstd frame", zstd.ZstdDecompressor(dictionary))


def opener(name: str, head: bytes, read: Callable[[int], bytes]) -> tuple[Callable[[], Member] | None, bytes, int]:
    """What opens the members of a file that begins with ``head``, None if it is not packed.

    Also what of the file comes next, and how many bytes were read and dropped. Raises InputError for a dictionary that
    is damaged, cut short or too large.
    """
    if head.startswith(_GZIP):
        return lambda: Member("gzip member", zlib.decompressobj(31)), head, 0
    if head.startswith(_FRAME):
        return _frame, head, 0
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
    return lambda: _frame(dictionary), head[_HEAD + size :], _HEAD + size


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


MAX_HEADER = 64 << 10
MAX_BLOCK = 16 << 20
MAX_RETURNED = 512 << 20
"""Bytes that may be read again, beyond those read once: a file of wrong lengths would be read again for each."""
_CHUNK = 64 << 10
_LONGEST_BEGIN = 100
_BEGIN = re.compile(rb"^WARC/[0-9]\.[0-9]\r?\n(?=[A-Za-z][A-Za-z-]{0,60}:)", re.M)
"""What a record begins with, of at most _LONGEST_BEGIN bytes."""
_SIGNS = {"gzip member": b"\x1f\x8b\x08", "zstd frame": b"\x28\xb5\x2f\xfd"}
"""What a member of a packed file begins with."""
_DIGESTS = {"sha1": "sha1", "sha256": "sha256", "sha-1": "sha1", "sha-256": "sha256", "md5": "md5"}


@dataclass(frozen=True)
class WarcRecord:
    """One record: where it begins in the file, its headers by lower-case name, and its block.

    ``block`` is None where it is larger than MAX_BLOCK, and then was passed over.
    """

    offset: int
    headers: Mapping[str, str]
    block: bytes | None

    @property
    def kind(self) -> str:
        """The WARC-Type, such as ``response``."""
        return self.headers.get("warc-type", "").lower()

    @property
    def cut(self) -> str:
        """What says that the block is only a part of what the server sent; empty where nothing does."""
        truncated, segment = (self.headers.get(name, "") for name in ("warc-truncated", "warc-segment-number"))
        said = f"WARC-Truncated: {truncated[:40]}" if truncated else f"WARC-Segment-Number: {segment[:40]}"
        return f"the archive holds a part of the page only ({said})" if truncated or segment else ""


def read_records(name: str, stream: Stream) -> Iterator[WarcRecord]:
    """The records of a WARC file.

    Raises InputError naming the offset, after the records before it, where the file is damaged, cut short, no WARC, or
    unpacks without end.
    """
    for record in records_and_damage(name, stream):
        if isinstance(record, RecordError):
            raise record
        yield record


def records_and_damage(
    name: str, stream: Stream, most_returned: int = MAX_RETURNED
) -> Iterator[WarcRecord | RecordError]:
    """Like read_records, but reading goes on at the next record; RecordError in the place of what is damaged.

    Raises InputError, after everything before it, where the file is cut short, holds no record, or unpacks without end.
    """
    source = _Unpacked(name, stream, most_returned)
    begun = False
    while not source.at_end():
        try:
            record = _record(name, source)
        except RecordError as error:
            if not source.seek(_BEGIN) and not begun:
                raise InputError(str(error)) from error
            yield error
        else:
            yield record
        begun = True


def _record(name: str, source: "_Unpacked") -> WarcRecord:
    """The record that comes next; RecordError says what is wrong with it."""
    offset = source.offset
    where, line = f"{name}@{offset}", source.line()
    if line.startswith(b"filedesc:"):
        raise InputError(f"{where}: an ARC file, the format before WARC; convert it, as warcio recompress does")
    if not line.startswith(b"WARC/"):
        raise RecordError(f"{where}: no WARC record begins here; the file is damaged, or not a web archive")
    headers = _headers(where, source)
    record = WarcRecord(offset, headers, _block(where, headers, source))
    if not _fits(record, source):
        source.give_back(record.block or b"")
        said = headers["content-length"]
        raise RecordError(f"{where}: the record does not end where its Content-Length {said} says; it is left out")
    return record


def _fits(record: WarcRecord, source: "_Unpacked") -> bool:
    """Whether a record ends where its length says: empty lines, a record or nothing come then, or its digest fits.

    A length that is wrong takes in the next record, or a part of it.
    """
    said = int(record.headers["content-length"])
    if record.block is not None and len(record.block) < said:
        return False
    digested = _digest_of(record) is not None
    is_set_off = source.begins_with(b"\r\n\r\n")
    if source.at_end() or source.begins_with(b"WARC/"):
        return not digested or digest_fits(record) or _BEGIN.search(record.block or b"") is None
    return digest_fits(record) if digested else is_set_off


def _headers(where: str, source: "_Unpacked") -> dict[str, str]:
    headers: dict[str, str] = {}
    last, size = "", 0
    while (line := source.line()).strip():
        size += len(line)
        if size > MAX_HEADER:
            raise RecordError(f"{where}: headers of more than {MAX_HEADER >> 10} KiB; the file is damaged")
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        if text[:1] in " \t" and last:
            headers[last] += " " + text.strip()
            continue
        key, colon, value = text.partition(":")
        if not colon:
            raise RecordError(f"{where}: a header line without a colon; the file is damaged")
        last = key.strip().lower()
        headers[last] = value.strip()
    if not line:
        raise InputError(f"{where}: the file breaks off in the headers of this record; get it again")
    return headers


def _block(where: str, headers: Mapping[str, str], source: "_Unpacked") -> bytes | None:
    said = headers.get("content-length", "")
    if not said.isascii() or not said.isdigit() or len(said) > 15:
        raise RecordError(f"{where}: Content-Length {said[:20]!r} is not a number; the file is damaged")
    size = int(said)
    kept = source.take(size) if size <= MAX_BLOCK else None
    missing = size - len(kept) if kept is not None else size - source.pass_over(size)
    if missing and (kept is None or _BEGIN.search(kept) is None):
        raise InputError(f"{where}: the file breaks off {missing} bytes before the end of this record; get it again")
    return kept


def digest_fits(record: WarcRecord) -> bool:
    """Whether the block is the one that was digested; also where no digest, or one of another kind, is given."""
    digested = _digest_of(record)
    if digested is None or record.block is None:
        return True
    name, said = digested
    digest = hashlib.new(name, record.block, usedforsecurity=False).digest()
    if len(said) == 2 * len(digest):
        return said.lower() == digest.hex()
    try:
        return base64.b32decode(said.upper()) == digest
    except (binascii.Error, ValueError):
        return False


def _digest_of(record: WarcRecord) -> tuple[str, str] | None:
    """By what a block was digested, and what came of it; None where nobody says, or by what we do not know."""
    algorithm, _, said = record.headers.get("warc-block-digest", "").partition(":")
    name = _DIGESTS.get(algorithm.lower())
    return None if name is None else (name, said)


class _Unpacked:
    """The file's text with the offset of what comes next: of the member it begins, else of its first byte."""

    def __init__(self, name: str, stream: Stream, most_returned: int) -> None:
        self._name, self._stream, self._most_returned = name, stream, most_returned
        self._open, self._packed, dropped = opener(name, stream.read(_CHUNK), stream.read)
        self._member: Member | None = None
        self._read, self._given, self._begin = dropped + len(self._packed), 0, 0
        self._text, self._at = b"", 0
        self._sought, self._returned = b"", 0
        self._damage: InputError | None = None

    @property
    def offset(self) -> int:
        """Where the record that comes next begins in the file."""
        return self._given if self._open is None else self._begin

    def line(self) -> bytes:
        """A line with its end, at most MAX_HEADER bytes of it; empty at the end of the file."""
        while (end := self._text.find(b"\n", self._at)) < 0 and len(self._text) - self._at < MAX_HEADER:
            if not self._more():
                end = len(self._text) - 1
                break
        end = min(end if end >= 0 else MAX_HEADER + self._at, MAX_HEADER + self._at)
        return self._advance(end + 1 - self._at)

    def begins_with(self, sign: bytes) -> bool:
        """Whether this comes next, or something damaged; nothing is taken."""
        while len(self._text) - self._at < len(sign) and self._look():
            pass
        return self._text.startswith(sign, self._at) or self._damage is not None

    def give_back(self, data: bytes) -> None:
        """Put what was taken before what comes next; InputError where most of a large file was put back."""
        self._text, self._at = data + self._text[self._at :], 0
        self._given -= len(data)
        self._returned += len(data)
        if self._returned > self._most_returned + self._given:
            raise InputError(f"{self._name}@{self.offset}: too many lengths of records are wrong; the file is damaged")

    def seek(self, begin: re.Pattern[bytes]) -> bool:
        """Leave out what comes before a match of at most _LONGEST_BEGIN bytes; False where none is left."""
        while (found := begin.search(self._text, self._at)) is None:
            self._advance(max(0, len(self._text) - self._at - _LONGEST_BEGIN))
            try:
                if not self._more():
                    return False
            except RecordError:  # told already, by the record that it belongs to
                continue
        self._advance(found.start() - self._at)
        return True

    def take(self, size: int) -> bytes:
        """So many bytes; fewer only at the end of the file."""
        parts, missing = [], size
        while missing and (self._at < len(self._text) or self._more()):
            parts.append(self._advance(missing))
            missing -= len(parts[-1])
        return b"".join(parts)

    def pass_over(self, size: int) -> int:
        """Leave so many bytes out, or those before the next record; returns how many should have been left out."""
        missing = size
        while missing and (self._at < len(self._text) or self._more()):
            found = _BEGIN.search(self._text, self._at, self._at + missing)
            missing -= len(self._advance(found.start() - self._at if found else missing))
            if found:
                return size
        return size - missing

    def at_end(self) -> bool:
        """Whether nothing but empty lines, or the zeros that some writers pad with, is left; they are left out."""
        while self._at < len(self._text) or self._look():
            rest = self._text[self._at : self._at + _LONGEST_BEGIN]
            blank = len(rest) - len(rest.lstrip(b"\r\n\0"))
            self._advance(blank)
            if blank < len(rest):
                return False
        return self._damage is None

    def _advance(self, size: int) -> bytes:
        piece = self._text[self._at : self._at + size]
        self._at += len(piece)
        self._given += len(piece)
        return piece

    def _look(self) -> bool:
        """Unpack on to see what comes; what is wrong with it is kept until it is taken."""
        try:
            return self._more()
        except InputError as error:
            self._damage = error
            return False

    def _more(self) -> bool:
        """Unpack on; False at the end of the file. A member is never joined with the one before it.

        RecordError for a member that is damaged; what comes then is the member after it.
        """
        if self._damage is not None:
            error, self._damage = self._damage, None
            raise error
        if self._open is None:
            data, self._packed = self._packed, b""
            data = data or self._stream.read(_CHUNK)
            self._text, self._at = self._text[self._at :] + data, 0
            return bool(data)
        piece = b""
        while not piece:
            if not self._packed and not (self._member is not None and self._member.pending) and not self._read_on():
                self._check_end()
                return False
            piece = self._unpack(self._open)
        self._text, self._at = self._text[self._at :] + piece, 0
        return True

    def _read_on(self) -> bool:
        data = self._stream.read(_CHUNK)
        self._packed += data
        self._read += len(data)
        return bool(data)

    def _unpack(self, open_member: Callable[[], Member]) -> bytes:
        if self._member is None:
            if not self._finds_member():
                return b""
            self._member = open_member()
        try:
            piece, self._packed = self._member.unpack(self._packed, _CHUNK)
        except DAMAGE as error:
            kind, searched, self._member = self._member.kind, self._sought, None
            self._text, self._at, self._packed, self._sought = b"", 0, self._packed[1:], _SIGNS[kind]
            if searched:  # what looked like a member was none
                return b""
            raise RecordError(f"{self._name}@{self._begin}: damaged {kind} ({error}); get the file again") from error
        self._sought = b"" if piece else self._sought
        if self._member.ended:
            self._member = None
        if self._given > FREE_BYTES + MAX_RATIO * self._read:
            raise InputError(
                f"{self._name}@{self._begin}: unpacks to more than {MAX_RATIO} times its size (a bomb?); stopped"
            )
        return piece

    def _finds_member(self) -> bool:
        """Go to the next member: past the zeros that some writers pad with, and past what is left of a damaged one."""
        while self._sought and self._sought not in self._packed:
            self._packed = self._packed[1 - len(self._sought) :]
            if not self._read_on():
                self._packed = b""
                return False
        self._packed = self._packed[self._packed.find(self._sought) :].lstrip(b"\0")
        self._begin = self._read - len(self._packed)
        return bool(self._packed)

    def _check_end(self) -> None:
        if self._member is not None:
            raise InputError(
                f"{self._name}@{self._begin}: the file breaks off in the {self._member.kind} that begins here; "
                "get it again"
            )
