"""Content codings taken off a body, strictly and within bounds: alike for pages that are crawled and for archives."""

import zlib
from collections.abc import Callable

import brotli
from backports import zstd

from corpus.reasons import Reason
from crawlers.thread_records import RecordError

MAX_PAGE = 8 << 20
MAX_CODINGS = 4
_MEMBER = b"\x1f\x8b"
"""What a member of a gzip file begins with."""


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


def is_known(coding: str) -> bool:
    """Whether a content coding can be taken off."""
    return coding.removeprefix("x-") in _DECODERS


def _bounded(body: bytes, whole: bool) -> bytes:
    if len(body) > MAX_PAGE:
        raise RecordError(f"unpacks to more than {MAX_PAGE >> 20} MiB", Reason.TOO_LARGE)
    if not whole:
        raise EOFError("it breaks off")
    return body


def _gunzip(body: bytes) -> tuple[bytes, bool]:
    """All members one after the other; what follows the last and is none is padding."""
    parts: list[bytes] = []
    room = MAX_PAGE + 1
    while room > 0 and (not parts or body.startswith(_MEMBER)):
        unpacker = zlib.decompressobj(31)
        parts.append(unpacker.decompress(body, room))
        if not unpacker.eof:
            return b"".join(parts), False
        room, body = room - len(parts[-1]), unpacker.unused_data
    return b"".join(parts), True


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
