"""Parsing and solving against ``sympy.solve(parse_expr(...))`` on the same Dolphin18K systems."""

import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.measuring import ROOT, SHARED, Row, milliseconds, signature, table
from extractors.extraction_errors import ExtractionError
from extractors.solve.equation_systems import read_dolphin
from extractors.solve.solving import solve_texts

SYSTEMS = 400
REPEATS = 2
LIMIT = 10.0
WARM_UP = 100
CHILD_LIMIT = 3600.0

WrittenSystem = tuple[list[str], list[str]]


class Timing(NamedTuple):
    """Seconds of both for one system; ``theirs`` is None where SymPy fails."""

    ours: float
    theirs: float | None
    linear: bool


def all_systems(shared: Path = SHARED) -> list[WrittenSystem]:
    """The annotated systems of Dolphin18K that are plain equations of plain unknowns, solved or not."""
    records: list[dict[str, Any]] = json.loads((shared / "dolphin18k" / "dev_urls.json").read_text(encoding="utf-8"))
    found: list[WrittenSystem] = []
    for record in records:
        try:
            equations, unknowns = read_dolphin(record["equations"])
        except ExtractionError:
            continue
        plain = all(name.isidentifier() for name in unknowns) and all(text.count("=") == 1 for text in equations)
        if plain and not any(sign in text for text in equations for sign in "<>!_%"):
            found.append((list(equations), list(unknowns)))
    return found


def warm_up_systems() -> list[WrittenSystem]:
    """Systems of another source, so that neither solver has seen what is timed."""
    records: list[dict[str, Any]] = json.loads((SHARED / "draw" / "draw.json").read_text(encoding="utf-8"))
    chosen = [record["lEquations"] for record in records[:WARM_UP]]
    return [(texts, sorted({c for text in texts for c in text if c.isalpha()})) for texts in chosen]


def samples(count: int) -> list[list[int]]:
    """Disjoint systematic samples of 400 out of so many, by place; the first is the one of the issue."""
    shifts = count // SYSTEMS
    return [[(index * count // SYSTEMS) + shift for index in range(SYSTEMS)] for shift in range(shifts)]


def seconds(solver: str, systems: list[WrittenSystem]) -> list[float | None]:
    """Processor seconds of each system, the best of some fresh processes; None where the solver fails."""
    request = {"solver": solver, "limit": LIMIT, "warm_up": warm_up_systems(), "systems": systems}
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.solving_child"]
    runs: list[list[float | None]] = []
    for _ in range(REPEATS):
        child = subprocess.run(
            command,
            input=json.dumps(request),
            capture_output=True,
            text=True,
            timeout=CHILD_LIMIT,
            cwd=ROOT,
            check=True,
        )
        runs.append(json.loads(child.stdout))
    return [
        None if None in row else min(value for value in row if value is not None) for row in zip(*runs, strict=True)
    ]


def _ratio(timings: Sequence[Timing], average: Callable[[list[float]], float]) -> tuple[float, int]:
    """SymPy's seconds over ours, by means or medians, and over how many systems."""
    both = [(timing.ours, timing.theirs) for timing in timings if timing.theirs is not None]
    return average([theirs for _, theirs in both]) / average([ours for ours, _ in both]), len(both)


def _rows(name: str, timings: Sequence[Timing]) -> list[Row]:
    path = [timing.ours for timing in timings if timing.linear]
    theirs = [timing.theirs for timing in timings if timing.theirs is not None]
    (median, n), (mean, _) = _ratio(timings, statistics.median), _ratio(timings, statistics.fmean)
    linear_median = 1e3 * statistics.median(path)
    return [
        Row(f"{name}: ours, linear path", len(path), milliseconds(path), "median <= 0.15 ms", linear_median <= 0.15),
        Row(f"{name}: ours", len(timings), milliseconds([timing.ours for timing in timings])),
        Row(f"{name}: SymPy, systems it can do", n, milliseconds(theirs)),
        Row(f"{name}: ratio of the medians", n, f"{median:.0f}", ">= 40", median >= 40),
        Row(f"{name}: ratio of the means", n, f"{mean:.0f}", ">= 300", mean >= 300),
    ]


def measure(shared: Path = SHARED) -> str:
    """The table, or what is left out."""
    if not shared.is_dir():
        return f"### Parse and solve\n\nleft out: it needs the shared data folder {shared}\n"
    systems = all_systems(shared)
    linear = [solve_texts(*system).linear for system in systems]
    ours = [value or 0.0 for value in seconds("ours", systems)]
    timings = [Timing(*row) for row in zip(ours, seconds("sympy", systems), linear, strict=True)]
    drawn = [[timings[place] for place in places] for places in samples(len(timings))]
    means = [_ratio(sample, statistics.fmean)[0] for sample in drawn]
    spread = Row(
        f"{len(drawn)} disjoint samples of {SYSTEMS}: ratio of the means", SYSTEMS * len(drawn),
        ", ".join(f"{mean:.0f}" for mean in means), ">= 300 each", min(means) >= 300,
    )  # fmt: skip
    limited = sum(timing.theirs is not None and timing.theirs >= LIMIT for timing in timings)
    failed = sum(timing.theirs is None for timing in timings)
    note = (
        f"{signature('sympy')}. Dolphin18K systems; both solvers alike: each system once in a fresh process after "
        f"{WARM_UP} systems of DRAW, the better of {REPEATS} processes. SymPy fails on {failed} and meets the limit of "
        f"{LIMIT:.0f} s on {limited} (counted with the limit)."
    )
    return table("Parse and solve", [*_rows("sample of 400", drawn[0]), spread, *_rows("all", timings)], note)


if __name__ == "__main__":
    print(measure())
