"""Question and answers in a site's own markup: the last resort, and quick to abstain.

Read are only pages where one block is called the question and its one list holds the answers, each with one text of
its own and somebody who posted it. A list of comments below an article is not a thread, nor are the choices of a quiz,
a FAQ, or a page of several questions.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from crawlers.html_text import element_text
from crawlers.html_tree import Element, flat, inner_html, link_to, parse_document
from crawlers.parsers import part_roles as roles
from crawlers.parsers.forums import is_first_page
from crawlers.parsers.part_roles import roles as roles_of
from crawlers.posts import ParsedAnswer, ParsedThread
from crawlers.threads import ThreadDraft, address_of, finished, license_name, numbered, path_id, score_of

_BLOCKS = frozenset(("div", "article", "section", "li", "td", "dd", "main"))
_PASSED_OVER = frozenset(("nav", "aside", "footer", "form", "script", "style", "svg", "noscript", "template"))
_DIGITS = re.compile(r"(\d{1,18})\Z")
_ANNOUNCED = re.compile(r"(\d{1,6}) (?:answers?|replies|reply|responses?|solutions?):?", re.I)
_CUT = re.compile(r"\W{0,9}(?:(?:read|show|see|view)\s+(?:more|all|the rest|full \w+)|continue reading)\W{0,9}", re.I)
_PROFILE = re.compile(r"/(?:users?|profiles?|members?|people|u)[/?=.]|[?&](?:u|uid|user|userid|member)=", re.I)


@dataclass(frozen=True)
class _Parts:
    """The blocks of a page, in document order: answers are outermost, questions stand outside of answers."""

    questions: tuple[Element, ...]
    texts: tuple[Element, ...]
    answers: tuple[Element, ...]
    titles: tuple[Element, ...]


def parse_thread(html: str, url: str) -> ParsedThread | None:
    """The thread of a page in plain lists; None wherever there is a doubt."""
    root = parse_document(html)
    return None if root is None else thread_in(root, url)


def thread_in(root: Element, url: str) -> ParsedThread | None:
    """Like parse_thread, for a parsed page. Raises ExtractionError as ``crawlers.threads.finished`` does."""
    address = address_of(root, url)
    parts = _parts(root) if is_first_page(root, address) else None
    if parts is None or not _is_one_list(parts.answers) or _too_many(root, len(parts.answers)):
        return None
    body = _question(parts)
    texts = [_text_block(answer) for answer in parts.answers]
    if body is None or None in texts or not _are_posted(parts.answers) or _are_of_others(parts.answers):
        return None
    pairs = [(block, text) for block, text in zip(parts.answers, texts, strict=True) if text is not None]
    asked = parts.questions or (body,)
    draft = ThreadDraft(
        native_id=path_id(address.partition("#")[0]),
        url=address.partition("#")[0],
        title=_title(root, parts, asked),
        body=element_text(body),
        body_html=inner_html(body),
        answers=numbered(_once([_answer(block, text) for block, text in pairs])),
        names=tuple(dict.fromkeys(name for one in (*asked, *parts.answers) for name in _people(one))),
        license=license_name(link_to(root, "license")),
    )
    return finished(draft)


def _parts(root: Element) -> _Parts | None:
    """The blocks by their roles; None for a quiz."""
    questions: list[Element] = []
    texts: list[Element] = []
    answers: list[Element] = []
    titles: list[Element] = []
    stack = [root]
    while stack:
        element = stack.pop()
        found = roles_of(element)
        if roles.QUIZ in found:
            return None
        if element.tag in _PASSED_OVER or roles.ASIDE in found or roles.COMMENT in found:
            continue
        if roles.TITLE in found:
            titles.append(element)
        if roles.ANSWER in found and element.tag in _BLOCKS:
            answers += [] if _is_editor(element) else [element]
            continue
        if roles.QUESTION in found and element.tag in _BLOCKS:
            questions.append(element)
        elif roles.QUESTION_TEXT in found:
            texts.append(element)
        stack.extend(reversed(element))
    return _Parts(tuple(questions), tuple(texts), tuple(answers), tuple(titles))


def _is_editor(block: Element) -> bool:
    """Whether what looks like an answer is the place to write one."""
    texts = roles.within(block, roles.TEXT, roles.ANSWER_TEXT)
    return any(next(text.iter("textarea"), None) is not None for text in texts)


def _is_one_list(answers: Sequence[Element]) -> bool:
    """Whether the answers are siblings of one tag, but for a best one that may stand apart, before them."""
    if not answers:
        return False
    first, rest = answers[0], answers[1:]
    apart = bool(rest) and first.getparent() is not rest[0].getparent() and _is_best(first)
    listed = rest if apart else answers
    return len({(answer.getparent(), answer.tag) for answer in listed}) == 1


def _too_many(root: Element, shown: int) -> bool:
    """Whether a heading announces fewer answers than were found: something else was taken for one."""
    headings = (_ANNOUNCED.fullmatch(flat(heading)) for heading in root.iter("h2", "h3", "h4"))
    announced = next((int(found[1]) for found in headings if found), shown)
    return announced < shown


def _question(parts: _Parts) -> Element | None:
    """The question's only text: in the innermost block called a question, or called its text; None in any doubt."""
    around = {above for answer in parts.answers for above in answer.iterancestors()}
    blocks = [block for block in parts.questions if block not in around]
    if not _is_chain(blocks):
        return None
    if not blocks:
        return parts.texts[-1] if parts.texts and _is_chain(parts.texts) else None
    return _text_block(blocks[-1])


