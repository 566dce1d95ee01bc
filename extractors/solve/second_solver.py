"""Systems solved once more, by SymPy, and held against the solutions that our own solver gave.

SymPy gets expressions that are built from our trees, never text (its parser executes what it reads). Its work is
bounded in calls of Python functions, which are counted: a system takes as many of them today as tomorrow.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from fractions import Fraction
from types import FrameType
from typing import Any, Final, NamedTuple

import sympy
from sympy.core.cache import clear_cache
from sympy.core.singleton import Singleton

from extractors.expressions.tokens import TRIGONOMETRIC
from extractors.expressions.tree import Binary, Equation, Name, Node, Num, Unary, names_of, unwound, walk
from extractors.extraction_errors import ExtractionError
from extractors.polynomials.rational_forms import in_radians
from extractors.real_numbers.real_functions import TRANSCENDENTAL
from extractors.real_numbers.values import DEFAULT_TOLERANCE, Value, agree, approximate, format_value, to_decimal
from extractors.solve.equation_systems import System, all_equations
from extractors.solve.solving import branches
from extractors.solve.tree_evaluation import holds

MAX_NODES: Final = 400
"""Nodes of all trees of a system that is tried."""
MAX_CALLS: Final = 400_000
"""Calls of Python functions that SymPy may make for a system; one of DRAW takes 20,000."""
_FINALIZERS: Final = 1_000
"""Calls that may follow when all are spent, before the work is broken off once more."""
_DIGITS: Final = 60
_NOT_REAL: Final = Fraction(1, 10**20)
_REFUSALS: Final = (
    ArithmeticError,
    AttributeError,
    LookupError,
    NotImplementedError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What SymPy raises where it does not solve a system; mostly NotImplementedError."""

SolvedRow = tuple[Value, ...]
Symbols = Mapping[str, Any]


class NotSolvedError(Exception):
    """SymPy does not solve a system; the text is one of a few reasons, which can be counted."""


class Opinion(StrEnum):
    """What the second solver says of published solutions."""

    AGREES = "agrees"
    DISAGREES = "disagrees"
    NOT_SOLVED = "not solved"


class SecondOpinion(NamedTuple):
    """An opinion with its reason, and the solutions of SymPy where it found any."""

    opinion: Opinion
    why: str = ""
    rows: tuple[SolvedRow, ...] = ()


def second_opinion(system: System, published: Sequence[SolvedRow], *, complete: bool) -> SecondOpinion:
    """Solves a system with SymPy and compares the values of its targets, or of its first ones, with published rows.

    ``complete``: the rows are all solutions, so that one more is a disagreement. A published row that SymPy lacks is a
    disagreement unless the equations hold in it by SymPy's own arithmetic: then SymPy lost it and has not solved the
    system.
    """
    try:
        with _bounded(MAX_CALLS):
            rows = _solutions(system)
            lost = [row for row in published if not _among(row, rows)]
            if lost and all(_satisfied(system, row) for row in lost):
                raise NotSolvedError("it loses a solution that holds")
    except NotSolvedError as error:
        return SecondOpinion(Opinion.NOT_SOLVED, str(error))
    more = [row for row in rows if complete and not _among(row, published)]
    if lost or more:
        why = f"published is {_shown(published)}; SymPy finds {_shown(rows)}"
        return SecondOpinion(Opinion.DISAGREES, why, tuple(rows))
    return SecondOpinion(Opinion.AGREES, "", tuple(rows))


def _among(row: SolvedRow, rows: Sequence[SolvedRow]) -> bool:
    """Whether a row is one of some; of a row with more values the first ones count."""
    pairs = [zip(row, other, strict=False) for other in rows]
    return any(all(agree(a, b, DEFAULT_TOLERANCE) for a, b in one) for one in pairs)


def _shown(rows: Sequence[SolvedRow]) -> str:
    return " or ".join("; ".join(map(format_value, row)) for row in rows[:4]) or "no solution"


class _SpentError(BaseException):
    """All calls are spent; no Exception, so that no handler inside of SymPy takes it."""


