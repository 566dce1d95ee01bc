"""The general path: elimination, then what waits for values, then integer search, then the numeric fallback."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from extractors.expressions.tree import Binary, Call, Equation, Node, Num, names_of, substitute
from extractors.extraction_errors import ExtractionError, LimitError
from extractors.polynomials.integer_polynomials import PRECISION, Polynomial
from extractors.polynomials.rational_forms import AUXILIARY, Forms, NamedTerms, NotPolynomialError
from extractors.real_numbers.algebraic_numbers import Surd
from extractors.real_numbers.values import Budget, Value, approximate, sign_of
from extractors.solve.assignments import EliminationState, VariableValues, vanishes
from extractors.solve.integer_search import integer_ranges
from extractors.solve.numeric_solver import numeric_solutions
from extractors.solve.polynomial_elimination import solve_polynomials
from extractors.solve.tree_evaluation import holds

MAX_DEPTH = 8

NamedValues = dict[str, Value]
"""Values by the names of the unknowns."""


class BranchSolver:
    """Solves one branch; ``numeric`` and ``linear`` tell afterwards how it was done."""

    def __init__(self, conditions: Sequence[Equation], wanted: Sequence[str], budget: Budget) -> None:
        self.conditions = conditions
        self.wanted = wanted
        self.budget = budget
        self.numeric = False
        self.linear = True

    def solve(self, equations: Sequence[Equation], approximated: bool = False, depth: int = 0) -> list[NamedValues]:
        """The assignments that satisfy equations and conditions; unknowns that stay free are absent."""
        if depth > MAX_DEPTH:
            raise LimitError("values depend on each other too deeply")
        forms = Forms(self.budget, approximated, equations)
        polynomials, late = self._convert(equations, forms)
        run = EliminationState(forms.approximate, self.budget)
        found = [values for values in solve_polynomials(polynomials, run) if _allowed(values, forms, run)]
        out: list[NamedValues] = []
        for numbered in found:
            named = {forms.names[index]: value for index, value in numbered.items()}
            values = {name: value for name, value in named.items() if not name.startswith(AUXILIARY)}
            if any(holds(condition, values) is False for condition in self.conditions):
                continue
            out += self._completed(equations, late, (forms, polynomials), values, depth)
        return out

    def _convert(self, equations: Sequence[Equation], forms: Forms) -> tuple[list[Polynomial], list[Equation]]:
        polynomials: list[Polynomial] = []
        late: list[Equation] = []
        for equation in equations:
            forms.lifted = False
            try:
                polynomials.append(forms.equation(equation))
            except NotPolynomialError:
                late.append(equation)
            else:
                late += [equation] * forms.lifted
        polynomials += forms.equations
        if late or any(p.total_degree() > 1 for p in polynomials):
            self.linear = False
        return polynomials, late

    def _completed(
        self,
        equations: Sequence[Equation],
        late: Sequence[Equation],
        read: tuple[Forms, Sequence[Polynomial]],
        values: NamedValues,
        depth: int,
    ) -> list[NamedValues]:
        """Goes on with an assignment: late equations with its values, integers, numbers."""
        open_names = [name for name in self.wanted if name not in values]
        if late and values:
            return self._with_values(equations, late, values, depth)
        if not open_names and not late:
            return [values]
        forms, polynomials = read
        searched = self._search(equations, map(forms.by_name, polynomials), values, depth)
        if searched is not None:
            return searched
        if late:
            return self._numeric(equations, late, depth)
        return [values]

    def _with_values(
        self, equations: Sequence[Equation], late: Sequence[Equation], values: NamedValues, depth: int
    ) -> list[NamedValues]:
        """Solves what is left once the known values stand in the equations."""
        trees = {name: value_tree(value) for name, value in values.items()}
        near = any(not isinstance(value, Fraction | Surd) for value in values.values())
        rest = [
            _substituted(equation, trees)
            for equation in equations
            if equation in late or not values.keys() >= set(names_of(equation.left, equation.right))
        ]
        outer = self.conditions
        self.conditions = [_substituted(condition, trees) for condition in outer]
        wanted, self.wanted = self.wanted, [name for name in self.wanted if name not in values]
        try:
            return [{**values, **more} for more in self.solve(rest, near, depth + 1)]
        finally:
            self.conditions, self.wanted = outer, wanted

    def _search(
        self, equations: Sequence[Equation], polynomials: Iterable[NamedTerms], values: NamedValues, depth: int
    ) -> list[NamedValues] | None:
        """Tries every integer of the shortest stated range; None where no unknown left has one."""
        ranges = {n: r for n, r in integer_ranges(self.conditions, polynomials).items() if n not in values}
        if not ranges:
            return None
        self.linear = False
        name = min(ranges, key=lambda n: ranges[n][1] - ranges[n][0])
        low, high = ranges[name]
        out: list[NamedValues] = []
        for n in range(low, high + 1):
            self.budget.spend(20)
            start: NamedValues = {**values, name: Fraction(n)}
            if any(holds(condition, start) is False for condition in self.conditions):
                continue
            out += [found for found in self._with_values(equations, (), start, depth) if found not in out]
        return out

    def _numeric(self, equations: Sequence[Equation], late: Sequence[Equation], depth: int) -> list[NamedValues]:
        """The numeric fallback for equations that are not polynomial; those in one unknown go first."""
        self.numeric = True
        for equation in late:
            names = names_of(equation.left, equation.right)
            if len(names) == 1 and len(equations) > 1:
                rest = [other for other in equations if other is not equation]
                roots = numeric_solutions((equation,), names, self.budget)
                roots = [root for root in roots if all(holds(c, root) is not False for c in self.conditions)]
                return [found for root in roots for found in self._with_values(rest, rest, root, depth)]
        names = names_of(*[side for equation in equations for side in (equation.left, equation.right)])
        found = numeric_solutions(equations, names, self.budget)
        if not found:
            raise ExtractionError("neither polynomial nor solved numerically", code="unsupported")
        return [values for values in found if all(holds(c, values) is not False for c in self.conditions)]


def _substituted(equation: Equation, trees: dict[str, Node]) -> Equation:
    return Equation(substitute(equation.left, trees), substitute(equation.right, trees), equation.relation)


def _allowed(values: VariableValues, forms: Forms, run: EliminationState) -> bool:
    """No denominator vanishes, and roots and absolute values are not negative."""
    if any(sign_of(values[index]) < 0 for index in forms.nonnegative if index in values):
        return False
    return not any(vanishes(p, values, run) for p in forms.denominators)


def value_tree(value: Value) -> Node:
    """A value as a tree: exact surds by their root, others as rational approximations."""
    if isinstance(value, Fraction):
        return Num(value)
    if isinstance(value, Surd):
        root = Call("sqrt", (Num(Fraction(value.c)),))
        return Binary("+", Num(value.a), Binary("*", Num(value.b), root))
    return Num(approximate(value, PRECISION))
