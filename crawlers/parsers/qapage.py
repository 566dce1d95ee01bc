"""Any page that describes itself as a schema.org QAPage or DiscussionForumPosting: one parser for many sites.

Microdata marks the visible text, so that formulas keep their markup; JSON-LD is a copy made for search engines, which
some sites strip of sup and sub. Microdata is therefore preferred where it holds as many answers.

Of a discussion the posting asks and its comments answer, also those on comments, in the order of the page. A page of
several postings is a listing, and none is read of it.
"""

import html as entities
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from corpus.reasons import Reason
from crawlers.html_reading.charsets import legible
from crawlers.html_reading.html_text import element_text, html_to_text
from crawlers.html_reading.html_tree import Element, flat, inner_html, link_to
from crawlers.html_reading.structured import (
    StructuredItem,
    first_value,
    has_type,
    is_item,
    item_of,
    linked_data,
    microdata,
    plain_value,
    values,
)
from crawlers.posts import ParsedAnswer, ParsedThread
from crawlers.threads import (
    MAX_ANSWERS,
    ThreadDraft,
    finished,
    is_amp,
    is_further_page,
    license_name,
    numbered,
    own_address,
    path_id,
    same_site,
    score_of,
)
from extractors.extraction_errors import ExtractionError

_TAG = re.compile(
    r"</?(?:p|br|div|span|sup|sub|b|i|em|strong|u|ul|ol|li|pre|code|img|a|table|tr|td|math|h[1-6]|blockquote|font|hr)\b[^<>]{0,2000}/?>",
    re.I,
)
_LINES = re.compile(r"<(?:p|br|div|li|pre|tr|h[1-6])\b", re.I)
_ESCAPED_TAG = re.compile(r"&lt;/(?:p|div|span|strong|li|sup)&gt;|&lt;br\s{0,3}/?&gt;", re.I)
_NUMBER = re.compile(r"(?:^|[#/=_-])(?:a|answer|post|comment|reply|p)?[-_]?(\d{1,18})(?=$|[/?#])", re.I)


@dataclass(frozen=True)
class Question:
    """A question with its answers in page order, each with whether it was accepted."""

    record: StructuredItem
    answers: tuple[tuple[StructuredItem, bool], ...]
    license: str = ""


def thread_in(root: Element, url: str) -> ParsedThread | None:
    """The thread of a page that holds one schema.org Question with answers of users; None for any other page.

    ``url`` is where the page was found. A page of several questions (a FAQ, a quiz, a listing) is none. Raises
    ExtractionError as ``crawlers.threads.finished`` does.
    """
    question = chosen(_from_microdata(root), _from_linked_data(root))
    return None if question is None else finished(draft_of(root, url, question))


def chosen(marked: Question | None, linked: Question | None) -> Question | None:
    """The question of microdata, unless JSON-LD has more answers, or has the text that the microdata lacks."""
    if marked is None or linked is None:
        return marked or linked
    has_more = len(linked.answers) > len(marked.answers)
    return linked if has_more or (_is_text_given(linked.record) and not _is_text_given(marked.record)) else marked


def _is_text_given(record: StructuredItem) -> bool:
    return any(values(record, name) for name in ("text", "articleBody"))


def draft_of(root: Element, url: str, question: Question) -> ThreadDraft:
    """The thread of a question, as the page shows it.

    Raises ExtractionError for a question that names a part which is not on the page.
    """
    record = question.record
    if missing := values(record, "@missing"):
        raise ExtractionError(
            f"{url}: the question names a part {str(missing[0])[:40]!r} (itemref) that is not on the page",
            code=Reason.TRUNCATED,
        )
    named = None if is_amp(root) else link_to(root, "canonical") or first_value(record, "url")
    address = own_address(named, url).partition("#")[0]
    body, body_html = _text(record)
    license_address = first_value(record, "license") or question.license or link_to(root, "license")
    return ThreadDraft(
        native_id=path_id(address),
        url=address,
        title=_one_line(first_value(record, "name") or first_value(record, "headline")),
        body=body,
        body_html=body_html,
        answers=numbered([_answer(entry, accepted, url) for entry, accepted in question.answers]),
        names=tuple(dict.fromkeys(_names([record, *(entry for entry, _ in question.answers)]))),
        tags=tuple(dict.fromkeys(tag.strip() for tag in first_value(record, "keywords").split(",") if tag.strip()))[
            :50
        ],
        license=license_name(license_address),
        posted_at=first_value(record, "dateCreated") or first_value(record, "datePublished"),
    )