@contextmanager
def _bounded(calls: int) -> Iterator[None]:
    """A block that ends in NotSolvedError after so many calls of Python functions.

    Python drops a profile or trace function that raises, and ignores what is raised while an object is destroyed. So
    each of the two sets the other one before it raises, which leaves finalizers some calls and ends the work for sure.
    """
    left, earlier = calls, (sys.getprofile(), sys.gettrace(), sys.unraisablehook)

    def ignore(unraisable: "sys.UnraisableHookArgs") -> None:
        if unraisable.exc_type is not _SpentError:
            earlier[2](unraisable)

    def spend() -> bool:
        nonlocal left
        left -= 1
        if left < 0:
            left = _FINALIZERS
            return True
        return False

    def profile(_frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and spend():
            sys.settrace(trace)
            raise _SpentError

    def trace(_frame: FrameType, _event: str, _argument: object) -> None:
        if spend():
            sys.setprofile(profile)
            raise _SpentError

    _forget()
    sys.unraisablehook = ignore
    sys.setprofile(profile)
    try:
        yield
    except _SpentError:
        raise NotSolvedError("beyond the budget of calls") from None
    finally:
        sys.setprofile(earlier[0])
        sys.settrace(earlier[1])
        sys.unraisablehook = earlier[2]


def _forget() -> None:
    """SymPy as it began: work that was broken off leaves facts about its constants as unknown for good."""
    clear_cache()
    kinds: list[Any] = [sympy.Basic]
    for kind in kinds:
        kinds += kind.__subclasses__()
        if isinstance(kind, Singleton):
            kind._instance._assumptions = kind.default_assumptions


def _sides(equations: Sequence[Equation]) -> list[Node]:
    return [side for one in equations for side in (one.left, one.right)]


def _solutions(system: System) -> list[SolvedRow]:
    """The real solutions in which the conditions hold, as values of the targets."""
    if sum(1 for side in _sides(all_equations(system)) for _ in walk(side)) > MAX_NODES:
        raise NotSolvedError("too large")
    rows: list[SolvedRow] = []
    try:
        for equations, conditions in branches(system):
            rows += [row for row in _branch(system, equations, conditions) if not _among(row, rows)]
    except (*_REFUSALS, ExtractionError) as error:
        raise NotSolvedError(f"SymPy cannot ({type(error).__name__})") from error
    return rows


def _branch(system: System, equations: Sequence[Equation], conditions: Sequence[Equation]) -> Iterator[SolvedRow]:
    symbols = _symbols(*_sides(equations), *system.targets)
    zeros = [expression(one.left, symbols) - expression(one.right, symbols) for one in equations]
    targets = [expression(target, symbols) for target in system.targets]
    for solution in sympy.solve(zeros, list(symbols.values()), dict=True):
        values = {name: _value(symbol.subs(solution)) for name, symbol in symbols.items()}
        row = [_value(target.subs(solution)) for target in targets]
        known = {name: value for name, value in values.items() if value is not None}
        if len(known) == len(values) and not any(holds(one, known) is False for one in conditions):
            yield tuple(value for value in row if value is not None)


def _symbols(*nodes: Node) -> Symbols:
    return {name: sympy.Symbol(name, real=True) for name in names_of(*nodes)}


def _value(found: Any) -> Value | None:
    """A number of SymPy, exact where it is rational; None where it is not real. NotSolvedError where it is none."""
    if found.free_symbols:
        raise NotSolvedError("it leaves an unknown free")
    if found.is_Rational:
        return Fraction(int(found.p), int(found.q))
    real, imaginary = (part.evalf(_DIGITS) for part in found.evalf(_DIGITS).as_real_imag())
    if not (real.is_number and imaginary.is_number and real.is_finite):
        return None
    real, imaginary = (Fraction(*map(int, sympy.Rational(part).as_numer_denom())) for part in (real, imaginary))
    return None if abs(imaginary) > _NOT_REAL * max(Fraction(1), abs(real)) else to_decimal(real, _DIGITS)


def _satisfied(system: System, row: SolvedRow) -> bool:
    """Whether the equations hold in the values of a row, by SymPy's arithmetic; False where an unknown has none."""
    values = {
        target.name: sympy.Rational(*approximate(value, 256).as_integer_ratio())
        for target, value in zip(system.targets, row, strict=False)
        if isinstance(target, Name)
    }
    for equations, _ in branches(system):
        if not values.keys() >= {*names_of(*_sides(equations))}:
            return False
        sides = [[_value(_as_expression(side, values)) for side in one[:2]] for one in equations]
        if all(a is not None and b is not None and agree(a, b, DEFAULT_TOLERANCE) for a, b in sides):
            return True
    return False


def _as_expression(node: Node, symbols: Symbols) -> Any:
    return sympy.sympify(expression(node, symbols), strict=True)  # strict: numbers and trees, never a text


def expression(node: Node, symbols: Symbols) -> Any:
    """A tree as an expression of SymPy over these symbols; NotSolvedError for a function that is not passed on.

    Sines and logarithms of numbers are numbers of 60 digits: exact, SymPy writes the sine of 13 degrees in radicals.
    """
    node, spine = unwound(node)
    found = _leaf(node, symbols)
    while spine:
        op, right = spine.pop()
        other = expression(right, symbols)
        if op == "/":
            found /= other
        elif op == "*":
            found *= other
        else:
            found += other if op == "+" else -other
    return found


def _leaf(node: Node, symbols: Symbols) -> Any:
    if isinstance(node, Num):
        return sympy.Rational(*node.value.as_integer_ratio())
    if isinstance(node, Name):
        return symbols[node.name]
    if isinstance(node, Unary):
        return -expression(node.operand, symbols)
    if isinstance(node, Binary):
        left, right = expression(node.left, symbols), expression(node.right, symbols)
        return left**right if node.op == "^" else sympy.Mod(left, right)
    make = _FUNCTIONS.get(node.name)
    if make is None:
        raise NotSolvedError("a function that is not passed on")
    args = [expression(arg, symbols) for arg in node.args]
    if node.name in TRIGONOMETRIC and not in_radians(node):
        args = [args[0] * sympy.pi / 180]
    found = sympy.sympify(make(*args), strict=True)
    return sympy.Rational(found.evalf(_DIGITS)) if node.name in TRANSCENDENTAL and found.is_number else found


_FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "sqrt": sympy.sqrt, "abs": sympy.Abs, "sin": sympy.sin, "cos": sympy.cos, "tan": sympy.tan, "cot": sympy.cot,
    "ln": sympy.log, "exp": sympy.exp, "log": lambda argument, base=10: sympy.log(argument, base),
    "root": lambda argument, degree=2: argument ** (1 / degree), "pi": lambda: sympy.pi, "e": lambda: sympy.E,
    "comb": sympy.binomial, "perm": sympy.ff, "factorial": sympy.factorial,
    "floor": sympy.floor, "ceiling": sympy.ceiling, "max": sympy.Max, "min": sympy.Min, "mod": sympy.Mod,
    "gcd": sympy.igcd, "lcm": sympy.ilcm,
    "round": lambda argument, digits=0: (
        sympy.sign(argument) * sympy.floor(sympy.Abs(argument) * 10**digits + sympy.Rational(1, 2)) / 10**digits
    ),
}  # fmt: skip
"""What is passed on, by normal name: no arcs. ``gcd`` is that of numbers; SymPy's own is that of polynomials."""
