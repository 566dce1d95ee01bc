"""What class names and ids say about the parts of a page whose software is not known: question, answer, text, aside.

A name is read word by word (``answer-item``, ``qa_answerItem`` and ``answer--item`` are the same) and has a role only
if every word of it is understood: ``answers`` is a container, ``answer-later`` an advertisement for all we know.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from crawlers.html_tree import Element
from extractors.text.wordlists import read_list
from extractors.text.wordlists import words as word_list

QUESTION, ANSWER, TEXT, QUESTION_TEXT, ANSWER_TEXT = "question", "answer", "text", "question text", "answer text"
COMMENT, ASIDE, QUIZ, TITLE, BEST, SCORE, PERSON = "comment", "aside", "quiz", "title", "best", "score", "person"

_SITE_NAMES = re.compile(r"\b(?:logo|site|brand)", re.I)
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


def roles(element: Element) -> frozenset[str]:
    """The roles of an element by its class names and its id, numbers left aside (``answer-124`` is an answer)."""
    names, marked = element.get("class"), element.get("id")
    # Cut before they are remembered: a page may be hostile, and what is remembered stays.
    return _roles((names or "")[:_MAX_NAMES], (marked or "")[:_MAX_NAME]) if names or marked else _NO_ROLES


_NO_ROLES: frozenset[str] = frozenset()


@lru_cache(maxsize=8192)
def _roles(names: str, marked: str) -> frozenset[str]:
    return frozenset(role for name in (*names.split(), marked) if (role := role_of(name[:_MAX_NAME])))


def is_site_name(heading: Element) -> bool:
    """Whether a heading names the site and not the page."""
    marks = (f"{one.get('class') or ''} {one.get('id') or ''}" for one in (heading, *heading.iterancestors("header")))
    return any(_SITE_NAMES.search(mark) for mark in marks)


def within(block: Element, *wanted: str, skipped: str = COMMENT) -> Iterator[Element]:
    """Elements below a block that have one of the wanted roles, in document order, none inside of ``skipped`` ones."""
    stack = list(reversed(block))
    while stack:
        element = stack.pop()
        found = roles(element)
        if skipped in found:
            continue
        if not found.isdisjoint(wanted):
            yield element
        stack.extend(reversed(element))
