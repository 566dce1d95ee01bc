"""A Scrapy spider that only downloads: ``python -m benchmarks.bare_spider FILE CONCURRENCY WORKERS``.

Scrapy's defaults but for the requests at a time and the workers for the items of a page (100 by default): no delay, no
robots.txt, nothing parsed and nothing stored. Prints how many pages came with status 200.
"""

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess
from scrapy.http import Response


class BareSpider(Spider):
    """Downloads the addresses of a file, one a line."""

    name = "bare"

    def __init__(self, file: str, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._file = Path(file)
        self.pages = 0

    async def start(self) -> AsyncIterator[Request]:
        """Every address."""
        for url in self._file.read_text(encoding="utf-8").split():
            yield Request(url, callback=self.parse)

    def parse(self, response: Response) -> None:
        """Count the page."""
        self.pages += 1


def main(file: str, concurrency: int, workers: int) -> None:
    """Download and print the count."""
    process = CrawlerProcess(
        {
            "CONCURRENT_REQUESTS": concurrency,
            "CONCURRENT_REQUESTS_PER_DOMAIN": concurrency,
            "CONCURRENT_ITEMS": workers,
            "LOG_LEVEL": "WARNING",
        }
    )
    crawler = process.create_crawler(BareSpider)
    process.crawl(crawler, file=file)
    process.start()
    assert isinstance(crawler.spider, BareSpider)
    print(crawler.spider.pages)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
