"""Figures as data: the tables of a measurement in a file, and the pages that quote them filled from these files.

A record (``docs/figures/quality/NAME.json``, ``docs/figures/benchmarks/NAME.json``) holds all tables of a measurement
with cells as text, its rule, and its signature: the command, the digests of the models it read with, and what the
measurement says of its own inputs. No clock; of the machine only what a benchmark says itself.

Pages quote records between comments, and nothing else of them is changed:

``<!-- figures: bundled / in scope / answers -->`` … ``<!-- end of figures -->``
    the named tables of a record, or all of them; ``figure = precision; recall`` are these rows of the table.
``<!-- figures: headline -->`` … ``<!-- end of figures -->``
    a table that quotes cells of several records (``docs/figures/headline.json``).
``<!-- figure: bundled / answers / published / precision -->`` … ``<!-- end of figure -->``
    one cell: record, table, row, column. A row is named by its first cell, or by its first two with a comma.
    ``model / posts`` is the digest of a model that ships.
``<!-- code: curation/stages/registry.py / STAGES -->`` … ``<!-- end of code -->``
    the statement that sets a name, as the source has it.
``<!-- table: reasons -->`` … ``<!-- end of table -->``
    a table of ``page_tables``: what the files of stages and sources say.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from corpus.errors import InputError
from corpus.folders.files import Folder
from corpus.strict_json import load_json
from corpus.workspace import BUNDLED
from evaluation.page_tables import page_table
from evaluation.table_text import markdown_table, tables_in
from models.storage import digest_of_bytes

FOLDER = Path("docs") / "figures"
QUALITY, BENCHMARKS = "quality", "benchmarks"
HEADLINE = "headline"
_PARAGRAPH = re.compile(r"\n\s*\n")
_SIGNATURE = re.compile(r"^Signature: `(.+)`$", re.MULTILINE)
_BLOCK = re.compile(r"(<!-- figures: ([^\n]+?) -->\n)(.*?)(<!-- end of figures -->)", re.DOTALL)
_CELL = re.compile(r"(<!-- figure: ([^\n]+?) -->)(.*?)(<!-- end of figure -->)")
_CODE = re.compile(r"(<!-- code: (\S+) / (\w+) -->\n)(.*?)(<!-- end of code -->)", re.DOTALL)
_TABLE = re.compile(r"(<!-- table: (\w+) -->\n)(.*?)(<!-- end of table -->)", re.DOTALL)
_QUOTED = re.compile(r"\{([^{}]+)\}")


class TableData(NamedTuple):
    """A table: what it is called, the heads of its columns, and its rows; cells are text."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def of_rows(self, names: Sequence[str]) -> "TableData":
        """The table with the rows of these names alone; with all where none is given."""
        return self._replace(rows=[self.row(name) for name in names]) if names else self

    def row(self, name: str) -> Sequence[str]:
        """The row that is named so by its first cell, or by its first two; InputError unless there is one."""
        found = [cells for cells in self.rows if name in (cells[0], ", ".join(cells[:2]))]
        if len(found) != 1:
            count = len(found) or "no"
            raise InputError(f"table {self.title!r} has {count} rows {name!r}; correct the page's comment")
        return found[0]

    def cell(self, row: str, column: str) -> str:
        """The cell of a row and a column by their names; InputError where there is none."""
        if column not in self.columns:
            raise InputError(f"table {self.title!r} has no column {column!r}; correct the page's comment")
        return self.row(row)[list(self.columns).index(column)]


@dataclass(frozen=True)
class Measurement:
    """One measurement: its name and command, the digests of the models it read with, its rule and its tables."""

    figure: str
    command: str
    models: Mapping[str, str]
    rule: str
    signature: str
    tables: Sequence[TableData] = field(default=())

    def table(self, title: str) -> TableData:
        """A table by its title; InputError where there is none."""
        for table in self.tables:
            if table.title == title:
                return table
        names = ", ".join(repr(table.title) for table in self.tables)
        raise InputError(f"figure {self.figure!r} has no table {title!r}; there are: {names}")

    def outdated(self, models: Mapping[str, str]) -> list[str]:
        """The models that are other ones now, by name."""
        return sorted(name for name, digest in self.models.items() if models.get(name) != digest)

    def as_text(self) -> str:
        """The content of the record's file."""
        tables = [table._asdict() for table in self.tables]
        return json.dumps({**asdict(self), "tables": tables}, indent=1, ensure_ascii=False) + "\n"


def measured(name: str, command: str, markdown: str, models: Mapping[str, str]) -> Measurement:
    """The record of a measurement that a command made: the Markdown that it gave, and the models it read with."""
    signature = _SIGNATURE.search(markdown)
    said = [" ".join(part.split()) for part in _PARAGRAPH.split(_SIGNATURE.sub("", markdown))]
    rule = [part for part in said if part and not part.startswith(("#", "|", "**"))]
    tables = [TableData(**table) for table in tables_in(markdown)]
    return Measurement(name, command, models, "\n\n".join(rule), signature[1] if signature else "", tables)


def write_record(folder: Path, kind: str, record: Measurement) -> None:
    """Put a record in place of the one of the same name; ``kind`` is its folder, ``QUALITY`` or ``BENCHMARKS``."""
    Folder.at(folder / kind).write(f"{record.figure}.json", record.as_text().encode())


