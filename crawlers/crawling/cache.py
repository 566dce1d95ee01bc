"""HTTP cache of a crawl: what was downloaded once is only asked after, never downloaded again.

Keys leave out scheme, host and port of the site being crawled, so that a site that moves to another port keeps its
pages. A killed crawl keeps all pages it had, and starting again from the seeds needs no queue of its own. Validation
follows RFC 9111, section 4.3; a page is used unasked only when the site gave it a lifetime or the caller a
``fresh_for``, or when a crawl that was killed had it already. Answers that pass (not found, gone, moved for now) serve
that last purpose alone.

Bodies lose their content codings as strictly as those of an archive. Scrapy's own middleware passes on as much of a
damaged body as it can read; a thread without its last answers would be taken for a whole one.
"""

import hashlib
import math
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.httpcache import HttpCacheMiddleware
from scrapy.exceptions import DownloadCancelledError, IgnoreRequest
from scrapy.http import Headers, Response, TextResponse
from scrapy.responsetypes import responsetypes
from scrapy.settings import BaseSettings

from corpus.reasons import Reason
from crawlers.archives.bounded_streams import RecordError
from crawlers.archives.codings import MAX_CODINGS, decoded
from crawlers.crawling.archive import GONE, Archive
from crawlers.crawling.page_cache import PageCache, open_cache, page_key
from crawlers.dates import header_moment, stamp

_PAGES = (200, 203)
_LASTING = (*_PAGES, 301, 308)
_PASSING = (302, 303, 307, 404, 410)
_ROBOTS_SECONDS, _PAGE_SECONDS = 24 * 3600, 7 * 24 * 3600
"""How long robots.txt (RFC 9309, section 2.4) and a page may be used unasked at most, where the site gives them a
lifetime: it may give a year to a thread that it changes, or removes, tomorrow."""
_VALIDATORS = ((b"ETag", b"If-None-Match"), (b"Last-Modified", b"If-Modified-Since"))
_STORED_AT, _STORED_DIGEST, _REFUSED_ETAG = "stored_at", "stored_digest", "refused_etag"
"""What is known of the page a request asks for, in its meta."""
_UNSTORED_HEADERS = frozenset((b"Connection", b"Keep-Alive", b"Set-Cookie", b"Transfer-Encoding"))


class OversizedPage(IgnoreRequest):
    """A page that unpacks beyond the bound, or that was refused for its size and, the site says, has not changed."""


