"""The last stop of a request before the network: it waits for its turn there, or learns that the crawl is over."""

import asyncio
import contextlib
import time
from typing import Self

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response

from crawlers.budgets import CrawlBudget, Postponed
from crawlers.job import ENDED
from crawlers.pace import CRAWL_DELAY, NOT_BEFORE, Pace
from crawlers.politeness import retry_after

STOP = object()
"""The signal that ends a crawl, with ``reason``: what waits is let go at once, what is under way is completed."""


class GateMiddleware:
    """Keeps the pace and the budgets of a crawl; stands between the cache and the network."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self._crawler = crawler
        self._pace = Pace(
            settings.getfloat("WORDQUARRY_DELAY"),
            settings.getfloat("WORDQUARRY_MAX_DELAY"),
            settings.getfloat("WORDQUARRY_TARGET"),
            settings.getfloat("WORDQUARRY_START_DELAY"),
        )
        self._budget = CrawlBudget(settings.getint("WORDQUARRY_MAX_PAGES"), settings.getint("WORDQUARRY_MAX_BYTES"))
        self._seconds = settings.getfloat("WORDQUARRY_MAX_SECONDS")
        self._patience = settings.getfloat("WORDQUARRY_MAX_RETRY_AFTER")
        self._backoff = settings.getfloat("WORDQUARRY_BACKOFF")
        self._over = asyncio.Event()
        self._closing: asyncio.Future[None] | None = None
        self._alarm: asyncio.TimerHandle | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Listen to the engine, and to whoever ends the crawl."""
        gate = cls(crawler)
        for method, signal in (
            (gate.opened, signals.spider_opened),
            (gate.closed, signals.spider_closed),
            (gate.received, signals.bytes_received),
            (gate.stop, STOP),
        ):
            crawler.signals.connect(method, signal=signal)
        return gate

    def opened(self) -> None:
        """The hours count from here."""
        self._alarm = asyncio.get_running_loop().call_later(self._seconds, self.stop, f"{ENDED}hours")

    def closed(self) -> None:
        """Note what was spent."""
        if self._alarm is not None:
            self._alarm.cancel()

    def received(self, data: bytes) -> None:
        """Bytes came in, of whatever answer."""
        self._budget.bytes += len(data)
        assert self._crawler.stats is not None
        self._crawler.stats.set_value("wordquarry/bytes", self._budget.bytes)

    def stop(self, reason: str) -> None:
        """End the crawl, once; the first reason counts."""
        if not self._over.is_set():
            self._over.set()
            engine = self._crawler.engine
            assert engine is not None
            self._closing = asyncio.ensure_future(engine.close_spider_async(reason=reason))

    async def process_request(self, request: Request) -> None:
        """Hold the request until its turn; refuse it if the crawl is over by then."""
        self._pace.crawl_delay = max(self._pace.crawl_delay, request.meta.get(CRAWL_DELAY, 0.0))
        while not self._over.is_set() and (wait := self._wait(request)) > 0:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), wait)
        met = self._budget.met()
        if met is not None:
            self.stop(ENDED + met)
        if self._over.is_set():
            raise Postponed(f"{request.url} is left for the next crawl")
        self._pace.begin(time.monotonic())
        self._budget.pages += not request.meta.get("dont_obey_robotstxt")

    def _wait(self, request: Request) -> float:
        now = time.monotonic()
        return max(self._pace.wait(now), float(request.meta.get(NOT_BEFORE, 0.0)) - now)

    def process_response(self, request: Request, response: Response) -> Response:
        """Adapt the pace; a site that is busy (429, 503) is left alone by every request, as long as it asks."""
        now = time.monotonic()
        self._pace.answered(now, request.meta.get("download_latency"), response.status in (200, 304))
        if response.status in (429, 503):
            asked = retry_after(response)
            wait = self._backoff * 2.0 ** request.meta.get("retry_times", 0) if asked is None else asked
            self._pace.hold(now, min(wait, self._patience))
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """A request without an answer counts as one that ended now."""
        self._pace.answered(time.monotonic(), None, good=False)
