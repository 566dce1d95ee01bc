"""Tables of the reading of mathematics against public gold: shares with intervals, failure classes, suspected gold.

One function a table, in ``evaluation.gold_corpora``; this module holds what they share.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpus.errors import InputError
from corpus.folders.open_files import read_file
from corpus.strict_json import load_json
from evaluation.metrics.proportions import Proportion

MAX_IDS = 12
"""Identifiers that a table prints for each failure class."""


@dataclass(frozen=True)
class Share:
    """One figure of a table with what is asked of it; ``target`` in percent, None where it is only reported."""

    name: str
    proportion: Proportion
    target: float | None = None

    def __str__(self) -> str:
        share = self.proportion
        if share.value is None:
            return str(share)
        return f"{100 * share.value:.2f} % [{100 * share.low:.2f}, {100 * share.high:.2f}] ({share.hits} of {share.n})"

    @property
    def met(self) -> bool:
        """Whether the target is reached."""
        return self.target is None or 100 * (self.proportion.value or 0) >= self.target


@dataclass(frozen=True)
class Failure:
    """A record that was not read right: its class, and in short what happened."""

    id: str
    kind: str
    detail: str = ""


@dataclass(frozen=True)
class ReadingReport:
    """One table. ``suspected`` are the failures in which the gold itself is in doubt, each with the reason."""

    title: str
    rule: str
    shares: tuple[Share, ...]
    failures: tuple[Failure, ...] = ()
    suspected: tuple[Failure, ...] = ()

    def markdown(self) -> str:
        """The table as Markdown: shares, failure classes with counts and identifiers, suspected gold errors."""
        lines = [f"## {self.title}", "", self.rule, "", "| figure | value | target |", "|---|---|---|"]
        lines += [f"| {share.name} | {share} | {_target(share)} |" for share in self.shares]
        lines += _classes("failures", self.failures)
        lines += _classes("suspected gold errors", self.suspected)
        return "\n".join([*lines, ""])


def _target(share: Share) -> str:
    if share.target is None:
        return "reported"
    return f"{share.target:g} %" if share.met else f"{share.target:g} % (not met)"


def _classes(what: str, failures: Sequence[Failure]) -> list[str]:
    if not failures:
        return []
    counts = Counter(failure.kind for failure in failures)
    lines = ["", f"| {what} | n | records |", "|---|---:|---|"]
    for kind, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        ids = [failure.id for failure in failures if failure.kind == kind]
        more = f" and {count - MAX_IDS} more" if count > MAX_IDS else ""
        lines.append(f"| {kind} | {count} | {', '.join(ids[:MAX_IDS])}{more} |")
    return lines


def read_json(path: Path) -> Any:
    """A JSON file; InputError where it cannot be read."""
    try:
        return load_json(read_file(path).decode())
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {path}: {error}; check the path") from error


def read_lines(path: Path) -> list[Any]:
    """The records of a JSON Lines file; InputError where it cannot be read."""
    try:
        lines = read_file(path).decode().split("\n")
        return [load_json(line) for line in lines if line]
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {path}: {error}; check the path") from error
