"""What a person sees while flows run: a progress bar on a terminal, plain lines everywhere else."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from corpus.versioning.manifest_record import FunnelRow
from flows.processes.command_process import note

SHOWN = 20
"""Records that could not be read are named up to so many; all of them are counted."""


class Result(Protocol):
    """What a command found."""

    def as_dict(self) -> Mapping[str, Any]:
        """As plain data."""

    def text(self) -> str:
        """In plain lines."""


class Reporter:
    """Progress and results on standard error and standard output."""

    def __init__(self) -> None:
        self.out = Console(soft_wrap=not sys.stdout.isatty(), highlight=False)
        self.err = Console(stderr=True, soft_wrap=True, highlight=False)
        self._bars: dict[str, TaskID] = {}
        self._progress: Progress | None = None

    def line(self, text: str, *, logged: bool = True) -> None:
        """One line of progress; without ``logged`` it is for the terminal alone."""
        if logged:
            note(text)
        self.err.print(text, markup=False)

    def address(self, what: str, address: str, *, logged: bool = True) -> None:
        """What is to be found at an address, which stands on a line of its own, so that it is copied without more."""
        self.line(f"{what}:", logged=logged)
        self.line(address, logged=logged)

    def step(self, name: str, done: int, total: int, detail: str = "") -> None:
        """So much of a step is done: a bar on a terminal, a line at its end elsewhere."""
        whole = f"{name}: {done}/{total}{f' ({detail})' if detail else ''}"
        if self.err.is_terminal:
            self._show_bar(name, done, total)
            if done == total:
                note(whole)
        elif done == total:
            self.line(whole)

    def _show_bar(self, name: str, done: int, total: int) -> None:
        if self._progress is None:
            columns = (TextColumn("{task.description:>10}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
            self._progress = Progress(*columns, console=self.err)
            self._progress.start()
        if name not in self._bars:
            self._bars[name] = self._progress.add_task(name, total=total)
        self._progress.update(self._bars[name], completed=done)

    def close(self) -> None:
        """Leave the terminal as it was."""
        if self._progress is not None:
            self._progress.stop()
            self._progress = None

    def text(self, text: str) -> None:
        """A result, unaltered."""
        self.out.print(text, markup=False)

    def data(self, value: object) -> None:
        """A result as JSON, for other programs."""
        sys.stdout.write(json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n")

    def show(self, found: Result, as_json: bool) -> None:
        """A result as JSON or as text."""
        if as_json:
            self.data(found.as_dict())
        else:
            self.text(found.text())

    def table(self, title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """A table of results; numbers are set to the right."""
        table = Table(title=title, title_justify="left")
        body = [[str(cell) for cell in row] for row in rows]
        for index, column in enumerate(columns):
            numeric = bool(body) and all(row[index].replace(".", "").isdigit() for row in body)
            table.add_column(column, justify="right" if numeric else "left", overflow="fold")
        for row in body:
            table.add_row(*row)
        self.out.print(table)


FUNNEL = ("stage", "in", "kept", "dropped", "dropped by reason")


def funnel_rows(funnel: Iterable[FunnelRow]) -> list[list[object]]:
    """The rows of the funnel table: stage, in, kept, dropped, reasons."""
    rows: list[list[object]] = []
    for row in funnel:
        reasons = ", ".join(f"{reason} {count}" for reason, count in row["dropped"].items())
        rows.append([row["stage"], row["in"], row["kept"], sum(row["dropped"].values()), reasons])
    return rows


def candidate_line(built: Mapping[str, Any]) -> str:
    """What a build says that is published as a candidate: what is not accepted, which version goes on, what to do."""
    goes_on = f"latest is {built['latest']}" if built["latest"] else "there is no latest"
    stages = ", ".join(built["not_accepted"])
    return f"{built['version']} is a candidate ({stages} not accepted); {goes_on}; judge it: wordquarry gate plan"


def name_refused(refused: Sequence[object]) -> None:
    """Name records that could not be read on standard error."""
    reporter = Reporter()
    for refusal in refused[:SHOWN]:
        reporter.line(str(refusal))
    if len(refused) > SHOWN:
        reporter.line(f"and {len(refused) - SHOWN} more")
