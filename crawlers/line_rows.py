"""Rows of posts out of the lines of a JSON Lines file, in their order, read by one process or by several."""

import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from corpus.errors import CorpusError, InputError
from corpus.jsonl import object_lines, parse_object
from corpus.lifeline import end_with_parent_if_spawned
from corpus.open_files import open_file
from corpus.reasons import Reason
from crawlers.posts import Removed
from crawlers.thread_records import RecordError, post_id_of, row_of

Line = tuple[str, bytes]
"""Where a line stands, as ``file:number``, and what it holds."""

ONE_PROCESS_BYTES = 8 << 20
"""A smaller file is read by one process, in a few seconds; others would take one to start."""
CHUNK_BYTES = 256 << 10
CHUNKS_AHEAD = 4
"""Chunks that are under way for each process, so that memory does not grow with the file."""


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


def line_rows(path: Path, source: str, workers: int = 1) -> Iterator[LineResult]:
    """What each line of a file gives, in the order of the lines; InputError for a file that cannot be read.

    ``workers`` processes share the lines of a large file; what they give does not depend on their number.
    """
    try:
        with open_file(path, stream=True) as file:
            lines = object_lines(file, str(path))
            if workers == 1 or os.fstat(file.fileno()).st_size < ONE_PROCESS_BYTES:
                yield from (read_line(line, source) for line in lines)
            else:
                yield from _shared_out(lines, source, workers)
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


def _shared_out(lines: Iterator[Line], source: str, workers: int) -> Iterator[LineResult]:
    """The same by several processes, each of which gets some lines at a time."""
    ahead: deque[Future[list[LineResult]]] = deque()
    pool = ProcessPoolExecutor(workers, get_context("spawn"), end_with_parent_if_spawned)
    try:
        for chunk in _chunks(lines):
            ahead.append(pool.submit(partial(_read_lines, chunk, source)))
            if len(ahead) > CHUNKS_AHEAD * workers:
                yield from ahead.popleft().result()
        while ahead:
            yield from ahead.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _chunks(lines: Iterator[Line]) -> Iterator[list[Line]]:
    chunk: list[Line] = []
    size = 0
    for line in lines:
        chunk.append(line)
        size += len(line[1])
        if size >= CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    yield chunk


def _read_lines(lines: Sequence[Line], source: str) -> list[LineResult]:
    return [read_line(line, source) for line in lines]
