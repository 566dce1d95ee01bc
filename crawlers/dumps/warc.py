"""WARC records (ISO 28500) as a stream, plain or packed by gzip or zstd, a record a member or all in one; also in WACZ.

Own reading rather than warcio or FastWARC: both take a file that breaks off for one that ends, and give the part of a
record that is there as if it were whole (tried with warcio 1.8.1 and FastWARC 2.0.1). Here every record is checked
against its length and digest, and what is wrong names its offset.
"""

import base64
import binascii
import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from corpus.errors import InputError
from crawlers.dumps.containers import FREE_BYTES, MAX_RATIO, Stream
from crawlers.dumps.members import DAMAGE, Member, opener

MAX_HEADER = 64 << 10
MAX_BLOCK = 16 << 20
_CHUNK = 64 << 10
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


def read_records(name: str, stream: Stream) -> Iterator[WarcRecord]:
    """The records of a WARC file.

    Raises InputError naming the offset, after the records before it, where the file is damaged, cut short, no WARC, or
    unpacks without end.
    """
    source = _Unpacked(name, stream)
    while True:
        source.skip_blank()
        offset = source.offset
        line = source.line()
        if not line:
            return
        where = f"{name}@{offset}"
        if not line.startswith(b"WARC/"):
            raise InputError(f"{where}: no WARC record begins here; the file is damaged, or not a web archive")
        headers = _headers(where, source)
        block = _block(where, headers, source)
        yield WarcRecord(offset, headers, block)


def _headers(where: str, source: "_Unpacked") -> dict[str, str]:
    headers: dict[str, str] = {}
    last, size = "", 0
    while (line := source.line()).strip():
        size += len(line)
        if size > MAX_HEADER:
            raise InputError(f"{where}: headers of more than {MAX_HEADER >> 10} KiB; the file is damaged")
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        if text[:1] in " \t" and last:
            headers[last] += " " + text.strip()
            continue
        key, colon, value = text.partition(":")
        if not colon:
            raise InputError(f"{where}: a header line without a colon; the file is damaged")
        last = key.strip().lower()
        headers[last] = value.strip()
    if not line:
        raise InputError(f"{where}: the file breaks off in the headers of this record; get it again")
    return headers


def _block(where: str, headers: Mapping[str, str], source: "_Unpacked") -> bytes | None:
    said = headers.get("content-length", "")
    if not said.isascii() or not said.isdigit() or len(said) > 15:
        raise InputError(f"{where}: Content-Length {said[:20]!r} is not a number; the file is damaged")
    size = int(said)
    kept = source.take(size) if size <= MAX_BLOCK else None
    missing = size - len(kept) if kept is not None else size - source.pass_over(size)
    if missing:
        raise InputError(f"{where}: the file breaks off {missing} bytes before the end of this record; get it again")
    return kept


def digest_fits(record: WarcRecord) -> bool:
    """Whether the block is the one that was digested; also where no digest, or one of another kind, is given."""
    algorithm, _, said = record.headers.get("warc-block-digest", "").partition(":")
    name = _DIGESTS.get(algorithm.lower())
    if name is None or record.block is None:
        return True
    digest = hashlib.new(name, record.block, usedforsecurity=False).digest()
    if len(said) == 2 * len(digest):
        return said.lower() == digest.hex()
    try:
        return base64.b32decode(said.upper()) == digest
    except (binascii.Error, ValueError):
        return False


class _Unpacked:
    """The file's text with the offset of what comes next: of the member it begins, else of its first byte."""

    def __init__(self, name: str, stream: Stream) -> None:
        self._name, self._stream = name, stream
        self._open, self._packed, dropped = opener(name, stream.read(_CHUNK), stream.read)
        self._member: Member | None = None
        self._read, self._given, self._begin = dropped + len(self._packed), 0, 0
        self._text, self._at = b"", 0

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

    def take(self, size: int) -> bytes:
        """So many bytes; fewer only at the end of the file."""
        parts, missing = [], size
        while missing and (self._at < len(self._text) or self._more()):
            parts.append(self._advance(missing))
            missing -= len(parts[-1])
        return b"".join(parts)

    def pass_over(self, size: int) -> int:
        """Leave so many bytes out; returns how many there were."""
        missing = size
        while missing and (self._at < len(self._text) or self._more()):
            missing -= len(self._advance(missing))
        return size - missing

    def skip_blank(self) -> None:
        """Leave out the empty lines between records."""
        while self._at < len(self._text) or self._more():
            rest = self._text[self._at : self._at + 4]
            blank = len(rest) - len(rest.lstrip(b"\r\n"))
            if not blank:
                return
            self._advance(blank)

    def _advance(self, size: int) -> bytes:
        piece = self._text[self._at : self._at + size]
        self._at += len(piece)
        self._given += len(piece)
        return piece

    def _more(self) -> bool:
        """Unpack on; False at the end of the file. A member is never joined with the one before it."""
        if self._open is None:
            data, self._packed = self._packed, b""
            data = data or self._stream.read(_CHUNK)
            self._text, self._at = self._text[self._at :] + data, 0
            return bool(data)
        piece = b""
        while not piece:
            if not self._packed and not (self._member is not None and self._member.pending):
                self._packed = self._stream.read(_CHUNK)
                self._read += len(self._packed)
                if not self._packed:
                    self._check_end()
                    return False
            piece = self._unpack(self._open)
        self._text, self._at = self._text[self._at :] + piece, 0
        return True

    def _unpack(self, open_member: Callable[[], Member]) -> bytes:
        if self._member is None:
            self._begin = self._read - len(self._packed)
            self._member = open_member()
        try:
            piece, self._packed = self._member.unpack(self._packed, _CHUNK)
        except DAMAGE as error:
            raise InputError(
                f"{self._name}@{self._begin}: damaged {self._member.kind} ({error}); get the file again"
            ) from error
        if self._member.ended:
            self._member = None
        if self._given > FREE_BYTES + MAX_RATIO * self._read:
            raise InputError(
                f"{self._name}@{self._begin}: unpacks to more than {MAX_RATIO} times its size (a bomb?); stopped"
            )
        return piece

    def _check_end(self) -> None:
        if self._member is not None:
            raise InputError(
                f"{self._name}@{self._begin}: the file breaks off in the {self._member.kind} that begins here; "
                "get it again"
            )
