"""Any page that describes itself as a schema.org DiscussionForumPosting, in microdata or JSON-LD: one thread.

The posting asks and its comments answer, also those on comments, in the order of the page. A page of several postings
is a listing, and none is read of it.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from crawlers.html_tree import Element
from crawlers.parsers.qapage import Question, chosen, draft_of
from crawlers.posts import ParsedThread
from crawlers.structured import StructuredItem, has_type, linked_data, microdata, values
from crawlers.threads import finished, is_further_page

_TYPE = "DiscussionForumPosting"
_TEXTS = ("text", "articleBody")
_MAX_COMMENTS = 2_000


def thread_in(root: Element, url: str) -> ParsedThread | None:
    """The thread of a page that holds one posting with its text; None for any other page.

    Raises ExtractionError as ``crawlers.threads.finished`` does.
    """
    if is_further_page(url):
        return None
    marked = _only_one([record for _, record in islice(microdata(root, _TYPE), 2)])
    linked = _only_one([record for record in linked_data(root) if has_type(record, _TYPE)])
    question = chosen(marked, linked)
    return None if question is None else finished(draft_of(root, url, question))


def _only_one(postings: Sequence[StructuredItem]) -> Question | None:
    """The only posting with its comments, if it holds its text; one that is a comment on another does not count."""
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
