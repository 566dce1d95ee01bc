"""algebra.com: sections to listing pages, listing pages to questions, questions to posts.

`--url https://www.algebra.com`; filed under `algebra.com`. Its pages name no license, so `license` is null. Its terms
of use and robots.txt apply; ask the site before you publish.
"""

from collections.abc import Iterable

from crawlers.parsers.algebra import SITE, listing_links, parse_thread, thread_links
from crawlers.posts import ParsedThread
from crawlers.spiders.base import Links, ThreadSpider


class AlgebraSpider(ThreadSpider):
    """Starts at the sections of word problems; give the address of one section to crawl that one."""

    name = "algebra"
    start_path = "/algebra/homework/word/"

    def links(self, html: str, url: str) -> Links:
        """The questions of a listing page, its sections, and older solutions."""
        return Links(thread_links(html, url), listing_links(html, url))

    def threads(self, text: str, url: str) -> Iterable[ParsedThread]:
        """The thread of a question page."""
        thread = parse_thread(text, url)
        return () if thread is None else (thread,)

    def source_of(self, thread: ParsedThread) -> str:
        """The site, so that the same question from an archive is the same post."""
        return SITE
