"""The bundled forum: listing pages to threads, threads to posts."""

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urldefrag, urlsplit

from scrapy import Request, Spider
from scrapy.exceptions import CloseSpider, DownloadCancelledError, IgnoreRequest
from scrapy.http import Response, TextResponse
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from crawlers.cache import OversizedPage
from crawlers.outcomes import count
from crawlers.parsers.bundled import next_link, parse_thread, thread_links
from crawlers.politeness import OffSite, RefusedByRobots, RobotsUnavailable, kind_of, retry_after
from crawlers.posts import to_post
from extractors.errors import ExtractionError

_REFUSALS: tuple[tuple[type[Exception], str], ...] = (
    (RefusedByRobots, "refused_by_robots"),
    (OffSite, "off_site"),
    (OversizedPage, "oversized"),
    (DownloadCancelledError, "oversized"),
)


class BundledSpider(Spider):
    """Starts at the first listing page; every address is asked for once and ends in one counted outcome."""

    name = "bundled"

    def __init__(self, base_url: str, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._base_url = base_url
        self._asked: set[str] = set()
        self._failures = 0

    async def start(self) -> AsyncIterator[Request]:
        """The seed."""
        for request in self._ask(f"{self._base_url}/questions", self.parse_listing):
            yield request

    def parse_listing(self, response: Response) -> Iterator[Request]:
        """Follow the threads of a listing page and the next page."""
        count(self, "settled")
        if not isinstance(response, TextResponse):
            count(self, "not_threads")
            return
        try:
            links, following = thread_links(response.text), next_link(response.text)
        except ExtractionError as error:
            self._malformed(error, response)
            return
        for link in links:
            yield from self._ask(response.urljoin(link), self.parse_thread)
        if following is not None:
            yield from self._ask(response.urljoin(following), self.parse_listing)

    def parse_thread(self, response: Response) -> Iterator[dict[str, Any]]:
        """One post, or a counted reason why there is none."""
        count(self, "settled")
        try:
            thread = parse_thread(response.text, response.url) if isinstance(response, TextResponse) else None
        except ExtractionError as error:
            self._malformed(error, response)
            return
        if thread is None:
            count(self, "not_threads")
            return
        for kind in ("mails", "phones", "names"):
            count(self, f"removed/{kind}", getattr(thread.removed, kind))
        yield to_post(thread, self.name, retrieved_at(response)).model_dump(mode="json")

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

    def _malformed(self, error: ExtractionError, response: Response) -> None:
        count(self, "malformed")
        self.logger.warning("malformed page %s: %s", response.url, error)


def _failure_name(error: BaseException) -> str:
    if isinstance(error, HttpError):
        return str(error.response.status)
    return error.kind if isinstance(error, RobotsUnavailable) else kind_of(error)


def retrieved_at(response: Response) -> str:
    """When the page was fetched or last confirmed, by the response's own Date, else by the clock; UTC."""
    try:
        moment = parsedate_to_datetime((response.headers.get(b"Date") or b"").decode("latin-1"))
    except (ValueError, TypeError):
        moment = datetime.now(UTC)
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
