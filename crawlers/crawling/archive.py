"""Raw responses of a crawl as WARC, each record in a gzip member of its own, so that posts can be read again from it.

A page is archived when its content is another than it was last, so that the last record of an address is what the
site showed last; that a page is no more (404, 410) is one record without a body. The index of a folder says what was
archived last of every address, and how far each file is whole. Where it is gone, damaged, or knows more than is left
of a file, it is made anew from the files; records that a killed crawl wrote whole and did not note are taken up when
the next one begins, in a new file, or when posts are forgotten. Only what breaks off within a record is ever cut off.
"""

import gzip
import hashlib
import logging
import re
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from corpus.canonical import sha256_text
from corpus.errors import CrawlError, InputError
from corpus.folders.open_files import open_file
from crawlers.crawling.job import USER_AGENT
from crawlers.crawling.page_cache import DAMAGE_CODES

SOURCE_FIELD = "wordquarry-source"
_RESPONSE = "application/http; msgtype=response"
_UNSTORED = frozenset(("content-length", "transfer-encoding", "set-cookie", "connection", "keep-alive"))


class Archive:
    """One folder of WARC files; a crawl writes one of them."""

    def __init__(self, folder: Path, source: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._index = open_index(folder)
        self._path = folder / f"{source}-{next_number(folder, self._index):05d}.warc.gz"
        self._source, self._size = source, 0

    def write(self, page: tuple[str, str], status: int, headers: Mapping[str, Sequence[str]], body: bytes) -> bool:
        """Archive a page, by address and time (UTC, ISO 8601), unless this is its last content; whether it was not.

        ``body`` is as it came over the network, with any content coding that ``headers`` name.
        """
        return self._add(page, hashlib.sha256(body).hexdigest(), _http(status, headers, body))

    def bury(self, page: tuple[str, str], status: int) -> bool:
        """Archive that a page is no more, unless that is known; whether it was not. Its text is left out."""
        return self._add(page, GONE_DIGEST, _http(status, {}, b""), {"WARC-Truncated": "unspecified"})

    def _add(self, page: tuple[str, str], digest: str, block: bytes, more: Mapping[str, str] | None = None) -> bool:
        url, date = page
        if self._is_last(url, digest):
            return False
        if not self._size:
            info = f"software: {USER_AGENT}\r\nformat: WARC File Format 1.1\r\n{SOURCE_FIELD}: {self._source}\r\n"
            self._append(_record("warcinfo", ("", date), "application/warc-fields", info.encode()))
        self._append(_record("response", page, _RESPONSE, block, more))
        self._index.execute("BEGIN IMMEDIATE")
        note_size(self._index, self._path, self._size)
        note_record(self._index, url, digest)
        self._index.execute("COMMIT")
        return True

    def _is_last(self, url: str, digest: str) -> bool:
        """Whether this is what was archived last of an address; an index of an earlier version does not know which."""
        last = self._index.execute("SELECT sha256 FROM latest WHERE url = ?", (url,)).fetchone()
        if last is not None:
            return bool(last[0] == digest)
        known = "SELECT 1 FROM archived WHERE url = ? AND sha256 = ?"
        return self._index.execute(known, (url, digest)).fetchone() is not None

    def close(self) -> None:
        self._index.close()

    def _append(self, record: bytes) -> None:
        packed = gzip.compress(record, 6, mtime=0)
        with self._path.open("ab") as file:
            file.truncate(self._size)  # a full disk may have left a part of the record before
            file.write(packed)
        self._size += len(packed)


def _http(status: int, headers: Mapping[str, Sequence[str]], body: bytes) -> bytes:
    lines = [f"HTTP/1.1 {status} {'OK' if status == 200 else 'Answer'}"]
    kept = {name: values for name, values in headers.items() if name.lower() not in _UNSTORED}
    lines += [f"{name}: {value}" for name, values in sorted(kept.items()) for value in values]
    lines.append(f"Content-Length: {len(body)}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace") + body


def _record(kind: str, page: tuple[str, str], media: str, block: bytes, more: Mapping[str, str] | None = None) -> bytes:
    """A record whose id follows from what it holds: the same pages, the same bytes."""
    url, date = page
    digest = hashlib.sha256(block).hexdigest()
    name = sha256_text(f"{kind} {date} {url} {digest}")
    headers = {
        "WARC-Type": kind,
        "WARC-Record-ID": f"<urn:uuid:{name[:8]}-{name[8:12]}-5{name[13:16]}-a{name[17:20]}-{name[20:32]}>",
        "WARC-Date": date,
        **({"WARC-Target-URI": url} if url else {}),
        "WARC-Block-Digest": f"sha256:{digest}",
        **(more or {}),
        "Content-Type": media,
        "Content-Length": str(len(block)),
    }
    head = "WARC/1.1\r\n" + "".join(f"{key}: {value}\r\n" for key, value in headers.items()) + "\r\n"
    return head.encode("utf-8", "replace") + block + b"\r\n\r\n"


_LOG = logging.getLogger(__name__)
INDEX, ARCHIVES = "index.sqlite", "*.warc.gz"
"""In a folder of archives: its index, and the archives themselves."""
GONE, GONE_DIGEST = (404, 410), "gone"
"""Of a page that is no more: what its site answers, and what the index holds in place of a digest."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS archived (url TEXT NOT NULL, sha256 TEXT NOT NULL, PRIMARY KEY (url, sha256)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS latest (url TEXT PRIMARY KEY, sha256 TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS files (name TEXT PRIMARY KEY, size INTEGER NOT NULL) WITHOUT ROWID;
"""
_TABLES = ("archived", "latest", "files")
_CHUNK, _MAX_MEMBER = 1 << 16, 1 << 24
_END = b"\r\n\r\n"
_NUMBER = re.compile(r"-([0-9]{1,9})\.warc\.gz")


def open_index(folder: Path) -> sqlite3.Connection:
    """The index of a folder, which knows every whole record in it when this returns.

    Raises CrawlError for an archive that is damaged where nothing says how far it was whole: it stays as it is.
    """
    path = folder / INDEX
    try:
        index = _opened(path)
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode not in DAMAGE_CODES:
            raise
        _LOG.warning("%s is damaged (%s); it is rebuilt from the archives beside it", path, error)
        for file in folder.glob(f"{INDEX}*"):
            file.unlink()
        index = _opened(path)
    try:
        _take_up(folder, index)
    except CrawlError:
        index.close()
        raise
    return index


def next_number(folder: Path, index: sqlite3.Connection) -> int:
    """The number of the next archive: above that of every one that is there or was noted."""
    names = [path.name for path in folder.glob(ARCHIVES)]
    names += [name for (name,) in index.execute("SELECT name FROM files")]
    return 1 + max(map(_number, names), default=0)


def note_record(index: sqlite3.Connection, url: str, digest: str) -> None:
    """Note what was archived last of an address: the digest of a body, or GONE_DIGEST."""
    index.execute("INSERT OR IGNORE INTO archived VALUES (?, ?)", (url, digest))
    index.execute("INSERT OR REPLACE INTO latest VALUES (?, ?)", (url, digest))


def note_size(index: sqlite3.Connection, path: Path, size: int) -> None:
    """Note how far an archive is whole, in bytes."""
    index.execute("INSERT OR REPLACE INTO files VALUES (?, ?)", (path.name, size))


def _opened(path: Path) -> sqlite3.Connection:
    index = sqlite3.connect(path, isolation_level=None, timeout=30)
    try:
        index.execute("PRAGMA journal_mode=WAL")
        index.executescript(_SCHEMA)
        (verdict,) = index.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            damage = sqlite3.DatabaseError(verdict)
            damage.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise damage
    except sqlite3.DatabaseError:
        index.close()
        raise
    return index


def _take_up(folder: Path, index: sqlite3.Connection) -> None:
    """Note the whole records that the index does not know; what breaks off behind them is cut off."""
    archives = {path.name: path for path in sorted(folder.glob(ARCHIVES), key=_in_order)}
    noted: dict[str, int] = dict(index.execute("SELECT name, size FROM files").fetchall())
    if any(path.stat().st_size < noted.get(name, 0) for name, path in archives.items()):
        for table in _TABLES:
            index.execute(f"DELETE FROM {table}")  # noqa: S608 - names of ours
        noted = {}
    for name, path in archives.items():
        if path.stat().st_size != noted.get(name, -1):
            _take_tail(path, noted.get(name, 0), index)


def _take_tail(path: Path, known: int, index: sqlite3.Connection) -> None:
    """Note the records of an archive behind those that are known; without any whole record the file goes."""
    end = known
    index.execute("BEGIN IMMEDIATE")
    try:
        for member_end, text in _members(path, known):
            headers, block = _record_of(path.name, text)
            end = member_end
            if headers.get("WARC-Type") == "response":
                note_record(index, headers.get("WARC-Target-URI", ""), _digest(block))
    except (InputError, zlib.error) as error:
        if not known:
            index.execute("ROLLBACK")
            raise CrawlError(
                f"{path} is damaged after byte {end} ({error}), and no index says up to where it was intact; "
                f"move it out of {path.parent}, or restore it, and run again"
            ) from error
    if end:
        note_size(index, path, end)
    index.execute("COMMIT")
    if not end:
        path.unlink()
    elif path.stat().st_size > end:
        with path.open("r+b") as file:
            file.truncate(end)


def _record_of(name: str, text: bytes) -> tuple[dict[str, str], bytes]:
    """Headers and block of a record as an archive writes it, alone in its member; InputError for another one."""
    head, _, rest = text.partition(_END)
    first, *lines = head.decode("utf-8", "replace").split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines if ": " in line)
    block = rest.removesuffix(_END)
    if not first.startswith("WARC/") or headers.get("Content-Length") != str(len(block)) or block == rest:
        raise InputError(f"{name}: no record of a crawl")
    return headers, block


def _members(path: Path, begin: int) -> Iterator[tuple[int, bytes]]:
    """Where each whole gzip member ends, and what it unpacks to."""
    with open_file(path) as file:
        file.seek(begin)
        data = b""
        while data := data or file.read(_CHUNK):
            unpacker = zlib.decompressobj(31)
            text = bytearray()
            while not unpacker.eof:
                if not (data := data or file.read(_CHUNK)):
                    return
                text += unpacker.decompress(data, _MAX_MEMBER + 1)
                data = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
                if len(text) > _MAX_MEMBER:
                    raise InputError(f"{path.name}: a record of more than {_MAX_MEMBER >> 20} MiB")
            yield file.tell() - len(data), bytes(text)


def _digest(block: bytes) -> str:
    """What the index holds of a response: as crawlers.crawling.archive noted it."""
    head, _, body = block.partition(_END)
    return GONE_DIGEST if head[9:12].decode("latin-1") in map(str, GONE) else hashlib.sha256(body).hexdigest()


def _number(name: str) -> int:
    found = _NUMBER.search(name)
    return int(found[1]) if found else 0


def _in_order(path: Path) -> tuple[int, str]:
    """Archives in the order they were written in."""
    return (_number(path.name), path.name)
