"""What all spiders share: every address is asked for once and ends in one counted outcome.

A source says where to start, which links of a page to follow, and how a page is read; all of that is pure.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadCancelledError, IgnoreRequest
from scrapy.http import Response, TextResponse
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from corpus.canonical import canonical_json
from crawlers.addresses import path_of, read_addresses
from crawlers.crawling.archive import GONE
from crawlers.crawling.cache import OversizedPage, retrieved_at
from crawlers.crawling.frontier import ADDRESS, POSTPONED, Frontier, Round, Waiting, read_round
from crawlers.crawling.gate import STOP, Postponed, retry_after
from crawlers.crawling.job import FAILED, GONE_SUFFIX
from crawlers.crawling.outcomes import count
from crawlers.crawling.politeness import Denied, OffSite, RefusedByRobots, RobotsUnavailable, kind_of
from crawlers.crawling.private import PrivateAddress
from crawlers.crawling.revisits import read_known
from crawlers.html_reading.charsets import page_text, whole_page
from crawlers.posts import ParsedThread, page_origin, page_post
from extractors.extraction_errors import ExtractionError
from extractors.text.edits import MARKS

_REFUSALS: tuple[tuple[type[Exception], str], ...] = (
    (RefusedByRobots, "refused_by_robots"),
    (Denied, "denied"),
    (OffSite, "off_site"),
    (PrivateAddress, "private_address"),
    (Postponed, POSTPONED),
    (OversizedPage, "oversized"),
    (DownloadCancelledError, "oversized"),
)
_ENDLESS = "max redirections"
"""What Scrapy says of a request that it ignores because redirects do not end."""
_BUSY = (429, 503)
MAX_BARREN, BARREN = 25, "barren"
"""Listing pages in a row that lead to no new thread, after which no more of them are asked for; and, in the meta of a
request, how many came before it. A calendar has a next month for ever."""
MAX_LINKS, MAX_OPEN = 20_000, 200_000
"""Links that are taken from one listing page, threads first, and addresses that may wait for their turn before further
links are left alone. One that waits takes a kilobyte of memory, and a page of 8 MiB can name half a million."""


@dataclass(frozen=True)
class Links:
    """Where a page leads: threads to read, and listing pages to follow."""

    threads: tuple[str, ...] = ()
    listings: tuple[str, ...] = ()


class ThreadSpider(Spider, ABC):
    """Base of all spiders; a source sets ``name`` and ``start_path`` and says how its pages are read.

    ``start`` is a path on the site to start at instead, ``urls`` a file of thread addresses that replaces listings.
    """

    start_path = "/"
    max_open = MAX_OPEN
    starts_at_threads = False

    def __init__(self, base_url: str, start: str = "", urls: str = "", **arguments: Any) -> None:
        super().__init__(**arguments)
        self._base_url = base_url
        self._start = start or self.start_path
        self._urls = Path(urls) if urls else None
        self._failures = 0
        self._known: dict[str, str] = {}
        self._revisits = 0
        self.frontier = Frontier(base_url, Round("", 0.0))

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Take up the round and the known threads that the settings name."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        settings = crawler.settings
        if settings["WORDQUARRY_ROUND"]:
            past = read_round(Path(settings["WORDQUARRY_ROUND"]), settings["WORDQUARRY_IDENTITY"], 0.0)
            spider.frontier = Frontier(spider._base_url, past)
        if settings["WORDQUARRY_KNOWN"]:
            spider._known = read_known(Path(settings["WORDQUARRY_KNOWN"]))
            spider._revisits = settings.getint("WORDQUARRY_MAX_REVISITS")
        crawler.signals.connect(spider.revisit, signal=signals.spider_idle)
        crawler.signals.connect(spider.crashed, signal=signals.spider_error)
        return spider

    def links(self, html: str, url: str) -> Links:
        """The links of a listing page; a source without listing pages follows none."""
        return Links()

    @abstractmethod
    def threads(self, text: str, url: str) -> Iterable[ParsedThread]:
        """The threads of a page; none if it is no thread page."""

    def source_of(self, thread: ParsedThread) -> str:
        """The source a post is filed under."""
        return self.name

    async def start(self) -> AsyncIterator[Request]:
        """What earlier runs of the round left, then the seeds."""
        for address, kind in self.frontier.left():
            for request in self._ask(address, kind):
                yield request
        if self._urls is None:
            first = Waiting.THREAD if self.starts_at_threads else Waiting.LISTING
            for request in self._ask(f"{self._base_url}{self._start}", first, start=True):
                yield request
        else:
            for address in read_addresses(self._urls):
                for request in self._ask(address, Waiting.THREAD):
                    yield request

    def revisit(self) -> None:
        """When nothing is left to do: ask, once, for known threads that the crawl did not come across."""
        chosen, self._revisits = self.frontier.revisits(self._known, self._revisits), 0
        engine = self.crawler.engine
        assert engine is not None
        for address in chosen:
            count(self, "revisits")
            engine.crawl(self._request(address, Waiting.THREAD))

    def parse_listing(self, response: Response) -> Iterator[Request]:
        """Follow the threads and listing pages of a listing page."""
        self._answered()
        if not isinstance(response, TextResponse):
            self._settle(response, "not_threads")
            return
        try:
            found = self.links(page_text(response.body, _content_type(response)), response.url)
        except ExtractionError as error:
            self._malformed(error, response)
            return
        self._settle(response, "listings")
        listings = found.listings[: max(0, MAX_LINKS - len(found.threads))]
        self.frontier.exceed(len(found.threads[MAX_LINKS:]) + len(found.listings) - len(listings))
        threads = list(self._follow(response, found.threads[:MAX_LINKS], Waiting.THREAD))
        yield from threads
        yield from self._follow(response, listings, Waiting.LISTING, 0 if threads else response.meta[BARREN] + 1)

    def _follow(self, response: Response, links: Iterable[str], kind: Waiting, barren: int = 0) -> Iterator[Request]:
        """Ask for what a page links to, as long as there is room for it."""
        for link in links:
            if self.frontier.unsettled < self.max_open:
                yield from self._ask(_joined(response, link), kind, barren=barren)
            else:
                self.frontier.exceed(1)

    def parse_thread(self, response: Response) -> Iterator[dict[str, Any]]:
        """The posts of a page, or a counted reason why there is none."""
        self._answered()
        try:
            threads = tuple(self._threads(response)) if isinstance(response, TextResponse) else ()
            origin, seen = page_origin(self.name, response.body), retrieved_at(response)
            posts = [page_post(thread, self.source_of(thread), seen, origin) for thread in threads]
        except ExtractionError as error:
            self._malformed(error, response)
            return
        self._settle(response, "threads" if posts else "not_threads")
        if not posts and path_of(response.url) in self._known:
            count(self, "unread")
            self.logger.warning("%s no longer holds a thread; the stored post stays", response.url)
        for thread, post in zip(threads, posts, strict=True):
            for kind in MARKS:
                count(self, f"removed/{kind}", getattr(thread.removed, kind))
            self.frontier.see(thread.url)
            count(self, "posts")
            yield post.model_dump(mode="json")

    def _threads(self, response: Response) -> Iterable[ParsedThread]:
        return self.threads(whole_page(response.body, _content_type(response)), response.url)

    def failed(self, failure: Failure) -> None:
        """Settle a request that brought no page; too many in a row, or a long pause asked for, end the crawl."""
        error, address = failure.value, failure.request.meta[ADDRESS]  # type: ignore[attr-defined]
        assert error is not None
        refusal = _refusal(error)
        if refusal == POSTPONED:
            self.frontier.postpone(address)
        elif refusal is not None:
            self.frontier.settle(address, refusal)
        elif isinstance(error, HttpError):
            self._failed_with(error.response, address)
        else:
            kind = error.kind if isinstance(error, RobotsUnavailable) else kind_of(error)
            self.frontier.fail(address, FAILED + kind)
            self._note_failure()

    def crashed(self, response: Response) -> None:
        """A page that a parser raised an unexpected error for: it is in the log, and the crawl goes on."""
        if isinstance(response, Response):
            self._settle(response, "crashed")
            self._note_failure()

    def _failed_with(self, response: Response, address: str) -> None:
        name = f"{FAILED}{response.status}"
        if response.status in GONE:
            self._note_gone(response)
            self.frontier.settle(address, name)
            return
        self.frontier.fail(address, name, response.status in _BUSY)
        self._note_failure()
        if (retry_after(response) or 0) > self.settings.getfloat("WORDQUARRY_MAX_RETRY_AFTER"):
            self._stop("retry_after")

    def _note_failure(self) -> None:
        self._failures += 1
        if self._too_many():
            self._stop("too_many_errors")

    def _too_many(self) -> bool:
        return self._failures >= self.settings.getint("WORDQUARRY_MAX_ERRORS")

    def _answered(self) -> None:
        """A page came; once failures in a row have ended the run, those under way are no end of the row."""
        if not self._too_many():
            self._failures = 0
            self.frontier.answered()

    def _stop(self, reason: str) -> None:
        self.crawler.signals.send_catch_log(STOP, reason=reason)

    def _ask(self, url: str, kind: Waiting, start: bool = False, barren: int = 0) -> Iterator[Request]:
        address = self.frontier.admit(url, kind)
        if address is not None and barren < MAX_BARREN:
            yield self._request(address, kind, start, barren)
        elif address is not None:
            self.frontier.settle(address, "endless")

    def _request(self, address: str, kind: Waiting, start: bool = False, barren: int = 0) -> Request:
        """Threads go first, so that listing pages without end take nothing from them; what ended a run goes last."""
        listing = kind is Waiting.LISTING
        priority = -1 if self.frontier.was_tried(address) else int(not listing)
        return Request(
            address,
            callback=self.parse_listing if listing else self.parse_thread,
            errback=self.failed,
            priority=priority,
            meta={ADDRESS: address, BARREN: barren, "start": start},
        )

    def _settle(self, response: Response, outcome: str) -> None:
        self.frontier.settle(response.meta[ADDRESS], outcome)

    def _note_gone(self, response: Response) -> None:
        """Write down an address whose thread is no more, as it is stored, and when the site said so."""
        url = self._known.get(path_of(response.url), response.url)
        with Path(self.settings["WORDQUARRY_FEED"]).with_suffix(GONE_SUFFIX).open("a", encoding="utf-8") as file:
            file.write(canonical_json([url, retrieved_at(response)]) + "\n")

    def _malformed(self, error: ExtractionError, response: Response) -> None:
        self._settle(response, "malformed")
        self.logger.warning("malformed page %s: %s", response.url, error)


def _content_type(response: Response) -> str:
    return (response.headers.get(b"Content-Type") or b"").decode("latin-1")


def _joined(response: Response, link: str) -> str:
    """The address a link names; a link that is none stays as it is, for the frontier to count."""
    try:
        return response.urljoin(link)
    except ValueError:
        return link


def _refusal(error: BaseException) -> str | None:
    """The outcome of a request that was refused on this side; None for one that failed."""
    named = next((name for kind, name in _REFUSALS if isinstance(error, kind)), None)
    if named is None and isinstance(error, IgnoreRequest):
        named = "redirect_loop" if _ENDLESS in str(error) else None
    if named is None and isinstance(error, HttpError) and 300 < error.response.status < 400:
        named = "other_scheme" if _leads_elsewhere(error.response) else None
    return named


def _leads_elsewhere(response: Response) -> bool:
    """Whether a redirect was not followed because it names no web address, such as ``file:``."""
    scheme, colon, _ = (response.headers.get(b"Location") or b"").decode("latin-1").strip().partition(":")
    return bool(colon) and scheme.isascii() and scheme.isalpha() and scheme.lower() not in ("http", "https")
