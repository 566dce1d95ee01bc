"""Pages of the bundled forum: pure, page in, thread out."""

import re
from dataclasses import replace

from crawlers.html_reading.html_text import element_text
from crawlers.html_reading.html_tree import (
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
from crawlers.posts import ParsedAnswer, ParsedThread
from crawlers.threads import ThreadDraft, finished, license_name, score_of
from extractors.extraction_errors import ExtractionError

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,80}")


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
    where = f"{url}: thread {native_id}"
    license_url = link_to(root, "license")
    heading = find_first(article, "h1", "thread-title")
    draft = ThreadDraft(
        native_id=native_id,
        url=url,
        title=" ".join(element_text(heading).split()) if heading is not None else "",
        body=element_text(body),
        body_html=inner_html(body),
        answers=_answers(article, where),
        names=tuple(name for element in find_all(article, "a", "author") if (name := flat(element))),
        tags=tuple(tag for element in block.iter("a") if element.get("rel") == "tag" and (tag := flat(element))),
        license=license_name(license_url),
        posted_at=first_time(block),
    )
    address = link_to(root, "canonical") or url
    credit = f"Word Problem Forum contributors, {address}" if license_url else None
    return replace(finished(draft), url=address, attribution=credit)


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


def _answers(article: Element, where: str) -> tuple[ParsedAnswer, ...]:
    blocks = list(find_all(article, "div", "answer"))
    announced = _announced(article)
    if announced is not None and announced != len(blocks):
        raise ExtractionError(f"{where} announces {announced} answers and shows {len(blocks)}", code="truncated")
    return tuple(_answer(block, where) for block in blocks)


def _answer(block: Element, where: str) -> ParsedAnswer:
    answer_id, body = block.get("data-answer-id"), find_first(block, "div", "post-body")
    if not answer_id or body is None:
        raise ExtractionError(f"{where} has an answer without id or text block; the markup of the page has changed")
    best = "accepted" in classes(block) or find_first(block, "span", "accepted-mark") is not None
    shown = flat(find_first(block, "span", "vote-count"))
    score = score_of(shown)
    if shown and score is None:
        raise ExtractionError(f"{where} has the score {shown[:40]!r}, not a number; the markup of the page has changed")
    return ParsedAnswer(answer_id, element_text(body), best, score)


def _announced(article: Element) -> int | None:
    section = find_first(article, "section", "answers")
    heading = next(section.iter("h2"), None) if section is not None else None
    found = re.match(r"\d{1,6}", flat(heading)) if heading is not None else None
    return int(found[0]) if found else None
