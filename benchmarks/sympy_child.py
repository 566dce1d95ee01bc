"""SymPy on equation systems, as a child process of ``parse_and_solve``: JSON systems in, seconds out.

``parse_expr`` executes what it reads and is banned from the product. It is used here alone, on the public annotations
of our shared data, in a process that holds nothing else, because it is what the usual pipeline does.
"""

import json
import signal
import sys
import time
from types import FrameType

from sympy import Eq, Symbol, solve
from sympy.parsing.sympy_parser import (
    convert_xor,
    implicit_multiplication_application,
    parse_expr,
    standard_transformations,
)

TRANSFORMATIONS = (*standard_transformations, convert_xor, implicit_multiplication_application)


class _Limit(BaseException):
    """The time limit; not an Exception, so that no handler inside SymPy takes it."""


def _alarm(_number: int, _frame: FrameType | None) -> None:
    raise _Limit


def solve_system(equations: list[str], unknowns: list[str]) -> object:
    """Parses and solves one system the usual way."""
    names = {name: Symbol(name) for name in unknowns}
    parsed = []
    for text in equations:
        left, right = (parse_expr(side, local_dict=names, transformations=TRANSFORMATIONS) for side in text.split("="))
        parsed.append(Eq(left, right))
    return solve(parsed, list(names.values()), dict=True)


def main() -> None:
    """Reads ``{"limit": seconds, "systems": [[equations, unknowns], ...]}``; writes seconds or null for each."""
    request = json.loads(sys.stdin.read())
    signal.signal(signal.SIGALRM, _alarm)
    out: list[float | None] = []
    solve_system(["x+y=3", "x-y=1"], ["x", "y"])
    for equations, unknowns in request["systems"]:
        started = time.process_time()
        signal.setitimer(signal.ITIMER_REAL, request["limit"])
        try:
            solve_system(equations, unknowns)
            out.append(time.process_time() - started)
        except _Limit:
            out.append(request["limit"])
        except Exception:  # noqa: BLE001 - a system that SymPy cannot read or solve is left out of the ratios
            out.append(None)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    sys.stdout.write(json.dumps(out))


if __name__ == "__main__":
    main()
