"""The last stop of a request before the network: it waits for its turn there, or learns that the crawl is over.

A crawl asks its site never faster than configured or than robots.txt asks for, and slower as the site slows. A budget
of pages, bytes or hours that is met ends the crawl in order; the next goes on.
"""

import asyncio
import contextlib
import time
from dataclasses import dataclass, field
from typing import Self

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from crawlers.crawling.job import ENDED
from crawlers.dates import header_moment

NOT_BEFORE, CRAWL_DELAY = "not_before", "crawl_delay"
"""What a request may carry in its meta: the moment before which it is not sent, and the pause of its robots.txt."""

_UNNOTICEABLE = 0.02
"""Pauses below this are not made: a site that answers so fast is not held up by anyone."""


@dataclass
class Pace:
    """When the next request may begin, in seconds of any steady clock.

    ``least`` is the configured pause between the beginnings of two requests, ``most`` what the throttle goes up to by
    itself, ``target`` how many requests it wants to be under way at a time, ``start`` its first pause.

    The throttle is that of Scrapy: it goes halfway to the pause at which ``target`` requests are under way, at once
    where that is longer, and never down on an answer other than 200, for errors come fast. The pause that robots.txt
    asks for counts from the answer, so that no two requests arrive with less between them.
    """

    least: float
    most: float
    target: float
    start: float = 0.0
    crawl_delay: float = 0.0
    _throttle: float = field(init=False)
    _next: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        self._throttle = self.start

    @property
    def pause(self) -> float:
        """Seconds between the beginnings of two requests as things stand.

        >>> Pace(0.5, 60, 1, start=1).pause, Pace(0.5, 60, 1, crawl_delay=10).pause, Pace(0, 60, 8).pause
        (1, 10, 0)
        """
        throttle = self._throttle if self._throttle >= _UNNOTICEABLE else 0
        return max(self.least, throttle, self.crawl_delay)

    def wait(self, now: float) -> float:
        """Seconds to wait from ``now`` until a request may begin; 0 if it may."""
        return max(0.0, self._next - now)

    def begin(self, now: float) -> None:
        """A request begins."""
        self._next = max(self._next, now + self.pause)

    def answered(self, now: float, latency: float | None, good: bool) -> None:
        """An answer came, ``latency`` seconds after it was asked for, or None came; ``good`` is status 200.

        >>> pace = Pace(0.0, 60, 2)
        >>> pace.answered(0, 1.0, True); pace.pause
        0.5
        >>> pace.answered(0, 0.1, False); pace.pause
        0.5
        >>> pace.answered(0, 0.1, True); pace.pause
        0.275
        """
        if self.crawl_delay:
            self._next = max(self._next, now + self.crawl_delay)
        if latency is None:
            return
        aim = latency / self.target
        adapted = min(max(aim, (self._throttle + aim) / 2), self.most)
        if good or adapted > self._throttle:
            self._throttle = adapted

    def hold(self, now: float, seconds: float) -> None:
        """The site asks for a pause."""
        self._next = max(self._next, now + seconds)


def retry_after(response: Response) -> float | None:
    """Seconds the site asks to wait, or None; a date is counted from the ``Date`` of the answer, else from now.

    >>> retry_after(Response("http://a.example", headers={"Retry-After": "7"}))
    7.0
    >>> by_its_clock = {"Date": "Mon, 15 Jan 2001 09:30:00 GMT", "Retry-After": "Mon, 15 Jan 2001 09:30:40 GMT"}
    >>> retry_after(Response("http://a.example", headers=by_its_clock))
    40.0
    """
    value = (response.headers.get(b"Retry-After") or b"").decode("latin-1").strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    moment, date = header_moment(value), header_moment((response.headers.get(b"Date") or b"").decode("latin-1"))
    now = time.time() if date is None else date.timestamp()
    return None if moment is None else max(0.0, moment.timestamp() - now)


class Postponed(IgnoreRequest):
    """The crawl ends before it asked for the address; the next one does."""


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
        self._max_pages, self._max_bytes = (settings.getint(f"WORDQUARRY_MAX_{of}") for of in ("PAGES", "BYTES"))
        self._pages = self._bytes = 0
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
        self._bytes += len(data)
        assert self._crawler.stats is not None
        self._crawler.stats.set_value("wordquarry/bytes", self._bytes)

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
        if self._pages >= self._max_pages or self._bytes >= self._max_bytes:
            self.stop(f"{ENDED}{'pages' if self._pages >= self._max_pages else 'bytes'}")
        if self._over.is_set():
            raise Postponed(f"{request.url} is left for the next crawl")
        self._pace.begin(time.monotonic())
        self._pages += not request.meta.get("dont_obey_robotstxt")

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
