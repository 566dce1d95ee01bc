"""Threads in the markup of common software: of forums, where the first post asks, and for questions and answers.

A page is read only if it is surely the first page of one thread: known markup, every post with text, nothing before it.
Everything else is None, for a reply read as a question would be a wrong post. Quotations are left out of replies in a
forum: a quoted answer would count as a second vote for itself. Comments on answers stand outside of their texts.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from crawlers.html_reading.html_text import element_text
from crawlers.html_reading.html_tree import (
    Element,
    by_class,
    classes,
    find_all,
    find_first,
    first_time,
    flat,
    inner_html,
    link_to,
)
from crawlers.posts import ParsedAnswer, ParsedThread
from crawlers.threads import ThreadDraft, address_of, finished, is_site_name, license_name, numbered, path_id, score_of

_POST_ID = re.compile(
    r"(?:js-)?(?:p|post|post-id|msg|elComment|comment|discussion|a|answer|answer-container)[-_]?(\d{1,18})|(\d{1,18})",
    re.I,
)
_POST_CLASS = re.compile(r"(?:post|reply)-(\d{1,18})")
_QUOTES = frozenset(
    (
        "quote",
        "bbcode_quote",
        "bbCodeQuote",
        "bbCodeBlock--quote",
        "quotetitle",
        "quotecontent",
        "quote_container",
        "quoteheader",
    )
)
_SIGNATURES = frozenset(
    ("signature", "message-signature", "sig", "postsignature", "js-lastEdit", "message-lastEdit", "attachbox")
)
_FURTHER = re.compile(r"[?&](?:page|start|st|ans-page)=(?!0\b|1\b)\d|/page[-/]?(?!1\b)\d", re.I)
# What the addresses of forums say besides: an offset, one post alone or the page that it stands on, the latest first.
_FURTHER_OF_FORUMS = re.compile(
    r"(?<!thread)-p?(?!1\b)\d{1,4}\.html\Z|/p(?!1\b)\d{1,4}/?\Z|__st__[1-9]|[?&;]topic=\d{1,9}\.(?!0\b)\w"
    r"|(?:viewtopic|showthread)\.php\?(?:[^#]{0,500}&)?(?:p|pid|goto)=|showpost\.php|[?&](?:sd=d|order=desc)\b",
    re.I,
)


@dataclass(frozen=True)
class Engine:
    """How one forum software marks its posts up: class names, the first that occurs counts.

    A text may be told by an attribute instead (``data-role=x``), an author by a tag below a class (``poster h4``).
    ``number_in_text`` says that a post's number stands at its text and not at the block around it. ``beside`` are names
    that stand on every such page: other software uses some of the rest. Software for questions and answers has a
    ``question`` of its own, whose text is the first of ``bodies``; its ``posts`` are answers.
    """

    name: str
    tag: str
    posts: tuple[str, ...]
    bodies: tuple[str, ...]
    titles: tuple[str, ...]
    authors: tuple[str, ...]
    accepted: tuple[str, ...] = ()
    scores: tuple[str, ...] = ()
    number_in_text: bool = False
    beside: tuple[str, ...] = ()
    question: str = ""


ENGINES = (
    Engine("XenForo 2", "article", ("message--post",), ("bbWrapper", "message-body"), ("p-title-value",),
           ("username", "message-name"), ("message--solution",), ("js-voteCount",)),
    Engine("XenForo 1", "li", ("message",), ("messageText",), ("titleBar",), ("username",)),
    Engine("Discourse", "div", ("crawler-post",), ("post",), ("topic-title",), ("creator",), ("accepted-answer",)),
    Engine("phpBB 3", "div", ("post",), ("content",), ("topic-title",), ("username", "username-coloured"),
           ("solution",), beside=("postbody", "postprofile")),
    Engine("vBulletin 5", "li", ("b-post",), ("js-post__content-text",), ("b-topic__title", "main-title"), ("author",),
           (), ("votecount",)),
    Engine("vBulletin 4", "li", ("postbit", "postbitlegacy", "postcontainer"), ("postcontent",), ("threadtitle",),
           ("username",)),
    Engine("Invision", "article", ("cPost",), ("data-role=commentContent",), ("ipsType_pageTitle",),
           ("cAuthorPane_author",)),
    Engine("bbPress", "div", ("type-topic", "type-reply"), ("bbp-topic-content", "bbp-reply-content"), ("entry-title",),
           ("bbp-author-name", "bbp-author-link"), beside=("bbp-replies",)),
    Engine("Vanilla", "*", ("ItemDiscussion", "ItemComment"), ("Message",), ("PageTitle",), ("Username",)),
    Engine("MyBB", "div", ("post",), ("post_body",), (), ("largetext",), beside=("author_information",)),
    Engine("Simple Machines", "div", ("post_wrapper",), ("inner",), ("display_title",), ("poster h4",),
           number_in_text=True, beside=("poster", "postarea")),
    Engine("vBulletin 3", "table", ("tborder",), ("post_message",), ("navbar-title",), ("bigusername",)),
    Engine("Question2Answer", "*", ("qa-a-list-item",), ("qa-q-view-content", "qa-a-item-content"), (),
           ("qa-user-link",), ("qa-a-list-item-selected",), ("qa-netvote-count-data",), question="qa-q-view"),
    Engine("DW Question & Answer", "*", ("dwqa-answer-item",), ("dwqa-question-content", "dwqa-answer-content"), (),
           ("author",), ("dwqa-best-answer",), ("dwqa-vote-count",), question="dwqa-single-question"),
    Engine("Askbot", "*", ("js-answer",), ("post-body", "post-body"), (), ("user-card",), ("accepted-answer",),
           ("vote-number",), question="js-question"),
)  # fmt: skip
"""Software whose markup is known, in order of how particular its class names are."""
SIGNS = tuple(engine.posts[0] for engine in ENGINES if engine.question)
"""What stands in every page of software for questions and answers."""


def thread_in(root: Element, url: str) -> ParsedThread | None:
    """The thread of a page; None where it is not surely the first page of one.

    Raises ExtractionError as ``crawlers.threads.finished`` does.
    """
    address = address_of(root, url)
    if not is_first_page(root, address):
        return None
    is_further = _FURTHER_OF_FORUMS.search(address) is not None
    named = by_class(root)
    for engine in ENGINES:
        if named.keys().isdisjoint(engine.posts) or not named.keys() >= set(engine.beside):
            continue
        if is_further and not engine.question:
            continue
        posts = _question_and_answers(named, engine) if engine.question else _posts(root, engine)
        title = _title(root, engine, named)
        if len(posts) > 1 or (posts and title):
            return finished(_draft(root, address.partition("#")[0], engine, (title, posts)))
    return None


def is_first_page(root: Element, address: str) -> bool:
    """Whether a page is the first of its thread, by its address and by what it names as the page before it."""
    return link_to(root, "prev") is None and _FURTHER.search(address) is None


def _posts(root: Element, engine: Engine) -> list[tuple[Element, Element]]:
    """Posts with their text blocks; none unless every post of the page has one of its own."""
    wanted = (element for element in root.iter(engine.tag) if not classes(element).isdisjoint(engine.posts))
    pairs = [(block, _body(block, engine)) for block in wanted]
    numbered_pairs = [(block, body) for block, body in pairs if _number(block, body, engine)]
    found = [(block, body) for block, body in numbered_pairs if body is not None]
    bodies = {body for _, body in found}
    return found if len(found) == len(numbered_pairs) == len(bodies) else []


def _question_and_answers(named: Mapping[str, Sequence[Element]], engine: Engine) -> list[tuple[Element, Element]]:
    """The question and its answers with their text blocks; none unless each answer has one and holds no other.

    A question may be a title alone.
    """
    blocks, answers = named.get(engine.question, ()), named[engine.posts[0]]
    texts = [list(find_all(answer, "*", engine.bodies[1])) for answer in answers]
    held = set(answers)
    is_nested = any(above in held for answer in answers for above in answer.iterancestors())
    if len(blocks) != 1 or is_nested or any(len(found) != 1 for found in texts):
        return []
    asked = list(find_all(blocks[0], "*", engine.bodies[0]))
    body = asked[0] if len(asked) == 1 else blocks[0].makeelement("div", {}, {})
    return [(blocks[0], body), *((answer, found[0]) for answer, found in zip(answers, texts, strict=True))]


def _body(block: Element, engine: Engine) -> Element | None:
    for name in engine.bodies:
        body = _by_attribute(block, name) if "=" in name else find_first(block, "*", name)
        if body is None and name == "post_message":
            body = next(
                (node for node in block.iter("div") if (node.get("id") or "").startswith("post_message_")), None
            )
        if body is not None:
            return body
    return None


def _by_attribute(block: Element, told: str) -> Element | None:
    name, _, value = told.partition("=")
    return next((node for node in block.iter() if node.get(name) == value), None)


def _number(block: Element, body: Element | None, engine: Engine) -> str:
    place = body if engine.number_in_text else block
    return "" if place is None else number_of(place)


def number_of(block: Element) -> str:
    """The number of a post, by the attributes in which forums keep it, or a class name such as ``post-12``."""
    marks = (block.get(name) or "" for name in ("id", "data-content", "data-node-id", "data-post-id"))
    found = next((match for mark in marks if (match := _POST_ID.fullmatch(mark))), None)
    if found:
        return found[1] or found[2]
    return next((match[1] for name in sorted(classes(block)) if (match := _POST_CLASS.fullmatch(name))), "")


def _title(root: Element, engine: Engine, named: Mapping[str, Sequence[Element]]) -> str:
    heading = next((named[name][0] for name in engine.titles if name in named), None)
    if heading is None:
        heading = next((found for found in root.iter("h1") if not is_site_name(found)), None)
    return "" if heading is None else " ".join(element_text(heading).split())


def _draft(root: Element, address: str, engine: Engine, read: tuple[str, list[tuple[Element, Element]]]) -> ThreadDraft:
    title, posts = read
    question = posts[0][1]
    answers = [
        ParsedAnswer(
            _number(block, body, engine),
            element_text(body, () if engine.question else _foreign(body)),
            _has(block, engine.accepted),
            _score(block, engine),
        )
        for block, body in posts[1:]
    ]
    return ThreadDraft(
        native_id=path_id(address),
        url=address,
        title=title,
        body=element_text(question, () if engine.question else _signatures(question)),
        body_html=inner_html(question),
        answers=numbered(answers),
        names=tuple(dict.fromkeys(name for block, _ in posts for name in _authors(block, engine))),
        license=license_name(link_to(root, "license")),
        posted_at=first_time(posts[0][0]),
    )


def _authors(block: Element, engine: Engine) -> list[str]:
    named = [block.get("data-author") or ""]
    for author in engine.authors:
        name, _, tag = author.partition(" ")
        nodes = find_all(block, "*", name)
        named += [flat(next(node.iter(tag), None) if tag else node) for node in nodes]
    return [name for name in named if 0 < len(name) <= 80]


def _has(block: Element, names: tuple[str, ...]) -> bool:
    return bool(names) and any(not classes(node).isdisjoint(names) for node in block.iter())


def _score(block: Element, engine: Engine) -> int | None:
    counts = (find_first(block, "*", name) for name in engine.scores)
    return next((score_of(flat(count).replace("–", "-")) for count in counts if count is not None), None)


def _signatures(body: Element) -> list[Element]:
    return [node for node in body.iter() if classes(node) & _SIGNATURES]


def _foreign(body: Element) -> list[Element]:
    """Quotations and signatures in a reply; the block that holds the reply may itself be a ``blockquote``."""
    quoted = [
        node for node in body.iter() if node is not body and (node.tag == "blockquote" or classes(node) & _QUOTES)
    ]
    tables = [node for node in body.iter("div") if _is_old_quote(node)]
    return [*quoted, *tables, *_signatures(body)]


def _is_old_quote(node: Element) -> bool:
    """vBulletin 3 sets a quotation as an indented block: a small line ``Quote:`` above a table."""
    first = node[0] if len(node) else None
    return first is not None and "smallfont" in classes(first) and flat(first) == "Quote:"
