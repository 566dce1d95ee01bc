"""Question pages of Stack Exchange sites, and the JSON of their API: one thread a page or item.

Each post carries its own license (CC BY-SA 2.5, 3.0 or 4.0, by its date); the thread is published under the question's.
"""

import html as entities
from collections.abc import Mapping
from typing import Any

from corpus.strict_json import load_json
from crawlers.dates import era_stamp
from crawlers.html_reading.html_text import element_text, html_to_text
from crawlers.html_reading.html_tree import Element, classes, find_all, find_first, flat, inner_html, parse_document
from crawlers.posts import ParsedAnswer, ParsedThread, site_of
from crawlers.threads import ThreadDraft, address_of, finished, is_further_page, same_site, score_of, text_at
from extractors.extraction_errors import ExtractionError

API_SITE = "api.stackexchange.com"
_BODIES = ("js-post-body", "post-text", "s-prose")
_NOTICES = frozenset(
    ("question-status", "question-originals-of-duplicate", "s-notice", "js-post-notice", "post-notice")
)


def parse_thread(html: str, url: str) -> ParsedThread | None:
    """The thread of a question page; None for a page of another kind.

    Raises ExtractionError for a question or answer without text or id. A long thread's further pages (``?page=2``)
    are none: they show the question with other answers.
    """
    if "data-questionid" not in html and "data-answerid" not in html:
        return None
    root = parse_document(html)
    if root is None or is_further_page(url):
        return None
    block = next((element for element in root.iter("div") if element.get("data-questionid")), None)
    if block is None or block.get("id") != "question":
        return None
    native_id = block.get("data-questionid") or ""
    where = f"{url}: question {native_id}"
    if not native_id.isdigit():
        raise ExtractionError(f"{where} has no number; the markup of the page has changed")
    body = _body(block, where)
    heading = find_first(root, "a", "question-hyperlink")
    title = element_text(heading) if heading is not None else ""
    answers = [_answer(element, url) for element in root.iter("div") if element.get("data-answerid")]
    draft = ThreadDraft(
        native_id=native_id,
        url=address_of(root, url).partition("?")[0],
        title=" ".join(title.split()),
        body=element_text(body, _notices(body)),
        body_html=inner_html(body),
        answers=tuple(answers),
        names=_names(root),
        tags=tuple(dict.fromkeys(flat(tag) for tag in find_all(block, "a", "post-tag"))),
        license=_license(block),
        posted_at=_posted(root, block),
    )
    return finished(draft)


def _posted(root: Element, block: Element) -> str:
    """When the question was asked: marked above it, or on older pages the title of "asked 3 years ago" below it."""
    marked = (element for element in root.iter("time") if element.get("itemprop") == "dateCreated")
    first = next(marked, None)
    if first is not None and all(not above.get("data-answerid") for above in first.iterancestors()):
        return first.get("datetime") or ""
    lines = (line for line in find_all(block, "div", "user-action-time") if flat(line).startswith("asked"))
    times = (span for line in lines for span in find_all(line, "span", "relativetime"))
    return next((said for span in times if (said := span.get("title"))), "")


def _answer(block: Element, url: str) -> ParsedAnswer:
    answer_id = block.get("data-answerid") or ""
    body = _body(block, f"{url}: answer {answer_id}")
    accepted = "accepted-answer" in classes(block) or block.get("itemprop") == "acceptedAnswer"
    return ParsedAnswer(
        answer_id=answer_id,
        text=element_text(body, _notices(body)),
        is_best=accepted,
        score=_score(block),
        license=_license(block),
        url=same_site(f"/a/{answer_id}", url),
    )


def _body(block: Element, where: str) -> Element:
    body = next((found for name in _BODIES if (found := find_first(block, "div", name)) is not None), None)
    if body is None:
        raise ExtractionError(f"{where} has no text block; the markup of the page has changed")
    return body


def _notices(body: Element) -> list[Element]:
    """What the site puts into a post: that it is a duplicate, closed or protected."""
    return [element for element in body.iter("div", "aside") if classes(element) & _NOTICES]


