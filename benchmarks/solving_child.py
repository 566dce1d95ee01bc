"""Equation systems by one of two solvers, as a child process of ``parse_and_solve``: JSON systems in, seconds out.

Both are timed alike: in a fresh process, after a warm-up on other systems, each system once. SymPy's ``parse_expr``
executes what it reads and is banned from the product. It is used here alone, on the public annotations of our shared
data, in a process that holds nothing else, because it is what the usual pipeline does.
"""

import json
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType

from sympy import Eq, Symbol, solve
from sympy.parsing.sympy_parser import (
    convert_xor,
    implicit_multiplication_application,
    parse_expr,
    standard_transformations,
)

from extractors.solve.solving import solve_texts

TRANSFORMATIONS = (*standard_transformations, convert_xor, implicit_multiplication_application)


class _Limit(BaseException):
    """The time limit; not an Exception, so that no handler inside SymPy takes it."""


def _alarm(_number: int, _frame: FrameType | None) -> None:
    raise _Limit


def sympy_solve(equations: list[str], unknowns: list[str]) -> object:
    """Parses and solves one system the usual way."""
    names = {name: Symbol(name) for name in unknowns}
    parsed = []
    for text in equations:
        left, right = (parse_expr(side, local_dict=names, transformations=TRANSFORMATIONS) for side in text.split("="))
        parsed.append(Eq(left, right))
    return solve(parsed, list(names.values()), dict=True)


SOLVERS: dict[str, Callable[[list[str], list[str]], object]] = {"ours": solve_texts, "sympy": sympy_solve}


def _seconds(solver: Callable[[list[str], list[str]], object], system: list[list[str]], limit: float) -> float | None:
    started = time.process_time()
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        solver(*system)
        return time.process_time() - started
    except _Limit:
        return limit
    except Exception:  # noqa: BLE001 - a system that SymPy cannot read or solve is left out of the ratios
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def main() -> None:
    """Reads ``{"solver", "limit", "warm_up", "systems": [[equations, unknowns], ...]}``; writes seconds or null."""
    request = json.loads(sys.stdin.read())
    signal.signal(signal.SIGALRM, _alarm)
    solver = SOLVERS[request["solver"]]
    for system in request["warm_up"]:
        _seconds(solver, system, request["limit"])
    sys.stdout.write(json.dumps([_seconds(solver, system, request["limit"]) for system in request["systems"]]))


if __name__ == "__main__":
    main()
