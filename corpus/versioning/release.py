"""What goes into a version, as a stream of tables, and the figures that its card and its manifest give of it."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from corpus.errors import VersionError
from corpus.records import Provenance
from corpus.schema import record_table
from corpus.versioning.manifest_record import MakingFacts, ProvenanceFacts
from corpus.versioning.mathematics import latex
from corpus.versioning.row_groups import CUTS, Cuts, RowGroups, TableFile, appearance_keys
from corpus.versioning.version_tables import DATA, FULL, PROBLEMS, training_table

SYSTEMS = 3
"""Equation systems that a card shows."""


class DoubledProblemError(VersionError):
    """A problem comes more than once."""


class BesideStreams(NamedTuple):
    """Rows beside the problems: Provenance, the questions as posted (SourcePost) and the answers that problems rest on
    (SourceAnswer). Times and responses in provenance are no part of a version's identity."""

    provenance: Iterator[pa.Table]
    posts: Iterator[pa.Table]
    answers: Iterator[pa.Table]


@dataclass(frozen=True)
class Release:
    """What goes into a version, read as it is written: each function is called once.

    ``making`` are the facts of its making for the manifest, ``rows_sha256`` is the digest of the problems, whatever
    their order and encoding (``set_digest``). Problems come in the order of row_groups, and so does what stands
    beside them.
    """

    name: str
    title: str
    making: MakingFacts
    rows_sha256: str
    problem_tables: Callable[[], Iterator[pa.Table]]
    beside: Callable[[], BesideStreams]


@dataclass
class ReleaseTally:
    """Figures of the rows that went by: counts, licenses, and a few systems."""

    rows: int = 0
    sources: int = 0
    splits: Counter[str | None] = field(default_factory=Counter)
    confidences: Counter[tuple[str, float]] = field(default_factory=Counter)
    """Problems of each split by confidence, rounded down to thousandths."""
    types: Counter[str | None] = field(default_factory=Counter)
    licenses: Counter[str | None] = field(default_factory=Counter)
    source_licenses: Counter[str | None] = field(default_factory=Counter)
    answer_licenses: Counter[str | None] = field(default_factory=Counter)
    parsers: Counter[str | None] = field(default_factory=Counter)
    systems: list[tuple[str, str]] = field(default_factory=list)
    retrieved: list[str] = field(default_factory=list)
    _ids: list[pa.Array] = field(default_factory=list)
    _last: tuple[str, str] = ("", "")

    def stated_licenses(self) -> list[str]:
        """Every license that a problem or a row of provenance names."""
        return sorted({name for name in (*self.licenses, *self.source_licenses) if name})

    @property
    def has_license_throughout(self) -> bool:
        """Whether no problem and no row of provenance lacks a license."""
        return not (self.licenses[None] or self.licenses[""] or self.source_licenses[None] or self.source_licenses[""])

    def add_problems(self, table: pa.Table) -> None:
        """Count problems; VersionError where one comes before its turn."""
        self._follow(table)
        self.splits.update(_counted(table["split"]))
        thousandths = pc.floor(pc.multiply(table["confidence"], 1000.0))
        sure = pa.table([table["split"], thousandths], ["split", "sure"]).filter(pc.is_valid(thousandths))
        for row in sure.group_by(["split", "sure"]).aggregate([([], "count_all")]).to_pylist():
            self.confidences[row["split"], row["sure"] / 1000] += row["count_all"]
        self.licenses.update(_counted(table["license"]))
        self.types.update({name: count for name, count in _counted(table["question_type"]).items() if name})
        for problem_id, equations in _pairs(table, "problem_id", "equations"):
            if len(self.systems) == SYSTEMS:
                break
            shown = latex(equations) if equations else None
            self.systems += [(problem_id, shown)] if shown else []
        self.rows += len(table)

    def _follow(self, table: pa.Table) -> None:
        for key, problem_id in zip(appearance_keys(table).to_pylist(), table["problem_id"].to_pylist(), strict=True):
            if key < self._last[0]:
                raise VersionError(f"problem {problem_id} comes after {self._last[1]}; this is a bug in the release")
            self._last = (key, problem_id)
        self._ids += table["problem_id"].chunks

    def end(self) -> None:
        """DoubledProblemError where a problem came more than once."""
        found = pc.value_counts(pa.chunked_array(self._ids, pa.string()))
        doubled = found.filter(pc.greater(found.field("counts"), 1))
        if len(doubled):
            first = min(doubled.to_pylist(), key=lambda one: str(one["values"]))
            raise DoubledProblemError(f"problem {first['values']} comes {first['counts']} times")

    def add_sources(self, table: pa.Table) -> None:
        """Count rows of provenance."""
        self.source_licenses.update(_counted(table["license"]))
        self.answer_licenses.update(_counted(table["license"].filter(pc.is_valid(table["answer_id"]))))
        self.parsers.update(_counted(table["parser"].filter(pc.is_null(table["answer_id"]))))
        times = [time for time in (*self.retrieved, *table["retrieved_at"].unique().to_pylist()) if time]
        self.retrieved = [min(times), max(times)] if times else []
        self.sources += len(table)

    def provenance_facts(self) -> ProvenanceFacts:
        """What the manifest says of the provenance: rows by license, posts by parser, first and last time."""
        return {
            "rows_by_license": stated(self.source_licenses),
            "posts_by_parser": stated(self.parsers),
            "retrieved": self.retrieved,
        }


