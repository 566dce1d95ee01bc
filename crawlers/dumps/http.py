"""An HTTP response as it stands in a WARC record: status, headers, and the body without its codings, within bounds."""

import re

from corpus.reasons import Reason
from crawlers.codings import MAX_CODINGS, MAX_PAGE, decoded
from crawlers.ingest import RecordError

_STATUS = re.compile(rb"HTTP/[0-9.]{1,4} +([0-9]{3})\b")
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[^\r\n]{0,200}\r?\n")

Fields = dict[bytes, list[bytes]]


def parse_response(block: bytes) -> tuple[int, Fields, bytes]:
    """Status, headers by lower-case name, and decoded body; RecordError says what is wrong or too large."""
    head, empty, body = block.partition(b"\r\n\r\n")
    if not empty:
        head, _, body = block.partition(b"\n\n")
    status, lines = status_of(head), head.partition(b"\n")[2]
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
    return status, fields, body


def status_of(block: bytes) -> int:
    """The status that a response begins with; RecordError where it is none.

    >>> status_of(b"HTTP/1.1 410 Gone\\r\\n\\r\\n")
    410
    """
    found = _STATUS.match(block)
    if found is None:
        line = block.partition(b"\n")[0]
        raise RecordError(f"begins with {line[:40]!r}, which is no HTTP status")
    return int(found[1])


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
