"""What a crawl says of itself while it runs and at its end; posts go to the feed, counts to the report."""

import json
import sys
import time
from pathlib import Path
from typing import IO, Any, Self

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.logformatter import LogFormatter

from corpus.canonical import canonical_json
from crawlers.crawling.frontier import ADDRESS, PART_SUFFIX, write_round

PREFIX = "wordquarry/"
_SOON, _LATE, _SHARE = 0.5, 60.0, 20
"""Seconds between two lines of progress: a twentieth of the time so far, within these bounds."""


class QuietFormatter(LogFormatter):
    """Makes no log record of what is counted anyway, that a page came, or a post, whose text no log is to hold."""

    def crawled(self, request: Request, response: Response, spider: Spider) -> None:  # type: ignore[override]
        """No record."""

    def scraped(self, item: Any, response: Any, spider: Spider) -> None:  # type: ignore[override]
        """No record."""


class Outcomes:
    """Counts what came over the network, prints progress lines, and writes round and report when the spider closes."""

    def __init__(self, crawler: Crawler) -> None:
        assert crawler.stats is not None
        self._stats = crawler.stats
        self._report = Path(crawler.settings["WORDQUARRY_REPORT"])
        self._round: str = crawler.settings["WORDQUARRY_ROUND"]
        self._crawler = crawler
        self._began = self._last = time.monotonic()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        outcomes = cls(crawler)
        for method, signal in (
            (outcomes.downloaded, signals.response_downloaded),
            (outcomes.received, signals.response_received),
            (outcomes.scheduled, signals.request_scheduled),
            (outcomes.dropped, signals.request_dropped),
            (outcomes.closed, signals.spider_closed),
        ):
            crawler.signals.connect(method, signal=signal)
        return outcomes

    def downloaded(self, response: Response, request: Request) -> None:
        """Count an answer of the site by what it carried; robots.txt and a refusal confirmed are no pages."""
        if not request.meta.get("dont_obey_robotstxt") and "refused_etag" not in request.meta:
            kind = {200: "fetched", 304: "not_modified"}.get(response.status)
            redirected = "redirected" if 300 < response.status < 400 else None
            self._count(kind or redirected or "errors_received")

    def received(self, spider: Any) -> None:
        """Print a progress line now and then, less often the longer the crawl takes."""
        now = time.monotonic()
        if now - self._last >= min(_LATE, max(_SOON, (now - self._began) / _SHARE)):
            self._last = now
            self._print_progress(spider)

    def scheduled(self, request: Request, spider: Any) -> None:
        """A redirect to a page that an earlier run of the round has settled goes no further."""
        if "redirect_urls" in request.meta and spider.frontier.is_past(request.url):
            spider.frontier.settle(request.meta[ADDRESS], "merged")
            raise IgnoreRequest

    def dropped(self, request: Request, spider: Any) -> None:
        """A redirect to a page that is on its way already, or back to where it came from."""
        looping = request.url in request.meta.get("redirect_urls", ())
        spider.frontier.settle(request.meta[ADDRESS], "redirect_loop" if looping else "merged")

    def closed(self, reason: str, spider: Any) -> None:
        """Postpone what still waits, and write the report: its presence says that the crawl ended in order."""
        self._print_progress(spider)
        frontier = spider.frontier
        engine = self._crawler.engine
        while engine is not None and engine.scheduler is not None and (request := engine.scheduler.next_request()):
            frontier.postpone(request.meta[ADDRESS])
        left = frontier.leave(reason)
        if self._round:
            write_round(Path(self._round).with_suffix(PART_SUFFIX), left)
        report = {
            "finish_reason": reason,
            "requested": frontier.requested,
            "outcomes": dict(sorted(frontier.outcomes.items())),
            "waiting": len(left.waiting),
            "tried": frontier.tried(),
            "seconds": round(time.monotonic() - self._began, 1),
            "stats": {key: value for key, value in self._stats.get_stats().items() if isinstance(value, int | float)},
        }
        temporary = self._report.with_suffix(PART_SUFFIX)
        temporary.write_text(json.dumps(report), encoding="utf-8")
        temporary.replace(self._report)

    def _count(self, name: str) -> None:
        self._stats.inc_value(PREFIX + name)

    def _print_progress(self, spider: Any) -> None:
        names = ("response_received_count", "item_scraped_count", f"{PREFIX}bytes")
        pages, posts, size = (self._stats.get_value(name, 0) for name in names)
        line = {"pages": pages, "posts": posts, "bytes": size, "waiting": spider.frontier.unsettled}
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()


class Feed:
    """Writes each post as one canonical JSON line, in order of arrival."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[str] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(Path(crawler.settings["WORDQUARRY_FEED"]))

    def open_spider(self) -> None:
        self._file = self._path.open("w", encoding="utf-8")

    def close_spider(self) -> None:
        if self._file is not None:
            self._file.close()

    def process_item(self, item: dict[str, Any]) -> dict[str, Any]:
        assert self._file is not None
        self._file.write(canonical_json(item) + "\n")
        return item


def count(spider: Spider, name: str, times: int = 1) -> None:
    """Add to a count of the report."""
    stats = spider.crawler.stats
    assert stats is not None
    if times:
        stats.inc_value(PREFIX + name, times)
