"""Forgotten posts leave what crawls have kept: their pages go from cache and WARC files, their lines from posts files.

A page is one of a forgotten post by its address, or by the digest of what the post was read from. In an archive every
other record stays as it is, byte for byte.
"""

import hashlib
import sqlite3
import zlib
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from corpus.errors import CrawlError, InputError
from corpus.folders.open_files import open_file, read_file
from corpus.post_store.tombstones import Tombstones, address_key
from corpus.records import Post
from corpus.strict_json import load_json
from corpus.takedowns.forgetting import Traces
from corpus.zstandard import zstd
from crawlers.archives.bounded_streams import RecordError
from crawlers.archives.codings import MAX_PAGE, decoded, parse_response
from crawlers.crawling.archive import ARCHIVES, note_size, open_index
from crawlers.crawling.crawl_run import ARCHIVE, POSTS, locked
from crawlers.crawling.page_cache import DAMAGE_CODES, DAMAGED, unpacked
from crawlers.dumps.warc import WarcRecord, read_records

CACHES = "cache*.sqlite"
_LATER = "it will not store the forgotten post; run the command again after it, to remove what it keeps"
_LEFTOVERS = ("posts.part", "posts.tmp")


def clear_crawls(crawls: Path, traces: Traces) -> int:
    """Clear the folder of every source below ``crawls``; returns how many pages, records and lines went.

    Raises CrawlError, one line, where a crawl is under way or an archive is damaged: then what is left has to be
    removed by hand.
    """
    return sum(clear_crawl(folder, traces) for folder in sorted(crawls.glob("*")) if folder.is_dir())


def clear_forbidden(folder: Path, posts: Iterable[Post], buried: Tombstones) -> int:
    """Clear the folder of a crawl of those of its posts that were forgotten before; returns what went, as above."""
    forbidden = [post for post in posts if buried.forbid(post.post_id, post.url)]
    return clear_crawl(folder, Traces.of(forbidden)) if forbidden else 0


def clear_crawl(folder: Path, traces: Traces) -> int:
    """Clear the folder of one source."""
    with locked(folder, _LATER):
        for leftover in (*(folder / name for name in _LEFTOVERS), *folder.glob(f"*{DAMAGED}")):
            leftover.unlink(missing_ok=True)
        removed = _clear_posts(folder / POSTS, traces)
        removed += sum(_clear_cache(path, traces) for path in sorted(folder.glob(CACHES)))
        return removed + _clear_archives(folder / ARCHIVE, traces)


def _clear_posts(path: Path, traces: Traces) -> int:
    if not path.exists():
        return 0
    lines = read_file(path).splitlines(keepends=True)
    kept = [line for line in lines if not _is_line_of(load_json(line), traces)]
    if len(kept) < len(lines):
        temporary = path.with_suffix(".tmp")
        temporary.write_bytes(b"".join(kept))
        temporary.replace(path)
    return len(lines) - len(kept)


def _is_line_of(post: dict[str, str | None], traces: Traces) -> bool:
    url = post["url"]
    return post["post_id"] in traces.post_ids or (url is not None and address_key(url) in traces.urls)


def _clear_cache(path: Path, traces: Traces) -> int:
    """Clear a cache; one too damaged to be searched goes as a whole, for its pages can be fetched again."""
    try:
        return _clear_pages(path, traces)
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode not in DAMAGE_CODES:
            raise
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()
    return 0


def _clear_pages(path: Path, traces: Traces) -> int:
    """Pages of the same path go too: the cache of a site does not tell its addresses apart by host."""
    paths = {key.partition("/")[2] for key in traces.urls}
    with closing(sqlite3.connect(path, isolation_level=None, timeout=30)) as database:
        database.execute("PRAGMA secure_delete=ON")
        rows = database.execute("SELECT key, url, sha256, headers, body FROM pages")
        gone = [
            (key,)
            for key, url, digest, headers, packed in rows
            if address_key(url).partition("/")[2] in paths
            or digest in traces.responses
            or _page_digest(load_json(headers), packed) in traces.responses
        ]
        database.executemany("DELETE FROM pages WHERE key = ?", gone)
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return len(gone)


def _page_digest(headers: dict[str, list[str]], packed: bytes) -> str | None:
    """The digest of a cached page without its content codings; None where it has none, or cannot be unpacked."""
    codings = [coding for name, values in headers.items() if name.lower() == "content-encoding" for coding in values]
    if not codings:
        return None
    try:
        body = unpacked(packed, MAX_PAGE)
        for coding in reversed(",".join(codings).lower().split(",")):
            body = decoded(body, coding.strip())
    except (zlib.error, zstd.ZstdError, RecordError):
        return None
    return hashlib.sha256(body).hexdigest()


def _clear_archives(folder: Path, traces: Traces) -> int:
    """Clear the archives of a crawl, and what a killed crawl left unnoted in them."""
    if not any(folder.glob(ARCHIVES)):
        return 0
    try:
        opened = open_index(folder)
    except CrawlError as error:
        raise CrawlError(f"{error}; what it holds of the forgotten post was not removed") from error
    with closing(opened) as index:
        index.execute("PRAGMA secure_delete=ON")
        return sum(_clear_archive(path, index, traces) for path in sorted(folder.glob(ARCHIVES)))


def _clear_archive(path: Path, index: sqlite3.Connection, traces: Traces) -> int:
    """Write an archive anew without the records of pages that go; a record lies in a gzip member of its own."""
    spans, urls = _spans(path, traces)
    if not urls:
        return 0
    _copy(path, spans)
    note_size(index, path, path.stat().st_size)
    for table in ("archived", "latest"):
        index.executemany(f"DELETE FROM {table} WHERE url = ?", [(url,) for url in urls])  # noqa: S608 - names of ours
    return len(urls)


def _spans(path: Path, traces: Traces) -> tuple[list[tuple[int, int]], list[str]]:
    """The parts of an archive that stay, as begin and end, and the address of each record that goes."""
    size = path.stat().st_size
    with open_file(path) as file:
        records = read_records(str(path), file)
        try:
            marks = [(one.offset, one.headers["warc-target-uri"] if _is_of(one, traces) else "") for one in records]
        except InputError as error:
            raise CrawlError(
                f"{error}; what it holds of the forgotten post was not removed: remove the file"
            ) from error
    ends = [offset for offset, _ in marks[1:]] + [size]
    spans = [(begin, end) for (begin, url), end in zip(marks, ends, strict=True) if not url]
    return spans, [url for _, url in marks if url]


def _is_of(record: WarcRecord, traces: Traces) -> bool:
    url = record.headers.get("warc-target-uri")
    if record.kind != "response" or url is None:
        return False
    if address_key(url) in traces.urls:
        return True
    try:
        body = parse_response(record.block or b"").body
    except RecordError:
        return False
    return hashlib.sha256(body).hexdigest() in traces.responses


def _copy(path: Path, spans: list[tuple[int, int]]) -> None:
    """Replace a file by parts of it; its index is renewed after that, and takes a shorter file as it is."""
    temporary = path.with_suffix(".tmp")
    with open_file(path) as source, temporary.open("wb") as out:
        for begin, end in spans:
            source.seek(begin)
            out.write(source.read(end - begin))
    temporary.replace(path)