def _text_block(block: Element) -> Element | None:
    """The innermost element below that is called a text, if all of them lie within each other; None if it is cut."""
    texts = list(roles.within(block, roles.TEXT, roles.QUESTION_TEXT, roles.ANSWER_TEXT))
    return texts[-1] if texts and _is_chain(texts) and not _is_cut(texts[-1]) else None


def _is_cut(text: Element) -> bool:
    """Whether a link inside offers the rest of a text."""
    return any(_CUT.fullmatch(flat(link)) for link in text.iter("a", "button"))


def _is_chain(elements: Sequence[Element]) -> bool:
    """Whether each element lies within the one before."""
    return all(outer in inner.iterancestors() for outer, inner in pairwise(elements))


def _are_posted(answers: Sequence[Element]) -> bool:
    """Whether people posted these: all have a number or a poster, one at least a poster, and nothing can be ticked."""
    posters = [_has_poster(answer) for answer in answers]
    ticked = any(node.get("type") in ("radio", "checkbox") for answer in answers for node in answer.iter("input"))
    known = all(poster or _id_of(answer) for poster, answer in zip(posters, answers, strict=True))
    return any(posters) and known and not ticked


def _are_of_others(answers: Sequence[Element]) -> bool:
    """Whether answers name questions of their own: a list of somebody's answers to many."""
    asked = (roles.TITLE, roles.QUESTION, roles.QUESTION_TEXT)
    return any(next(roles.within(answer, *asked), None) is not None for answer in answers)


def _has_poster(block: Element) -> bool:
    return any(
        node.tag == "time"
        or node.get("rel") == "author"
        or (node.tag == "a" and _PROFILE.search(node.get("href") or "") is not None)
        or roles.PERSON in roles_of(node)
        for node in block.iter()
    )


def _id_of(block: Element) -> str:
    """The number in a block's id or in one of its ``data-…id`` attributes."""
    marks = [
        value for name, value in block.items() if name == "id" or (name.startswith("data-") and name.endswith("id"))
    ]
    return next((found[1] for mark in marks if (found := _DIGITS.search(mark))), "")


def _is_best(block: Element) -> bool:
    return roles.BEST in roles_of(block) or next(roles.within(block, roles.BEST), None) is not None


def _answer(block: Element, text: Element) -> ParsedAnswer:
    counts = [score_of(flat(element)) for element in roles.within(block, roles.SCORE) if len(element) == 0]
    score = counts[0] if len(counts) == 1 else None
    return ParsedAnswer(_id_of(block), element_text(text), _is_best(block), score)


def _once(answers: list[ParsedAnswer]) -> list[ParsedAnswer]:
    """The answers without those that say again, word for word, what the best one says that stands first."""
    first = answers[0]
    return [first, *(answer for answer in answers[1:] if not (first.is_best and answer.text == first.text))]


def _people(block: Element) -> list[str]:
    named = [flat(element) for element in block.iter() if roles.PERSON in roles_of(element)]
    return [name for name in named if 0 < len(name) <= 80]


def _title(root: Element, parts: _Parts, asked: Sequence[Element]) -> str:
    """The heading called the question's, else the only first heading that is not the site's name."""
    inside = list(asked[0].iter("h1"))
    headings = inside or [heading for heading in root.iter("h1") if not roles.is_site_name(heading)]
    named = next(iter(parts.titles), None)
    heading = named if named is not None else headings[0] if len(headings) == 1 or inside else None
    return "" if heading is None else " ".join(element_text(heading).split())
