"""One way to write a value down, so that equal content has equal bytes and equal digests everywhere."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from corpus.records import Answer, Post, Record

_HALF_CHARACTER = re.compile("[\ud800-\udfff]")
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def canonical_json(value: object) -> str:
    """JSON with sorted keys and no spaces; NaN and infinities are refused with ValueError.

    A lone surrogate is escaped, so that the text can always be encoded as UTF-8.

    >>> canonical_json({"b": 1, "a": ["7/2", None]})
    '{"a":["7/2",null],"b":1}'
    >>> canonical_json("half a character: \\ud83d")
    '"half a character: \\\\ud83d"'
    """
    text = _ENCODER.encode(value)
    return text if text.isascii() else _HALF_CHARACTER.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def sha256_text(text: str) -> str:
    """Hexadecimal SHA-256 of the UTF-8 bytes of ``text``; lone surrogates are escaped, never an error."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def digest_of(value: object) -> str:
    """SHA-256 of the canonical JSON of plain data."""
    return sha256_text(canonical_json(value))


def rows_digest(rows: Iterable[Record]) -> str:
    """SHA-256 over the canonical JSON lines of ``rows`` in the order given: content, not file format."""
    whole = hashlib.sha256()
    for row in rows:
        whole.update(canonical_json(row.model_dump(mode="json")).encode())
        whole.update(b"\n")
    return whole.hexdigest()


def set_digest(rows: Iterable[Record]) -> str:
    """A digest of a set of rows that does not depend on their order: the sum of the rows' SHA-256 modulo 2**256.

    Digests of disjoint parts add up to the digest of the whole, see ``add_digests``.
    """
    return add_digests(sha256_text(canonical_json(row.model_dump(mode="json"))) for row in rows)


def add_digests(digests: Iterable[str]) -> str:
    """The digest of the union of disjoint sets, from their digests.

    >>> add_digests([]) == "0" * 64
    True
    """
    return f"{sum(int(digest, 16) for digest in digests) % 2**256:064x}"


RETRIEVAL = ("retrieved_at", "response_sha256", "parser")
"""Fields of a post that say when and how its content was retrieved, and are no part of it."""
_NO_CONTENT = frozenset((*RETRIEVAL, "content_sha256"))
_IF_SAID: Mapping[type[Record], set[str]] = {
    kind: {name for name, field in kind.model_fields.items() if field.exclude_if} for kind in (Post, Answer)
}
"""Fields that are written only where they hold something."""


def content_digest(post: Post) -> str:
    """The ``content_sha256`` of a post: everything but its retrieval and the digest itself."""
    return digest_of(post.model_dump(mode="json", exclude={*RETRIEVAL, "content_sha256"}))


def row_digest(row: Mapping[str, Any]) -> str:
    """The ``content_sha256`` of a post as plain data, whether what it lacks is None there or not at all."""
    content = {name: value for name, value in _said(row, Post).items() if name not in _NO_CONTENT}
    content["answers"] = [_said(answer, Answer) for answer in row["answers"]]
    return digest_of(content)


def _said(row: Mapping[str, Any], kind: type[Record]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value is not None or name not in _IF_SAID[kind]}


def with_digest(post: Post) -> Post:
    """The same post carrying its own content digest."""
    return post.model_copy(update={"content_sha256": content_digest(post)})


def bucket_of(identifier: str, buckets: int) -> int:
    """The shard, in ``range(buckets)``, that an identifier belongs to on every machine.

    Shards are intervals of the identifier's digest, in order: each of them is two neighbours of twice as many.
    """
    return int(sha256_text(identifier)[:12], 16) * buckets >> 48


def modulo_bucket_of(identifier: str, buckets: int) -> int:
    """The shard of an identifier as builds chose it up to version 0.2, so that what they made is found."""
    return int(sha256_text(identifier)[:12], 16) % buckets
