"""Any page of any site: the parser of the site if there is one, else what the page says of itself, else its forum.

A page that shows no sign of a thread is let go before it is parsed, which is most of what an archive holds.
"""

import re
from collections.abc import Callable

from crawlers.html_reading.html_tree import Element, parse_document
from crawlers.parsers import algebra, forums, lists, qapage, stackexchange, yahoo
from crawlers.posts import ParsedThread, site_of

_STACK_EXCHANGE = "data-questionid="
_FORUM_POSTS = (
    "message--post", "crawler-post", "postbody", "post_message_", "js-post__content-text", "postcontent", "post_body",
    "post_wrapper",
)  # fmt: skip
_FORUMS = ("messageText", "commentContent", "bbp-reply-content", "bbp-topic-content", "ItemDiscussion", *forums.SIGNS)
_LIST_WORDS = ("nswer", "eply", "olution", "esponse")
_LIST = re.compile(r"class=[\"']?[^\"'<>]{0,200}?(?:[Aa]nswer|[Rr]eply|[Ss]olution|[Rr]esponse)")

PageParser = Callable[[Element, str], ParsedThread | None]


def threads_of(text: str, url: str) -> tuple[ParsedThread, ...]:
    """The threads of whatever a site sent: a page, or an answer of the Stack Exchange API with several questions.

    Raises as parse_thread does; an API answer with one malformed question gives none.
    """
    if text.lstrip()[:1] == "{" and ('"items"' in text or '"error_id"' in text):
        return tuple(stackexchange.parse_api_item(item, url) for item in stackexchange.api_items(text))
    thread = parse_thread(text, url)
    return () if thread is None else (thread,)


def parse_thread(html: str, url: str) -> ParsedThread | None:
    """The thread of a page found at ``url``, or None where there is none or no parser is sure of it.

    Raises ExtractionError for a page that is recognised and malformed, LimitError for one beyond the bounds.
    """
    if site_of(url) == algebra.SITE:
        return algebra.parse_thread(html, url)
    if _STACK_EXCHANGE in html:  # for its own parser alone
        return stackexchange.parse_thread(html, url)
    if yahoo.is_page(html):
        return yahoo.parse_thread(html, url)
    root = None
    for is_likely, parser in _PARSERS:
        if is_likely(html):
            root = parse_document(html) if root is None else root
            thread = None if root is None else parser(root, url)
            if thread is not None:
                return thread
    return None


def _is_forum(html: str) -> bool:
    return ("post" in html and any(name in html for name in _FORUM_POSTS)) or any(name in html for name in _FORUMS)


def _is_list(html: str) -> bool:
    return any(word in html for word in _LIST_WORDS) and _LIST.search(html) is not None


_PARSERS: tuple[tuple[Callable[[str], bool], PageParser], ...] = (
    (lambda html: "schema.org" in html, qapage.thread_in),
    (_is_forum, forums.thread_in),
    (lambda html: "DiscussionForumPosting" in html, qapage.posting_in),
    (_is_list, lists.thread_in),
)
