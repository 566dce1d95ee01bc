"""Question pages of Yahoo! Answers as web archives hold them; the site itself ended in May 2021.

It had three markups since 2009, told apart by what no other site has: ``yan-question`` (to 2013), then
``ya-question-detail`` (to 2018), then class names with a hash such as ``Question__title___1Wgtn``. The middle one also
describes itself in microdata, but marks the shortened text of a long question: it is read here alone. The best answer
stands first on every page.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from urllib.parse import urlsplit

from crawlers.html_reading.html_text import element_text
from crawlers.html_reading.html_tree import (
    Element,
    by_class,
    classes,
    find_all,
    find_first,
    flat,
    inner_html,
    link_to,
    parse_document,
)
from crawlers.posts import ParsedAnswer, ParsedThread, site_of
from crawlers.threads import ThreadDraft, address_of, finished, is_further_page, numbered, path_id, score_of
from extractors.extraction_errors import ExtractionError

SITE = "answers.yahoo.com"
_LIST_OF_ANSWERS = "AnswersList__answersList___"
_QUESTION_ID = re.compile(r"(?:[?&;]|\A)qid=(\d{14}\w{6,8})(?!\w)|\A(\d{14}\w{6,8})\Z", re.A)
_COUNT = re.compile(r"\s{0,9}(\d{1,9})\b")
_NO_TOPICS = frozenset(("home", "all categories"))
_NO_NAMES = frozenset(("anonymous", "?"))


@dataclass(frozen=True)
class _YahooPage:
    """What one markup shows: the heading, the pieces of the question, and each answer's block, text and votes."""

    title: Element | None
    bodies: tuple[Element, ...]
    answers: tuple[ParsedAnswer, ...]
    topics: Iterable[str]
    names: Iterable[str]
    native_id: str = ""


def is_page(html: str) -> bool:
    """Whether a page has the markup of Yahoo! Answers, wherever an archive shows it.

    >>> is_page('<div id="ya-question-detail">'), is_page("<p>ya-question")
    (True, False)
    """
    if "Question__title___" in html:
        return _LIST_OF_ANSWERS in html
    return 'id="ya' in html and ('id="ya-question-detail"' in html or 'id="yan-question"' in html)


def parse_thread(html: str, url: str) -> ParsedThread | None:
    """The thread of a question page; None for any other page, and for further pages of a thread (``page=2``).

    Raises ExtractionError for an answer without text block.
    """
    if not is_page(html) or is_further_page(url):
        return None
    root = parse_document(html)
    if root is None:
        return None
    marked = {mark: element for element in root.iter("div", "ol", "ul", "li") if (mark := element.get("id"))}
    page = _of_2009(root, url, marked) or _of_2013(root, url, marked) or _of_2018(root, url)
    return None if page is None else finished(_draft(root, url, page))


def _draft(root: Element, url: str, page: _YahooPage) -> ThreadDraft:
    native_id = page.native_id or _question_id(url, link_to(root, "canonical") or "")
    address = _address(root, url, native_id)
    return ThreadDraft(
        native_id=native_id or path_id(address),
        url=address,
        title="" if page.title is None else " ".join(element_text(page.title).split()),
        body="\n".join(text for body in page.bodies if (text := element_text(body).strip())),
        body_html="\n".join(map(inner_html, page.bodies)) or None,
        answers=numbered(page.answers),
        names=tuple(dict.fromkeys(name for name in page.names if name and name.lower() not in _NO_NAMES)),
        tags=tuple(dict.fromkeys(topic for topic in page.topics if topic and topic.lower() not in _NO_TOPICS)),
        posted_at=_posted(native_id),
    )


def _posted(native_id: str) -> str:
    """When a question was posted, which its number begins with; the site says of no zone, so it is taken as UTC.

    >>> _posted("20110301153400AA8GaqD")
    '2011-03-01T15:34:00'
    """
    date, time = native_id[:8], native_id[8:14]
    return f"{date[:4]}-{date[4:6]}-{date[6:]}T{time[:2]}:{time[2:4]}:{time[4:]}" if time.isdigit() else ""


