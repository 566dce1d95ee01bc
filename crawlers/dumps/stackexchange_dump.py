"""Posts.xml of the Stack Exchange data dump, plain or packed: questions joined with their answers.

Answers may stand before or after their question, so both wait in a database on disk (in TMPDIR) until the dump has
been read; memory does not grow with the dump. A thread is published only with as many answers as it announces.
"""

import contextlib
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from corpus.errors import InputError, StoreError
from corpus.reasons import Reason
from crawlers.archives.bounded_streams import RecordError, Stream
from crawlers.archives.containers import opened
from crawlers.dumps.tally import Entry, Options, Tally, refused, refused_for
from crawlers.dumps.xml import DumpForm, xml_records
from crawlers.html_reading.html_text import html_to_text
from crawlers.posts import ParsedAnswer, ParsedThread, to_post
from crawlers.thread_records import RejectedLine
from crawlers.threads import MAX_ANSWERS, ThreadDraft, finished, reason_of
from extractors.extraction_errors import ExtractionError

MAX_BODY = 1_000_000
_FORM = DumpForm("posts", "row", "is it Posts.xml?")
_QUESTION, _ANSWER = "1", "2"
_ERAS = (("2011-04-08", "CC BY-SA 2.5"), ("2018-05-02", "CC BY-SA 3.0"))
_TAG = re.compile(r"[^<>|]+")
_WHOLE = re.compile(r"-?[0-9]{1,9}")
_SITE = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+")
_NETWORK = re.compile(
    r"((?:[a-z0-9-]{1,40}\.){0,3}stackexchange\.com|(?:[a-z]{2,10}\.){0,2}(?:stackoverflow\.com|superuser\.com|"
    r"serverfault\.com|askubuntu\.com|mathoverflow\.net|stackapps\.com))(?:-posts)?(?:\.(?:7z|zip|xml|gz|bz2|xz|zst))*\Z"
)
"""A site of the Stack Exchange network, as its dumps and the folders of their files are named."""
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9:.]{1,20})?")
_LONGEST_DATE = 40
_SCHEMA = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -32000;
CREATE TABLE posts (
    id INTEGER PRIMARY KEY, parent INTEGER NOT NULL, line INTEGER NOT NULL, score INTEGER NOT NULL,
    license TEXT NOT NULL, body TEXT NOT NULL, names TEXT NOT NULL, title TEXT NOT NULL, tags TEXT NOT NULL,
    accepted INTEGER NOT NULL, announced INTEGER NOT NULL, posted TEXT NOT NULL
);
"""
_AT_ONCE = 1000
_INSERT = "INSERT OR IGNORE INTO posts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


class DumpRow(NamedTuple):
    """What is kept of a question (``parent`` 0) or an answer, in the order of the table's columns."""

    id: int
    parent: int
    line: int
    score: int
    license: str
    body: str
    names: str
    title: str = ""
    tags: str = ""
    accepted: int = 0
    announced: int = -1
    posted: str = ""


def read_stack_exchange(path: Path, options: Options, tally: Tally) -> Iterator[Entry]:
    """The threads of a dump in order of id: accepted answer first, then by score, then by id.

    ``options.source`` is the site, such as ``math.stackexchange.com``, else the one that the file or a folder above it
    is named after; a record is a row of Posts.xml, and what is no XML is refused. Raises InputError, after everything
    that was read, for a dump that is cut short or refused.
    """
    options = replace(options, source=options.source or site_of_path(path))
    if not _SITE.fullmatch(options.source):
        raise InputError(
            f"{path}: a dump does not name its site; give it, as in --source math.stackexchange.com, "
            "or keep the file in a folder of that name"
        )
    with tempfile.TemporaryDirectory(prefix="wordquarry-") as folder, _scratch_errors(folder):
        database = sqlite3.connect(f"{folder}/posts.sqlite", isolation_level=None)
        with contextlib.closing(database), opened(path, _is_posts) as streams:
            database.executescript(_SCHEMA)
            join = _Join(database, options, tally)
            failure = None
            try:
                for count, (name, stream) in enumerate(streams):
                    if count:
                        raise InputError(f"{path}: holds more than one Posts.xml; unpack it and give one at a time")
                    yield from join.gather(name, stream)
            except InputError as error:
                failure = error
            yield from join.threads()
    if failure is not None:
        raise failure
    tally.check(str(path))


