"""Content codings taken off a body, strictly and within bounds: alike for pages that are crawled and for archives.

Also an HTTP response as it stands in a WARC record: status, headers, and the body without its codings.
"""

import re
import zlib
from collections.abc import Callable
from typing import NamedTuple

import brotli

from corpus.reasons import Reason
from corpus.zstandard import zstd
from crawlers.archives.bounded_streams import RecordError

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


_STATUS = re.compile(rb"HTTP/[0-9.]{1,4} +([0-9]{3})\b")
_MARKUP = re.compile(rb"(?:\xef\xbb\xbf)?\s{0,1000}<[!?A-Za-z]")
_PAGE = re.compile(rb"(?:\xef\xbb\xbf)?\s{0,1000}<(?:!doctype|!--|\?xml|html|head|body|meta|title)", re.I)
_LOOKED_AT = 2_000
_BINARY = bytes([*range(9), 11, *range(14, 27), *range(28, 32)])
_NO_CODINGS = frozenset(("utf-8", "utf8", "iso-8859-1", "windows-1252", "none", "null", "7bit", "8bit", "binary"))
"""What servers say for a content coding that is none."""
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[^\r\n]{0,200}\r?\n")

Fields = dict[bytes, list[bytes]]


class HttpResponse(NamedTuple):
    """Status, headers by lower-case name, decoded body; and, if a part of the body is not there, what says so."""

    status: int
    fields: Fields
    body: bytes
    cut: str


def parse_response(block: bytes) -> HttpResponse:
    """The response in a block; RecordError says what is wrong or too large.

    A body that is stored without its coding, whatever the headers say, is taken as it is.
    """
    end = _HEAD_END.search(block)
    head, body = (block[: end.start()], block[end.end() :]) if end else (block, b"")
    status, lines = status_of(head), head.partition(b"\n")[2]
    fields: Fields = {}
    for line in lines.splitlines():
        name, colon, value = line.partition(b":")
        if colon:
            fields.setdefault(name.strip().lower(), []).append(value.strip())
    chunked = b"chunked" in b",".join(fields.pop(b"transfer-encoding", [])).lower()
    stored = body = unchunked(body) if chunked else body
    codings = b",".join(fields.pop(b"content-encoding", [])).lower().split(b",")
    if len(codings) > MAX_CODINGS:
        raise RecordError(f"{len(codings)} content codings on top of each other; at most {MAX_CODINGS} are decoded")
    for coding in reversed(codings):
        body = _without(body, coding.strip().decode("latin-1"))
    if len(body) > MAX_PAGE:
        raise RecordError(f"page of more than {MAX_PAGE >> 20} MiB", Reason.TOO_LARGE)
    is_coded = any(is_known(coding.strip().decode("latin-1")) for coding in codings)
    # The length is that of the coded body, which an archiver may have taken the coding off.
    missing = 0 if chunked or (is_coded and body == stored) else _length(fields) - len(stored)
    return HttpResponse(status, fields, body, f"{missing} bytes of it are missing" if missing > 0 else "")


def _length(fields: Fields) -> int:
    """The longest body that the headers announce."""
    said = (value.strip() for values in fields.get(b"content-length", []) for value in values.split(b","))
    return max((int(value) for value in said if value.isdigit() and len(value) < 16), default=0)


def status_of(block: bytes) -> int:
    """The status that a response begins with; RecordError where it is none.

    >>> status_of(b"HTTP/1.1 410 Gone\\r\\n\\r\\n")
    410
    """
    found = _STATUS.match(block)
    if found is None:
        line = block.partition(b"\n")[0]
        raise RecordError(f"begins with {line[:40]!r}, which is not an HTTP status")
    return int(found[1])


def _without(body: bytes, coding: str) -> bytes:
    """A body without a coding; as it is, where it cannot be taken off and what is there is a page.

    Some archivers take the codings off and leave the headers that name them.
    """
    if coding in _NO_CODINGS:
        return body
    try:
        return decoded(body, coding)
    except RecordError:
        if is_known(coding) and is_page(body):
            return body
        raise


def is_page(body: bytes) -> bool:
    """Whether a body begins as a page does, or is text: no coding gives either.

    >>> [is_page(body) for body in (b" <html><p>" + bytes(2), b"<p>caf", b"{}", b"<p" + bytes(2), bytes([31, 139, 8]))]
    [True, True, True, False, False]
    """
    head = body[:_LOOKED_AT]
    return _PAGE.match(head) is not None or (
        len(head.translate(None, _BINARY)) == len(head) and (_MARKUP.match(head) is not None or _is_text(head))
    )


def _is_text(head: bytes) -> bool:
    """Whether bytes are UTF-8 but for a character that is cut off."""
    return len(head.decode("utf-8", "ignore").encode()) > len(head) - 4


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
            raise RecordError("its last chunk is cut short", Reason.TRUNCATED)
        if not size:
            return b"".join(parts)
        parts.append(part)
        at = found.end() + size
        at += 2 if body[at : at + 2] == b"\r\n" else 1
    if parts:
        raise RecordError("its chunks break off", Reason.TRUNCATED)
    return body
