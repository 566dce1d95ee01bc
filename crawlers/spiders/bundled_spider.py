"""The bundled forum: listing pages to threads, threads to posts.

Filed under `bundled`. CC BY-SA 4.0, written for this project.
"""

from collections.abc import Iterable

from crawlers.parsers.bundled import next_link, parse_thread, thread_links
from crawlers.posts import ParsedThread
from crawlers.spiders.base import Links, ThreadSpider


class BundledSpider(ThreadSpider):
    """Starts at the first listing page."""

    name = "bundled"
    start_path = "/questions"

    def links(self, html: str, url: str) -> Links:
        """The threads of a listing page and the next page."""
        following = next_link(html)
        return Links(thread_links(html), () if following is None else (following,))

    def threads(self, text: str, url: str) -> Iterable[ParsedThread]:
        """The thread of a page."""
        thread = parse_thread(text, url)
        return () if thread is None else (thread,)
