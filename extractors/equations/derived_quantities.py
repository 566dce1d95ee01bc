"""Quantities: what an answer derives from its solved unknowns.

A third of the systems in posts do not hold the asked number although they model the problem (FIELD_GUIDE, "What matters
most", 1): one unknown is set up and the rest is derived. The definition that leads to it is kept as an equation.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from extractors.equations.equation_candidates import ArithmeticStep, CandidateEquation, Candidates, Definition
from extractors.equations.given import Given
from extractors.equations.identities import is_near
from extractors.expressions.tree import Binary, Name, Node, Num, children, names_of, rebuild, walk
from extractors.extraction_errors import ExtractionError
from extractors.real_numbers.values import Value, approximate
from extractors.solve.equation_systems import STAND_INS
from extractors.solve.tree_evaluation import UnknownValueError, evaluate_tree

MAX_QUANTITIES = 6
MAX_OTHERS = 2
MAX_EXPRESSIONS = 60
_EXACT = Fraction(1, 10_000)
_CLOSE = Fraction(1, 1000)
_WHOLE = Fraction(2, 1000)
_TWO_FIGURES = Fraction(6, 1000)


class Quantity(NamedTuple):
    """An expression over the unknowns and its value in each solution; the span is in the plain text."""

    node: Node
    values: tuple[Value, ...]
    start: int
    end: int


def quantities_of(
    solutions: Sequence[Mapping[str, Value]], base: Sequence[CandidateEquation], candidates: Candidates, given: Given
) -> tuple[Quantity, ...]:
    """The values that an answer announces beside its unknowns, in order of appearance, no value twice.

    Behind them stands what is a number away from its only unknown, announced or not.
    """
    finder = _Finder(solutions, base, candidates, given)
    for definition in _expressions(base, candidates):
        finder.define(definition)
    for step in candidates.steps:
        finder.derive(step)
    return (*finder.found[:MAX_QUANTITIES], *finder.others[:MAX_OTHERS])


def _expressions(base: Sequence[CandidateEquation], candidates: Candidates) -> Iterator[Definition]:
    """Definition lines and expressions outside equations, then the sums inside the equations."""
    yield from candidates.definitions[:MAX_EXPRESSIONS]
    for candidate in base:
        for side in (candidate.equation.left, candidate.equation.right):
            for node in walk(side):
                if node is not side and isinstance(node, Binary) and node.op in "+-":
                    yield Definition(node, candidate.start, candidate.end, False, False)


def _stated_sides(base: Sequence[CandidateEquation]) -> Iterator[Node]:
    """The expressions that an equation sets equal to a number: no quantity to look for."""
    for candidate in base:
        left, right = candidate.equation.left, candidate.equation.right
        yield from (side for side, other in ((left, right), (right, left)) if isinstance(other, Num))


class _Finder:
    def __init__(
        self,
        solutions: Sequence[Mapping[str, Value]],
        base: Sequence[CandidateEquation],
        candidates: Candidates,
        given: Given,
    ) -> None:
        self.solutions, self.given = solutions, given
        self.found: list[Quantity] = []
        self.others: list[Quantity] = []
        self.stated_sides = set(_stated_sides(base))
        sides = [side for c in base for side in (c.equation.left, c.equation.right)]
        self.totals = {side.value for side in sides if isinstance(side, Num)}
        self.pivot = _pivot(solutions)
        self.known = [approximate(value) for values in solutions for value in values.values()]
        self.announced = [n for n in candidates.announced if not n.checking]
        self.last_step = _last_step(candidates)
        self.worked = max((c.end for c in candidates.equations if not c.checking), default=0)

    def _is_known(self, value: Fraction) -> bool:
        return any(is_near(value, known, _CLOSE) for known in self.known)

    def _is_announced(self, value: Fraction) -> bool:
        """Whether the answer states a value; one with decimals may be rounded to two figures."""
        return any(
            is_near(value, number.value, _TWO_FIGURES if number.value.denominator > 1 else _WHOLE)
            for number in self.announced
        )

    def _add(self, node: Node, values: tuple[Value, ...], start: int, end: int) -> None:
        self.found.append(Quantity(node, values, start, end))
        self.known.append(approximate(values[self.pivot]))

    def define(self, definition: Definition) -> None:
        """Takes an expression whose value is announced; a definition line also where the answer states no value."""
        node = definition.node
        names = names_of(node)
        if not names or isinstance(node, Name) or node in self.stated_sides:
            return
        if not all(name in self.solutions[0] for name in names):
            return
        values = self._values(node)
        if values is None:
            return
        if self._is_stated(definition, approximate(values[self.pivot])):
            self._add(node, values, definition.start, definition.end)
        elif len(self.solutions[0]) == 1 and _is_shifted(node) and any(approximate(value) > 0 for value in values):
            self._offer(Quantity(node, values, definition.start, definition.end))

    def _is_stated(self, definition: Definition, value: Fraction) -> bool:
        announced = self._is_announced(value)
        if not value or self._is_known(value) or (value < 0 and not announced):
            return False
        if definition.explicit and definition.labelled:
            return True
        return announced and not self.given.holds(value)

    def _offer(self, quantity: Quantity) -> None:
        if all(quantity.node != other.node for other in (*self.found, *self.others)):
            self.others.append(quantity)

    def _values(self, node: Node) -> tuple[Value, ...] | None:
        try:
            return tuple(evaluate_tree(node, values) for values in self.solutions)
        except (ExtractionError, UnknownValueError, ArithmeticError):
            return None

    def derive(self, step: ArithmeticStep) -> None:
        """Takes arithmetic on solved values: ``81 - 9 = 72`` once a = 9."""
        last = bool(self.announced) and is_near(self.announced[-1].value, step.value)
        closing = step.start >= self.worked
        if step.checking or not (step.named or last or closing):
            return
        if self._is_known(step.value) or self.given.holds(step.value) or step.value in self.totals:
            return
        node = self._lifted(step.node)
        if not names_of(node) and not (step is self.last_step and (last or step.named)):
            return
        values = self._values(node)
        if values is None or self._is_known(approximate(values[self.pivot])):
            return
        if is_near(approximate(values[self.pivot]), step.value):
            self._add(node, values, step.start, step.end)

    def _lifted(self, node: Node) -> Node:
        """An expression with the values of unknowns turned into their names, but for 22/7."""
        if node in STAND_INS:
            return node
        if isinstance(node, Num):
            if self.given.holds(node.value):
                return node
            for name, value in self.solutions[self.pivot].items():
                if is_near(approximate(value), node.value, _TWO_FIGURES if node.value.denominator > 1 else _EXACT):
                    return Name(name)
            for quantity in self.found:
                if is_near(approximate(quantity.values[self.pivot]), node.value, _EXACT):
                    return quantity.node
            return node
        return rebuild(node, tuple(self._lifted(part) for part in children(node)))


def _is_shifted(node: Node) -> bool:
    """Whether an expression is an unknown and a number, added or taken away: ``x + 3``."""
    if not isinstance(node, Binary) or node.op not in "+-":
        return False
    parts = node.left, node.right
    return any(isinstance(part, Name) for part in parts) and any(isinstance(part, Num) for part in parts)


def _pivot(solutions: Sequence[Mapping[str, Value]]) -> int:
    """The solution that an answer goes on with: the first with only positive values, if there is one."""
    for index, values in enumerate(solutions):
        if all(approximate(value) > 0 for value in values.values()):
            return index
    return 0


def _last_step(candidates: Candidates) -> ArithmeticStep | None:
    """The last step, where no equation follows it."""
    steps = [step for step in candidates.steps if not step.checking]
    if not steps or any(c.start > steps[-1].end and not c.checking and not c.assigns for c in candidates.equations):
        return None
    return steps[-1]
