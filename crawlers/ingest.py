"""Posts from JSON Lines: one question thread a line, streamed; the records are those of ``thread_records``."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corpus.deposit import Deposit, Repeat
from corpus.errors import InputError
from corpus.reasons import Reason
from corpus.records import Post
from crawlers.posts import NOTHING, Removed
from crawlers.thread_records import DEFAULT_SOURCE, LineResult, LineRow, RecordError, RejectedLine, line_rows, refusal

_DIFFERS = "id {} has different content than at {}; give each thread an id of its own"


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
    reader = _LineReader(skip_bad)
    for one in line_rows(path, source):
        reader.take(one)
    result = reader.result()
    if not result.posts and not result.rejected:
        raise _no_records(path)
    return result


def _no_records(path: Path) -> InputError:
    return InputError(f"{path} holds no records; expected JSON Lines, one thread per line")


class _LineReader:
    """Takes lines in file order; holds one post per id and the lines that were refused."""

    def __init__(self, skip_bad: bool) -> None:
        self._skip_bad = skip_bad
        self._posts: dict[str, tuple[str, Post]] = {}
        self._conflicting: set[str] = set()
        self._rejected: list[RejectedLine] = []
        self._merged = 0
        self._removed = Removed()

    def take(self, one: LineResult) -> None:
        """Add the post of a line, or refuse the line."""
        if isinstance(one, LineRow):
            try:
                self._add(one.where, Post.model_validate(one.row), one.removed)
                return
            except InputError as error:
                one = refusal(one.where, error)
        if not self._skip_bad:
            raise InputError(one.message)
        self._rejected.append(one)

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

    ``complete`` adds to a row what the file does not say, ``tell`` gets each rejected line, ``workers`` processes share
    the lines of a large file.
    """

    skip_bad: bool = False
    source: str = DEFAULT_SOURCE
    complete: Callable[[dict[str, Any]], None] = lambda _row: None
    tell: Callable[[RejectedLine], None] = lambda _line: None
    workers: int = 1


def deposit_posts(path: Path, deposit: Deposit, file: int = 0, how: LineReading = LineReading()) -> LinesRead:
    """Read a file as ``read_posts`` does, line by line into a deposit; ``file`` tells it from other files there.

    Lines of posts that came with two contents are told after all others. Memory does not grow with the texts.
    """
    found, private_data = LinesRead(), dict[int, Removed]()
    for one in line_rows(path, how.source, how.workers):
        if isinstance(one, RejectedLine):
            if not how.skip_bad:
                _refuse_repeats(path, deposit.repeats(file))
                raise InputError(one.message)
            found.rejected[one.reason] += 1
            how.tell(one)
            continue
        number = int(one.where.rpartition(":")[2])
        if one.removed != NOTHING:
            private_data[number] = one.removed
        found.used += 1
        how.complete(one.row)
        deposit.add(one.row, file, number)
    if not found.used and not found.rejected:
        raise _no_records(path)
    repeats = deposit.repeats(file)
    if not how.skip_bad:
        _refuse_repeats(path, repeats)
    _merge(path, repeats, found, how)
    later = {one.again for one in repeats}
    found.removed = sum((removed for line, removed in private_data.items() if line not in later), Removed())
    return found


def _refuse_repeats(path: Path, repeats: Sequence[Repeat]) -> None:
    """InputError for the first line that has another content than an earlier one of the same id."""
    for one in repeats:
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