def _counted(column: pa.ChunkedArray) -> dict[str | None, int]:
    """How often each value is there."""
    found = pc.value_counts(column)
    return dict(zip(found.field("values").to_pylist(), found.field("counts").to_pylist(), strict=True))


def _pairs(table: pa.Table, *names: str) -> Iterator[tuple[Any, ...]]:
    """The values of some columns, row by row, read as they are asked for."""
    for batch in table.select(names).to_batches(max_chunksize=100):
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def stated(counts: Mapping[str | None, int]) -> dict[str, int]:
    """Counts by name in alphabetical order; what has none is ``not stated``."""
    found: Counter[str] = Counter()
    for name, count in counts.items():
        found[name or "not stated"] += count
    return dict(sorted(found.items()))


def provenance_facts(rows: Sequence[Provenance]) -> ProvenanceFacts:
    """What a manifest says of these rows."""
    tally = ReleaseTally()
    tally.add_sources(record_table(rows, Provenance))
    return tally.provenance_facts()


class SplitFiles:
    """The files of a version's problems, filled as problems come: of each row group a small one and a whole one.

    ``cuts`` says how many rows of one split are in each.
    """

    def __init__(self, cuts: Cuts = CUTS) -> None:
        self._cuts = cuts
        self._splits: dict[str, _SplitFile] = {}

    def add(self, table: pa.Table) -> None:
        """Add problems to the files of their splits."""
        for split in table["split"].unique().to_pylist():
            if split not in self._splits:
                self._splits[split] = _SplitFile(self._cuts)
            self._splits[split].add(table.filter(pc.equal(table["split"], split)))

    def files(self) -> dict[str, bytes]:
        """All files by relative path, once every problem was added."""
        found = ((split, one.files()) for split, one in sorted(self._splits.items()))
        return {
            f"{folder}/{split}-{number:05d}-of-{len(contents):05d}.parquet": content
            for split, contents in found
            for number, pair in enumerate(contents)
            for folder, content in pair.items()
        }


class _SplitFile:
    """The files of one split: those that are full, as bytes, and the one that is being filled."""

    def __init__(self, cuts: Cuts) -> None:
        self._rows = cuts.file
        self._groups = RowGroups(cuts)
        self._full: list[dict[str, bytes]] = []
        self._file: dict[str, TableFile] = {}

    def add(self, table: pa.Table) -> None:
        for group in self._groups.add(table):
            self._write(group)

    def _write(self, group: pa.Table) -> None:
        """Write a group, the rest of it into the next file where this one is full."""
        while len(group):
            self._file = self._file or {folder: TableFile(record) for folder, record in PROBLEMS.items()}
            fits = self._rows - self._file[FULL].rows
            rows, group = group.slice(0, fits), group.slice(fits)
            self._file[FULL].add(rows)
            self._file[DATA].add(training_table(rows))
            if self._file[FULL].rows == self._rows:
                self._close()

    def _close(self) -> None:
        self._full.append({folder: file.close() for folder, file in self._file.items()})
        self._file = {}

    def files(self) -> list[dict[str, bytes]]:
        for group in self._groups.rest():
            self._write(group)
        if self._file:
            self._close()
        return self._full
