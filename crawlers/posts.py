"""From what a page parser read to the record everything else works on, and what it was read from and by what."""

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from corpus.canonical import with_digest
from corpus.code import code_digest
from corpus.errors import InputError
from corpus.folders.open_files import open_file
from corpus.lines.jsonl import MAX_LINE
from corpus.reasons import Reason
from corpus.records import Answer, Post
from crawlers.html_reading.html_text import html_to_text
from extractors.extraction_errors import ExtractionError
from extractors.privacy.scrubbing import scrub
from extractors.text.edits import MARKS

MAX_ID = 200
UNUSABLE_ID = re.compile(r"[\s\x00-\x1f\x7f]")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class ParsedAnswer:
    """One answer as a page shows it, in page order."""

    answer_id: str
    text: str
    is_best: bool = False
    score: int | None = None
    license: str | None = None
    url: str | None = None


@dataclass(frozen=True)
class Origin:
    """What a post was read from and by what: SHA-256 of the response without its codings, and the parser's version."""

    response_sha256: str | None = None
    parser: str | None = None


@dataclass(frozen=True)
class Removed:
    """How much personal data was taken out, by the kinds of ``extractors.text.edits``."""

    mails: int = 0
    phones: int = 0
    names: int = 0
    handles: int = 0
    numbers: int = 0
    places: int = 0

    def __add__(self, other: "Removed") -> "Removed":
        return Removed(**{kind: getattr(self, kind) + getattr(other, kind) for kind in MARKS})


NOTHING = Removed()
"""What is removed of most texts."""


@dataclass(frozen=True)
class ParsedThread:
    """What one thread page holds; personal data is out of every text already."""

    native_id: str
    url: str
    license: str | None
    attribution: str | None
    question: str
    question_html: str | None
    answers: tuple[ParsedAnswer, ...]
    tags: tuple[str, ...]
    removed: Removed
    title: str | None = None
    posted_at: str | None = None


def join_title(title: str, body: str) -> str:
    """The question: title and body, or the body alone when the title only repeats how it begins.

    >>> join_title("How old is Ann?", "She is twice 9.")
    'How old is Ann?\\nShe is twice 9.'
    >>> join_title("ann is twice...", "Ann is twice as old as Bob, who is 9.")
    'Ann is twice as old as Bob, who is 9.'
    """
    title_words, body_words = (_WORD.findall(text.casefold()) for text in (title, body))
    if not title_words or body_words[: len(title_words)] == title_words:
        return body or title
    return f"{title}\n{body}" if body else title


def private(text: str, names: Sequence[str]) -> tuple[str, Removed]:
    """A text without personal data, and what was removed."""
    if not text:
        return text, NOTHING
    scrubbed = scrub(text, names)
    if not scrubbed.total:
        return scrubbed.text, NOTHING
    return scrubbed.text, Removed(**{kind: getattr(scrubbed, kind) for kind in MARKS})


def private_markup(markup: str | None, names: Sequence[str], *, looked: bool = True) -> str | None:
    """Markup without personal data; None where its tags part what its text shows as one: ``tom<i>b</i>@mail.example``.

    Its text need not be looked at where it is known to hold none.
    """
    if not markup:
        return None
    found, _ = private(markup, names)
    text = html_to_text(found) if looked else ""
    return found if private(text, names)[0] == text else None


def attribution_of(url: str) -> str:
    """Credit without names: the site, and the address at which the authors are named.

    >>> attribution_of("https://math.stackexchange.com/a/9")
    'math.stackexchange.com contributors, https://math.stackexchange.com/a/9'
    """
    return f"{site_of(url)} contributors, {url}"


def site_of(url: str) -> str:
    """The site an address belongs to, which is the source of its posts.

    >>> site_of("https://www.Forum.example:8080/q/7")
    'forum.example'
    """
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    return host.removeprefix("www.")


def to_post(thread: ParsedThread, source: str, retrieved_at: str | None, origin: Origin | None = None) -> Post:
    """The post record of a parsed thread, with its content digest; ``retrieved_at`` is UTC in ISO 8601.

    An answer that has an address of its own is credited where its license, or that of the thread, asks for it.
    """
    origin = origin or Origin()
    answers = tuple(
        Answer(
            answer_id=entry.answer_id,
            text=entry.text,
            is_best=entry.is_best,
            score=entry.score,
            license=entry.license,
            attribution=attribution_of(entry.url) if entry.url and (entry.license or thread.license) else None,
        )
        for entry in thread.answers
    )
    return with_digest(
        Post(
            post_id=f"{source}:{thread.native_id}",
            source=source,
            url=thread.url,
            retrieved_at=retrieved_at,
            license=thread.license,
            attribution=thread.attribution,
            question=thread.question,
            question_html=thread.question_html,
            answers=answers,
            tags=thread.tags,
            response_sha256=origin.response_sha256,
            parser=origin.parser,
            title=thread.title,
            posted_at=thread.posted_at,
        )
    )


def page_post(thread: ParsedThread, source: str, retrieved_at: str | None, origin: Origin) -> Post:
    """``to_post`` for a page, where anything may stand: ExtractionError for what no posts file can hold.

    Markup that makes a post too long, as pictures within it do, is left out.
    """
    ids = (thread.native_id, *(entry.answer_id for entry in thread.answers))
    if any(len(one) > MAX_ID for one in ids) or UNUSABLE_ID.search(thread.native_id):
        raise ExtractionError(f"{thread.url[:200]}: an id of more than {MAX_ID} characters, or with spaces")
    try:
        post = to_post(thread, source, retrieved_at, origin)
        size = len(json.dumps(post.model_dump(mode="json"), ensure_ascii=False).encode())
    except UnicodeEncodeError:
        raise ExtractionError(f"{thread.url[:200]!a}: half a character (a lone surrogate)") from None
    if size < MAX_LINE:
        return post
    if thread.question_html is None:
        raise ExtractionError(f"{thread.url}: a post of more than {MAX_LINE} bytes", code=Reason.TOO_LARGE)
    return page_post(replace(thread, question_html=None), source, retrieved_at, origin)


_DIGITS = 12
LINES = "lines"
"""The format, in a store's list, of JSON Lines as ``export`` writes them."""


def parser_version(module: str) -> str:
    """A parser's name and the digest of its code: its module, what that imports, and the libraries it uses.

    >>> parser_version("crawlers.parsers.pages").partition("@")[0]
    'pages'
    """
    return f"{module.rpartition('.')[2]}@{code_digest(module)[:_DIGITS]}"


def page_origin(source: str, body: bytes) -> Origin:
    """The origin of a page of a source: ``body`` is the response without transfer and content codings."""
    return Origin(hashlib.sha256(body).hexdigest(), parser_version(f"crawlers.parsers.{source}"))


def file_origin(path: Path, module: str) -> Origin:
    """The origin of posts that stand in one file: the file as it is, and the module that reads it."""
    try:
        with open_file(path) as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}; check the path") from error
    return Origin(digest, parser_version(module))


def with_origin(post: Post, origin: Origin) -> Post:
    """The post, saying what it was read from; what it says already stays."""
    if post.response_sha256 is not None:
        return post
    return post.model_copy(update={"response_sha256": origin.response_sha256, "parser": post.parser or origin.parser})


def file_source(paths: Iterable[Path], **said: Any) -> dict[str, Any]:
    """What a store's list says of files of posts that a batch was read from: their paths as given, and more."""
    facts = {name: value for name, value in said.items() if value}
    return {"kind": "file", "paths": [str(path) for path in paths], "format": LINES, **facts}