@contextlib.contextmanager
def _scratch_errors(folder: str) -> Iterator[None]:
    """StoreError, which says where and what may help, for a failure of the database that rows wait in."""
    try:
        yield
    except sqlite3.Error as error:
        free = shutil.disk_usage(folder).free >> 20
        raise StoreError(
            f"cannot keep the rows of a dump in {folder}: {error}; {free} MiB are free there; set TMPDIR to a folder "
            "with as much space as the dump has"
        ) from error


def site_of_path(path: Path) -> str:
    """The site of the network that a file or a folder above it is named after, the nearest; empty where none is.

    >>> site_of_path(Path("/dumps/math.stackexchange.com/2024/Posts.xml"))
    'math.stackexchange.com'
    >>> site_of_path(Path("/dumps/stackoverflow.com-Posts.7z")), site_of_path(Path("/dumps/ask.example.com/Posts.xml"))
    ('stackoverflow.com', '')
    """
    found = (_NETWORK.match(name.lower()) for name in reversed(path.absolute().parts))
    return next((match[1] for match in found if match), "")


def _is_posts(name: str) -> bool:
    return name.rpartition("/")[2].lower() == "posts.xml"


class _Join:
    """Takes rows in the order of the dump and gives threads in the order of their ids."""

    def __init__(self, database: sqlite3.Connection, options: Options, tally: Tally) -> None:
        self._database, self._options, self._tally = database, options, tally
        self._left_out: set[int] = set()
        self._waiting: list[DumpRow] = []
        self._name = ""

    def gather(self, name: str, stream: Stream) -> Iterator[Entry]:
        """Keep the rows of one Posts.xml; what is refused comes out at once."""
        self._name = name
        for line, attributes in post_rows(name, stream, self._tally):
            self._tally.read += 1
            if isinstance(attributes, RecordError):
                yield refused_for(self._tally, f"{name}:{line}", attributes)
                continue
            try:
                row = self._choose(line, attributes)
            except RecordError as error:
                record_id = attributes.get("Id", "")[:20] or None
                yield refused_for(self._tally, f"{name}:{line}", error, record_id)
                continue
            if row is not None:
                self._waiting.append(row)
            if len(self._waiting) >= _AT_ONCE:
                yield from self._keep()

    def _choose(self, line: int, attributes: Mapping[str, str]) -> DumpRow | None:
        """The row to keep; None, and counted, for posts of other kinds and threads without a wanted tag."""
        kind = attributes.get("PostTypeId")
        if kind not in (_QUESTION, _ANSWER):
            self._tally.refused[Reason.NOT_A_THREAD] += 1
            return None
        row = _row(line, attributes)
        if kind == _QUESTION and self._options.tags and self._options.tags.isdisjoint(row.tags.lower().split(" ")):
            self._left_out.add(row.id)
        if row.id in self._left_out or row.parent in self._left_out:
            self._tally.refused[Reason.NOT_CHOSEN] += 1
            return None
        return row

    def _keep(self) -> Iterator[Entry]:
        rows, self._waiting = self._waiting, []
        self._database.execute("BEGIN")
        kept = self._database.executemany(_INSERT, rows).rowcount if rows else 0
        self._database.execute("COMMIT")
        if kept < len(rows):
            yield from self._twice(rows)

    def _twice(self, rows: list[DumpRow]) -> Iterator[Entry]:
        """The rows of a batch whose id another row had already."""
        for row in rows:
            (line,) = self._database.execute("SELECT line FROM posts WHERE id = ?", (row.id,)).fetchone()
            if line != row.line:
                where = f"{self._name}:{row.line}"
                message = f"{where}: id {row.id} is already on line {line}; this one is left out"
                yield refused(self._tally, RejectedLine(where, Reason.MALFORMED_LINE, message, str(row.id)))

    def threads(self) -> Iterator[Entry]:
        """Every thread, and at last a count of the answers whose question is not there."""
        yield from self._keep()
        self._database.execute("CREATE INDEX by_parent ON posts (parent)")
        for question in self._database.execute("SELECT * FROM posts WHERE parent = 0 ORDER BY id"):
            yield self._thread(DumpRow(*question))
        orphans = self._database.execute(
            "SELECT parent FROM posts WHERE parent > 0 AND parent NOT IN (SELECT id FROM posts WHERE parent = 0)"
        )
        for (parent,) in orphans:
            self._tally.refused[Reason.NOT_CHOSEN if parent in self._left_out else Reason.NO_QUESTION] += 1

    def _thread(self, question: DumpRow) -> Entry:
        where, own = f"{self._name}:{question.line}", (question.id,)
        (count,) = self._database.execute("SELECT count(*) FROM posts WHERE parent = ?", own).fetchone()
        message = f"{where}: question {question.id} announces {question.announced} answers, the dump holds {count}"
        reason = Reason.WRONG_COUNT
        if question.announced in (-1, count):
            found = self._database.execute("SELECT * FROM posts WHERE parent = ? LIMIT ?", (*own, MAX_ANSWERS + 1))
            try:
                thread = _parsed(question, [DumpRow(*answer) for answer in found], self._options.source)
            except ExtractionError as error:
                reason, message = reason_of(error), f"{where}: {error}"
            else:
                self._tally.used += 1 + count
                self._tally.removed += thread.removed
                return to_post(thread, self._options.source, self._options.retrieved_at)
        return refused(self._tally, RejectedLine(where, reason, message, str(question.id)), 1 + count)


