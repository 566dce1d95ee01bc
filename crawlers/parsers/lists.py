"""Question and answers in plain lists of a site's own making: the last resort, and quick to abstain.

Read are only pages where one block is called the question and its one neighbouring list holds the answers, all of one
tag and class, each with one text block and an id of its own. A list of comments below an article is not a thread.
"""

import re
from collections import defaultdict

from crawlers.html_text import element_text
from crawlers.markup import Element, classes, flat, inner_html, link_to, parse_document
from crawlers.posts import ParsedAnswer, ParsedThread
from crawlers.threads import Draft, address_of, finished, license_name, numbered, path_id, score_of

_ASKING = frozenset(("question", "question-post", "question-block", "question-main", "topic-question"))
_ANSWERING = frozenset(("answer", "answer-item", "answer-block", "answer-post", "question-answer", "reply", "solution"))
_TEXT_NAMES = """body content text entry-content message-body post-body post-content post-text answer-body
    answer-content answer-text question-body question-content question-text reply-body reply-content reply-text"""
_TEXTS = frozenset(_TEXT_NAMES.split())
_BEST = frozenset(("accepted", "accepted-answer", "best", "best-answer", "is-best", "chosen", "brainliest"))
_COUNTS = frozenset(("score", "votes", "vote-count", "vote-score", "rating"))
_PEOPLE = frozenset(("author", "username", "user-name", "asker", "answerer", "nickname"))
_DIGITS = re.compile(r"(\d{1,18})\Z")


def parse_thread(html: str, url: str) -> ParsedThread | None:
    """The thread of a page in plain lists; None wherever there is a doubt."""
    root = parse_document(html)
    return None if root is None else thread_in(root, url)


def thread_in(root: Element, url: str) -> ParsedThread | None:
    """Like parse_thread, for a parsed page. Raises ExtractionError as ``crawlers.threads.finished`` does."""
    question, answers = _question(root), _answers(root)
    if question is None or not answers or link_to(root, "prev") is not None:
        return None
    block, body = question
    blocks = {answer for answer, _ in answers}
    if any(element in blocks for element in block.iter()) or any(
        element in blocks for element in block.iterancestors()
    ):
        return None
    address = address_of(root, url).partition("#")[0]
    heading = next(root.iter("h1"), None)
    draft = Draft(
        native_id=path_id(address),
        url=address,
        title="" if heading is None else " ".join(element_text(heading).split()),
        body=element_text(body),
        body_html=inner_html(body),
        answers=numbered([_answer(answer, text) for answer, text in answers]),
        names=tuple(dict.fromkeys(name for one in (block, *blocks) for name in _people(one))),
        license=license_name(link_to(root, "license")),
    )
    return finished(draft)


def _question(root: Element) -> tuple[Element, Element] | None:
    """The only block called a question, with its only text block."""
    blocks = [element for element in root.iter("div", "article", "section", "li") if classes(element) & _ASKING]
    body = _text_block(blocks[0]) if len(blocks) == 1 else None
    return None if body is None else (blocks[0], body)


def _answers(root: Element) -> list[tuple[Element, Element]]:
    """The page's only list of answers: siblings of one tag, each with one text block and a number."""
    lists: dict[Element, list[Element]] = defaultdict(list)
    for element in root.iter("div", "article", "section", "li"):
        parent = element.getparent()
        if classes(element) & _ANSWERING and parent is not None:
            lists[parent].append(element)
    if len(lists) != 1:
        return []
    (blocks,) = lists.values()
    pairs = [(block, body) for block in blocks if _id_of(block) and (body := _text_block(block)) is not None]
    return pairs if len(pairs) == len(blocks) and len({block.tag for block in blocks}) == 1 else []


def _text_block(block: Element) -> Element | None:
    """The only element below that is called a text, or None."""
    texts = [element for element in block.iter() if element is not block and classes(element) & _TEXTS]
    return texts[0] if len(texts) == 1 else None


def _id_of(block: Element) -> str:
    """The number in a block's id or in one of its ``data-…id`` attributes."""
    marks = [
        value for name, value in block.items() if name == "id" or (name.startswith("data-") and name.endswith("id"))
    ]
    return next((found[1] for mark in marks if (found := _DIGITS.search(mark))), "")


def _answer(block: Element, body: Element) -> ParsedAnswer:
    inside = [element for element in block.iter() if element.get("class")]
    best = any(classes(element) & _BEST for element in inside)
    counts = [score_of(flat(element)) for element in inside if classes(element) & _COUNTS]
    score = counts[0] if len(counts) == 1 else None
    return ParsedAnswer(_id_of(block), element_text(body), best, score)


def _people(block: Element) -> list[str]:
    named = [flat(element) for element in block.iter() if classes(element) & _PEOPLE]
    return [name for name in named if 0 < len(name) <= 80]