def _question_id(*marks: str) -> str:
    """The number that the site gave a question, such as 20110301153400AA8GaqD: a time and seven characters."""
    found = next((match for mark in marks if (match := _QUESTION_ID.search(mark))), None)
    return (found[1] or found[2]) if found else ""


def _address(root: Element, url: str, native_id: str) -> str:
    """The question's plain address, without the tracking that the site put into its links."""
    site = site_of(url)
    if native_id and (site == SITE or site.endswith("." + SITE)):
        parts = urlsplit(url)
        return f"{parts.scheme}://{parts.netloc}/question/index?qid={native_id}"
    return address_of(root, url).partition("#")[0]


def _of_2009(root: Element, url: str, marked: Mapping[str, Element]) -> _YahooPage | None:
    """``#yan-question`` with ``h1.subject`` and ``.content``; each answer a ``.answer``, the best also ``.best``."""
    question = marked.get("yan-question")
    if question is None or (title := find_first(question, "h1", "subject")) is None:
        return None
    blocks = [block for block in find_all(root, "div", "answer") if find_first(block, "*", "qa-container") is not None]
    answers = [
        ParsedAnswer(
            block.get("id") or "",
            element_text(_needed(find_first(block, "div", "content"), url, place)),
            "best" in classes(block),
            _rating(block),
        )
        for place, block in enumerate(blocks, 1)
    ]
    people = [person for block in (question, *blocks) for person in find_all(block, "span", "fn")]
    names = [name for person in people for name in (person.get("title") or "", flat(person))]
    content = find_first(question, "div", "content")
    topics = _linked(marked.get("yan-breadcrumbs"))
    return _YahooPage(title, () if content is None else (content,), _once(answers), topics, names)


def _rating(block: Element) -> int | None:
    """Votes for an answer less votes against it, where they stand (``3 good``, ``1 bad``)."""
    counts = []
    for name in ("rate-up", "rate-down"):
        shown = next((seen for row in find_all(block, "li", name) for seen in find_all(row, "*", "seo-rated")), None)
        found = _COUNT.match(flat(shown))
        counts.append(int(found[1]) if found else None)
    return _balance(counts)


def _of_2013(root: Element, url: str, marked: Mapping[str, Element]) -> _YahooPage | None:
    """``#ya-question-detail``; answers carry ``data-ya-type="answer"``, the best one stands in ``#ya-best-answer``."""
    detail = marked.get("ya-question-detail")
    if detail is None or (title := next(detail.iter("h1"), None)) is None:
        return None
    blocks = [element for element in root.iter("div", "li") if element.get("data-ya-type") == "answer"]
    best = marked.get("ya-best-answer")
    if best is not None and not any(block is best or best in block.iterancestors() for block in blocks):
        blocks.insert(0, best)
    answers = [
        ParsedAnswer(
            block.get("data-ya-answer-id") or "",
            element_text(_needed(_first(block, "ya-q-full-text", "ya-a-text"), url, place)),
            _is_best(block, best),
            _thumbs(block),
        )
        for place, block in enumerate(blocks, 1)
    ]
    topics = _linked(marked.get("brdCrb", marked.get("ya-question-breadcrumb")))
    names = _profiles(detail, *blocks)
    native_id = _question_id(detail.get("data-ya-question-id") or "")
    return _YahooPage(title, _full_texts(detail), _once(answers), topics, names, native_id)


def _full_texts(detail: Element) -> tuple[Element, ...]:
    """The question and its updates; a long one stands there twice, shortened and then whole."""
    spans = [span for span in detail.iter("span", "div") if classes(span) & {"ya-q-text", "ya-q-full-text"}]
    shortened = {
        short
        for short, whole in pairwise(spans)
        if "ya-q-full-text" not in classes(short) and "ya-q-full-text" in classes(whole)
    }
    return tuple(span for span in spans if span not in shortened)


