"""What a step of the solver's budget costs: systems made to spend it, on the linear path and beyond.

Budgets count steps, so a result never depends on the machine; this table says what they amount to on one. The linear
path has to stay within 50 ms whatever it is given, all paths within a second.
"""

import random
from typing import NamedTuple

from benchmarks.measuring import Row, signature, table, timed
from extractors.real_numbers.values import Budget
from extractors.solve.equation_systems import MAX_CHARACTERS, System, parse_system
from extractors.solve.solving import DEFAULT_BUDGET, solve

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


def measure() -> str:
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
