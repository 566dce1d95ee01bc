"""Question and answers in a site's own markup: the last resort, and quick to abstain.

Read are only pages where one block is called the question and its one list holds the answers, each with one text of
its own and somebody who posted it. A list of comments below an article is not a thread, nor are the choices of a quiz,
a FAQ, or a page of several questions.

Class names and ids say what a part is. A name is read word by word (``answer-item``, ``qa_answerItem`` and
``answer--item`` are the same) and has a role only if every word of it is understood: ``answers`` is a container,
``answer-later`` an advertisement for all we know.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from crawlers.html_reading.html_text import element_text
from crawlers.html_reading.html_tree import Element, flat, inner_html, link_to
from crawlers.parsers.forums import is_first_page
from crawlers.posts import ParsedAnswer, ParsedThread
from crawlers.threads import ThreadDraft, address_of, finished, is_site_name, license_name, numbered, path_id, score_of
from extractors.text.wordlists import read_list
from extractors.text.wordlists import words as word_list

QUESTION, ANSWER, TEXT, QUESTION_TEXT, ANSWER_TEXT = "question", "answer", "text", "question text", "answer text"
COMMENT, ASIDE, QUIZ, TITLE, BEST, SCORE, PERSON = "comment", "aside", "quiz", "title", "best", "score", "person"

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_HASH = re.compile(r"_{2,3}(?=[A-Za-z]*[\dA-Z])[\w-]{4,8}\Z", re.A)  # ends a name that a build made
_MAX_NAME = 60
_MAX_NAMES = 600
_COUNTED_WORDS = "count counter score value number post answer js net total vote votes"
_ASKING = frozenset(("question",))
_ANSWERING = frozenset(("answer", "reply", "response", "solution"))
_TEXTUAL = frozenset(("body", "content", "text", "message", "description", "desc", "markdown", "prose", "html"))
_NEUTRAL = frozenset(word_list(read_list("crawlers/neutral_names")))
_COMMENTS = frozenset(("comment", "comments", "commentary"))
_ASIDES = frozenset(word_list(read_list("crawlers/aside_names")))
_QUIZZES = frozenset(word_list(read_list("crawlers/quiz_names")))
_TITLES = frozenset(("title", "heading", "headline", "subject"))
_TITLED = frozenset(("question", "thread", "topic", "post", "entry"))
_CHOSEN = frozenset(("best", "accepted", "chosen", "brainliest"))
_CHOSEN_WITH = frozenset(("is", "answer", "solution", "badge", "mark", "icon", "label", "post", "js"))
_COUNTS = frozenset(("score", "votes", "vote", "rating"))
_COUNTED_WITH = frozenset(_COUNTED_WORDS.split())
_PEOPLE = frozenset(("author", "username", "asker", "answerer", "nickname"))
_PEOPLE_WITH = frozenset(("name", "link", "post", "answer", "question", "user", "js", "display"))


@lru_cache(maxsize=8192)
def role_of(name: str) -> str:
    """The role that one class name or id stands for, or the empty string.

    >>> [role_of(name) for name in ("answer", "qa-answer-item", "answerBody", "question__text", "answers", "top")]
    ['answer', 'answer', 'answer text', 'question text', '', '']
    >>> [role_of(name) for name in ("related-questions", "comment-text", "quiz-answer", "best-answer", "vote_count")]
    ['aside', 'comment', 'quiz', 'best', 'score']
    """
    words = [word.lower() for word in _WORD.findall(_HASH.sub("", name[:_MAX_NAME]))]
    known = set(words)
    for role, telling in ((QUIZ, _QUIZZES), (ASIDE, _ASIDES), (COMMENT, _COMMENTS)):
        if known & telling:
            return role
    return _mark(words, known) or _block(words)


def _mark(words: list[str], known: set[str]) -> str:
    """Roles of the small parts of a post."""
    if known & _CHOSEN and known <= _CHOSEN | _CHOSEN_WITH:
        return BEST
    if known & _COUNTS and known <= _COUNTS | _COUNTED_WITH:
        return SCORE
    if (known & _PEOPLE and known <= _PEOPLE | _PEOPLE_WITH) or words in (["user", "name"], ["display", "name"]):
        return PERSON
    return TITLE if known & _TITLES and known & _TITLED and known <= _TITLES | _TITLED | _NEUTRAL else ""


def _block(words: list[str]) -> str:
    """Roles of posts and their texts; one short word of the site's own may stand before the rest."""
    roles = _ASKING | _ANSWERING | _TEXTUAL
    if len(words) > 1 and len(words[0]) <= 6 and words[0] not in roles | _NEUTRAL:
        words = words[1:]
    telling = [word for word in words if word not in _NEUTRAL]
    if not telling:
        return ""
    *before, last = telling
    if last in _TEXTUAL:
        return _text(before)
    if before and not (before == ["question"] and last in _ANSWERING):  # question-answer is an answer
        return ""
    return QUESTION if last in _ASKING else ANSWER if last in _ANSWERING else ""


