"""Any page that describes itself as a schema.org DiscussionForumPosting, in microdata or JSON-LD: one thread.

The posting asks and its comments answer, also those on comments, in the order of the page. A page of several postings
is a listing, and none is read of it.
"""

from collections.abc import Iterator
from typing import Any

from crawlers.html_tree import Element
from crawlers.parsers.qapage import Question, chosen, draft_of
from crawlers.posts import ParsedThread
from crawlers.structured import StructuredItem, has_type, is_item, item_of, linked_data, microdata, values
from crawlers.threads import finished, is_further_page

_TYPE = "DiscussionForumPosting"
_TEXTS = ("text", "articleBody")
_MAX_COMMENTS = 2_000


def thread_in(root: Element, url: str) -> ParsedThread | None:
    """The thread of a page that holds one posting with its text; None for any other page.

    Raises ExtractionError as ``crawlers.threads.finished`` does.
    """
    question = None if is_further_page(url) else chosen(_from_microdata(root), _from_linked_data(root))
    return None if question is None else finished(draft_of(root, url, question))


def _from_microdata(root: Element) -> Question | None:
    postings = list(microdata(root, _TYPE))
    if len(postings) != 1:
        return None
    element, record = postings[0]
    comments = [
        (dict(item_of(node)) | {"@element": [node]}, False)
        for node in root.iter()
        if is_item(node, "Comment") and (element in node.iterancestors() or _is_named(node, record))
    ]
    return Question(record, tuple(comments)) if _holds_text(record) else None


def _is_named(node: Element, record: StructuredItem) -> bool:
    """Whether an item elsewhere on the page is one that the posting names as its comment."""
    return any(node in values(comment, "@element") for comment in values(record, "comment") if isinstance(comment, dict))


def _from_linked_data(root: Element) -> Question | None:
    postings = [record for record in linked_data(root) if has_type(record, _TYPE)]
    inner = {id(comment) for record in postings for comment in _comments(record)}
    outer = [record for record in postings if id(record) not in inner]
    if len(outer) != 1 or not _holds_text(outer[0]):
        return None
    return Question(outer[0], tuple((comment, False) for comment in _comments(outer[0]) if _holds_text(comment)))


def _comments(record: StructuredItem) -> Iterator[dict[str, Any]]:
    """The comments on a posting, each before those on itself."""
    waiting = list(reversed(values(record, "comment")))
    for _ in range(_MAX_COMMENTS):
        if not waiting:
            return
        comment = waiting.pop()
        if isinstance(comment, dict):
            yield comment
            waiting.extend(reversed(values(comment, "comment")))


def _holds_text(record: StructuredItem) -> bool:
    return any(values(record, name) for name in _TEXTS)
