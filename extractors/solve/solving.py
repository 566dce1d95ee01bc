"""Solving a system: the linear path first, then the general one.

Overdetermined systems whose equations agree only after rounding.

``(1+x)^15 = 2.651167`` beside ``1500*(1+x)^15 = 3976.75``: answerers and annotators write down a step with its rounded
result, and go on with another rounding of it. Such a system contradicts itself exactly, but not beyond the digits that
it prints. Nothing else is forgiven: a set-aside equation must print a decimal of at least four digits, and hold to the
last but one of them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product

from extractors.expressions.tree import Binary, Equation, Name, Node, Num, Unary, children, names_of, transform, walk
from extractors.extraction_errors import ExtractionError, LimitError
from extractors.real_numbers.values import Budget, Value, approximate
from extractors.solve.assignments import same_value
from extractors.solve.equation_systems import Status, System, all_equations, connected, parse_system
from extractors.solve.general_solver import BranchSolver, NamedValues
from extractors.solve.integer_search import with_residues
from extractors.solve.linear_solver import CONSTANT, Elimination, NotLinearError, linear_row
from extractors.solve.tree_evaluation import UnknownValueError, evaluate_tree, holds

MIN_DIGITS = 4
MAX_EQUATIONS = 12
MAX_TRIES = 24

RoundedSolutions = list[dict[str, Value]]


def rounded_solutions(
    equations: Sequence[Equation], solve: Callable[[Sequence[Equation]], RoundedSolutions]
) -> RoundedSolutions:
    """Solutions of a contradictory system without one or two of its rounded equations, which then hold nearly.

    ``solve`` gives the complete assignments of a system. Empty where no such solution exists.
    """
    digits = [_digits(equation) for equation in equations]
    rounded = [index for index, count in enumerate(digits) if count >= MIN_DIGITS]
    if len(equations) > MAX_EQUATIONS or not rounded:
        return []
    names = names_of(*[side for equation in equations for side in (equation.left, equation.right)])
    tries = [*combinations(rounded, 1), *combinations(rounded, 2)][:MAX_TRIES]
    for left_out in tries:
        rest = [equation for index, equation in enumerate(equations) if index not in left_out]
        if len(rest) < len(names):
            break
        found = [
            values
            for values in solve(rest)
            if all(_nearly_holds(equations[index], values, digits[index]) for index in left_out)
        ]
        if found:
            return found
    return []


def maybe_rounded(equations: Sequence[Equation]) -> bool:
    """Whether an equation prints a decimal of enough digits to be a rounded one."""
    return len(equations) <= MAX_EQUATIONS and any(_digits(equation) >= MIN_DIGITS for equation in equations)


def _digits(equation: Equation) -> int:
    """The most significant digits of a decimal in an equation; 0 where it holds none."""
    numbers = [n.value for side in (equation.left, equation.right) for n in walk(side) if isinstance(n, Num)]
    return max((_significant(value) for value in numbers), default=0)


def _significant(value: Fraction) -> int:
    places, scaled = 0, abs(value)
    while scaled.denominator != 1 and places < 15:
        scaled, places = scaled * 10, places + 1
    return len(str(scaled.numerator)) if places and scaled.denominator == 1 else 0


def _nearly_holds(equation: Equation, values: dict[str, Value], digits: int) -> bool:
    """Whether both sides agree to all but the last of some significant digits."""
    try:
        left, right = (approximate(evaluate_tree(side, values)) for side in (equation.left, equation.right))
    except (UnknownValueError, ExtractionError):
        return False
    gap, size = abs(left - right), max(abs(left), abs(right))
    return gap <= size / Fraction(10) ** (min(digits, 15) - 1)


DEFAULT_BUDGET = 120_000
_TARGET = "#target"


@dataclass(frozen=True, slots=True)
class SolveResult:
    """What solving gave.

    ``solutions[i][j]`` is the value of ``unknowns[j]`` in solution ``i``; they are there for the statuses ``solved``
    (complete) and ``numeric`` (found by a bounded search, perhaps not all). ``linear``: every equation is linear.
    ``detail`` says why there are none.
    """

    status: Status
    unknowns: tuple[str, ...]
    solutions: tuple[tuple[Value, ...], ...]
    linear: bool
    detail: str = ""


def solve(system: System, *, budget: int | Budget = DEFAULT_BUDGET) -> SolveResult:
    """Solves a parsed system; ``budget`` bounds the work in steps, never in time. Never raises.

    A ``Budget`` that is handed in keeps what is left.

    Declared unknowns that no equation mentions are left out of the result where others are mentioned. Equations that
    share no unknown with the others, and are beyond the solver, do not keep it from solving the rest.
    """
    steps = budget if isinstance(budget, Budget) else Budget(budget)
    try:
        result = _solve_linear(system, steps)
        if result is None:
            result = _solve_general(system, steps)
        if result.status is Status.UNDERDETERMINED and system.declared:
            mentioned = _mentioned(system)
            if len(mentioned.unknowns) < len(system.unknowns):
                return solve(mentioned, budget=steps)
    except ExtractionError as error:
        part = system if error.code != Status.UNSUPPORTED else connected(system)
        if len(part.equations) < len(system.equations):
            return solve(part, budget=steps)
        return SolveResult(Status(error.code), system.unknowns, (), False, str(error))
    return result


def _mentioned(system: System) -> System:
    """The system without the declared unknowns that occur nowhere; unchanged where that leaves none."""
    used = set(names_of(*[side for e in all_equations(system) for side in (e.left, e.right)]))
    pairs = [pair for pair in zip(system.unknowns, system.targets, strict=True) if used.issuperset(names_of(pair[1]))]
    if not pairs:
        return system
    return system._replace(unknowns=tuple(u for u, _ in pairs), targets=tuple(t for _, t in pairs))


def _solve_general(system: System, budget: Budget) -> SolveResult:
    """Solves branch by branch; a contradiction is looked at again for what only rounding makes one."""
    result = _solve_branches(system, budget)
    if result.status is not Status.INCONSISTENT:
        return result

    def solve_rest(equations: Sequence[Equation]) -> list[NamedValues]:
        return BranchSolver(system.conditions, names, budget).solve(equations)

    names = names_of(*[side for equation in system.equations for side in (equation.left, equation.right)])
    rows = [_target_values(system, values) for values in rounded_solutions(system.equations, solve_rest)]
    solutions = tuple(row for row in rows if row is not None)
    if not solutions:
        return result
    return SolveResult(Status.NUMERIC, system.unknowns, solutions, result.linear, "the equations agree after rounding")


def _solve_branches(system: System, budget: Budget) -> SolveResult:
    """Solves branch by branch and collects the values of the targets."""
    wanted = names_of(*system.targets)
    rows: list[tuple[Value, ...]] = []
    numeric = is_free = False
    linear = True
    for equations, conditions in branches(system):
        solver = BranchSolver(conditions, wanted, budget)
        for values in solver.solve(with_residues(equations, wanted)):
            row = _target_values(system, values)
            if row is None:
                is_free = True
            elif not rows or not any(_same_row(row, known) for known in rows):
                rows.append(row)
        numeric, linear = numeric or solver.numeric, linear and solver.linear
    if is_free:
        return SolveResult(Status.UNDERDETERMINED, system.unknowns, (), linear, "an unknown is free")
    if not rows:
        return SolveResult(Status.INCONSISTENT, system.unknowns, (), linear, "no real solution")
    return SolveResult(Status.NUMERIC if numeric else Status.SOLVED, system.unknowns, tuple(rows), linear)


def _target_values(system: System, values: NamedValues) -> tuple[Value, ...] | None:
    """The values of the targets; None where one depends on a free unknown."""
    try:
        return tuple(evaluate_tree(target, values) for target in system.targets)
    except UnknownValueError:
        return None


def _same_row(a: Sequence[Value], b: Sequence[Value]) -> bool:
    return all(same_value(x, y) for x, y in zip(a, b, strict=True))


def _solve_linear(system: System, budget: Budget) -> SolveResult | None:
    """The result of linear equations that determine the unknowns, or contradict each other; None for any others."""
    try:
        elimination = Elimination(map(linear_row, system.equations), budget)
    except NotLinearError:
        return None
    if not elimination.consistent:
        if len(system.equations) > 1 and not system.conditions and maybe_rounded(system.equations):
            return None
        return SolveResult(Status.INCONSISTENT, system.unknowns, (), True, "the equations contradict each other")
    values = elimination.values()
    solution: list[Value] = []
    for target in system.targets:
        value: Value | None = (
            values.get(target.name) if isinstance(target, Name) else _linear_target(target, values, elimination)
        )
        if value is None:
            if system.conditions:
                return None
            return SolveResult(Status.UNDERDETERMINED, system.unknowns, (), True, "an unknown is free")
        solution.append(value)
    if any(holds(condition, values) is False for condition in system.conditions):
        return SolveResult(Status.INCONSISTENT, system.unknowns, (), True, "a condition does not hold")
    return SolveResult(Status.SOLVED, system.unknowns, (tuple(solution),), True)


def _linear_target(target: Node, values: dict[str, Fraction], elimination: Elimination) -> Value | None:
    """The value of an expression; a combination can be determined where its unknowns are not."""
    try:
        return evaluate_tree(target, values)
    except UnknownValueError:
        pass
    try:
        row = elimination.reduce(linear_row(Equation(target, Name(_TARGET))))
    except NotLinearError:
        return None
    if row.keys() <= {_TARGET, CONSTANT} and _TARGET in row:
        return Fraction(-row.get(CONSTANT, 0), row[_TARGET])
    return None


def solve_texts(
    equations: Sequence[str], unknowns: Sequence[str] | None = None, *, budget: int = DEFAULT_BUDGET
) -> SolveResult:
    """Parses and solves; never raises: text outside the grammar or its bounds gives a status.

    >>> solve_texts(["x + y = 9", "2x - y = 3"]).solutions
    ((Fraction(4, 1), Fraction(5, 1)),)
    >>> solve_texts(["x + = 9"]).status
    'malformed'
    """
    names = tuple(unknowns or ())
    try:
        return solve(parse_system(equations, unknowns), budget=budget)
    except ExtractionError as error:
        return SolveResult(Status(error.code), names, (), False, str(error))


def implies(system: System, equation: Equation) -> bool:
    """Whether a linear system implies an equation; False where either is not linear or the system contradicts itself.

    >>> from extractors.expressions.grammar import parse_equation
    >>> implies(parse_system(["x+y=9", "x-y=1"]), parse_equation("2x=10")[0])
    True
    """
    try:
        rows = [linear_row(known) for known in system.equations]
        row = linear_row(equation)
        elimination = Elimination(rows, Budget(DEFAULT_BUDGET))
        return elimination.consistent and not elimination.reduce(row)
    except (NotLinearError, ExtractionError):
        return False


MAX_BRANCHES = 32

Branch = tuple[tuple[Equation, ...], tuple[Equation, ...]]
"""Equations and conditions that hold together."""


def branches(system: System) -> list[Branch]:
    """Every branch; ``LimitError`` above 32 of them. Within one equation all signs are upper or all lower.

    >>> from extractors.solve.equation_systems import parse_system
    >>> len(branches(parse_system(["x = 2", "y = 1 ± x"])))
    2
    """
    out: list[Branch] = []
    for signed in product(*[_signs(equation) for equation in system.equations + system.conditions]):
        equations = tuple(e for e in signed if e.relation == "=")
        out.append((equations, tuple(e for e in signed if e.relation != "=")))
        if len(out) > MAX_BRANCHES:
            raise LimitError(f"more than {MAX_BRANCHES} branches")
    return out


def _signs(equation: Equation) -> Sequence[Equation]:
    """The equation with the upper and with the lower sign."""
    if not _has_sign(equation.left) and not _has_sign(equation.right):
        return (equation,)
    return tuple(
        Equation(_signed(equation.left, sign), _signed(equation.right, sign), equation.relation) for sign in "+-"
    )


def _has_sign(node: Node) -> bool:
    """Whether ``±`` occurs; long sums are walked without recursion."""
    while type(node) is Binary:
        op, node, right = node
        if op == "±" or _has_sign(right):
            return True
    if isinstance(node, Num | Name):
        return False
    return (isinstance(node, Unary) and node.op == "±") or any(map(_has_sign, children(node)))


def _signed(node: Node, sign: str) -> Node:
    """The tree with every ``±`` replaced by one sign."""

    def leaf(part: Node) -> Node | None:
        if isinstance(part, Binary) and part.op == "±":
            return Binary(sign, _signed(part.left, sign), _signed(part.right, sign))
        if isinstance(part, Unary) and part.op == "±":
            operand = _signed(part.operand, sign)
            return operand if sign == "+" else Unary("-", operand)
        return None

    return transform(node, leaf)