def _is_best(block: Element, best: Element | None) -> bool:
    inside = best is not None and (block is best or best in block.iterancestors())
    return inside or "ya-best-answer" in classes(block) or find_first(block, "*", "ya-ba-title") is not None


def _thumbs(block: Element) -> int | None:
    up = next((node for node in block.iter() if node.get("itemprop") == "upvoteCount"), None)
    against = (node for node in block.iter() if node.get("data-ya-type") == "thumbsDown")
    down = next((count for node in against for count in find_all(node, "*", "count")), None)
    return _balance([score_of(flat(up)), score_of(flat(down))])


def _profiles(*blocks: Element) -> Iterator[str]:
    for block in blocks:
        for node in block.iter("img", "a"):
            names = classes(node)
            if "profileImage" in names:
                yield (node.get("alt") or "").strip()
            elif "uname" in names:
                yield flat(node)


def _of_2018(root: Element, url: str) -> _YahooPage | None:
    """Class names with a hash: the answers are the items of one list, the best one carries a badge."""
    named = _hashed(root)
    titles = [heading for heading in named.get("Question__title", ()) if heading.tag == "h1"]
    lists = named.get("AnswersList__answersList", ())
    if not titles or not lists:
        return None
    wrapper = next(iter(named.get("Question__contentWrapper", ())), None)
    content = None if wrapper is None else _content(wrapper)
    body = wrapper if content is None else content
    blocks = [(item, inside) for item in lists[0] if item.tag == "li" and _is_posted(inside := _hashed(item))]
    answers = [
        ParsedAnswer(
            "",
            element_text(_needed(_content(block), url, place)),
            any(name.startswith("Answer__bestAnswer") for name in inside),
            _balance([_pressed(block, "Thumbs up"), _pressed(block, "Thumbs down")]),
        )
        for place, (block, inside) in enumerate(blocks, 1)
    ]
    topics = [topic for line in named.get("Question__subtitle", ()) for topic in _linked(line)]
    people = [*named.get("UserProfile__userName", ()), *named.get("Question__userName", ())]
    return _YahooPage(titles[0], () if body is None else (body,), tuple(answers), topics, map(flat, people))


def _hashed(root: Element) -> dict[str, list[Element]]:
    """The elements that a build named, by the name without its hash."""
    found: dict[str, list[Element]] = {}
    for name, elements in by_class(root).items():
        if "___" in name:
            found.setdefault(name.partition("___")[0], []).extend(elements)
    return found


def _is_posted(inside: Iterable[str]) -> bool:
    """Whether an item of the list of answers shows who wrote it; advertisements do not."""
    return any(name.startswith("UserProfile__") for name in inside)


def _content(block: Element) -> Element | None:
    return next(iter(_hashed(block).get("ExpandableContent__content", ())), None)


def _pressed(block: Element, label: str) -> int | None:
    """The count on a button that is labelled for those who cannot see it."""
    button = next((node for node in block.iter("button") if (node.get("aria-label") or "").startswith(label)), None)
    return score_of(flat(button))


def _once(answers: Sequence[ParsedAnswer]) -> tuple[ParsedAnswer, ...]:
    """Each answer once, where it stands first: the best one may also stand among the others."""
    seen: dict[str, ParsedAnswer] = {}
    for place, answer in enumerate(answers):
        seen.setdefault(answer.answer_id or f"#{place}", answer)
    return tuple(seen.values())


def _balance(counts: Sequence[int | None]) -> int | None:
    """Votes for less votes against; None where the page shows no votes for, or only a rounded count."""
    up, down = counts
    return up - (down or 0) if up is not None else None


def _needed(body: Element | None, url: str, place: int) -> Element:
    if body is None:
        raise ExtractionError(f"{url}: answer {place} has no text block; the markup of the page has changed")
    return body


def _first(block: Element, *names: str) -> Element | None:
    return next((found for name in names if (found := find_first(block, "*", name)) is not None), None)


def _linked(element: Element | None) -> tuple[str, ...]:
    return () if element is None else tuple(flat(link) for link in element.iter("a"))
