"""Dumps of every format into a post store: what is refused is told, and what was read stays whatever comes after it."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from corpus.errors import InputError
from corpus.intake import Intake, Taken
from corpus.reasons import Reason
from corpus.records import Post
from corpus.store import PostStore
from crawlers.dumps.pages import read_index, read_warc
from crawlers.dumps.stackexchange import read_stack_exchange
from crawlers.dumps.tables import read_table
from crawlers.dumps.tally import Entry, Options, Reader, Tally
from crawlers.dumps.yahoo import read_yahoo
from crawlers.ingest import Rejected
from crawlers.origin import parser_version
from crawlers.posts import Origin

READERS: dict[str, Reader] = {
    "jsonl": read_table,
    "parquet": read_table,
    "stackexchange": read_stack_exchange,
    "yahoo": read_yahoo,
    "warc": read_warc,
    "cc-index": read_index,
}
EXPECTED = frozenset((Reason.NOT_CHOSEN, Reason.NOT_A_THREAD, Reason.NO_QUESTION, Reason.FORGOTTEN))
"""Reasons that are no fault of a dump."""
_DATED = ("stackexchange", "yahoo")
"""Formats whose posts have no time of their own and take that of the file."""
_OF_PAGES = ("warc", "cc-index")
"""Formats whose posts come from a response each."""


@dataclass
class Loaded:
    """What came of a dump: posts taken in, records by what became of them, refused records that are faults.

    ``failure`` ended the reading, ``first_fault`` names the first fault, ``contradicting`` counts posts left out
    because another content of the same age is there.
    """

    taken: Taken
    tally: Tally
    faults: int = 0
    contradicting: int = 0
    first_fault: str = ""
    failure: InputError | None = None


def load(path: Path, file_format: str, options: Options, store: PostStore, tell: Callable[[str], None]) -> Loaded:
    """Read a dump into a store; ``tell`` gets one line for every refused record that is a fault.

    What the dump holds never raises: ``failure`` says where it is damaged, and what was read before is stored. Raises
    InputError for an unknown format.
    """
    reader = READERS.get(file_format)
    if reader is None:
        raise InputError(f"unknown format {file_format!r}; there are: {', '.join(READERS)}")
    with Intake(store) as intake:
        loaded = Loaded(intake.taken, Tally())
        try:
            if file_format in _DATED and options.retrieved_at is None:
                options = replace(options, retrieved_at=_time_of(path))
            origin = Origin() if file_format in _OF_PAGES else origin_of(path, reader)
            for entry in reader(path, options, loaded.tally):
                _take(entry if isinstance(entry, Rejected) else with_origin(entry, origin), intake, loaded, tell)
            if not loaded.tally.read:
                raise InputError(f"{path} holds no records; check the file and --format")
        except InputError as error:
            loaded.failure = error
    return loaded


def _take(entry: Entry, intake: Intake, loaded: Loaded, tell: Callable[[str], None]) -> None:
    """Take a post in, or note why there is none."""
    if isinstance(entry, Rejected):
        message = "" if entry.reason in EXPECTED else entry.message
    else:
        message = ""
        try:
            intake.take(entry)
        except InputError as error:
            message = str(error)
            loaded.contradicting += 1
    if message:
        loaded.faults += 1
        loaded.first_fault = loaded.first_fault or message
        tell(message)


def origin_of(path: Path, reader: Callable[..., object]) -> Origin:
    """What the posts of a dump were read from, unless they say it themselves: the file as it is, by the reader."""
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}; check the path") from error
    return Origin(digest, parser_version(reader.__module__))


def with_origin(post: Post, origin: Origin) -> Post:
    """The post, saying what it was read from; what it says already stays."""
    if post.response_sha256 is not None:
        return post
    return post.model_copy(update={"response_sha256": origin.response_sha256, "parser": post.parser or origin.parser})


def _time_of(path: Path) -> str:
    """When a file was written, UTC: when its posts were as they stand in it, as far as we know."""
    try:
        seconds = path.stat().st_mtime
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}; check the path") from error
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
