"""An HTTP response as it stands in a WARC record: status, headers, and the body without its codings, within bounds."""

import re
import zlib
from collections.abc import Callable

import brotli
from backports import zstd

from corpus.reasons import Reason
from crawlers.ingest import RecordError

MAX_PAGE = 8 << 20
MAX_CODINGS = 4
_STATUS = re.compile(rb"HTTP/[0-9.]{1,4} +([0-9]{3})\b")
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[^\r\n]{0,200}\r?\n")

Fields = dict[bytes, list[bytes]]


def parse_response(block: bytes) -> tuple[int, Fields, bytes]:
    """Status, headers by lower-case name, and decoded body; RecordError says what is wrong or too large."""
    head, empty, body = block.partition(b"\r\n\r\n")
    if not empty:
        head, _, body = block.partition(b"\n\n")
    status_line, _, lines = head.partition(b"\n")
    found = _STATUS.match(status_line)
    if found is None:
        raise RecordError(f"begins with {status_line[:40]!r}, which is no HTTP status")
    fields: Fields = {}
    for line in lines.splitlines():
        name, colon, value = line.partition(b":")
        if colon:
            fields.setdefault(name.strip().lower(), []).append(value.strip())
    if b"chunked" in b",".join(fields.pop(b"transfer-encoding", [])).lower():
        body = unchunked(body)
    codings = b",".join(fields.pop(b"content-encoding", [])).lower().split(b",")
    if len(codings) > MAX_CODINGS:
        raise RecordError(f"{len(codings)} content codings on top of each other; at most {MAX_CODINGS} are undone")
    for coding in reversed(codings):
        body = decoded(body, coding.strip().decode("latin-1"))
    if len(body) > MAX_PAGE:
        raise RecordError(f"page of more than {MAX_PAGE >> 20} MiB", Reason.TOO_LARGE)
    return int(found[1]), fields, body


def unchunked(body: bytes) -> bytes:
    """A body put together from its chunks; one that an archiver has put together already stays as it is.

    >>> unchunked(b"4\\r\\nAnn \\r\\n2\\r\\nis\\r\\n0\\r\\n\\r\\n"), unchunked(b"<p>Ann")
    (b'Ann is', b'<p>Ann')
    """
    parts: list[bytes] = []
    at = 0
    while found := _CHUNK_SIZE.match(body, at):
        size = int(found[1], 16)
        part = body[found.end() : found.end() + size]
        if len(part) < size:
            raise RecordError("its last chunk is cut short")
        if not size:
            return b"".join(parts)
        parts.append(part)
        at = found.end() + size
        at += 2 if body[at : at + 2] == b"\r\n" else 1
    if parts:
        raise RecordError("its chunks break off")
    return body


def decoded(body: bytes, coding: str) -> bytes:
    """A body without one content coding; RecordError for a damaged one, another coding, or one that unpacks too far."""
    if coding in ("", "identity") or not body:
        return body
    decode = _DECODERS.get(coding.removeprefix("x-"))
    if decode is None:
        raise RecordError(f"content coding {coding[:20]!r} is not known")
    try:
        return _bounded(*decode(body))
    except (zlib.error, brotli.error, zstd.ZstdError, EOFError) as error:
        raise RecordError(f"damaged {coding} coding ({error})") from error


def _bounded(body: bytes, whole: bool) -> bytes:
    if len(body) > MAX_PAGE:
        raise RecordError(f"unpacks to more than {MAX_PAGE >> 20} MiB", Reason.TOO_LARGE)
    if not whole:
        raise EOFError("it breaks off")
    return body


def _gunzip(body: bytes) -> tuple[bytes, bool]:
    unpacker = zlib.decompressobj(31)
    return unpacker.decompress(body, MAX_PAGE + 1), unpacker.eof


def _inflate(body: bytes) -> tuple[bytes, bool]:
    """Deflate with the zlib wrapper, or without it as some servers send it."""
    try:
        unpacker = zlib.decompressobj()
        return unpacker.decompress(body, MAX_PAGE + 1), unpacker.eof
    except zlib.error:
        unpacker = zlib.decompressobj(-15)
        return unpacker.decompress(body, MAX_PAGE + 1), unpacker.eof


def _unbrotli(body: bytes) -> tuple[bytes, bool]:
    unpacker = brotli.Decompressor()
    parts = [unpacker.process(body, output_buffer_limit=MAX_PAGE + 1)]
    while not unpacker.is_finished() and sum(map(len, parts)) <= MAX_PAGE:
        piece = unpacker.process(b"", output_buffer_limit=MAX_PAGE + 1)
        if not piece:
            break
        parts.append(piece)
    return b"".join(parts), unpacker.is_finished()


def _unzstd(body: bytes) -> tuple[bytes, bool]:
    unpacker = zstd.ZstdDecompressor()
    return unpacker.decompress(body, MAX_PAGE + 1), unpacker.eof


_DECODERS: dict[str, Callable[[bytes], tuple[bytes, bool]]] = {
    "gzip": _gunzip,
    "deflate": _inflate,
    "br": _unbrotli,
    "zstd": _unzstd,
}
