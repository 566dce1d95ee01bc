"""Threads in the markup of common question-and-answer software: one question, and answers with votes.

As with forums, a page is read only if it is surely the first page of one thread: the software's own class names, every
answer with one text block. Comments are left out, for the software keeps them outside of the texts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from crawlers.html_text import element_text
from crawlers.html_tree import Element, by_class, classes, first_time, flat, inner_html, link_to, parse_document
from crawlers.parsers.forums import is_first_page, number_of
from crawlers.parsers.part_roles import is_site_name
from crawlers.posts import ParsedAnswer, ParsedThread
from crawlers.threads import ThreadDraft, address_of, finished, license_name, numbered, path_id, score_of

Named = Mapping[str, Sequence[Element]]


@dataclass(frozen=True)
class Board:
    """How one software marks its posts up, by class names; ``block`` holds the question, ``body`` its text."""

    name: str
    block: str
    body: str
    answer: str
    text: str
    best: tuple[str, ...]
    scores: tuple[str, ...]
    people: tuple[str, ...]


BOARDS = (
    Board("Question2Answer", "qa-q-view", "qa-q-view-content", "qa-a-list-item", "qa-a-item-content",
          ("qa-a-list-item-selected",), ("qa-netvote-count-data",), ("qa-user-link",)),
    Board("DW Question & Answer", "dwqa-single-question", "dwqa-question-content", "dwqa-answer-item",
          "dwqa-answer-content", ("dwqa-best-answer",), ("dwqa-vote-count",), ("author",)),
    Board("Askbot", "js-question", "post-body", "js-answer", "post-body", ("accepted-answer",), ("vote-number",),
          ("user-card",)),
)  # fmt: skip
"""Software whose markup is known."""
SIGNS = ("qa-a-list-item", "dwqa-answer-item", "js-answer")
"""What of it stands in every page that is read here."""


def parse_thread(html: str, url: str) -> ParsedThread | None:
    """The thread of a question page; None where it is not surely one."""
    root = parse_document(html)
    return None if root is None else thread_in(root, url)


def thread_in(root: Element, url: str) -> ParsedThread | None:
    """Like parse_thread, for a parsed page. Raises ExtractionError as ``crawlers.threads.finished`` does."""
    address = address_of(root, url)
    if not is_first_page(root, address):
        return None
    named = by_class(root)
    for board in BOARDS:
        blocks, answers = named.get(board.block, ()), named.get(board.answer, ())
        texts = [_only(answer, board.text) for answer in answers]
        if len(blocks) == 1 and answers and None not in texts and not _are_nested(answers):
            found = [(answer, text) for answer, text in zip(answers, texts, strict=True) if text is not None]
            return finished(_draft(root, address.partition("#")[0], board, (blocks[0], found)))
    return None


def _only(block: Element, name: str) -> Element | None:
    """The only element of a class in a block, the block itself among them."""
    found = [element for element in block.iter() if name in classes(element)]
    return found[0] if len(found) == 1 else None


def _are_nested(blocks: Sequence[Element]) -> bool:
    held = set(blocks)
    return any(above in held for block in blocks for above in block.iterancestors())


def _draft(
    root: Element, address: str, board: Board, read: tuple[Element, list[tuple[Element, Element]]]
) -> ThreadDraft:
    block, answers = read
    body = _only(block, board.body)
    heading = next((found for found in root.iter("h1") if not is_site_name(found)), None)
    people = [block, *(answer for answer, _ in answers)]
    return ThreadDraft(
        native_id=path_id(address),
        url=address,
        title="" if heading is None else " ".join(element_text(heading).split()),
        body="" if body is None else element_text(body),
        body_html=None if body is None else inner_html(body),
        answers=numbered([_answer(board, answer, text) for answer, text in answers]),
        names=tuple(dict.fromkeys(name for one in people for name in _names(one, board))),
        license=license_name(link_to(root, "license")),
        posted_at=first_time(block),
    )


def _answer(board: Board, answer: Element, text: Element) -> ParsedAnswer:
    best = any(not classes(element).isdisjoint(board.best) for element in answer.iter())
    counts = [element for element in answer.iter() if not classes(element).isdisjoint(board.scores)]
    score = score_of(flat(counts[0]).replace("–", "-")) if counts else None
    return ParsedAnswer(number_of(answer), element_text(text), best, score)


def _names(block: Element, board: Board) -> list[str]:
    named = (flat(element) for element in block.iter() if not classes(element).isdisjoint(board.people))
    return [name for name in named if 0 < len(name) <= 80]
