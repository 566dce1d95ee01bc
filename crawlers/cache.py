"""HTTP cache of a crawl in one SQLite file: what was downloaded once is only asked after, never downloaded again.

Keys leave out scheme, host and port of the site being crawled, so that a site that moves to another port keeps its
pages. Every write is one transaction in write-ahead mode: a killed crawl keeps all pages it had, and starting again
from the seeds needs no queue of its own. Validation follows RFC 9111, section 4.3; a page is used unasked only when
the site gave it a lifetime or the caller a ``fresh_for``.
"""

import hashlib
import json
import math
import sqlite3
import time
import zlib
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.httpcache import HttpCacheMiddleware
from scrapy.exceptions import DownloadCancelledError, IgnoreRequest
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes
from scrapy.settings import BaseSettings

from crawlers.archive import Archive

_SCHEMA = """
CREATE TABLE IF NOT EXISTS pages (
    key TEXT PRIMARY KEY, url TEXT NOT NULL, status INTEGER NOT NULL, headers TEXT NOT NULL,
    body BLOB NOT NULL, size INTEGER NOT NULL, sha256 TEXT NOT NULL, stored_at REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS refused (key TEXT PRIMARY KEY, etag TEXT NOT NULL) WITHOUT ROWID;
"""
_PAGES = (200, 203)
_UNSTORED_HEADERS = frozenset((b"Connection", b"Keep-Alive", b"Set-Cookie", b"Transfer-Encoding"))


class OversizedPage(IgnoreRequest):
    """The site says that a page refused for its size has not changed."""


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
    return f"{source}:{page.path or '/'}" + (f"?{page.query}" if page.query else "")


