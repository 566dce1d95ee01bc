"""Dumps of every format into a post store: what is refused is told, and what was read stays whatever comes after it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from corpus.errors import InputError
from corpus.post_store.deposit import Deposit, Upsert
from corpus.post_store.store import PostStore
from corpus.reasons import Reason
from crawlers.crawling.revisits import gone_threads
from crawlers.dumps.archive_pages import read_index, read_warc
from crawlers.dumps.stackexchange_dump import read_stack_exchange, site_of_path
from crawlers.dumps.tables import read_table
from crawlers.dumps.tally import DumpReader, Options, Tally
from crawlers.dumps.yahoo_dump import read_yahoo
from crawlers.posts import file_origin, with_origin
from crawlers.thread_records import RejectedLine

READERS: dict[str, DumpReader] = {
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
ARCHIVES = (".warc", ".warc.gz", ".warc.zst", ".wacz")


@dataclass
class Loaded:
    """What came of a dump: posts taken in, records by what became of them, refused records that are faults.

    ``failure`` ended the reading, ``first_fault`` names the first fault; a post that contradicts a content of the same
    age is one. ``sha256`` is the file's, ``removed`` the number of stored posts that it says their site removed.
    """

    taken: Upsert
    tally: Tally
    faults: int = 0
    first_fault: str = ""
    failure: InputError | None = None
    sha256: str = ""
    removed: int = 0

    def fail(self, message: str | None, tell: Callable[[str], None]) -> None:
        """Note and tell a fault, if there is one."""
        if message:
            self.faults += 1
            self.first_fault = self.first_fault or message
            tell(message)


def load(path: Path, file_format: str, options: Options, store: PostStore, tell: Callable[[str], None]) -> Loaded:
    """Read a dump into a store; ``tell`` gets one line for every refused record that is a fault.

    What the dump holds never raises: ``failure`` says where it is damaged, and what was read before is stored. Raises
    InputError for an unknown format.
    """
    loaded = _load(path, file_format, options, store, tell)
    loaded.removed = _bury(loaded.tally.gone, store)
    return loaded


def load_archives(paths: Iterable[Path], store: PostStore, tell: Callable[[str], None]) -> int:
    """Read web archives, and every one below the folders given, into a store; returns how many files they were.

    Raises InputError for an archive that is damaged or cut short, and where there is none.
    """
    files = [file for path in paths for file in (_archives_below(path) if path.is_dir() else [path])]
    if not files:
        raise InputError("no web archive there; give .warc, .warc.gz, .warc.zst or .wacz files, or a folder of them")
    gone: dict[tuple[str, str], str] = {}
    for file in files:
        loaded = _load(file, "warc", Options(), store, tell)
        if loaded.failure is not None:
            raise loaded.failure
        if loaded.tally.damage:
            raise InputError(loaded.tally.damage)
        for key, moment in loaded.tally.gone.items():
            gone[key] = max(moment, gone.get(key, moment))
    _bury(gone, store)
    return len(files)


def _bury(gone: Mapping[tuple[str, str], str], store: PostStore) -> int:
    """Take out of a store's view what its site says is no more; returns how many posts that were."""
    return store.bury(gone_threads(store.load(store.current()), gone)) if gone else 0


def _load(path: Path, file_format: str, options: Options, store: PostStore, tell: Callable[[str], None]) -> Loaded:
    reader = READERS.get(file_format)
    if reader is None:
        raise InputError(f"unknown format {file_format!r}; there are: {', '.join(READERS)}")
    loaded = Loaded(Upsert(), Tally())
    with Deposit(store, lenient=True) as deposit:
        try:
            if file_format == "stackexchange" and not options.source:
                options = replace(options, source=site_of_path(path))
            if file_format in _DATED and options.retrieved_at is None:
                options = replace(options, retrieved_at=_time_of(path))
            origin = file_origin(path, reader.__module__)
            loaded.sha256 = origin.response_sha256 or ""
            store.source = _source(path, file_format, options, loaded.sha256)
            for entry in reader(path, options, loaded.tally):
                if isinstance(entry, RejectedLine):
                    loaded.fail(None if entry.reason in EXPECTED else entry.message, tell)
                else:
                    deposit.add({**with_origin(entry, origin).model_dump(), "content_sha256": ""})
            if not loaded.tally.read:
                raise InputError(f"{path} holds no records; check the file and --format")
        except InputError as error:
            loaded.failure = error
        loaded.taken = deposit.commit()
    for message in loaded.taken.refused:
        loaded.fail(message, tell)
    return loaded


def _source(path: Path, file_format: str, options: Options, sha256: str) -> dict[str, Any]:
    return {
        "kind": "file",
        "paths": [str(path)],
        "format": file_format,
        "sha256": sha256,
        "source": options.source,
        "retrieved_at": options.retrieved_at,
        "tags": sorted(options.tags),
        "columns": [list(pair) for pair in options.columns],
        "archives": str(options.archives) if options.archives else None,
    }


def _archives_below(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.name.lower().endswith(ARCHIVES) and path.is_file())


def _time_of(path: Path) -> str:
    """When a file was written, UTC: when its posts were as they stand in it, as far as we know."""
    try:
        seconds = path.stat().st_mtime
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}; check the path") from error
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