class SqliteStorage:
    """The storage interface of Scrapy's cache middleware over a PageCache."""

    def __init__(self, settings: BaseSettings) -> None:
        self._path = Path(settings["WORDQUARRY_CACHE"])
        self._max_bytes = settings.getint("WORDQUARRY_MAX_CACHE_BYTES")
        self._site = (settings["WORDQUARRY_BASE_URL"], settings["WORDQUARRY_SOURCE"])
        self.pages: PageCache | None = None
        self._folder: str = settings["WORDQUARRY_ARCHIVE"]
        self._archive: Archive | None = None
        self._gone: list[tuple[tuple[str, str], int]] = []

    def open_spider(self, spider: Spider) -> None:
        """Open the file, creating it on the first crawl, and the archive if there is to be one."""
        self.pages = open_cache(self._path, self._max_bytes)
        if self._folder:
            self._archive = Archive(Path(self._folder), self._site[1])

    def close_spider(self, spider: Spider) -> None:
        """Close the file and the archive, which learns what is gone unless the whole site is away."""
        if self._archive is not None and not spider.frontier.away:  # type: ignore[attr-defined]
            for page, status in self._gone:
                self._archive.bury(page, status)
        for opened in (self.pages, self._archive):
            if opened is not None:
                opened.close()

    def archive_response(self, response: Response) -> None:
        """Archive a page as it came, unless it is there with the same content; dated as its post will be."""
        if self._archive is not None:
            page = (response.url, retrieved_at(response))
            self._archive.write(page, response.status, _plain_headers(response.headers), response.body)

    def note_gone(self, response: Response) -> None:
        """Keep in mind, for the archive, that a page is no more; whether it is the whole site shows at the end."""
        if self._archive is not None:
            self._gone.append(((response.url, retrieved_at(response)), response.status))

    def key(self, request: Request) -> str:
        """The cache key of a request."""
        return page_key(*self._site, request.url)

    def retrieve_response(self, spider: Spider, request: Request) -> Response | None:
        """The stored response under the address asked for now, or None."""
        found = self.pages.read(self.key(request)) if self.pages is not None else None
        if found is None:
            return None
        headers = Headers(found.headers)
        request.meta.update({_STORED_AT: found.stored_at, _STORED_DIGEST: found.sha256})
        kind = responsetypes.from_args(headers=headers, url=request.url, body=found.body)
        return kind(url=request.url, status=found.status, headers=headers, body=found.body)

    def store_response(self, spider: Spider, request: Request, response: Response) -> None:
        """Store a response; a body that is there already is confirmed, not written again."""
        if self.pages is None:
            return
        key, headers = self.key(request), _plain_headers(response.headers)
        stored = request.meta.get(_STORED_DIGEST)
        if stored is not None and stored == hashlib.sha256(response.body).hexdigest():
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
        """Pages, redirects and what is not there, unless the site forbids it."""
        return response.status in (*_LASTING, *_PASSING) and "no-store" not in _directives(response)

    def is_cached_response_fresh(self, cachedresponse: Response, request: Request) -> bool:
        """Whether the stored page serves unasked; if not, the request gets the validators."""
        stored_at = request.meta.get(_STORED_AT, 0.0)
        age = time.time() - stored_at
        if age < 0:  # stored while our clock was ahead: nobody knows when
            fresh = False
        elif request.meta.get("dont_obey_robotstxt"):
            fresh = cachedresponse.status in _LASTING and age < min(_lifetime(cachedresponse), _ROBOTS_SECONDS)
        elif cachedresponse.status in _PASSING:
            fresh = stored_at >= self._fresh_since
        else:
            lifetime = max(self._fresh_for, min(_lifetime(cachedresponse), _PAGE_SECONDS))
            fresh = age < lifetime or stored_at >= self._fresh_since
        if not fresh and cachedresponse.status in _LASTING:
            for header, validator in _VALIDATORS:
                value = cachedresponse.headers.get(header)
                if value is not None:
                    request.headers[validator] = value
        return fresh

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
        """Ask conditionally for what is stored, and for what was refused.

        A request that follows a redirect is a copy of the one before, whose page and validators it must not inherit.
        """
        for name in (_STORED_AT, _STORED_DIGEST, _REFUSED_ETAG, "cached_response"):
            request.meta.pop(name, None)
        for _, validator in _VALIDATORS:
            request.headers.pop(validator, None)
        answer = super().process_request(request)
        pages = self.storage.pages
        if answer is None and "cached_response" not in request.meta and pages is not None:
            etag = pages.refused(self.storage.key(request))
            if etag:
                request.meta[_REFUSED_ETAG] = etag
                request.headers[b"If-None-Match"] = etag
        return answer

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Turn a confirmation into the stored page, or into the same refusal as before; archive what is a page."""
        if response.status == 304 and _REFUSED_ETAG in request.meta:
            raise OversizedPage(f"{request.url} is still too large")
        answer = super().process_response(request, response)
        if not isinstance(answer, Response):
            return answer
        if answer.status in GONE and not request.meta.get("dont_obey_robotstxt"):
            self.storage.note_gone(answer)
        elif answer.status in _PAGES and self.policy.should_cache_response(answer, request):
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
    """When the page was fetched or last confirmed, UTC: the response's own Date, unless it lies ahead of our clock.

    A date to come would hold against every later crawl, which knows better.
    """
    now, said = datetime.now(UTC), header_moment((response.headers.get(b"Date") or b"").decode("latin-1"))
    return stamp(now if said is None else min(said, now))


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
        age = directives["max-age"]
        return float(age) if age.isdecimal() else 0.0
    expires, date = (
        header_moment((response.headers.get(name) or b"").decode("latin-1")) for name in (b"Expires", b"Date")
    )
    return (expires - date).total_seconds() if expires is not None and date is not None else 0.0


def _plain_headers(headers: Headers) -> dict[str, list[str]]:
    return {
        name.decode("latin-1"): [value.decode("latin-1") for value in values]
        for name, values in sorted(headers.items())
        if name not in _UNSTORED_HEADERS
    }


_ACCEPTED = b"gzip, deflate, br, zstd"


class UndecodableError(ValueError):
    """The body is damaged, breaks off, or is in a coding that nobody asked for."""


class DecodingMiddleware:
    """Says which codings are understood, and takes them off; takes the place of HttpCompressionMiddleware."""

    def __init__(self, most: int) -> None:
        self._most = most

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler.settings.getint("DOWNLOAD_MAXSIZE"))

    def process_request(self, request: Request) -> None:
        """Name the codings that are understood."""
        request.headers.setdefault(b"Accept-Encoding", _ACCEPTED)

    def process_response(self, request: Request, response: Response) -> Response:
        """The response as its author wrote it; UndecodableError, or OversizedPage for what unpacks too far."""
        named = b",".join(response.headers.getlist(b"Content-Encoding")).lower()
        if not named or not response.body:
            return response
        body = self._decoded(response, named.decode("latin-1").split(","))
        headers = response.headers.copy()
        del headers[b"Content-Encoding"]
        kind = responsetypes.from_args(headers=headers, url=response.url, body=body)
        encoding: dict[str, Any] = {"encoding": None} if issubclass(kind, TextResponse) else {}
        return response.replace(cls=kind, headers=headers, body=body, **encoding)

    def _decoded(self, response: Response, codings: list[str]) -> bytes:
        body = response.body
        if len(codings) > MAX_CODINGS:
            raise UndecodableError(f"{response.url}: {len(codings)} content codings; at most {MAX_CODINGS} are read")
        try:
            for coding in reversed(codings):
                body = decoded(body, coding.strip())
        except RecordError as error:
            if error.reason is Reason.TOO_LARGE:
                raise OversizedPage(f"{response.url} {error}") from error
            raise UndecodableError(f"{response.url}: {error}") from error
        if len(body) > self._most:
            raise OversizedPage(f"{response.url} unpacks to more than {self._most} bytes")
        return body