def post_rows(name: str, stream: Stream, tally: Tally) -> Iterator[tuple[int, dict[str, str] | RecordError]]:
    """Line and attributes of each row; RecordError in the place of what is no XML.

    Raises InputError, after the rows before it, where the file breaks off, or is another one.
    """
    for line, record in xml_records(name, stream, _FORM, tally):
        yield line, record if isinstance(record, RecordError) else record.attributes


def _row(line: int, attributes: Mapping[str, str]) -> DumpRow:
    """The row of a question or an answer; RecordError names what is wrong with it."""
    body, created = attributes.get("Body"), attributes.get("CreationDate", "")
    if body is None:
        raise RecordError("row without Body", Reason.NO_TEXT)
    if len(body) > MAX_BODY:
        raise RecordError(f"Body of {len(body)} characters; at most {MAX_BODY} are read", Reason.TOO_LARGE)
    license_ = attributes.get("ContentLicense")
    if license_ is None:
        if not _DATE.fullmatch(created):
            raise RecordError(f"CreationDate {created[:40]!r} is not a date")
        license_ = license_by_date(created)
    names = [name for key in ("OwnerDisplayName", "LastEditorDisplayName") if (name := attributes.get(key))]
    asked = attributes.get("PostTypeId") == _QUESTION
    return DumpRow(
        id=_number(attributes, "Id"),
        parent=0 if asked else _number(attributes, "ParentId"),
        line=line,
        score=_number(attributes, "Score", 0),
        license=license_,
        body=body,
        names="\n".join(names),
        title=attributes.get("Title", ""),
        tags=" ".join(_TAG.findall(attributes.get("Tags", ""))),
        accepted=_number(attributes, "AcceptedAnswerId", 0),
        announced=_number(attributes, "AnswerCount", -1) if asked else -1,
        posted=created[:_LONGEST_DATE],
    )


def _number(attributes: Mapping[str, str], name: str, missing: int | None = None) -> int:
    said = attributes.get(name)
    if said is None and missing is not None:
        return missing
    if said is None or not _WHOLE.fullmatch(said) or (said.startswith("-") and name != "Score"):
        raise RecordError(f"{name} {(said or '')[:40]!r} is not a number")
    number = int(said)
    if missing is None and not number:
        raise RecordError(f"{name} is 0")
    return number


def license_by_date(created: str) -> str:
    """The license of a post by the day it was made, as Stack Exchange states it.

    >>> [license_by_date(day) for day in ("2011-04-07T23:59:59.9", "2011-04-08", "2018-05-02T00:00:00")]
    ['CC BY-SA 2.5', 'CC BY-SA 3.0', 'CC BY-SA 4.0']
    """
    return next((name for until, name in _ERAS if created < until), "CC BY-SA 4.0")


def _parsed(question: DumpRow, answers: list[DumpRow], site: str) -> ParsedThread:
    """The thread, its accepted answer first; each answer with its license and address."""
    ordered = sorted(answers, key=lambda row: (row.id != question.accepted, -row.score, row.id))
    return finished(
        ThreadDraft(
            native_id=str(question.id),
            url=f"https://{site}/questions/{question.id}",
            title=" ".join(question.title.split()),
            body=html_to_text(question.body),
            body_html=question.body,
            answers=tuple(
                ParsedAnswer(
                    answer_id=str(row.id),
                    text=html_to_text(row.body),
                    is_best=row.id == question.accepted,
                    score=row.score,
                    license=row.license,
                    url=f"https://{site}/a/{row.id}",
                )
                for row in ordered
            ),
            names=tuple(dict.fromkeys(name for row in (question, *ordered) for name in row.names.split("\n") if name)),
            tags=tuple(question.tags.split()),
            license=question.license,
            posted_at=question.posted,
        )
    )
