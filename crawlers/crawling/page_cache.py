"""The file of a page cache: what was downloaded, by key, in SQLite.

Every write is one statement and so one transaction in write-ahead mode: a killed crawl keeps all pages it had. The
crawl that writes holds the file for itself.
"""

import hashlib
import json
import logging
import sqlite3
import time
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from corpus.strict_json import load_json
from corpus.zstandard import zstd
from crawlers.addresses import path_of

_LOG = logging.getLogger(__name__)
DAMAGED = ".damaged"
"""Of a file that could not be read any more, beside the new one."""
DAMAGE_CODES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)

Headers = Mapping[str, Sequence[str]]
_SCHEMA = """
CREATE TABLE IF NOT EXISTS pages (
    key TEXT PRIMARY KEY, url TEXT NOT NULL, status INTEGER NOT NULL, headers TEXT NOT NULL,
    body BLOB NOT NULL, size INTEGER NOT NULL, sha256 TEXT NOT NULL, stored_at REAL NOT NULL
);
CREATE VIEW IF NOT EXISTS sizes AS
    SELECT key, stored_at, length(body) + length(headers) + 2 * length(url) AS taken FROM pages;
CREATE TABLE IF NOT EXISTS refused (key TEXT PRIMARY KEY, etag TEXT NOT NULL) WITHOUT ROWID;
"""
_ROOM = 0.95
"""Of the bound, how much is left in use when pages have to go: they go many at a time."""


class StoredPage(NamedTuple):
    """A page as it was stored; ``stored_at`` is in seconds since 1970, ``sha256`` that of the body."""

    status: int
    headers: dict[str, list[str]]
    body: bytes
    stored_at: float
    sha256: str


def page_key(base_url: str, source: str, url: str) -> str:
    """The key of an address: the source and the path within its site, or the whole address elsewhere.

    >>> page_key("http://127.0.0.1:8000", "bundled", "http://127.0.0.1:8000/questions?page=2")
    'bundled:/questions?page=2'
    >>> page_key("http://127.0.0.1:8000", "bundled", "http://other.example/x")
    'http://other.example/x'
    """
    site, page = urlsplit(base_url), urlsplit(url)
    if (site.scheme, site.netloc) != (page.scheme, page.netloc):
        return url
    return f"{source}:{path_of(url)}"


class PageCache:
    """The SQLite file; also remembers pages refused for their size, with their entity tags."""

    def __init__(self, path: Path, max_bytes: int) -> None:
        self._database = sqlite3.connect(path, isolation_level=None, timeout=30)
        self._max_bytes = max_bytes
        self._packer = zstd.ZstdCompressor(level=3)
        try:
            self._used = self._begin()
        except sqlite3.DatabaseError:
            self._database.close()
            raise

    def _begin(self) -> int:
        """Take hold of the file; how many bytes the pages take."""
        for pragma in ("locking_mode=EXCLUSIVE", "journal_mode=WAL", "synchronous=NORMAL"):
            self._database.execute(f"PRAGMA {pragma}")
        self._database.executescript(_SCHEMA)
        return int(self._database.execute("SELECT coalesce(sum(taken), 0) FROM sizes").fetchone()[0])

    def close(self) -> None:
        """Fold the write-ahead log in and let go of the file."""
        self._database.close()

    def read(self, key: str) -> StoredPage | None:
        """What is stored; None for an unknown page or one whose bytes were damaged."""
        row = self._database.execute(
            "SELECT status, headers, body, size, sha256, stored_at FROM pages WHERE key = ?", (key,)
        ).fetchone()
        if row is None:
            return None
        status, headers, packed, size, digest, stored_at = row
        try:
            body = unpacked(packed, size + 1)
        except (zlib.error, zstd.ZstdError):
            return None
        if len(body) != size or hashlib.sha256(body).hexdigest() != digest:
            return None
        return StoredPage(status, load_json(headers), body, stored_at, digest)

    def write(self, key: str, url: str, status: int, headers: Headers, body: bytes) -> None:
        """Store a page, replacing what was there; above the bound the pages stored longest ago go first.

        Headers and addresses count, too: a site may have as many redirects, which have no body, as it likes.
        """
        packed = self._packer.compress(body, self._packer.FLUSH_FRAME)
        row = (key, url, status, json.dumps(headers), packed, len(body), hashlib.sha256(body).hexdigest(), time.time())
        old = self._database.execute("SELECT taken FROM sizes WHERE key = ?", (key,)).fetchone()
        growth = len(packed) + len(row[3]) + 2 * len(url) - (old[0] if old else 0)
        if self._used + growth > self._max_bytes:
            self._make_room(growth, key)
        self._database.execute("INSERT OR REPLACE INTO pages VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        self._used += growth

    def touch(self, key: str, headers: Headers) -> None:
        """Renew headers and time of a page the site has confirmed; the body is not written again."""
        self._database.execute(
            "UPDATE pages SET headers = ?, stored_at = ? WHERE key = ?", (json.dumps(headers), time.time(), key)
        )

    def refuse(self, key: str, etag: str) -> None:
        """Remember that a page is too large, as of this entity tag."""
        self._database.execute("INSERT OR REPLACE INTO refused VALUES (?, ?)", (key, etag))

    def refused(self, key: str) -> str | None:
        """The entity tag under which a page was too large, or None."""
        row = self._database.execute("SELECT etag FROM refused WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def _make_room(self, size: int, kept: str) -> None:
        """Let pages go, oldest first, until ``size`` more bytes leave some room; not the one that is replaced."""
        rows = self._database.execute("SELECT key, taken FROM sizes WHERE key <> ? ORDER BY stored_at, key", (kept,))
        going = []
        for key, length in rows:
            if self._used + size <= self._max_bytes * _ROOM:
                break
            going.append((key,))
            self._used -= length
        self._database.execute("BEGIN IMMEDIATE")
        self._database.executemany("DELETE FROM pages WHERE key = ?", going)
        self._database.execute("COMMIT")


def open_cache(path: Path, max_bytes: int) -> PageCache:
    """The cache of a file, which is created if there is none; a damaged one is set aside (``.damaged``)."""
    try:
        return PageCache(path, max_bytes)
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode not in DAMAGE_CODES:
            raise
        _LOG.warning("%s is damaged (%s); it is set aside, and pages are fetched again", path, error)
    path.replace(path.with_name(path.name + DAMAGED))
    return PageCache(path, max_bytes)


def unpacked(packed: bytes, size: int) -> bytes:
    """At most ``size`` bytes of a stored body; earlier versions stored bodies with zlib."""
    if packed[:1] == b"x":
        return zlib.decompressobj().decompress(packed, size)
    return zstd.ZstdDecompressor().decompress(packed, size)
