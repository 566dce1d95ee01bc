"""What one crawl may spend: pages, bytes and hours. A budget that is met ends the crawl in order; the next goes on."""

from dataclasses import dataclass
from enum import StrEnum

from scrapy.exceptions import IgnoreRequest


class Budgeted(StrEnum):
    """What a crawl has a budget of."""

    PAGES = "pages"
    BYTES = "bytes"
    HOURS = "hours"


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

        >>> [str(CrawlBudget(2, 100, *spent).met()) for spent in ((2, 0), (0, 100), (1, 99))]
        ['pages', 'bytes', 'None']
        """
        if self.pages >= self.max_pages:
            return Budgeted.PAGES
        return Budgeted.BYTES if self.bytes >= self.max_bytes else None
