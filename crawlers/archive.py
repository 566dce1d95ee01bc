"""Raw responses of a crawl as WARC, each record in a gzip member of its own, so that posts can be read again from it.

A page is archived when its content is another than it was last, so that the last record of an address is what the site
showed last; that a page is no more (404, 410) is one record without a body. What was written is noted in the archive's
own index (crawlers.archive_index); what a killed crawl wrote beyond that is taken up when the next one begins, in a new
file, or when posts are forgotten.
"""

import gzip
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from corpus.canonical import sha256_text
from crawlers.archive_index import GONE_DIGEST, next_number, note_record, note_size, open_index
from crawlers.job import USER_AGENT

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
        """Let go of the index."""
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
