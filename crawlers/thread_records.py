"""Lines of a JSON Lines file as rows of posts, in their order, each record checked field by field.

A record needs ``id`` (or ``post_id``), ``question`` and ``answers[{text}]``; the rest of a post is optional; unknown
and gold fields, and authors, are ignored. ``post_id`` is ``source:id``, where the source is the record's ``source``,
else its ``site``, else the one given by the caller, else ``file``; never the file's name, so that the same lines give
the same posts wherever they lie.
"""

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from corpus.canonical import row_digest
from corpus.errors import CorpusError, InputError
from corpus.folders.lifeline import end_with_parent_if_spawned
from corpus.lines.jsonl import fields_of, object_lines, parse_object
from corpus.reasons import Reason
from corpus.records import Post
from crawlers.archives.bounded_streams import RecordError
from crawlers.archives.containers import is_lines, opened_lines
from crawlers.dates import era_stamp, iso_stamp
from crawlers.html_reading.charsets import is_spoiled
from crawlers.posts import MAX_ID, NOTHING, UNUSABLE_ID, Removed, private, private_markup

DEFAULT_SOURCE = "file"
MAX_ANSWERS = 500
MAX_SCORE = 2**31
_SURROGATE = re.compile("[\ud800-\udfff]")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_NOT_SLUG = re.compile(r"[^a-z0-9._-]+")
_MISSING = object()
_RENAMED = "; ingest --columns reads other names"
_EXACT = 2.0**53
"""Up to here a floating point number is one whole number and no other."""


def post_id_of(record: Mapping[str, Any], source: str = DEFAULT_SOURCE) -> str:
    """The post_id of a record, by the rule above; InputError if it has no usable id.

    >>> post_id_of({"id": 7, "site": "Forum.example (archive)"}), post_id_of({"id": "a-1"}, "gsm8k")
    ('forum.example:7', 'gsm8k:a-1')
    """
    native, named = whole(record.get("id")), record.get("source") or record.get("site") or source
    full = record.get("post_id")
    if native is None and isinstance(full, str) and ":" in full:
        named, _, native = full.partition(":")
    if isinstance(native, bool) or not isinstance(native, str | int) or native == "":
        raise RecordError(f"no id; give each record an id, a string or whole number ({fields_of(record)})")
    text = str(native)
    if len(text) > MAX_ID or UNUSABLE_ID.search(text) or _SURROGATE.search(text):
        raise RecordError(f"id {text[:40]!r} is unusable; at most {MAX_ID} characters and no spaces")
    return f"{_slug(named)}:{text}"


def whole(value: object) -> object:
    """A whole number as one, whatever it is written as: tables with gaps hold 7 as 7.0.

    >>> whole(7.0), whole(7.5), whole("7.0"), whole(True), whole(2.0**60)
    (7, 7.5, '7.0', True, 1.152921504606847e+18)
    """
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) <= _EXACT else value


def post_of(record: Mapping[str, Any], post_id: str) -> tuple[Post, Removed]:
    """The post of a record, and what personal data was taken out of it; RecordError names the field that is wrong."""
    row, removed = row_of(record, post_id)
    return Post.model_validate(row), removed


def row_of(record: Mapping[str, Any], post_id: str) -> tuple[dict[str, Any], Removed]:
    """Like ``post_of``, as plain data."""
    question = _text(record, "question", required=False)
    if question is None or not question.strip():
        what = "is empty or null" if "question" in record else "is missing"
        raise RecordError(f"question {what}; a post needs its text ({fields_of(record)}{_RENAMED})", Reason.NO_TEXT)
    question, removed = private(question, ())
    question_html = private_markup(_text(record, "question_html", required=False), ())
    answers, removed_there = _answers(record)
    if any(is_spoiled(text) for text in (question, *(answer["text"] for answer in answers))):
        raise RecordError(
            "a number has a lost character (U+FFFD) beside it, so that it may be another; correct the text",
            Reason.LOST_CHARACTERS,
        )
    row = {
        "post_id": post_id,
        "source": post_id.partition(":")[0],
        "url": _text(record, "url", required=False),
        "retrieved_at": _moment(record, "retrieved_at"),
        "license": _text(record, "license", required=False),
        "attribution": _text(record, "attribution", required=False),
        "question": question,
        "question_html": question_html,
        "answers": answers,
        "tags": _tags(record),
        "response_sha256": _digest(record),
        "parser": _text(record, "parser", required=False),
        "title": private(_text(record, "title", required=False) or "", ())[0] or None,
        "posted_at": _moment(record, "posted_at"),
    }
    row["content_sha256"] = row_digest(row)
    return row, removed if removed_there is NOTHING else removed + removed_there


