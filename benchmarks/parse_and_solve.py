"""Parsing and solving against ``sympy.solve(parse_expr(...))`` on the same Dolphin18K systems.

Both are timed alike: in a fresh process, after a warm-up on other systems, each system once. SymPy's ``parse_expr``
executes what it reads and is banned from the product. It is used here alone, on the public annotations of our shared
data, in a process that holds nothing else, because it is what the usual pipeline does.
"""

import json
import signal
import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from benchmarks.measuring import SHARED, Row, in_child, milliseconds, seconds_of, signature, table
from extractors.expressions.foreign_formats import read_dolphin
from extractors.extraction_errors import ExtractionError
from extractors.solve.solving import solve_texts

SYSTEMS = 400
REPEATS = 2
LIMIT = 10.0
WARM_UP = 100

WrittenSystem = tuple[list[str], list[str]]


class Timing(NamedTuple):
    """Seconds of both for one system; ``theirs`` is None where SymPy fails."""

    ours: float
    theirs: float | None
    linear: bool


class _Limit(BaseException):
    """The time limit; not an Exception, so that no handler inside SymPy takes it."""


def _alarm(_number: int, _frame: FrameType | None) -> None:
    raise _Limit


def sympy_solve(equations: list[str], unknowns: list[str]) -> object:
    """Parses and solves one system the usual way."""
    from sympy import Eq, Symbol, solve
    from sympy.parsing import sympy_parser as parser

    more = (parser.convert_xor, parser.implicit_multiplication_application)
    names = {name: Symbol(name) for name in unknowns}
    parsed = []
    for text in equations:
        sides = (
            parser.parse_expr(side, local_dict=names, transformations=(*parser.standard_transformations, *more))
            for side in text.split("=")
        )
        parsed.append(Eq(*sides))
    return solve(parsed, list(names.values()), dict=True)


def times_of(solver: str, systems: Sequence[list[list[str]]]) -> list[float | None]:
    """Processor seconds of each system in this process, after the warm-up; None where the solver fails."""
    solve: Callable[..., object] = {"ours": solve_texts, "sympy": sympy_solve}[solver]
    signal.signal(signal.SIGALRM, _alarm)
    for system in warm_up_systems():
        _seconds(solve, system)
    return [_seconds(solve, system) for system in systems]


def _seconds(solve: Callable[..., object], system: Sequence[list[str]]) -> float | None:
    signal.setitimer(signal.ITIMER_REAL, LIMIT)
    try:
        return seconds_of(lambda: solve(*system))
    except _Limit:
        return LIMIT
    except Exception:  # noqa: BLE001 - a system that SymPy cannot read or solve is left out of the ratios
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


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
    return [[index * count // SYSTEMS + shift for index in range(SYSTEMS)] for shift in range(count // SYSTEMS)]


def seconds(solver: str, systems: list[WrittenSystem]) -> list[float | None]:
    """Processor seconds of each system, the best of some fresh processes; None where the solver fails."""
    runs = [in_child(times_of, solver, systems) for _ in range(REPEATS)]
    return [None if None in row else min(row) for row in zip(*runs, strict=True)]


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