def _answer(record: StructuredItem, accepted: bool, url: str) -> ParsedAnswer:
    return ParsedAnswer(
        answer_id=_answer_id(record),
        text=_text(record)[0],
        is_best=accepted,
        score=_score(record),
        license=license_name(first_value(record, "license")),
        url=same_site(first_value(record, "url"), url),
    )


def _answer_id(record: StructuredItem) -> str:
    """The number at the end of an answer's address, or what identifies it; empty where nothing does."""
    for name in ("url", "@id", "identifier"):
        said = first_value(record, name)
        if found := list(_NUMBER.finditer(said)):
            return found[-1][1]
    element = next(iter(record.get("@element") or ()), None)
    marked = element.get("data-answerid") or element.get("id") or "" if element is not None else ""
    found = list(_NUMBER.finditer(marked))
    return found[-1][1] if found else ""


def _score(record: StructuredItem) -> int | None:
    """Upvotes, less downvotes where the page counts them apart."""
    up, down = (score_of(first_value(record, name)) for name in ("upvoteCount", "downvoteCount"))
    return up - down if up is not None and down is not None else up


def _text(record: StructuredItem) -> tuple[str, str | None]:
    """The text of a question or answer and the markup it was read from."""
    value = next((value for name in ("text", "articleBody", "description") for value in values(record, name)), None)
    if isinstance(value, Element):
        if value.get("content") is None:
            return element_text(value), inner_html(value)
        value = value.get("content")
    return read_text(value) if isinstance(value, str) else ("", None)


def read_text(text: str) -> tuple[str, str | None]:
    """A text that may be HTML, HTML escaped once more, or plain; and its markup if it had any.

    >>> read_text("x<sup>2</sup> = 4\\nso x = 2")[0]
    'x^2 = 4\\nso x = 2'
    >>> read_text("&lt;p&gt;5 &amp;lt; x&lt;/p&gt;")[0], read_text("5 < x")[0]
    ('5 < x', '5 < x')
    """
    text = legible(text)
    if _ESCAPED_TAG.search(text) and not _TAG.search(text):
        text = entities.unescape(text)
    if not _TAG.search(text):
        return entities.unescape(text).replace("\r\n", "\n").replace("\xa0", " ").strip(), None
    marked = text if _LINES.search(text) else text.replace("\n", "<br>")
    return html_to_text(marked), text


def _one_line(title: str) -> str:
    return " ".join(read_text(title)[0].split())


def _names(records: Sequence[StructuredItem]) -> list[str]:
    """Names of authors, also of those who commented."""
    people = []
    for record in records:
        people += values(record, "author")
        for comment in values(record, "comment"):
            people += values(comment, "author") if isinstance(comment, dict) else []
    found = [name for person in people for name in (values(person, "name") if isinstance(person, dict) else [person])]
    return [name for one in found if (name := flat(one) if isinstance(one, Element) else plain_value(one))]


def _from_microdata(root: Element) -> Question | None:
    """The page's only Question item; a Question inside another item's answer or a listing makes it unsure."""
    questions = list(islice(microdata(root, "Question"), 2))
    if len(questions) != 1:
        return None
    element, record = questions[0]
    best = _named_best(root)
    items = [node for node in root.iter() if node.get("itemscope") is not None]
    nodes = (node for node in items if (_is_answer(node) if element in node.iterancestors() else _stands_beside(node)))
    answers = [
        (dict(item_of(node)) | {"@element": [node]}, _is_best(node, best)) for node in islice(nodes, MAX_ANSWERS + 1)
    ]
    return Question(record, tuple(answers)) if _holds_text(record) else None


def _is_answer(node: Element) -> bool:
    names = (node.get("itemprop") or "").split()
    return "acceptedAnswer" in names or "suggestedAnswer" in names


def _stands_beside(node: Element) -> bool:
    """Whether an item is an answer outside of its question, and no part of another answer or of a comment."""
    if not _is_answer(node) and not is_item(node, "Answer"):
        return False
    return not any(is_item(above, name) for above in node.iterancestors() for name in ("Answer", "Comment"))


