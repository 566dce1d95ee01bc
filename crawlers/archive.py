"""Raw responses of a crawl as WARC, each record in a gzip member of its own, so that posts can be read again from it.

A page is archived when its content is another than it was last, so that the last record of an address is what the site
showed last. What was written is noted in the archive's own index, also how far a file is whole: what a killed crawl
wrote beyond that is cut off when the next one begins, in a new file, or when posts are forgotten.
"""

import gzip
import hashlib
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path

from corpus.canonical import sha256_text
from crawlers.job import USER_AGENT

SOURCE_FIELD = "wordquarry-source"
INDEX, ARCHIVES = "index.sqlite", "*.warc.gz"
"""In a folder of archives: its index, and the archives themselves."""
SCHEMA = """
CREATE TABLE IF NOT EXISTS archived (url TEXT NOT NULL, sha256 TEXT NOT NULL, PRIMARY KEY (url, sha256)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS latest (url TEXT PRIMARY KEY, sha256 TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS files (name TEXT PRIMARY KEY, size INTEGER NOT NULL) WITHOUT ROWID;
"""
_UNSTORED = frozenset(("content-length", "transfer-encoding", "set-cookie", "connection", "keep-alive"))


class Archive:
    """One folder of WARC files; a crawl writes one of them."""

    def __init__(self, folder: Path, source: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._database = sqlite3.connect(folder / INDEX, isolation_level=None, timeout=30)
        self._database.execute("PRAGMA journal_mode=WAL")
        self._database.executescript(SCHEMA)
        cut_off(folder, self._database)
        number = 1 + self._database.execute("SELECT count(*) FROM files").fetchone()[0]
        self._path = folder / f"{source}-{number:05d}.warc.gz"
        self._source, self._size = source, 0

    def write(self, page: tuple[str, str], status: int, headers: Mapping[str, Sequence[str]], body: bytes) -> bool:
        """Archive a page, by address and time (UTC, ISO 8601), unless this is its last content; whether it was not.

        ``body`` is as it came over the network, with any content coding that ``headers`` name.
        """
        url, date = page
        key = (url, hashlib.sha256(body).hexdigest())
        if self._is_last(*key):
            return False
        block = _http(status, headers, body)
        if not self._size:
            info = f"software: {USER_AGENT}\r\nformat: WARC File Format 1.1\r\n{SOURCE_FIELD}: {self._source}\r\n"
            self._append(_record("warcinfo", date, "application/warc-fields", info.encode()))
        self._append(_record("response", date, "application/http; msgtype=response", block, url))
        self._database.execute("BEGIN IMMEDIATE")
        self._database.execute("INSERT OR REPLACE INTO files VALUES (?, ?)", (self._path.name, self._size))
        self._database.execute("INSERT OR IGNORE INTO archived VALUES (?, ?)", key)
        self._database.execute("INSERT OR REPLACE INTO latest VALUES (?, ?)", key)
        self._database.execute("COMMIT")
        return True

    def _is_last(self, url: str, digest: str) -> bool:
        """Whether this is what was archived last of an address; an index of an earlier version does not know which."""
        last = self._database.execute("SELECT sha256 FROM latest WHERE url = ?", (url,)).fetchone()
        if last is not None:
            return bool(last[0] == digest)
        known = "SELECT 1 FROM archived WHERE url = ? AND sha256 = ?"
        return self._database.execute(known, (url, digest)).fetchone() is not None

    def close(self) -> None:
        """Let go of the index."""
        self._database.close()

    def _append(self, record: bytes) -> None:
        packed = gzip.compress(record, 6, mtime=0)
        with self._path.open("ab") as file:
            file.write(packed)
        self._size += len(packed)


def cut_off(folder: Path, index: sqlite3.Connection) -> None:
    """Take away what a killed crawl wrote into a folder of archives and did not note in their index."""
    sizes = dict(index.execute("SELECT name, size FROM files").fetchall())
    for path in sorted(folder.glob(ARCHIVES)):
        whole = sizes.get(path.name, 0)
        if not whole:
            path.unlink()
        elif path.stat().st_size > whole:
            with path.open("r+b") as file:
                file.truncate(whole)


def _http(status: int, headers: Mapping[str, Sequence[str]], body: bytes) -> bytes:
    lines = [f"HTTP/1.1 {status} {'OK' if status == 200 else 'Answer'}"]
    kept = {name: values for name, values in headers.items() if name.lower() not in _UNSTORED}
    lines += [f"{name}: {value}" for name, values in sorted(kept.items()) for value in values]
    lines.append(f"Content-Length: {len(body)}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace") + body


def _record(kind: str, date: str, media: str, block: bytes, url: str = "") -> bytes:
    """A record whose id follows from what it holds: the same pages, the same bytes."""
    digest = hashlib.sha256(block).hexdigest()
    name = sha256_text(f"{kind} {date} {url} {digest}")
    headers = {
        "WARC-Type": kind,
        "WARC-Record-ID": f"<urn:uuid:{name[:8]}-{name[8:12]}-5{name[13:16]}-a{name[17:20]}-{name[20:32]}>",
        "WARC-Date": date,
        **({"WARC-Target-URI": url} if url else {}),
        "WARC-Block-Digest": f"sha256:{digest}",
        "Content-Type": media,
        "Content-Length": str(len(block)),
    }
    head = "WARC/1.1\r\n" + "".join(f"{key}: {value}\r\n" for key, value in headers.items()) + "\r\n"
    return head.encode("utf-8", "replace") + block + b"\r\n\r\n"
