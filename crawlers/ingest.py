"""Posts from JSON Lines: one question thread a line, streamed; the records are those of ``thread_records``."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corpus.deposit import Deposit, Repeat
from corpus.errors import InputError
from corpus.jsonl import object_lines, parse_object
from corpus.reasons import Reason
from corpus.records import Post
from crawlers.posts import NOTHING, Removed
from crawlers.thread_records import DEFAULT_SOURCE, RecordError, post_id_of, row_of

_DIFFERS = "id {} has different content than at {}; give each thread an id of its own"


@dataclass(frozen=True)
class RejectedLine:
    """A line that gave no post: where it stands, why, and its id if it had one."""

    where: str
    reason: Reason
    message: str
    record_id: str | None = None


@dataclass(frozen=True)
class IngestResult:
    """Posts sorted by post_id, lines rejected in file order, and identical duplicates that were merged."""

    posts: tuple[Post, ...]
    rejected: tuple[RejectedLine, ...]
    merged: int
    removed: Removed


def read_posts(path: Path, skip_bad: bool = False, source: str = DEFAULT_SOURCE) -> IngestResult:
    """Read a JSON Lines file of question threads.

    The first bad line raises InputError naming file and line, unless ``skip_bad``, which collects them instead. Equal
    ids with equal content are merged; with different content none of them is a post. Mails and phone numbers are
    replaced in every text.
    """
    reader = _LineReader(skip_bad, source)
    for where, line in _lines(path):
        reader.take(where, line)
    result = reader.result()
    if not result.posts and not result.rejected:
        raise _no_records(path)
    return result


def _lines(path: Path) -> Iterator[tuple[str, bytes]]:
    """The lines of a file, each with its place; InputError if it cannot be read."""
    try:
        with path.open("rb") as lines:
            yield from object_lines(lines, str(path))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}; check the path") from error


def _no_records(path: Path) -> InputError:
    return InputError(f"{path} holds no records; expected JSON Lines, one thread per line")


class _LineReader:
    """Takes lines in file order; holds one post per id and the lines that were refused."""

    def __init__(self, skip_bad: bool, source: str) -> None:
        self._skip_bad, self._source = skip_bad, source
        self._posts: dict[str, tuple[str, Post]] = {}
        self._conflicting: set[str] = set()
        self._rejected: list[RejectedLine] = []
        self._merged = 0
        self._removed = Removed()

    def take(self, where: str, line: bytes) -> None:
        """Add the post of a line, or refuse the line."""
        try:
            row, removed = _row_at(where, line, self._source)
            self._add(where, Post.model_validate(row), removed)
        except InputError as error:
            rejected = _refusal(where, error)
            if not self._skip_bad:
                raise InputError(rejected.message) from error
            self._rejected.append(rejected)

    def result(self) -> IngestResult:
        """What was read; posts whose id stands for two contents are none."""
        posts = []
        for post_id in sorted(self._posts):
            where, post = self._posts[post_id]
            if post_id in self._conflicting:
                message = f"{where}: id {post_id} occurs again with different content"
                self._rejected.append(RejectedLine(where, Reason.MALFORMED_LINE, message, post_id))
            else:
                posts.append(post)
        rejected = sorted(self._rejected, key=lambda line: int(line.where.rpartition(":")[2]))
        return IngestResult(tuple(posts), tuple(rejected), self._merged, self._removed)

    def _add(self, where: str, post: Post, removed: Removed) -> None:
        held = self._posts.get(post.post_id)
        if held is None:
            self._posts[post.post_id] = (where, post)
            self._removed += removed
        elif held[1].content_sha256 == post.content_sha256:
            self._merged += 1
        else:
            self._conflicting.add(post.post_id)
            raise RecordError(_DIFFERS.format(post.post_id, held[0]), record_id=post.post_id)


@dataclass
class LinesRead:
    """What became of the lines of a file: posts read, equal ones merged, lines rejected, personal data removed."""

    used: int = 0
    merged: int = 0
    rejected: Counter[Reason] = field(default_factory=Counter)
    removed: Removed = NOTHING


@dataclass(frozen=True)
class LineReading:
    """How a file is read into a deposit.

    ``complete`` adds to a row what the file does not say, ``tell`` gets each rejected line.
    """

    skip_bad: bool = False
    source: str = DEFAULT_SOURCE
    complete: Callable[[dict[str, Any]], None] = lambda _row: None
    tell: Callable[[RejectedLine], None] = lambda _line: None


def deposit_posts(path: Path, deposit: Deposit, file: int = 0, how: LineReading = LineReading()) -> LinesRead:
    """Read a file as ``read_posts`` does, line by line into a deposit; ``file`` tells it from other files there.

    Lines of posts that came with two contents are told after all others. Memory does not grow with the texts.
    """
    found, private_data = LinesRead(), dict[int, Removed]()
    for where, line in _lines(path):
        number = int(where.rpartition(":")[2])
        try:
            row, removed = _row_at(where, line, how.source)
        except InputError as error:
            rejected = _refusal(where, error)
            if not how.skip_bad:
                _refuse_repeats(path, deposit, file)
                raise InputError(rejected.message) from error
            found.rejected[rejected.reason] += 1
            how.tell(rejected)
            continue
        if removed is not NOTHING:
            private_data[number] = removed
        found.used += 1
        how.complete(row)
        deposit.add(row, file, number)
    if not found.used and not found.rejected:
        raise _no_records(path)
    if not how.skip_bad:
        _refuse_repeats(path, deposit, file)
    _merge(path, deposit.repeats(file), found, how)
    later = {one.again for one in deposit.repeats(file)}
    found.removed = sum((removed for line, removed in private_data.items() if line not in later), Removed())
    return found


def _refuse_repeats(path: Path, deposit: Deposit, file: int) -> None:
    """InputError for the first line that has another content than an earlier one of the same id."""
    for one in deposit.repeats(file):
        if one.differs:
            raise InputError(f"{path}:{one.again}: {_DIFFERS.format(one.post_id, f'{path}:{one.first}')}")


def _merge(path: Path, repeats: Sequence[Repeat], found: LinesRead, how: LineReading) -> None:
    """Count and tell what became of posts that came again."""
    lines: dict[int, str] = {}
    for one in repeats:
        if one.differs:
            first = f"{path}:{one.first}: id {one.post_id} occurs again with different content"
            again = f"{path}:{one.again}: {_DIFFERS.format(one.post_id, f'{path}:{one.first}')}"
            lines |= {one.first: first, one.again: again}
    ids = {line: one.post_id for one in repeats for line in (one.first, one.again)}
    for line, message in sorted(lines.items()):
        found.rejected[Reason.MALFORMED_LINE] += 1
        how.tell(RejectedLine(f"{path}:{line}", Reason.MALFORMED_LINE, message, ids[line]))
    found.merged = sum(not one.differs for one in repeats)
    found.used -= found.merged + len(lines)


def _row_at(where: str, line: bytes, source: str) -> tuple[dict[str, Any], Removed]:
    """The row of a line; InputError with the id in it, if the line had one."""
    record = parse_object(line, where)
    record_id = post_id_of(record, source)
    try:
        return row_of(record, record_id)
    except RecordError as error:
        error.record_id = record_id
        raise


def _refusal(where: str, error: InputError) -> RejectedLine:
    """The rejection of a line."""
    message = str(error) if str(error).startswith(where) else f"{where}: {error}"
    if isinstance(error, RecordError):
        return RejectedLine(where, error.reason, message, error.record_id)
    return RejectedLine(where, Reason.MALFORMED_LINE, message)


def iter_rejections(result: IngestResult) -> Iterator[str]:
    """One line per rejected line, for a log or standard error."""
    for line in result.rejected:
        yield f"{line.reason.value}\t{line.message}"