class PageCache:
    """The SQLite file; also remembers pages refused for their size, with their entity tags."""

    def __init__(self, path: Path, max_bytes: int) -> None:
        self._database = sqlite3.connect(path, isolation_level=None, timeout=30)
        self._database.execute("PRAGMA journal_mode=WAL")
        self._database.execute("PRAGMA synchronous=NORMAL")
        self._database.executescript(_SCHEMA)
        self._max_bytes = max_bytes
        self._used = int(self._database.execute("SELECT coalesce(sum(length(body)), 0) FROM pages").fetchone()[0])

    def close(self) -> None:
        """Fold the write-ahead log in and let go of the file."""
        self._database.close()

    def read(self, key: str) -> tuple[int, dict[str, list[str]], bytes, float] | None:
        """Status, headers, body and time of storing; None for an unknown page or one whose bytes were damaged."""
        row = self._database.execute(
            "SELECT status, headers, body, size, sha256, stored_at FROM pages WHERE key = ?", (key,)
        ).fetchone()
        if row is None:
            return None
        status, headers, packed, size, digest, stored_at = row
        try:
            body = zlib.decompressobj().decompress(packed, size + 1)
        except zlib.error:
            return None
        if len(body) != size or hashlib.sha256(body).hexdigest() != digest:
            return None
        return status, json.loads(headers), body, stored_at

    def write(self, key: str, url: str, status: int, headers: dict[str, list[str]], body: bytes) -> None:
        """Store a page, replacing what was there; above the bound the pages stored longest ago go first."""
        packed = zlib.compress(body, 6)
        row = (key, url, status, json.dumps(headers), packed, len(body), hashlib.sha256(body).hexdigest(), time.time())
        self._database.execute("BEGIN IMMEDIATE")
        self._drop(key)
        self._make_room(len(packed))
        self._database.execute("INSERT INTO pages VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        self._database.execute("COMMIT")
        self._used += len(packed)

    def touch(self, key: str, headers: dict[str, list[str]]) -> None:
        """Renew headers and time of a page the site has confirmed; the body is not written again."""
        self._database.execute(
            "UPDATE pages SET headers = ?, stored_at = ? WHERE key = ?", (json.dumps(headers), time.time(), key)
        )

    def digest(self, key: str) -> str | None:
        """SHA-256 of the stored body, or None."""
        row = self._database.execute("SELECT sha256 FROM pages WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def refuse(self, key: str, etag: str) -> None:
        """Remember that a page is too large, as of this entity tag."""
        self._database.execute("INSERT OR REPLACE INTO refused VALUES (?, ?)", (key, etag))

    def refused(self, key: str) -> str | None:
        """The entity tag under which a page was too large, or None."""
        row = self._database.execute("SELECT etag FROM refused WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def _drop(self, key: str) -> None:
        row = self._database.execute("DELETE FROM pages WHERE key = ? RETURNING length(body)", (key,)).fetchone()
        self._used -= row[0] if row else 0

    def _make_room(self, size: int) -> None:
        while self._used and self._used + size > self._max_bytes:
            oldest = self._database.execute("SELECT key FROM pages ORDER BY stored_at, key LIMIT 1").fetchone()
            if oldest is None:
                return
            self._drop(oldest[0])


class SqliteStorage:
    """The storage interface of Scrapy's cache middleware over a PageCache."""

    def __init__(self, settings: BaseSettings) -> None:
        self._path = Path(settings["WORDQUARRY_CACHE"])
        self._max_bytes = settings.getint("WORDQUARRY_CACHE_BYTES")
        self._site = (settings["WORDQUARRY_BASE_URL"], settings["WORDQUARRY_SOURCE"])
        self.pages: PageCache | None = None
        self._folder: str = settings["WORDQUARRY_ARCHIVE"]
        self._archive: Archive | None = None

    def open_spider(self, spider: Spider) -> None:
        """Open the file, creating it on the first crawl, and the archive if there is to be one."""
        self.pages = PageCache(self._path, self._max_bytes)
        if self._folder:
            self._archive = Archive(Path(self._folder), self._site[1])

    def close_spider(self, spider: Spider) -> None:
        """Close the file and the archive."""
        for opened in (self.pages, self._archive):
            if opened is not None:
                opened.close()

    def archive_response(self, response: Response) -> None:
        """Archive a page as it came, unless it is there with the same content; dated as its post will be."""
        if self._archive is not None:
            page = (response.url, retrieved_at(response))
            self._archive.write(page, response.status, _plain_headers(response.headers), response.body)

    def key(self, request: Request) -> str:
        """The cache key of a request."""
        return page_key(*self._site, request.url)

    def retrieve_response(self, spider: Spider, request: Request) -> Response | None:
        """The stored response under the address asked for now, or None."""
        found = self.pages.read(self.key(request)) if self.pages is not None else None
        if found is None:
            return None
        status, stored, body, stored_at = found
        headers = Headers(stored)
        request.meta["stored_at"] = stored_at
        kind = responsetypes.from_args(headers=headers, url=request.url, body=body)
        return kind(url=request.url, status=status, headers=headers, body=body)

    def store_response(self, spider: Spider, request: Request, response: Response) -> None:
        """Store a response; a body that is there already is confirmed, not written again."""
        if self.pages is None:
            return
        key, headers = self.key(request), _plain_headers(response.headers)
        if self.pages.digest(key) == hashlib.sha256(response.body).hexdigest():
            self.pages.touch(key, headers)
        else:
            self.pages.write(key, response.url, response.status, headers, response.body)


class ValidatingPolicy:
    """When a stored page may be used: never unasked, unless the site or the caller gave it a lifetime."""

    def __init__(self, settings: BaseSettings) -> None:
        self._fresh_for = settings.getfloat("WORDQUARRY_FRESH_FOR")
        self._fresh_since = settings.getfloat("WORDQUARRY_FRESH_SINCE", math.inf)

    def should_cache_request(self, request: Request) -> bool:
        """Only plain reads are stored."""
        return request.method == "GET"

    def should_cache_response(self, response: Response, request: Request) -> bool:
        """Pages and permanent redirects, unless the site forbids it."""
        return response.status in (200, 203, 301, 308) and "no-store" not in _directives(response)

    def is_cached_response_fresh(self, cachedresponse: Response, request: Request) -> bool:
        """Whether the stored page serves unasked; if not, the request gets the validators."""
        stored_at = request.meta.get("stored_at", 0.0)
        age = max(0.0, time.time() - stored_at)
        if age < max(self._fresh_for, _lifetime(cachedresponse)) or stored_at >= self._fresh_since:
            return True
        for header, validator in ((b"ETag", b"If-None-Match"), (b"Last-Modified", b"If-Modified-Since")):
            value = cachedresponse.headers.get(header)
            if value is not None:
                request.headers[validator] = value
        return False

    def is_cached_response_valid(self, cachedresponse: Response, response: Response, request: Request) -> bool:
        """Only the site's own word counts: an error is an error and not an old page."""
        return response.status == 304


class CacheMiddleware(HttpCacheMiddleware):
    """Scrapy's cache middleware; old pages never stand in for a failing site, and refused sizes are remembered."""

    DOWNLOAD_EXCEPTIONS = ()  # type: ignore[assignment]
    storage: SqliteStorage

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Listen for headers, which are all that is seen of a page that is too large."""
        middleware = super().from_crawler(crawler)
        crawler.signals.connect(middleware.headers_received, signal=signals.headers_received)
        return middleware

    def headers_received(self, headers: Headers, request: Request) -> None:
        """Keep the entity tag at hand in case the body passes the bound."""
        request.meta["etag"] = (headers.get(b"ETag") or b"").decode("latin-1")

    def process_request(self, request: Request, spider: Spider | None = None) -> Request | Response | None:
        """Ask conditionally for what is stored, and for what was refused."""
        answer = super().process_request(request)
        pages = self.storage.pages
        if answer is None and "cached_response" not in request.meta and pages is not None:
            etag = pages.refused(self.storage.key(request))
            if etag:
                request.meta["refused_etag"] = etag
                request.headers[b"If-None-Match"] = etag
        return answer

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Turn a confirmation into the stored page, or into the same refusal as before; archive what is a page."""
        if response.status == 304 and "refused_etag" in request.meta:
            raise OversizedPage(f"{request.url} is still too large")
        answer = super().process_response(request, response)
        if (
            isinstance(answer, Response)
            and answer.status in _PAGES
            and self.policy.should_cache_response(answer, request)
        ):
            self.storage.archive_response(answer)
        return answer

    def process_exception(
        self, request: Request, exception: Exception, spider: Spider | None = None
    ) -> Request | Response | None:
        """Remember a page whose download was cut off at the size bound."""
        if isinstance(exception, DownloadCancelledError) and request.meta.get("etag") and self.storage.pages:
            self.storage.pages.refuse(self.storage.key(request), request.meta["etag"])
        return super().process_exception(request, exception)


def retrieved_at(response: Response) -> str:
    """When the page was fetched or last confirmed, by the response's own Date, else by the clock; UTC."""
    try:
        moment = parsedate_to_datetime((response.headers.get(b"Date") or b"").decode("latin-1"))
    except (ValueError, TypeError):
        moment = datetime.now(UTC)
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _directives(response: Response) -> dict[str, str]:
    header = (response.headers.get(b"Cache-Control") or b"").decode("latin-1").lower()
    pairs = (part.strip().partition("=") for part in header.split(","))
    return {name: value.strip('" ') for name, _, value in pairs if name}


def _lifetime(response: Response) -> float:
    """Seconds the site lets a page be used unasked: ``max-age``, else ``Expires`` less ``Date``, else 0."""
    directives = _directives(response)
    if "no-cache" in directives:
        return 0.0
    if "max-age" in directives:
        return float(directives["max-age"]) if directives["max-age"].isdigit() else 0.0
    try:
        expires, date = ((response.headers.get(name) or b"").decode("latin-1") for name in (b"Expires", b"Date"))
        return (parsedate_to_datetime(expires) - parsedate_to_datetime(date)).total_seconds()
    except (ValueError, TypeError):
        return 0.0


def _plain_headers(headers: Headers) -> dict[str, list[str]]:
    return {
        name.decode("latin-1"): [value.decode("latin-1") for value in values]
        for name, values in sorted(headers.items())
        if name not in _UNSTORED_HEADERS
    }
