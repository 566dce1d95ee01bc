"""One set-up: equations of an answer that hold together, taken in order of appearance.

An equation that the others imply is skipped and counts as a confirmation (a worked step); one that contradicts them is
set aside. Linear equations go through an elimination; others are solved together with them once they are as many as
their unknowns.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import Enum, auto
from fractions import Fraction

from extractors.equations.equation_candidates import CandidateEquation
from extractors.equations.identities import are_near_ratios, is_near
from extractors.expressions.tree import Equation, Name, leaves_of, names_of
from extractors.extraction_errors import ExtractionError
from extractors.polynomials.rational_forms import Forms, NamedTerms, NotPolynomialError, total_degree
from extractors.real_numbers.values import Budget, Value, approximate
from extractors.solve.equation_systems import WITH_SOLUTIONS, Status, System, holds_circle
from extractors.solve.linear_solver import CONSTANT, Elimination, LinearRow, NotLinearError, linear_row, row_of
from extractors.solve.solving import solve
from extractors.solve.tree_evaluation import UnknownValueError, evaluate_tree, ratio_of

BUDGET = 20_000
"""Steps for one system, of those that the answer has."""
IRRATIONAL = 60
"""Steps of putting an irrational solution into an equation."""
MAX_SOLVES = 6
MAX_SOLUTIONS = 6
MAX_NAMES = 12
_NOTHING = Fraction(1, 10**9)

UnknownValues = Mapping[str, Value]


class Effect(Enum):
    """What became of an equation that was offered to a set-up."""

    ADDED = auto()
    IMPLIED = auto()
    CONTRADICTS = auto()
    SKIPPED = auto()


class Setup:
    """Equations in order, what they determine, and how often the answer agreed or disagreed with them.

    ``budget`` are the steps of the whole answer; what is beyond them is skipped.
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.equations: list[CandidateEquation] = []
        self.names: dict[str, None] = {}
        self.solutions: list[dict[str, Value]] = [{}]
        self.confirmed = self.contradicted = 0
        self.linear = True
        self.numeric = False
        self._elimination = Elimination((), budget)
        self._nonlinear: list[Equation] = []
        self._seen: list[NamedTerms | Equation] = []
        self._solves = 0

    def offer(self, candidate: CandidateEquation) -> Effect:
        """Adds an equation unless it is implied or contradicts; what cannot be handled is skipped."""
        try:
            effect = self._offer(candidate)
        except (ExtractionError, ArithmeticError):
            return Effect.SKIPPED
        if effect is Effect.IMPLIED:
            self.confirmed += 1
        elif effect is Effect.CONTRADICTS:
            self.contradicted += 1
        return effect

    def _offer(self, candidate: CandidateEquation) -> Effect:
        equation, names = candidate.equation, candidate.names
        known = self.solutions[0]
        if all(name in known for name in names):
            return self.check(equation)
        if len(self.names) + len(names) > MAX_NAMES:
            return Effect.SKIPPED
        row = self._row(equation)
        if row is not None:
            return self._offer_row(row, candidate, names)
        return self._offer_nonlinear(candidate, names)

    def check(self, equation: Equation) -> Effect:
        """Whether an equation over determined unknowns holds in some solution, but for rounding."""
        irrational = sum(not all(isinstance(value, Fraction) for value in row.values()) for row in self.solutions)
        self.budget.spend(IRRATIONAL * irrational)
        return Effect.IMPLIED if any(holds(equation, values) for values in self.solutions) else Effect.CONTRADICTS

    def _offer_row(self, row: LinearRow, candidate: CandidateEquation, names: tuple[str, ...]) -> Effect:
        rest = self._elimination.reduce(row)
        if not rest:
            return Effect.IMPLIED
        if len(rest) == 1 and CONSTANT in rest:
            return Effect.CONTRADICTS
        self._elimination.add(row)
        self._append(candidate, names)
        if self._nonlinear:
            self._solve()
            fixed = self._elimination.values()
            self.solutions = [{**fixed, **values} for values in self.solutions]
        else:
            self.solutions = [dict(self._elimination.values())]
        return Effect.ADDED

    def _offer_nonlinear(self, candidate: CandidateEquation, names: tuple[str, ...]) -> Effect:
        known = self._polynomial(candidate.equation) or candidate.equation
        if known in self._seen:
            return Effect.IMPLIED
        if len(self._nonlinear) >= 4 or self._solves >= MAX_SOLVES:
            return Effect.SKIPPED
        before = self.solutions
        self.equations.append(candidate)
        self._nonlinear.append(candidate.equation)
        added = [name for name in names if name not in self.names]
        self.names.update(dict.fromkeys(names))
        if not self._solve():
            self.equations.pop()
            self._nonlinear.pop()
            for name in added:
                del self.names[name]
            self.solutions = before
            return Effect.CONTRADICTS
        self._seen.append(known)
        self.linear = False
        return Effect.ADDED

    def _append(self, candidate: CandidateEquation, names: tuple[str, ...]) -> None:
        self.equations.append(candidate)
        self.names.update(dict.fromkeys(names))

    def _solve(self) -> bool:
        """Solves what hangs together with the latest equation, if that is enough; False where it contradicts itself."""
        equations, names = self._component()
        if len(equations) < len(names):
            equations, names = self._inner(equations)
        if len(equations) < len(names) or self._solves >= MAX_SOLVES:
            return True
        self._solves += 1
        system = System(tuple(equations), (), names, tuple(map(Name, names)), True)
        with self.budget.part(BUDGET) as steps:
            result = solve(system, budget=steps)
        if result.status in WITH_SOLUTIONS and len(result.solutions) <= MAX_SOLUTIONS:
            rows = [dict(zip(names, row, strict=True)) for row in result.solutions]
            others = [{k: v for k, v in values.items() if k not in names} for values in self.solutions]
            self.solutions = [{**other, **row} for other in _distinct(others) for row in rows][:MAX_SOLUTIONS]
            self.numeric = self.numeric or result.status is Status.NUMERIC
            return True
        return result.status not in (Status.INCONSISTENT, Status.MALFORMED)

    def _component(self) -> tuple[list[Equation], tuple[str, ...]]:
        """The equations that share unknowns with the latest one, directly or through others."""
        waiting = [candidate.equation for candidate in self.equations]
        latest = waiting.pop()
        found, names = [latest], dict.fromkeys(names_of(latest.left, latest.right))
        grown = True
        while grown:
            grown = False
            for equation in list(waiting):
                own = names_of(equation.left, equation.right)
                if any(name in names for name in own):
                    waiting.remove(equation)
                    found.append(equation)
                    names.update(dict.fromkeys(own))
                    grown = True
        return found[::-1], tuple(names)

    def _inner(self, equations: Sequence[Equation]) -> tuple[list[Equation], tuple[str, ...]]:
        """The equations that hold only unknowns of the latest one: ``60 = (h+4)*h`` apart from ``A = b*h``."""
        names = self.equations[-1].names
        own = [e for e in equations if all(name in names for name in names_of(e.left, e.right))]
        return own, names

    def _row(self, equation: Equation) -> LinearRow | None:
        """The row of an equation that is linear, also once denominators are cleared; None for others."""
        try:
            return linear_row(equation)
        except NotLinearError:
            pass
        polynomial = self._polynomial(equation)
        if polynomial is None or total_degree(polynomial) > 1 or holds_circle(equation.left, equation.right):
            return None
        row = row_of(polynomial)
        return row if any(row) else None

    def _polynomial(self, equation: Equation) -> NamedTerms | None:
        """The polynomial of an equation; None where it has roots of unknowns or exponents in them."""
        with self.budget.part(BUDGET) as steps:
            forms = Forms(steps)
            try:
                polynomial = forms.named(equation)
            except NotPolynomialError:
                return None
        if forms.equations or (forms.approximate and not holds_circle(equation.left, equation.right)):
            return None
        return polynomial

    @property
    def determined(self) -> dict[str, Value]:
        """The unknowns that have a value, with the values of the first solution."""
        return self.solutions[0]

    @property
    def solved(self) -> bool:
        """Whether every unknown has a value."""
        return bool(self.names) and all(name in self.solutions[0] for name in self.names)


