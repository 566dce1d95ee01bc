"""Pages of the bundled forum: threads read from JSON Lines and rendered in forum markup, the same bytes each run.

No page holds a clock value, a port or a host other than the forum's public address, so that entity tags depend on
content alone.
"""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from corpus.errors import InputError
from corpus.folders.open_files import open_file
from corpus.lines.jsonl import numbered_lines, parse_object

PUBLIC_ADDRESS = "https://forum.wordquarry.example"
LICENSE_URL = "https://creativecommons.org/licenses/by-sa/4.0/"
PER_PAGE = 25
_SIDEBAR = 5
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,80}")
_HAS_LINES = re.compile(r"<(?:p|br|pre|div|ul|ol|table)\b", re.I)

_ENVIRONMENT = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates" / "site"), autoescape=True, undefined=StrictUndefined
)


@dataclass(frozen=True)
class AnswerSource:
    """One answer as written for the forum; ``html`` is a fragment."""

    by: str
    at: str
    score: int
    accepted: bool
    html: str


@dataclass(frozen=True)
class SiteThread:
    """One thread as written for the forum; times are UTC in ISO 8601, ``question_html`` is a fragment."""

    id: str
    title: str
    asked_by: str
    asked_at: str
    tags: tuple[str, ...]
    question_html: str
    answers: tuple[AnswerSource, ...]

    @property
    def changed_at(self) -> str:
        """When the thread last changed: its newest post."""
        return max([self.asked_at, *(answer.at for answer in self.answers)])


@dataclass(frozen=True)
class ListingEntry:
    """One line of a listing page."""

    href: str
    title: str
    votes: int
    answers: int


def load_threads(folder: Path) -> tuple[SiteThread, ...]:
    """All threads of ``folder/*.jsonl``, in an order that mixes the files and depends on the ids alone.

    Raises InputError naming the file and line for anything that is not a thread, and for an id that occurs twice.
    """
    threads: dict[str, SiteThread] = {}
    for path in sorted(folder.glob("*.jsonl")):
        with open_file(path) as source:
            for where, line in numbered_lines(source, str(path)):
                thread = _thread_of(parse_object(line, where), where)
                if thread.id in threads:
                    raise InputError(f"{where}: thread {thread.id} occurs twice; give one of them another id")
                threads[thread.id] = thread
    if not threads:
        raise InputError(f"no threads in {folder}; expected *.jsonl files with one thread a line")
    return tuple(sorted(threads.values(), key=lambda thread: hashlib.sha256(thread.id.encode()).digest()))


def _thread_of(row: dict[str, Any], where: str) -> SiteThread:
    try:
        answers = tuple(
            AnswerSource(entry["by"], entry["at"], int(entry["score"]), bool(entry["accepted"]), _lines(entry["html"]))
            for entry in row["answers"]
        )
        thread = SiteThread(
            row["id"], row["title"], row["asked_by"], row["asked_at"], tuple(row["tags"]), _lines(row["question_html"]),
            answers,
        )  # fmt: skip
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{where}: not a forum thread ({error!r}); the fields are described in data/site") from error
    if not _ID.fullmatch(thread.id):
        raise InputError(f"{where}: id {thread.id!r} cannot be part of an address; use letters, digits, - and _")
    return thread


def _lines(fragment: str) -> str:
    """A post typed without markup keeps its lines, as forums do."""
    text = fragment.strip()
    return text if _HAS_LINES.search(text) else text.replace("\n", "<br>\n")


def listing_page(entries: tuple[ListingEntry, ...], number: int) -> str:
    """Listing page ``number`` (from 1) of all entries."""
    pages = page_count(len(entries))
    start = (number - 1) * PER_PAGE
    return _ENVIRONMENT.get_template("listing.html").render(
        heading="All questions",
        public=PUBLIC_ADDRESS,
        license=LICENSE_URL,
        path=listing_path(number),
        next_path=listing_path(number + 1) if number < pages else None,
        previous_path=listing_path(number - 1) if number > 1 else None,
        entries=entries[start : start + PER_PAGE],
        number=number,
        pages=pages,
        start=start + 1,
    )


def thread_page(thread: SiteThread, related: tuple[SiteThread, ...]) -> str:
    """The page of one thread, with the titles of others at the side."""
    return _ENVIRONMENT.get_template("thread.html").render(
        heading=thread.title,
        public=PUBLIC_ADDRESS,
        license=LICENSE_URL,
        path=f"/questions/{thread.id}",
        next_path=None,
        thread=thread,
        related=related[:_SIDEBAR],
    )


def broken(page: str) -> bytes:
    """The same page as careless software would send it: unclosed and stray tags, stray bytes, no end."""
    text = re.sub(r"</(?:li|p|head|body|html|main|footer|article|section)>", "", page)
    text = text.replace("<h1", "</font></b><h1").replace(
        '<div class="votes">', '</span><center></center><div class="votes">'
    )
    return b"<!-- board \x00\xff\xfe -->\n" + text.encode() + b"<div <p></table>\x9d<a href=\xe9"


def page_count(entries: int) -> int:
    """How many listing pages there are."""
    return max(1, -(-entries // PER_PAGE))


def listing_path(number: int) -> str:
    """The address of a listing page."""
    return "/questions" if number == 1 else f"/questions?page={number}"