def _score(block: Element) -> int | None:
    """The votes on a post, from its own attribute or the first count below it."""
    if (said := block.get("data-score")) is not None:
        return score_of(said)
    counts = (element for name in ("js-vote-count", "vote-count-post") for element in find_all(block, "*", name))
    first = next(counts, None)
    return None if first is None else score_of(first.get("data-value") or flat(first))


def _license(block: Element) -> str | None:
    shares = (element.get("data-se-share-sheet-license-name") for element in block.iter("a"))
    return next((name for name in shares if name), None)


def _names(root: Element) -> tuple[str, ...]:
    """Display names of those who posted, edited or commented."""
    links = (link for card in find_all(root, "div", "user-details") for link in card.iter("a"))
    people = [*links, *find_all(root, "a", "comment-user")]
    return tuple(dict.fromkeys(name for link in people if (name := flat(link))))


def api_items(text: str) -> tuple[Mapping[str, Any], ...]:
    """The question items of an API response (``/questions`` with a filter that includes body and answers).

    Raises ExtractionError for a response that is no JSON object with items, and for one that reports an error.
    """
    try:
        response = load_json(text)
    except (ValueError, RecursionError) as error:
        raise ExtractionError("API response is not JSON; ask for it again") from error
    if isinstance(response, dict) and "error_id" in response:
        raise ExtractionError(
            f"API reports {response.get('error_name')}: {response.get('error_message')}", code="refused"
        )
    items = response.get("items") if isinstance(response, dict) else None
    if not isinstance(items, list):
        raise ExtractionError("API response without items; save a list of questions")
    return tuple(item for item in items if isinstance(item, dict) and "question_id" in item)


def parse_api_item(item: Mapping[str, Any], url: str) -> ParsedThread:
    """The thread of one API item; answers in the order of the response.

    Raises ExtractionError for an item without body, or with fewer answers than it counts: its filter left them out.
    """
    native_id = _number(item, "question_id")
    where = f"{url}: question {native_id}"
    rows = _rows(item, "answers")
    if "body" not in item or (score_of(item.get("answer_count")) or 0) > len(rows):
        raise ExtractionError(
            f"{where} lacks its body or answers; ask with a filter that includes question.body, question.answers and "
            "answer.body",
            code="truncated",
        )
    address = _address(text_at(item, "link"), url)
    answers = [_api_answer(row, where, address) for row in rows]
    draft = ThreadDraft(
        native_id=native_id,
        url=address,
        title=" ".join(entities.unescape(text_at(item, "title")).split()),
        body=html_to_text(text_at(item, "body")),
        body_html=text_at(item, "body"),
        answers=tuple(answers),
        names=tuple(dict.fromkeys(name for row in (item, *rows) if (name := _owner(row)))),
        tags=tuple(tag for tag in _rows(item, "tags") if isinstance(tag, str)),
        license=text_at(item, "content_license") or None,
        posted_at=era_stamp(item.get("creation_date")) or "",
    )
    return finished(draft)


def _address(link: str, url: str) -> str:
    """Where a question is: the API speaks for its sites, any other address only for its own."""
    return link if site_of(url) == API_SITE and site_of(link) else same_site(link, url) or url


def _api_answer(row: object, where: str, address: str) -> ParsedAnswer:
    if not isinstance(row, dict) or "body" not in row:
        raise ExtractionError(f"{where} has an answer without body; ask with another filter", code="truncated")
    answer_id = _number(row, "answer_id")
    return ParsedAnswer(
        answer_id=answer_id,
        text=html_to_text(text_at(row, "body")),
        is_best=row.get("is_accepted") is True,
        score=score_of(row.get("score")),
        license=text_at(row, "content_license") or None,
        url=same_site(f"/a/{answer_id}", address),
    )


def _number(row: Mapping[str, Any], name: str) -> str:
    number = row.get(name)
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise ExtractionError(f"API item with the {name} {str(number)[:40]!r}, not a number; the API has changed")
    return str(number)


def _rows(item: Mapping[str, Any], name: str) -> list[Any]:
    rows = item.get(name)
    return rows if isinstance(rows, list) else []


def _owner(row: object) -> str:
    owner = row.get("owner") if isinstance(row, dict) else None
    return entities.unescape(text_at(owner, "display_name")) if isinstance(owner, dict) else ""