def _text(before: list[str]) -> str:
    if not before:
        return TEXT
    if len(before) > 1:
        return ""
    return QUESTION_TEXT if before[0] in _ASKING else ANSWER_TEXT if before[0] in _ANSWERING else ""


def roles_of(element: Element) -> frozenset[str]:
    """The roles of an element by its class names and its id, numbers left aside (``answer-124`` is an answer)."""
    names, marked = element.get("class"), element.get("id")
    # Cut before they are remembered: a page may be hostile, and what is remembered stays.
    return _roles((names or "")[:_MAX_NAMES], (marked or "")[:_MAX_NAME]) if names or marked else _NO_ROLES


_NO_ROLES: frozenset[str] = frozenset()


@lru_cache(maxsize=8192)
def _roles(names: str, marked: str) -> frozenset[str]:
    return frozenset(role for name in (*names.split(), marked) if (role := role_of(name[:_MAX_NAME])))


def within(block: Element, *wanted: str) -> Iterator[Element]:
    """Elements below a block that have one of the wanted roles, in document order, none inside of comments."""
    stack = list(reversed(block))
    while stack:
        element = stack.pop()
        found = roles_of(element)
        if COMMENT in found:
            continue
        if not found.isdisjoint(wanted):
            yield element
        stack.extend(reversed(element))


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


def thread_in(root: Element, url: str) -> ParsedThread | None:
    """The thread of a page in plain lists; None wherever there is a doubt.

    Raises ExtractionError as ``crawlers.threads.finished`` does.
    """
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
        if QUIZ in found:
            return None
        if element.tag in _PASSED_OVER or ASIDE in found or COMMENT in found:
            continue
        if TITLE in found:
            titles.append(element)
        if ANSWER in found and element.tag in _BLOCKS:
            answers += [] if _is_editor(element) else [element]
            continue
        if QUESTION in found and element.tag in _BLOCKS:
            questions.append(element)
        elif QUESTION_TEXT in found:
            texts.append(element)
        stack.extend(reversed(element))
    return _Parts(tuple(questions), tuple(texts), tuple(answers), tuple(titles))


def _is_editor(block: Element) -> bool:
    """Whether what looks like an answer is the place to write one."""
    texts = within(block, TEXT, ANSWER_TEXT)
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
    texts = list(within(block, TEXT, QUESTION_TEXT, ANSWER_TEXT))
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
    asked = (TITLE, QUESTION, QUESTION_TEXT)
    return any(next(within(answer, *asked), None) is not None for answer in answers)


def _has_poster(block: Element) -> bool:
    return any(
        node.tag == "time"
        or node.get("rel") == "author"
        or (node.tag == "a" and _PROFILE.search(node.get("href") or "") is not None)
        or PERSON in roles_of(node)
        for node in block.iter()
    )


def _id_of(block: Element) -> str:
    """The number in a block's id or in one of its ``data-…id`` attributes."""
    marks = [
        value for name, value in block.items() if name == "id" or (name.startswith("data-") and name.endswith("id"))
    ]
    return next((found[1] for mark in marks if (found := _DIGITS.search(mark))), "")


def _is_best(block: Element) -> bool:
    return BEST in roles_of(block) or next(within(block, BEST), None) is not None


def _answer(block: Element, text: Element) -> ParsedAnswer:
    counts = [score_of(flat(element)) for element in within(block, SCORE) if len(element) == 0]
    score = counts[0] if len(counts) == 1 else None
    return ParsedAnswer(_id_of(block), element_text(text), _is_best(block), score)


def _once(answers: list[ParsedAnswer]) -> list[ParsedAnswer]:
    """The answers without those that say again, word for word, what the best one says that stands first."""
    first = answers[0]
    return [first, *(answer for answer in answers[1:] if not (first.is_best and answer.text == first.text))]


def _people(block: Element) -> list[str]:
    named = [flat(element) for element in block.iter() if PERSON in roles_of(element)]
    return [name for name in named if 0 < len(name) <= 80]


def _title(root: Element, parts: _Parts, asked: Sequence[Element]) -> str:
    """The heading called the question's, else the only first heading that is not the site's name."""
    inside = list(asked[0].iter("h1"))
    headings = inside or [heading for heading in root.iter("h1") if not is_site_name(heading)]
    named = next(iter(parts.titles), None)
    heading = named if named is not None else headings[0] if len(headings) == 1 or inside else None
    return "" if heading is None else " ".join(element_text(heading).split())
