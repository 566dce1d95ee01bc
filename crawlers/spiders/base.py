"""What all spiders share: every address is asked for once and ends in one counted outcome.

A source says where to start, which links of a page to follow, and how a page is read; all of that is pure.
"""

from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urlsplit

from scrapy import Request, Spider
from scrapy.exceptions import CloseSpider, DownloadCancelledError, IgnoreRequest
from scrapy.http import Response, TextResponse
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from crawlers.addresses import read_addresses
from crawlers.cache import OversizedPage, retrieved_at
from crawlers.job import GONE_SUFFIX
from crawlers.origin import page_origin
from crawlers.outcomes import count
from crawlers.politeness import OffSite, RefusedByRobots, RobotsUnavailable, kind_of, retry_after
from crawlers.posts import ParsedThread, to_post
from extractors.errors import ExtractionError

_REFUSALS: tuple[tuple[type[Exception], str], ...] = (
    (RefusedByRobots, "refused_by_robots"),
    (OffSite, "off_site"),
    (OversizedPage, "oversized"),
    (DownloadCancelledError, "oversized"),
)
_GONE = (404, 410)


@dataclass(frozen=True)
class Links:
    """Where a page leads: threads to read, and listing pages to follow."""

    threads: tuple[str, ...] = ()
    listings: tuple[str, ...] = ()


class ThreadSpider(Spider):
    """Base of all spiders; a source sets ``name`` and ``start_path`` and says how its pages are read.

    ``start`` is a path on the site to start at instead, ``urls`` a file of thread addresses that replaces listings.
    """

    start_path = "/"
    starts_at_threads = False

    def __init__(self, base_url: str, start: str = "", urls: str = "", **arguments: Any) -> None:
        super().__init__(**arguments)
        self._base_url = base_url
        self._start = start or self.start_path
        self._urls = Path(urls) if urls else None
        self._asked: set[str] = set()
        self._failures = 0

    def links(self, html: str, url: str) -> Links:
        """The links of a listing page; a source without listing pages follows none."""
        return Links()

    def threads(self, text: str, url: str) -> Iterable[ParsedThread]:
        """The threads of a page; none if it is no thread page."""
        raise NotImplementedError

    def source_of(self, thread: ParsedThread) -> str:
        """The source a post is filed under."""
        return self.name

    async def start(self) -> AsyncIterator[Request]:
        """The seeds."""
        if self._urls is None:
            read = self.parse_thread if self.starts_at_threads else self.parse_listing
            for request in self._ask(f"{self._base_url}{self._start}", read):
                yield request
        else:
            for address in read_addresses(self._urls):
                for request in self._ask(address, self.parse_thread):
                    yield request

    def parse_listing(self, response: Response) -> Iterator[Request]:
        """Follow the threads and listing pages of a listing page."""
        count(self, "settled")
        if not isinstance(response, TextResponse):
            count(self, "not_threads")
            return
        try:
            found = self.links(response.text, response.url)
        except ExtractionError as error:
            self._malformed(error, response)
            return
        for link in found.threads:
            yield from self._ask(response.urljoin(link), self.parse_thread)
        for link in found.listings:
            yield from self._ask(response.urljoin(link), self.parse_listing)

    def parse_thread(self, response: Response) -> Iterator[dict[str, Any]]:
        """The posts of a page, or a counted reason why there is none."""
        count(self, "settled")
        try:
            threads = tuple(self.threads(response.text, response.url)) if isinstance(response, TextResponse) else ()
        except ExtractionError as error:
            self._malformed(error, response)
            return
        if not threads:
            count(self, "not_threads")
        for thread in threads:
            for kind in ("mails", "phones", "names"):
                count(self, f"removed/{kind}", getattr(thread.removed, kind))
            origin = page_origin(self.name, response.body)
            yield to_post(thread, self.source_of(thread), retrieved_at(response), origin).model_dump(mode="json")

    def failed(self, failure: Failure) -> None:
        """Count a request that brought no page; too many of them, or a long pause asked for, end the crawl."""
        count(self, "settled")
        error = failure.value
        assert error is not None
        refusal = next((name for kind, name in _REFUSALS if isinstance(error, kind)), None)
        if refusal is None and isinstance(error, IgnoreRequest) and "DOWNLOAD_MAXSIZE" in str(error):
            refusal = "oversized"  # a compressed page that unpacks beyond the bound
        if refusal is not None:
            count(self, refusal)
            return
        count(self, f"failed/{_failure_name(error)}")
        if isinstance(error, HttpError) and error.response.status in _GONE:
            self._note_gone(error.response)
        self._failures += 1
        if isinstance(error, HttpError) and (retry_after(error.response) or 0) > self.settings.getfloat(
            "WORDQUARRY_MAX_RETRY_AFTER"
        ):
            raise CloseSpider("retry_after")
        if self._failures >= self.settings.getint("WORDQUARRY_MAX_ERRORS"):
            raise CloseSpider("too_many_errors")

    def _ask(self, url: str, callback: Any) -> Iterator[Request]:
        address = urldefrag(url).url
        if address not in self._asked and urlsplit(address).scheme in ("http", "https"):
            self._asked.add(address)
            count(self, "asked")
            yield Request(address, callback=callback, errback=self.failed)

    def _note_gone(self, response: Response) -> None:
        """Write down an address whose thread is no more, and when the site said so."""
        with Path(self.settings["WORDQUARRY_FEED"]).with_suffix(GONE_SUFFIX).open("a", encoding="utf-8") as file:
            file.write(f"{response.url}\t{retrieved_at(response)}\n")

    def _malformed(self, error: ExtractionError, response: Response) -> None:
        count(self, "malformed")
        self.logger.warning("malformed page %s: %s", response.url, error)


def _failure_name(error: BaseException) -> str:
    if isinstance(error, HttpError):
        return str(error.response.status)
    return error.kind if isinstance(error, RobotsUnavailable) else kind_of(error)
