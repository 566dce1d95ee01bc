"""Posts from JSON Lines: one question thread a line, streamed; the records are those of ``thread_records``."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corpus.errors import InputError
from corpus.post_store.deposit import Deposit, Repeat
from corpus.reasons import Reason
from corpus.records import Post
from crawlers.posts import NOTHING, Removed
from crawlers.thread_records import DEFAULT_SOURCE, LineRow, RejectedLine, line_rows

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
    held: dict[str, tuple[str, Post]] = {}
    conflicting: set[str] = set()
    rejected: list[RejectedLine] = []
    merged, removed = 0, Removed()
    for one in line_rows(path, source):
        if isinstance(one, LineRow):
            post = Post.model_validate(one.row)
            where, first = held.setdefault(post.post_id, (one.where, post))
            if first is post:
                removed += one.removed
                continue
            if first.content_sha256 == post.content_sha256:
                merged += 1
                continue
            conflicting.add(post.post_id)
            message = f"{one.where}: {_DIFFERS.format(post.post_id, where)}"
            one = RejectedLine(one.where, Reason.MALFORMED_LINE, message, post.post_id)
        if not skip_bad:
            raise InputError(one.message)
        rejected.append(one)
    if not held and not rejected:
        raise _no_records(path)
    for post_id in sorted(conflicting):
        where, _ = held.pop(post_id)
        message = f"{where}: id {post_id} occurs again with different content"
        rejected.append(RejectedLine(where, Reason.MALFORMED_LINE, message, post_id))
    rejected.sort(key=lambda line: int(line.where.rpartition(":")[2]))
    return IngestResult(tuple(post for _, (_, post) in sorted(held.items())), tuple(rejected), merged, removed)


def _no_records(path: Path) -> InputError:
    return InputError(f"{path} holds no records; expected JSON Lines, one thread per line")


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
