"""``wordquarry stage NAME [IN] [OUT]``: one stage alone over JSON Lines, one line out for each line in, in order."""

import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from corpus.canonical import canonical_json
from corpus.errors import CorpusError, InputError, store_errors
from corpus.jsonl import numbered_lines, parse_object
from corpus.local_files import atomic_text
from corpus.open_files import open_file
from corpus.workspace import Workspace
from curation.diversity import corpus_diversity
from curation.record_stages import RECORD_FUNCTIONS, RecordContext, RecordFunction, text_of
from evaluation.solvers.derivation_equivalence import derivation_line
from extractors.extraction_errors import ExtractionError
from models.storage import load_model

FUNCTIONS: dict[str, RecordFunction] = {
    **RECORD_FUNCTIONS,
    "derivations": lambda record, _context: derivation_line(record),
}
WHOLE = "diversity"
NAMES = (*FUNCTIONS, WHOLE)


@dataclass(frozen=True)
class StageOptions:
    """Options of the command: the data folder for models, votes a system needs, stop at the first bad record."""

    data: str
    min_votes: int
    strict: bool


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


def _process(line: bytes, where: str, work: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
    """The output of one line: the fields of the stage behind the record's id, or an error."""
    identifier: object = None
    try:
        record = parse_object(line, where)
        identifier = record.get("id")
        if identifier is not None and not isinstance(identifier, str | int):
            identifier, wrong = None, type(identifier).__name__
            raise InputError(f"field 'id' must be a string or a whole number; it is a {wrong}")
        return {"id": identifier, **work(record)}
    except (InputError, ExtractionError) as error:
        return _error(identifier, error, where)


def run_lines(name: str, source: IO[bytes], sink: IO[str], context: RecordContext, *, strict: bool = False) -> int:
    """Run a line-by-line stage; returns how many records could not be processed."""
    failures = 0
    function = FUNCTIONS[name]
    for where, line in _lines(source):
        result = _process(line, where, lambda record: function(record, context))
        if "error" in result:
            failures += 1
            if strict:
                raise StrictError(result["error"]["message"])
        sink.write(canonical_json(result) + "\n")
    return failures


def _text_and_group(record: dict[str, Any]) -> dict[str, Any]:
    return {"text": text_of(record, "text"), "group": str(record.get("group") or "")}


def run_diversity(source: IO[bytes], sink: IO[str], report: IO[str], *, strict: bool = False) -> int:
    """Run the diversity stage, which needs every text before it can say anything of one."""
    rows: list[dict[str, Any]] = []
    for where, line in _lines(source):
        rows.append(_process(line, where, _text_and_group))
        if strict and "error" in rows[-1]:
            raise StrictError(rows[-1]["error"]["message"])
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
    return len(rows) - len(good)


def run_stage_command(name: str, files: tuple[Path | None, Path | None], options: StageOptions) -> int:
    """Run a stage between files, or standard input and output where a file is None; returns the failures."""
    workspace = Workspace(options.data)

    @functools.cache
    def model(kind: str) -> Any:
        return load_model(str(workspace.model_file(kind)))

    with ExitStack() as stack:
        source: IO[bytes] = sys.stdin.buffer
        sink: IO[str] = sys.stdout
        if files[0] is not None:
            with store_errors("read", str(files[0])):
                source = stack.enter_context(open_file(files[0], stream=True))
        if files[1] is not None:
            sink = stack.enter_context(atomic_text(files[1]))
        if name == WHOLE:
            return run_diversity(source, sink, sys.stderr, strict=options.strict)
        return run_lines(name, source, sink, RecordContext(options.min_votes, model), strict=options.strict)
