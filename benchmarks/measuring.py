"""What the benchmarks share: rows of a table, the shared data, versions, timing."""

import platform
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple, TypeVar

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


def signature(*packages: str) -> str:
    """Interpreter, machine and versions that a figure belongs to."""
    parts = [f"Python {platform.python_version()}", platform.machine()]
    return ", ".join(parts + [f"{package} {version(package)}" for package in packages])


def timed(function: Callable[[T], object], inputs: Sequence[T], repeats: int = 3) -> list[float]:
    """Processor seconds of each call, the best of some repeats; one untimed pass first warms caches."""
    for item in inputs:
        function(item)
    best = [float("inf")] * len(inputs)
    for _ in range(repeats):
        for index, item in enumerate(inputs):
            started = time.process_time()
            function(item)
            best[index] = min(best[index], time.process_time() - started)
    return best


def milliseconds(seconds: Sequence[float]) -> str:
    """Median and mean."""
    return f"median {1e3 * statistics.median(seconds):.3f} ms, mean {1e3 * statistics.fmean(seconds):.3f} ms"