def read_records(folder: Path) -> dict[str, Measurement]:
    """All records of a folder by name; InputError for a file that is none."""
    found = {}
    for path in sorted(path for kind in (QUALITY, BENCHMARKS) for path in (folder / kind).glob("*.json")):
        try:
            data: dict[str, Any] = load_json(path.read_text(encoding="utf-8"))
            record = Measurement(**{**data, "tables": [TableData(**table) for table in data["tables"]]})
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise InputError(f"{path} is not a record of figures ({error}); write it anew with --record") from error
        found[record.figure] = record
    return found


def shipped_models() -> dict[str, str]:
    """The digests of the models that ship, by name, as versions and records show them."""
    files = sorted((BUNDLED / "models").glob("*.json"))
    return {path.stem: digest_of_bytes(path.read_bytes()) for path in files}


def pages_of(root: Path) -> "Pages":
    """What the records of a checkout say; InputError for a file that is no record."""
    folder = root / FOLDER
    headline = load_json((folder / f"{HEADLINE}.json").read_text(encoding="utf-8"))
    return Pages(read_records(folder), TableData(HEADLINE, **headline), shipped_models(), root)


def outdated_pages(pages: "Pages") -> dict[Path, str]:
    """The pages that say something else than the records, each with what it has to say."""
    texts = {path: path.read_text("utf-8") for path in (pages.root / "README.md", *(pages.root / "docs").glob("*.md"))}
    filled = {path: pages.filled(text) for path, text in sorted(texts.items())}
    return {path: text for path, text in filled.items() if text != texts[path]}


@dataclass(frozen=True)
class Pages:
    """What pages are filled from: records, the headline's table, the models that ship, and the checkout's source."""

    records: Mapping[str, Measurement]
    headline: TableData
    models: Mapping[str, str]
    root: Path

    def filled(self, text: str) -> str:
        """A page with everything between its comments written anew; InputError for a comment that fits no record."""
        text = _BLOCK.sub(lambda found: f"{found[1]}\n{self._block(found[2]).strip()}\n\n{found[4]}", text)
        text = _CODE.sub(lambda found: f"{found[1]}\n{self._code(found[2], found[3])}\n\n{found[5]}", text)
        text = _TABLE.sub(lambda found: "\n".join([found[1], *page_table(found[2]), "", found[4]]), text)
        return _CELL.sub(lambda found: f"{found[1]}{self.quoted(found[2])}{found[4]}", text)

    def quoted(self, name: str) -> str:
        """A cell by record, table, row and column, or the digest of a model that ships."""
        parts = [part.strip() for part in name.split(" / ")]
        if len(parts) == 2 and parts[0] == "model" and parts[1] in self.models:
            return f"`{self.models[parts[1]][:16]}…`"
        if len(parts) != 4:
            raise InputError(f"{name!r} names no cell; write record / table / row / column")
        return self._record(parts[0]).table(parts[1]).cell(*parts[2:])

    def _record(self, name: str) -> Measurement:
        if name not in self.records:
            raise InputError(
                f"no record {name!r}; take it with wordquarry quality {name} --record, or correct the comment"
            )
        return self.records[name]

    def _block(self, text: str) -> str:
        wanted = [part.strip() for part in text.split(" / ")]
        name, _, rows = wanted[0].partition(" = ")
        if name == HEADLINE:
            return "\n".join(self._headline(rows))
        record = self._record(name)
        return "\n".join(self._lines(record, wanted[1:] or [table.title for table in record.tables]))

    def _headline(self, rows: str) -> list[str]:
        table = self.headline.of_rows(rows.split("; ") if rows else ())
        names = {name.split(" / ")[0] for row in table.rows for cell in row for name in _QUOTED.findall(cell)}
        filled = [[_QUOTED.sub(lambda found: self.quoted(found[1]), cell) for cell in row] for row in table.rows]
        return [*markdown_table(table.columns, filled), "", *self._outdated(self._record(name) for name in names)]

    def _code(self, path: str, name: str) -> str:
        source = (self.root / path).read_text(encoding="utf-8")
        found = re.search(rf"^{name}\b[^\n]*\(\n.*?^\)$", source, re.MULTILINE | re.DOTALL)
        if found is None:
            raise InputError(f"{path} sets no {name} in brackets; correct the page's comment")
        return f"```python\n{found[0]}\n```"

    def _lines(self, record: Measurement, titles: Sequence[str]) -> list[str]:
        """The tables, several of them under their titles, and whether they were taken with earlier models."""
        lines = []
        for wanted in titles:
            title, _, rows = wanted.partition(" = ")
            table = record.table(title).of_rows(rows.split("; ") if rows else ())
            named = [f"**{title}**", ""] if len(titles) > 1 and title != table.columns[0] else []
            lines += [*named, *markdown_table(table.columns, table.rows), ""]
        return [*lines, *self._outdated([record])]

    def _outdated(self, records: Iterable[Measurement]) -> list[str]:
        """A line where records were taken with other models than those that ship."""
        old = sorted({name for record in records for name in record.outdated(self.models)})
        return [f"Taken with earlier models than those that ship: {', '.join(old)}.", ""] if old else []
