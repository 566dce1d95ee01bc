"""Pages of any one site, from a list of addresses or one page: whatever parser is sure of them."""

from collections.abc import Iterable

from crawlers.parsers.pages import parse_thread
from crawlers.parsers.stackexchange import api_items, parse_api_item
from crawlers.posts import ParsedThread
from crawlers.spiders.base import ThreadSpider
from crawlers.threads import site_of


class PagesSpider(ThreadSpider):
    """Reads the addresses it is given and follows no links; posts are filed under the site they came from."""

    name = "pages"
    starts_at_threads = True

    def threads(self, text: str, url: str) -> Iterable[ParsedThread]:
        """The thread of a page, or the threads of an answer of the Stack Exchange API."""
        if text.lstrip()[:1] == "{":
            return tuple(parse_api_item(item, url) for item in api_items(text))
        thread = parse_thread(text, url)
        return () if thread is None else (thread,)

    def source_of(self, thread: ParsedThread) -> str:
        """The site of the thread's address."""
        return site_of(thread.url)