def _distinct(assignments: Sequence[dict[str, Value]]) -> list[dict[str, Value]]:
    return [values for index, values in enumerate(assignments) if values not in assignments[:index]]


def holds(equation: Equation, values: UnknownValues) -> bool:
    """Whether an equation comes out with some values of its unknowns, but for rounding."""
    short, other = ratio_of(equation.left, values), ratio_of(equation.right, values)
    if short is not None and other is not None:
        gap, scale = short[0] * other[1] - other[0] * short[1], short[1] * other[1]
        return abs(gap) * _NOTHING.denominator <= abs(scale) or are_near_ratios(short, other)
    try:
        left = approximate(evaluate_tree(equation.left, values))
        right = approximate(evaluate_tree(equation.right, values))
    except (ExtractionError, UnknownValueError, ArithmeticError):
        return False
    return abs(left - right) <= _NOTHING or is_near(left, right)


def without_laws(setup: Setup) -> list[CandidateEquation]:
    """The equations whose unknowns all have values, less formulas without numbers that bind nothing ("d = rt")."""
    determined = setup.determined
    kept = [c for c in setup.equations if all(name in determined for name in c.names)]
    uses = Counter(name for c in kept for name in c.names) if len(kept) > 1 else {}
    return [c for c in kept if not uses or not _is_loose(c, uses)]


def _is_loose(candidate: CandidateEquation, uses: Mapping[str, int]) -> bool:
    """A law without numbers or a mere value, whose unknown occurs in no other equation."""
    private = any(uses[name] < 2 for name in candidate.names)
    return private and (candidate.assigns or not leaves_of(*candidate.equation[:2])[1])
