"""Every request of a crawl ends in one counted outcome; posts go to the feed, counts to the report."""

import json
import sys
import time
from pathlib import Path
from typing import IO, Any, Self

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.http import Response

from corpus.canonical import canonical_json

PREFIX = "wordquarry/"
_PROGRESS_SECONDS = 0.5


class Outcomes:
    """Counts what came over the network, prints progress lines and writes the report when the spider closes."""

    def __init__(self, crawler: Crawler) -> None:
        assert crawler.stats is not None
        self._stats = crawler.stats
        self._report = Path(crawler.settings["WORDQUARRY_REPORT"])
        self._last_progress = 0.0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Connect to the engine's signals."""
        outcomes = cls(crawler)
        for method, signal in (
            (outcomes.downloaded, signals.response_downloaded),
            (outcomes.received, signals.response_received),
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

    def received(self) -> None:
        """Print a progress line now and then."""
        now = time.monotonic()
        if now - self._last_progress >= _PROGRESS_SECONDS:
            self._last_progress = now
            self._print_progress()

    def dropped(self, request: Request) -> None:
        """A redirect to a page that is on its way already."""
        self._count("merged")

    def closed(self, reason: str) -> None:
        """Write the report: its presence says that the crawl came to an end of its own."""
        self._print_progress()
        stats = {key: value for key, value in self._stats.get_stats().items() if isinstance(value, int | float | str)}
        temporary = self._report.with_suffix(".part")
        temporary.write_text(json.dumps({"finish_reason": reason, "stats": stats}), encoding="utf-8")
        temporary.replace(self._report)

    def _count(self, name: str) -> None:
        self._stats.inc_value(PREFIX + name)

    def _print_progress(self) -> None:
        names = ("response_received_count", "item_scraped_count")
        pages, posts = (self._stats.get_value(name, 0) for name in names)
        sys.stdout.write(json.dumps({"pages": pages, "posts": posts}) + "\n")
        sys.stdout.flush()


class Feed:
    """Writes each post as one canonical JSON line, in order of arrival."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[str] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Take the path from the settings."""
        return cls(Path(crawler.settings["WORDQUARRY_FEED"]))

    def open_spider(self) -> None:
        """Start the feed anew."""
        self._file = self._path.open("w", encoding="utf-8")

    def close_spider(self) -> None:
        """Complete the feed."""
        if self._file is not None:
            self._file.close()

    def process_item(self, item: dict[str, Any]) -> dict[str, Any]:
        """Write one post."""
        assert self._file is not None
        self._file.write(canonical_json(item) + "\n")
        return item


def count(spider: Spider, name: str, times: int = 1) -> None:
    """Add to a count of the report."""
    stats = spider.crawler.stats
    assert stats is not None
    if times:
        stats.inc_value(PREFIX + name, times)
