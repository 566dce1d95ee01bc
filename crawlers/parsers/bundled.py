"""Pages of the bundled forum: pure, page in, thread out."""

import re

from corpus.reasons import Reason
from crawlers.dates import told_stamp
from crawlers.html_text import element_text
from crawlers.html_tree import (
    Element,
    classes,
    find_all,
    find_first,
    first_time,
    flat,
    inner_html,
    link_to,
    parse_document,
)
from crawlers.posts import ParsedAnswer, ParsedThread, Removed, join_title, private
from extractors.extraction_errors import ExtractionError

MAX_ANSWERS = 500
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,80}")
_INTEGER = re.compile(r"[+−-]?\d{1,9}")
_LICENSES = {"https://creativecommons.org/licenses/by-sa/4.0/": "CC BY-SA 4.0"}


def parse_thread(html: str, url: str) -> ParsedThread | None:
    """The thread a page holds; None when it is no thread page.

    ``url`` is where the page was found and is used where the page names no canonical address. Raises ExtractionError
    for a thread without id or question, with a score that is no number, or with fewer answers than it announces.
    """
    root = parse_document(html)
    article = find_first(root, "article", "thread") if root is not None else None
    if root is None or article is None:
        return None
    native_id = article.get("data-thread-id") or ""
    if not _ID.fullmatch(native_id):
        raise ExtractionError(f"{url}: thread without a usable data-thread-id; the markup of the page has changed")
    block = find_first(article, "div", "question")
    body = find_first(block, "div", "post-body") if block is not None else None
    if block is None or body is None:
        raise ExtractionError(f"{url}: thread {native_id} without a question block; the markup of the page has changed")
    names = [name for element in find_all(article, "a", "author") if (name := flat(element))]
    question, removed = _question(article, body, names)
    if not question:
        raise ExtractionError(f"{url}: thread {native_id} has neither title nor question", code=Reason.NO_TEXT)
    answers, removed_there = _answers(article, names, f"{url}: thread {native_id}")
    html_body, _ = private(inner_html(body), names)
    canonical = link_to(root, "canonical") or url
    license_url = link_to(root, "license")
    return ParsedThread(
        native_id=native_id,
        url=canonical,
        license=_LICENSES.get(license_url, license_url) if license_url else None,
        attribution=f"Word Problem Forum contributors, {canonical}" if license_url else None,
        question=question,
        question_html=html_body,
        answers=answers,
        tags=tuple(tag for element in block.iter("a") if element.get("rel") == "tag" and (tag := flat(element))),
        removed=removed + removed_there,
        title=private(_title(article), names)[0] or None,
        posted_at=told_stamp(first_time(block)),
    )


def thread_links(html: str) -> tuple[str, ...]:
    """The addresses of threads on a listing page, in page order, as written.

    >>> thread_links('<ol><li><a class="thread-link" href="/questions/a-1">A</a><a href="/users/b">b</a></ol>')
    ('/questions/a-1',)
    """
    root = parse_document(html)
    return (
        () if root is None else tuple(href for link in find_all(root, "a", "thread-link") if (href := link.get("href")))
    )


def next_link(html: str) -> str | None:
    """The address of the next listing page, or None on the last.

    >>> next_link('<a rel="next" href="/questions?page=2">next</a>')
    '/questions?page=2'
    """
    root = parse_document(html)
    links = () if root is None else root.iter("a", "link")
    return next((href for link in links if link.get("rel") == "next" and (href := link.get("href"))), None)


def _question(article: Element, body: Element, names: list[str]) -> tuple[str, Removed]:
    return private(join_title(_title(article), element_text(body)), names)


def _title(article: Element) -> str:
    heading = find_first(article, "h1", "thread-title")
    return " ".join(element_text(heading).split()) if heading is not None else ""


def _answers(article: Element, names: list[str], where: str) -> tuple[tuple[ParsedAnswer, ...], Removed]:
    blocks = list(find_all(article, "div", "answer"))
    announced = _announced(article)
    if announced is not None and announced != len(blocks):
        raise ExtractionError(f"{where} announces {announced} answers and shows {len(blocks)}", code="truncated")
    if len(blocks) > MAX_ANSWERS:
        raise ExtractionError(
            f"{where} has {len(blocks)} answers; at most {MAX_ANSWERS} are read", code=Reason.TOO_LARGE
        )
    answers, removed = [], Removed()
    for block in blocks:
        answer, removed_there = _answer(block, names, where)
        answers.append(answer)
        removed += removed_there
    if len({answer.answer_id for answer in answers}) < len(answers):
        raise ExtractionError(f"{where} has two answers with one id; the markup of the page has changed")
    return tuple(answers), removed


def _answer(block: Element, names: list[str], where: str) -> tuple[ParsedAnswer, Removed]:
    answer_id, body = block.get("data-answer-id"), find_first(block, "div", "post-body")
    if not answer_id or body is None:
        raise ExtractionError(f"{where} has an answer without id or text block; the markup of the page has changed")
    text, removed = private(element_text(body), names)
    best = "accepted" in classes(block) or find_first(block, "span", "accepted-mark") is not None
    return ParsedAnswer(answer_id, text, best, _score(block, where)), removed


def _score(block: Element, where: str) -> int | None:
    element = find_first(block, "span", "vote-count")
    shown = flat(element) if element is not None else ""
    if not shown:
        return None
    if not _INTEGER.fullmatch(shown):
        raise ExtractionError(f"{where} has the score {shown[:40]!r}, not a number; the markup of the page has changed")
    return int(shown.replace("−", "-"))


def _announced(article: Element) -> int | None:
    section = find_first(article, "section", "answers")
    heading = next(section.iter("h2"), None) if section is not None else None
    found = re.match(r"\d{1,6}", flat(heading)) if heading is not None else None
    return int(found[0]) if found else None
