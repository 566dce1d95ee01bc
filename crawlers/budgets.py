"""What one crawl may spend: pages, bytes and hours. A budget that is met ends the crawl in order; the next goes on."""

from dataclasses import dataclass
from typing import Literal

from scrapy.exceptions import IgnoreRequest

Budgeted = Literal["pages", "bytes", "hours"]


class Postponed(IgnoreRequest):
    """The crawl ends before it asked for the address; the next one does."""


@dataclass
class CrawlBudget:
    """Requests sent, robots.txt aside, and bytes of bodies as they came over the network, each with its bound."""

    max_pages: int
    max_bytes: int
    pages: int = 0
    bytes: int = 0

    def met(self) -> Budgeted | None:
        """The budget that leaves no room for another request, if any.

        >>> CrawlBudget(2, 100, pages=2).met(), CrawlBudget(2, 100, bytes=100).met(), CrawlBudget(2, 100, 1, 99).met()
        ('pages', 'bytes', None)
        """
        if self.pages >= self.max_pages:
            return "pages"
        return "bytes" if self.bytes >= self.max_bytes else None
