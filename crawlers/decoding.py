"""Bodies without their content codings, read as strictly as those of an archive: what breaks off there is no page here.

Scrapy's own middleware passes on as much of a damaged body as it can read; a thread without its last answers would be
taken for a whole one.
"""

from typing import Any, Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response, TextResponse
from scrapy.responsetypes import responsetypes

from corpus.reasons import Reason
from crawlers.cache import OversizedPage
from crawlers.codings import MAX_CODINGS, decoded
from crawlers.thread_records import RecordError

_ACCEPTED = b"gzip, deflate, br, zstd"


class UndecodableError(ValueError):
    """The body is damaged, breaks off, or is in a coding that nobody asked for."""


class DecodingMiddleware:
    """Says which codings are understood, and takes them off; takes the place of HttpCompressionMiddleware."""

    def __init__(self, most: int) -> None:
        self._most = most

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Take the bound on a page from the settings."""
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
