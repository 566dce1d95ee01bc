"""Parsing and solving against ``sympy.solve(parse_expr(...))`` on the same Dolphin18K systems.

Both are timed alike: in a fresh process, after a warm-up on other systems, each system once. SymPy's ``parse_expr``
executes what it reads and is banned from the product. It is used here alone, on the public annotations of our shared
data, in a process that holds nothing else, because it is what the usual pipeline does.

``step_cost`` says what a step of the solver's budget costs, by systems made to spend it. Budgets count steps, so a
result never depends on the machine; this says what they amount to on one. The linear path has to stay within 50 ms
whatever it is given, all paths within a second.
"""

import json
import random
import signal
import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from benchmarks.measuring import SHARED, Row, in_child, milliseconds, seconds_of, signature, table, timed
from extractors.extraction_errors import ExtractionError
from extractors.real_numbers.values import Budget
from extractors.solve.equation_systems import MAX_CHARACTERS, System, parse_system, read_dolphin
from extractors.solve.solving import DEFAULT_BUDGET, solve, solve_texts

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
    from sympy import Eq, Symbol
    from sympy import solve as solved
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
    return solved(parsed, list(names.values()), dict=True)


def times_of(solver: str, systems: Sequence[list[list[str]]]) -> list[float | None]:
    """Processor seconds of each system in this process, after the warm-up; None where the solver fails."""
    solver_of: Callable[..., object] = {"ours": solve_texts, "sympy": sympy_solve}[solver]
    signal.signal(signal.SIGALRM, _alarm)
    for system in warm_up_systems():
        _seconds(solver_of, system)
    return [_seconds(solver_of, system) for system in systems]


def _seconds(call: Callable[..., object], system: Sequence[list[str]]) -> float | None:
    signal.setitimer(signal.ITIMER_REAL, LIMIT)
    try:
        return seconds_of(lambda: call(*system))
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


LINEAR_SECONDS, SECONDS = 0.050, 1.0
"""Processor seconds of one system."""


class Work(NamedTuple):
    """A system that costs much; ``linear``: its equations are."""

    name: str
    texts: list[str]
    linear: bool


def _dense(size: int, largest: int) -> list[str]:
    rng = random.Random(size)  # noqa: S311 - reproducible, not secret
    sides = ["+".join(f"{rng.randint(1, largest)}x_{k}" for k in range(size)) for _ in range(size)]
    return [f"{side}={rng.randint(1, largest)}" for side in sides]


def _chain(template: str, size: int) -> list[str]:
    lines = [template.replace("#", str(k)).replace("~", str(k + 1)) for k in range(size)]
    return [*lines, f"x_{size}=1"]


def works() -> list[Work]:
    """The systems, the linear ones first."""
    polynomial = "+".join(f"{k * k + 3}*x^{k}" for k in range(1, 39))
    return [
        Work("40 dense equations, numbers to 9", _dense(40, 9), True),
        Work("10 dense equations, numbers of 60 digits", _dense(10, 10**60), True),
        Work("a chain of 300, factors of 7", _chain("x_#=7*x_~", 300), True),
        Work("a chain of 399, factors of 10 digits", _chain("x_#+1000000007*x_~=#", 399), True),
        Work("a chain of 200, denominators of 10 digits", _chain("x_#/98765432#1+x_~/1234567891=#", 200), True),
        Work("powers of 6,000 bits", _chain("3^4000x_#+7^4000*x_~=#", 300), True),
        Work("33 sums of 290 terms", ["x=" + "+".join(["y"] * 290)] * 33, True),
        Work("3,000 unknowns", ["+".join(f"n{k}_{i}" for i in range(100)) + "=0" for k in range(30)], True),
        Work("a polynomial of degree 38", [f"{polynomial}=7"], False),
        Work("factors of degree 38", ["*".join(f"(x^2-{k}x-1)" for k in range(1, 20)) + "=0"], False),
        Work("two curves of degree 5", ["x^5+y^4+x*y=3", "y^5+x^4*y=7+x"], False),
        Work("two curves, long numbers", ["x^5+y^4+x*y=3^300", "y^5+x^4*y=7^300+x"], False),
        Work("three quadrics", ["x^2+y*z=7", "y^2+x*z=11", "z^2+x*y+x=13"], False),
        Work("a power of a sum", ["(a+b+c+d)^20=(a-b)^9*(c+d+1)^9"], False),
        Work("a tower of powers", ["x^x^x^x=2"], False),
        Work("exponentials", ["2^x+3^x+x^2=sin(x)*1000", "x>0"], False),
        Work("nested roots", ["sqrt(x+sqrt(x+sqrt(x+1)))+sqrt(x+2)=7"], False),
        Work("200 quadratic equations", _chain("x_#+x_~+x_~^2=#", 199), False),
        Work("absolute values", ["|x-1|+|x-2|+|x-3|+|y-4|+|x+y|=20", "|x|-|y|=3"], False),
    ]


def _steps(system: System) -> tuple[str, int]:
    budget = Budget(DEFAULT_BUDGET)
    status = solve(system, budget=budget).status
    return status, DEFAULT_BUDGET - budget.left


def measure_steps() -> str:
    """A row for each system: its steps, nanoseconds a step, and the time from text to result."""
    rows = []
    for work in works():
        limit = LINEAR_SECONDS if work.linear else SECONDS
        (parse,) = timed(parse_system, [work.texts])
        system = parse_system(work.texts)
        (spent,) = timed(solve, [system])
        status, steps = _steps(system)
        cost = f"{spent / steps * 1e9:.0f} ns a step, " if steps > 1_000 else ""
        value = f"{steps} steps, {cost}read {parse * 1e3:.1f} ms, solved {spent * 1e3:.1f} ms: {status}"
        rows.append(Row(work.name, 1, value, f"at most {limit * 1e3:.0f} ms", parse + spent <= limit))
    return table(
        "What the step budget costs",
        rows,
        f"{DEFAULT_BUDGET} steps and {MAX_CHARACTERS} characters a system; processor time, best of 3. {signature()}.",
    )