def _answers(record: Mapping[str, Any]) -> tuple[list[dict[str, Any]], Removed]:
    rows = record.get("answers")
    if not isinstance(rows, list):
        raise RecordError(
            f'answers is missing or not a list; give "answers": [{{"text": ...}}] ({fields_of(record)}{_RENAMED})'
        )
    if len(rows) > MAX_ANSWERS:
        raise RecordError(f"{len(rows)} answers; at most {MAX_ANSWERS} are read")
    pairs = [_answer(row, number) for number, row in enumerate(rows, 1)]
    if len({answer["answer_id"] for answer, _ in pairs}) < len(pairs):
        raise RecordError("two answers share an answer_id; give each its own or none at all")
    found = [removed for _, removed in pairs if removed is not NOTHING]
    return [answer for answer, _ in pairs], sum(found, Removed()) if found else NOTHING


def _answer(row: object, number: int) -> tuple[dict[str, Any], Removed]:
    if not isinstance(row, dict):
        raise RecordError(f'answer {number} is not an object; give {{"text": ...}}')
    try:
        text, removed = private(_text(row, "text") or "", ())
        answer = {
            "answer_id": _answer_id(row, number),
            "text": text,
            "is_best": _flag(row),
            "score": _score(row),
            "license": _text(row, "license", required=False),
            "attribution": _text(row, "attribution", required=False),
        }
        return answer, removed
    except RecordError as error:
        raise RecordError(f"answer {number}: {error}") from error


def _answer_id(row: Mapping[str, Any], number: int) -> str:
    value = whole(row.get("answer_id"))
    if value is None:
        return str(number)
    if isinstance(value, bool) or not isinstance(value, str | int) or not 0 < len(str(value)) <= MAX_ID:
        raise RecordError("answer_id is neither a string nor a whole number")
    if _SURROGATE.search(str(value)):
        raise RecordError("answer_id holds half a character (a lone surrogate)")
    return str(value)


def _flag(row: Mapping[str, Any]) -> bool:
    value = row.get("is_best")
    if value is not None and not isinstance(value, bool):
        raise RecordError("is_best is not true or false")
    return bool(value)


def _score(row: Mapping[str, Any]) -> int | None:
    value = whole(row.get("score"))
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > MAX_SCORE:
        raise RecordError("score is not a whole number")
    return value


def _text(record: Mapping[str, Any], name: str, *, required: bool = True) -> str | None:
    value = record.get(name, _MISSING)
    if value is _MISSING or value is None:
        if required:
            raise RecordError(f"{name} is missing ({fields_of(record)})")
        return None
    if not isinstance(value, str):
        raise RecordError(f"{name} is a {type(value).__name__}, not a string")
    if _SURROGATE.search(value):
        raise RecordError(f"{name} holds half a character (a lone surrogate); save the file as UTF-8")
    return value


def _tags(record: Mapping[str, Any]) -> tuple[str, ...]:
    values = record.get("tags")
    if values is None:
        return ()
    if not isinstance(values, list) or len(values) > MAX_ANSWERS:
        raise RecordError("tags is not a list of strings")
    return tuple(_text({"tags": value}, "tags") or "" for value in values)


def _digest(record: Mapping[str, Any]) -> str | None:
    value = _text(record, "response_sha256", required=False)
    if value is not None and not _SHA256.fullmatch(value):
        raise RecordError(f"response_sha256 {value[:40]!r} is not a SHA-256 in lower-case hexadecimal digits")
    return value


def _moment(record: Mapping[str, Any], name: str) -> str | None:
    said = whole(record.get(name))
    if isinstance(said, int) and (moment := era_stamp(said)):
        return moment
    value = _text(record, name, required=False)
    if value is None:
        return None
    try:
        return iso_stamp(value)
    except ValueError as error:
        raise RecordError(f"{name} {value[:40]!r} is not a time in ISO 8601") from error