def _named_best(root: Element) -> frozenset[str]:
    """The ids of elements that a link names as the accepted answer."""
    links = (node for node in root.iter("link", "a") if "acceptedAnswer" in (node.get("itemprop") or "").split())
    return frozenset(name for link in links if (name := (link.get("href") or "").rpartition("#")[2]))


def _is_best(node: Element, named: frozenset[str]) -> bool:
    own = {node.get("id"), (node.get("itemid") or "").rpartition("#")[2]} - {None, ""}
    return "acceptedAnswer" in (node.get("itemprop") or "").split() or not named.isdisjoint(own)


def _holds_text(record: StructuredItem) -> bool:
    return any(values(record, name) for name in ("text", "name", "headline", "articleBody"))


def _from_linked_data(root: Element) -> Question | None:
    records = linked_data(root)
    if any(has_type(record, name) for record in records for name in ("FAQPage", "Quiz")):
        return None
    resolve = _resolver(records)
    pages = [record for record in records if has_type(record, "QAPage")]
    asked = [resolve(entry) for page in pages for entry in values(page, "mainEntity")]
    if not pages:
        asked = [record for record in records if has_type(record, "Question")]
    questions = [entry for entry in asked if _is_question(entry) and _holds_text(entry)]
    if len(questions) != 1:
        return None
    license_address = next((address for page in pages if (address := first_value(page, "license"))), "")
    return Question(questions[0], _linked_answers(questions[0], resolve), license_address)


def _is_question(entry: object) -> bool:
    """Whether what a QAPage is about is a question: said so, or by the answers that it has."""
    if not isinstance(entry, dict) or "@type" in entry:
        return has_type(entry, "Question")
    return "acceptedAnswer" in entry or "suggestedAnswer" in entry


def _resolver(records: Sequence[StructuredItem]) -> Callable[[Any], Any]:
    """Replaces a bare reference ``{"@id": ...}`` by the record it names."""
    named = {record["@id"]: record for record in records if isinstance(record.get("@id"), str)}

    def resolve(value: Any) -> Any:
        bare = isinstance(value, dict) and set(value) <= {"@id", "@type"} and isinstance(value.get("@id"), str)
        return named.get(value["@id"], value) if bare else value

    return resolve


def _linked_answers(question: StructuredItem, resolve: Callable[[Any], Any]) -> tuple[tuple[StructuredItem, bool], ...]:
    """Accepted answers first, as sites show them; one that is listed as suggested too counts once."""
    answers: list[tuple[StructuredItem, bool]] = []
    seen: set[tuple[str, str]] = set()
    for name in ("acceptedAnswer", "suggestedAnswer"):
        for value in values(question, name):
            entry = resolve(value)
            if not isinstance(entry, dict) or not _holds_text(entry):
                continue
            key = (first_value(entry, "url") or first_value(entry, "@id"), first_value(entry, "text"))
            if key not in seen:
                seen.add(key)
                answers.append((entry, name == "acceptedAnswer"))
    return tuple(answers)


_POSTING = "DiscussionForumPosting"
_MAX_COMMENTS = 2_000


def posting_in(root: Element, url: str) -> ParsedThread | None:
    """The thread of a page that holds one posting with its text; None for any other page.

    Raises ExtractionError as ``crawlers.threads.finished`` does.
    """
    if is_further_page(url):
        return None
    marked = _only_one([record for _, record in islice(microdata(root, _POSTING), 2)])
    linked = _only_one([record for record in linked_data(root) if has_type(record, _POSTING)])
    question = chosen(marked, linked)
    return None if question is None else finished(draft_of(root, url, question))


def _only_one(postings: Sequence[StructuredItem]) -> Question | None:
    """The only posting with its comments, if it holds its text; one that is a comment on another does not count."""
    inner = {id(comment) for record in postings for comment in _comments(record)}
    outer = [record for record in postings if id(record) not in inner]
    if len(outer) != 1 or not _is_text_given(outer[0]):
        return None
    return Question(outer[0], tuple((comment, False) for comment in _comments(outer[0]) if _is_text_given(comment)))


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
