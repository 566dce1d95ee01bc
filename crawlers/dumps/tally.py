"""What every reader of a dump gives and counts: posts, and records that gave none with the reason."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from corpus.errors import InputError
from corpus.reasons import Reason
from corpus.records import Post
from crawlers.archives.bounded_streams import RecordError
from crawlers.posts import Removed
from crawlers.thread_records import RejectedLine
from crawlers.threads import reason_of
from extractors.extraction_errors import ExtractionError


@dataclass(frozen=True)
class Options:
    """How a dump is read.

    ``source`` names the source of its posts, ``retrieved_at`` dates posts that carry no time themselves, ``tags``
    (lower case) chooses threads with any of them, ``columns`` maps fields of a post to columns of a table, and
    ``archives`` is the folder of the files that an index speaks of.
    """

    source: str = ""
    retrieved_at: str | None = None
    tags: frozenset[str] = frozenset()
    columns: tuple[tuple[str, str], ...] = ()
    archives: Path | None = None


@dataclass
class Tally:
    """What became of the records of a dump: each is ``used`` in a post or refused for one reason.

    ``gone`` are the addresses that an archive of our own crawls says are no more, with its spider, and since when;
    ``damage`` is the first thing that was damaged in a file; ``mended`` counts the characters that a file may not hold
    and that were left out or written as they were meant.
    """

    read: int = 0
    used: int = 0
    refused: Counter[Reason] = field(default_factory=Counter)
    removed: Removed = field(default_factory=Removed)
    gone: dict[tuple[str, str], str] = field(default_factory=dict)
    damage: str = ""
    mended: int = 0

    def counts(self) -> dict[str, Any]:
        """Plain data for a record: no texts, no ids."""
        return {
            "records": {"read": self.read, "used": self.used},
            "refused": {reason.value: count for reason, count in sorted(self.refused.items())},
            "removed": asdict(self.removed),
            "mended": self.mended,
        }

    def check(self, where: str) -> None:
        """Raise InputError unless every record is accounted for."""
        settled = self.used + self.refused.total()
        if self.read != settled:
            raise InputError(
                f"{where}: {self.read} records were read, but {settled} are accounted for; please report this"
            )


Entry = Post | RejectedLine
DumpReader = Callable[[Path, Options, Tally], Iterator[Entry]]


def refused_for(tally: Tally, where: str, error: Exception, record_id: str | None = None) -> RejectedLine:
    """Count a record that an error leaves without a post, and say so."""
    message = str(error) if str(error).startswith(where) else f"{where}: {error}"
    if isinstance(error, ExtractionError):
        reason = reason_of(error)
    else:
        reason = error.reason if isinstance(error, RecordError) else Reason.MALFORMED_LINE
    return refused(tally, RejectedLine(where, reason, message, record_id))


def refused(tally: Tally, rejected: RejectedLine, records: int = 1) -> RejectedLine:
    """Count the records that a rejection stands for, and pass it on."""
    tally.refused[rejected.reason] += records
    return rejected