def _slug(name: object) -> str:
    """A source as it stands in a post_id: lower case, without a bracketed remark.

    >>> _slug("Answers.Yahoo.com (2005-2007 corpus)")
    'answers.yahoo.com'
    """
    if not isinstance(name, str):
        raise RecordError("source is not a string")
    slug = _NOT_SLUG.sub("-", name.partition("(")[0].strip().lower()).strip("-")
    if not slug or len(slug) > MAX_ID:
        raise RecordError(f"source {name[:40]!r} is unusable; use letters, digits, dots and dashes")
    return slug


Line = tuple[str, bytes]
"""Where a line stands, as ``file:number``, and what it holds."""


@dataclass(frozen=True)
class Sharing:
    """How the lines of a file are shared among processes: from how many bytes on, by chunks of so many.

    A smaller file is read by one process, in a few seconds; others would take one to start. So many chunks are under
    way (``ahead``) for each process, so that memory does not grow with the file.
    """

    least_bytes: int = 8 << 20
    chunk_bytes: int = 256 << 10
    ahead: int = 4


SHARING = Sharing()


@dataclass(frozen=True)
class RejectedLine:
    """A line that gave no post: where it stands, why, and its id if it had one."""

    where: str
    reason: Reason
    message: str
    record_id: str | None = None


class LineRow(NamedTuple):
    """A post as plain data, where its line stands, and what personal data was taken out of it."""

    where: str
    row: dict[str, Any]
    removed: Removed


LineResult = LineRow | RejectedLine


def line_rows(path: Path, source: str, workers: int = 1, sharing: Sharing = SHARING) -> Iterator[LineResult]:
    """What each line of a file, plain or packed, gives, in their order; InputError for a file that cannot be read.

    ``workers`` processes share the lines of a large file; what they give does not depend on their number, nor on how
    they share.
    """
    try:
        with opened_lines(path, is_lines) as file:
            lines = object_lines(file, str(path))
            if workers == 1 or path.stat().st_size < sharing.least_bytes:
                yield from (read_line(line, source) for line in lines)
            else:
                yield from _shared_out(lines, source, workers, sharing)
    except BrokenProcessPool as error:
        raise CorpusError(
            f"a process that read lines of {path} was ended from outside (out of memory?); nothing was stored, run the "
            "command again with fewer --workers"
        ) from error
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}; check the path") from error


def read_line(line: Line, source: str) -> LineResult:
    """The post of a line, or why it is none."""
    where, content = line
    try:
        record = parse_object(content, where)
        record_id = post_id_of(record, source)
    except InputError as error:
        return refusal(where, error)
    try:
        return LineRow(where, *row_of(record, record_id))
    except RecordError as error:
        error.record_id = record_id
        return refusal(where, error)


def refusal(where: str, error: InputError) -> RejectedLine:
    """The rejection of a line, with the id in it, if the line had one."""
    message = str(error) if str(error).startswith(where) else f"{where}: {error}"
    if isinstance(error, RecordError):
        return RejectedLine(where, error.reason, message, error.record_id)
    return RejectedLine(where, Reason.MALFORMED_LINE, message)


def _shared_out(lines: Iterator[Line], source: str, workers: int, sharing: Sharing) -> Iterator[LineResult]:
    """The same by several processes, each of which gets some lines at a time."""
    ahead: deque[Future[list[LineResult]]] = deque()
    pool = ProcessPoolExecutor(workers, get_context("spawn"), end_with_parent_if_spawned)
    try:
        for chunk in _chunks(lines, sharing.chunk_bytes):
            ahead.append(pool.submit(partial(_read_lines, chunk, source)))
            if len(ahead) > sharing.ahead * workers:
                yield from ahead.popleft().result()
        while ahead:
            yield from ahead.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _chunks(lines: Iterator[Line], most: int) -> Iterator[list[Line]]:
    chunk: list[Line] = []
    size = 0
    for line in lines:
        chunk.append(line)
        size += len(line[1])
        if size >= most:
            yield chunk
            chunk, size = [], 0
    yield chunk


def _read_lines(lines: Sequence[Line], source: str) -> list[LineResult]:
    return [read_line(line, source) for line in lines]
