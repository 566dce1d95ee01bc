"""What the benchmarks share: rows of a table, the shared data, versions, timing, records."""

import math
import platform
import resource
import time
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, TypeVar

from evaluation.recorded_figures import BENCHMARKS, FOLDER, measured, write_record

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "data"

T = TypeVar("T")


class Row(NamedTuple):
    """One line of a table; ``target`` says what is asked, empty where the figure is only reported."""

    name: str
    n: int
    value: str
    target: str = ""
    met: bool | None = None

    def __str__(self) -> str:
        verdict = {None: "", True: " met", False: " NOT met"}[self.met]
        return f"| {self.name} | {self.n} | {self.value} | {self.target}{verdict} |"


def table(title: str, rows: Iterable[Row], note: str = "") -> str:
    """Rows as Markdown."""
    head = [f"### {title}", "", *([note, ""] if note else []), "| what | n | value | target |", "|---|---:|---|---|"]
    return "\n".join([*head, *map(str, rows), ""])


def keep_record(name: str, command: str, markdown: str, root: Path = ROOT) -> None:
    """Keep the tables of a benchmark in docs/figures of a checkout."""
    write_record(root / FOLDER, BENCHMARKS, measured(name, command, markdown, {}))


def growth_rows(name: str, found: Sequence[tuple[int, float]], allowed: float) -> list[Row]:
    """The exponents of time over size, from each size to the next, beside the one that is allowed."""
    rows = []
    for before, (large, after) in pairwise(found):
        small, exponent = before[0], growth_exponent(before, (large, after))
        title = f"{name}, growth from {small:,}"
        rows.append(Row(title, large, f"n^{exponent:.2f}", f"<= n^{allowed:g}", exponent <= allowed))
    return rows


def growth_exponent(before: tuple[int, float], after: tuple[int, float]) -> float:
    """The exponent with which time grows from one size to another, both given as (size, time)."""
    return math.log(after[1] / before[1]) / math.log(after[0] / before[0])


def signature(*packages: str) -> str:
    """Interpreter, machine and versions that a figure belongs to."""
    parts = [f"Python {platform.python_version()}", platform.machine()]
    return ", ".join(parts + [f"{package} {version(package)}" for package in packages])


def seconds_of(call: Callable[[], object]) -> float:
    """Processor seconds of one call."""
    started = time.process_time()
    call()
    return time.process_time() - started


def best_seconds(call: Callable[[], object], repeats: int = 3) -> float:
    """Processor seconds of the best of some calls; one untimed call first warms caches."""
    call()
    return min(seconds_of(call) for _ in range(repeats))


def timed(function: Callable[[T], object], inputs: Sequence[T], repeats: int = 3) -> list[float]:
    """Processor seconds of each call, the best of some repeats; one untimed pass first warms caches."""
    for item in inputs:
        function(item)
    rounds = [[seconds_of(lambda item=item: function(item)) for item in inputs] for _ in range(repeats)]  # type: ignore[misc]
    return list(map(min, zip(*rounds, strict=True)))


def peak() -> float:
    """Peak memory of this process in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
