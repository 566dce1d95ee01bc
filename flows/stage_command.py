"""``wordquarry stage NAME [IN] [OUT]``: one stage alone over JSON Lines, one line out for each line in, in order."""

import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from corpus.canonical import canonical_json
from corpus.config import BuildConfig
from corpus.config_file import load_config
from corpus.errors import CorpusError, InputError, store_errors
from corpus.jsonl import numbered_lines, parse_object
from corpus.open_files import STANDARD_INPUT, reads
from corpus.result_files import result_text
from corpus.workspace import Workspace
from crawlers.archives.containers import is_lines, opened_lines
from curation.diversity import corpus_diversity
from curation.record_stages import RECORD_FUNCTIONS, RecordContext, RecordFunction, text_of
from evaluation.solvers.derivation_equivalence import derivation_line
from extractors.extraction_errors import ExtractionError
from flows.console import Reporter
from models.storage import load_model

FUNCTIONS: dict[str, RecordFunction] = {
    **RECORD_FUNCTIONS,
    "derivations": lambda record, _context: derivation_line(record),
}
WHOLE = "diversity"
NAMES = (*FUNCTIONS, WHOLE)


@dataclass(frozen=True)
class StageOptions:
    """Options of the command: the data folder for models, the file of the configuration, votes a system needs if they
    are not those of the configuration, stop at the first bad record."""

    data: str
    config: Path | None
    min_votes: int | None
    strict: bool

    def build_config(self) -> BuildConfig:
        """The configuration of the build in which the stage would run."""
        config = load_config(self.config)
        if self.min_votes is None:
            return config
        read = config.read.model_copy(update={"min_votes": self.min_votes})
        return config.model_copy(update={"read": read})


@dataclass
class Processed:
    """How many lines were read, how many of them were records, how many could not be processed, and why the first."""

    lines: int = 0
    records: int = 0
    failures: int = 0
    first: str = ""

    def failed(self, message: str) -> None:
        """Count a line that could not be processed."""
        self.failures += 1
        self.first = self.first or message


class StrictError(CorpusError):
    """The first record that could not be processed, where the caller wants to stop at it."""


def _lines(source: IO[bytes]) -> Iterator[tuple[str, bytes]]:
    """Every line with its place; unlike in posts files, a blank line is a record that cannot be read."""
    return numbered_lines(source, getattr(source, "name", "") or "input", blank=True)


def _error(identifier: object, error: InputError | ExtractionError, where: str) -> dict[str, Any]:
    message = str(error)
    return {
        "id": identifier,
        "error": {"code": error.code, "message": message if where in message else f"{where}: {message}"},
    }


def _process(
    line: bytes, where: str, work: Callable[[dict[str, Any]], dict[str, Any]], done: Processed, strict: bool
) -> dict[str, Any]:
    """The output of one line: the fields of the stage behind the record's id, or an error."""
    identifier: object = None
    done.lines += 1
    try:
        record = parse_object(line, where)
        done.records += 1
        identifier = record.get("id")
        if identifier is not None and not isinstance(identifier, str | int):
            identifier, wrong = None, type(identifier).__name__
            raise InputError(f"field 'id' must be a string or a whole number; it is a {wrong}")
        return {"id": identifier, **work(record)}
    except (InputError, ExtractionError) as error:
        found = _error(identifier, error, where)
        message = found["error"]["message"]
        done.failed(message)
        if strict:
            raise StrictError(message) from error
        return found


def run_lines(
    name: str, source: IO[bytes], sink: IO[str], context: RecordContext, *, strict: bool = False
) -> Processed:
    """Run a line-by-line stage; StrictError at the first record that cannot be processed, if ``strict``."""
    done, function = Processed(), FUNCTIONS[name]
    for where, line in _lines(source):
        result = _process(line, where, lambda record: function(record, context), done, strict)
        sink.write(canonical_json(result) + "\n")
    return done


def _text_and_group(record: dict[str, Any]) -> dict[str, Any]:
    return {"text": text_of(record, "text"), "group": str(record.get("group") or "")}


def run_diversity(source: IO[bytes], sink: IO[str], report: IO[str], *, strict: bool = False) -> Processed:
    """Run the diversity stage, which needs every text before it can say anything of one."""
    done = Processed()
    rows = [_process(line, where, _text_and_group, done, strict) for where, line in _lines(source)]
    good = [row for row in rows if "error" not in row]
    groups = [row["group"] for row in good]
    found = corpus_diversity([row["text"] for row in good], groups)
    places = iter(range(len(good)))
    for row in rows:
        if "error" in row:
            sink.write(canonical_json(row) + "\n")
            continue
        place = next(places)
        nearest = found.nearest[place]
        result = {
            "id": row["id"],
            "lexicon_diversity": found.lexicon_diversity[place],
            "nearest_id": None if nearest is None else good[nearest]["id"],
        }
        sink.write(canonical_json(result) + "\n")
    cld = "none" if found.cld is None else f"{found.cld:.4f}"
    report.write(f"CLD {cld} (N={found.n}), identical {found.identical_share:.4f}, {found.signature}\n")
    report.write(f"histogram of LD in 20 bins from 0 to 1: {' '.join(map(str, found.histogram))}\n")
    return done


def run_stage_command(name: str, files: tuple[Path | None, Path | None], options: StageOptions) -> None:
    """Run a stage between files, or standard input and output where a file is None.

    What could not be processed is told on standard error; InputError where no line was a record at all.
    """
    where = "standard input" if files[0] is None else str(files[0])
    done = _run(name, files, options)
    if not done.records:
        found = f"; the first is not: {done.first}" if done.first else ", it is empty"
        raise InputError(f"no line of {where} is a record{found}; give JSON Lines, one object per line")
    if done.failures:
        told = f"{done.failures} of {done.lines} records could not be processed; the first: {done.first}"
        Reporter().line(f"wordquarry stage {name}: {told}")


def _run(name: str, files: tuple[Path | None, Path | None], options: StageOptions) -> Processed:
    workspace = Workspace(options.data)

    @functools.cache
    def model(kind: str) -> Any:
        return load_model(str(workspace.model_file(kind)))

    config = options.build_config()
    with ExitStack() as stack:
        source: IO[bytes] = sys.stdin.buffer
        if files[0] is not None:
            with store_errors("read", str(files[0])):
                source = stack.enter_context(opened_lines(files[0], is_lines))
        else:
            reads(STANDARD_INPUT)
        sink = stack.enter_context(result_text(files[1]))
        if name == WHOLE:
            return run_diversity(source, sink, sys.stderr, strict=options.strict)
        return run_lines(name, source, sink, RecordContext(model, config), strict=options.strict)
