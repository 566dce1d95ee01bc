"""Pages of any one site, from a list of addresses or one page: whatever parser is sure of them.

`--urls FILE`, or `--url` for one page; filed under the site's host. The license is that which the page states:
`rel=license`, schema.org `license`, or a post's own (Stack Exchange).
"""

from collections.abc import Iterable

from crawlers.parsers.pages import threads_of
from crawlers.posts import ParsedThread, site_of
from crawlers.spiders.base import ThreadSpider


class PagesSpider(ThreadSpider):
    """Reads the addresses it is given and follows no links; posts are filed under the site they came from."""

    name = "pages"
    starts_at_threads = True

    def threads(self, text: str, url: str) -> Iterable[ParsedThread]:
        """The thread of a page, or the threads of an answer of the Stack Exchange API."""
        return threads_of(text, url)

    def source_of(self, thread: ParsedThread) -> str:
        """The site of the thread's address."""
        return site_of(thread.url)
