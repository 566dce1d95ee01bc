"""Announced quantities: what an answer derives from its solved unknowns and states as a result.

A third of the systems in posts do not hold the asked number although they model the problem (FIELD_GUIDE, "What matters
most", 1): one unknown is set up and the rest is derived. The definition that leads to it is kept as an equation.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from typing import NamedTuple

from extractors.algebra.evaluation import UnknownValueError, evaluate_tree
from extractors.algebra.systems import STAND_INS
from extractors.algebra.values import Value, approximate
from extractors.equations.announced import Announced
from extractors.equations.candidates import Candidate, Candidates, Definition
from extractors.equations.given import Given
from extractors.equations.identities import is_near
from extractors.equations.parts import multiples_in, one_operation, other_part, pairs_of, summands
from extractors.equations.sides import Step
from extractors.errors import ExtractionError
from extractors.expressions.tree import Binary, Name, Node, Num, children, constants_of, names_of, rebuild, walk

MAX_QUANTITIES = 6
_LEAST_PARTS = 2
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


def announced_quantities(
    solutions: Sequence[Mapping[str, Value]], base: Sequence[Candidate], candidates: Candidates, given: Given
) -> list[Quantity]:
    """The quantities that an answer announces beside its unknowns, in order of appearance, no value twice."""
    finder = _Finder(solutions, candidates, given)
    finder.set_beside(base)
    for definition in _expressions(base, candidates):
        finder.define(definition)
    finder.shares(base)
    for step in candidates.steps:
        finder.derive(step)
    finder.named(base)
    finder.series(base)
    finder.complete(base)
    finder.concluded()
    finder.fraction()
    finder.number_of_digits()
    finder.restated()
    finder.total()
    return finder.found[:MAX_QUANTITIES]


def _expressions(base: Sequence[Candidate], candidates: Candidates) -> Iterator[Definition]:
    """Definition lines and mentions, then the sums inside the equations."""
    yield from candidates.definitions[:MAX_EXPRESSIONS]
    for candidate in base:
        for side in (candidate.equation.left, candidate.equation.right):
            for node in walk(side):
                if node is not side and isinstance(node, Binary) and node.op in "+-":
                    yield Definition(node, candidate.start, candidate.end, False, False)


def _stated_sides(base: Sequence[Candidate]) -> Iterator[Node]:
    """The expressions that an equation sets equal to a number: no quantity to look for."""
    for candidate in base:
        for side, other in pairs_of(candidate.equation):
            if isinstance(other, Num):
                yield side


class _Finder:
    def __init__(self, solutions: Sequence[Mapping[str, Value]], candidates: Candidates, given: Given) -> None:
        self.solutions, self.candidates, self.given = solutions, candidates, given
        self.found: list[Quantity] = []
        self.stated_sides: set[Node] = set()
        self.totals: set[Fraction] = set()
        self.constants: set[Fraction] = set()
        self.pivot = _pivot(solutions)
        self.known = [approximate(value) for values in solutions for value in values.values()]
        self.announced = [n for n in candidates.announced if not n.checking]
        self.last_step = _last_step(candidates)
        self.worked = max((c.end for c in candidates.equations if not c.checking), default=0)
        self.silent = not any(self._is_known(n.value) for n in self.announced)

    def set_beside(self, base: Sequence[Candidate]) -> None:
        """Takes note of what the equations set equal to a number, of those numbers, and of others if none is given."""
        self.stated_sides = set(_stated_sides(base))
        sides = [side for c in base for side in (c.equation.left, c.equation.right)]
        self.totals = {side.value for side in sides if isinstance(side, Num)}
        if self.given.empty:
            self.constants = {abs(value) for value in constants_of(*sides)} - self.totals

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
        first = approximate(values[self.pivot])
        if not first or self._is_known(first) or (first < 0 and not self._is_announced(first)):
            return
        asked = definition.explicit and definition.labelled
        if not asked and self.given.holds(first):
            return
        if asked or self._is_announced(first) or (definition.explicit and self.silent):
            self._add(node, values, definition.start, definition.end)

    def shares(self, base: Sequence[Candidate]) -> None:
        """Takes the parts that an equation adds up, where the answer states their values after it."""
        for candidate in base:
            for node in summands(candidate.equation):
                later = [number.value for number in self.announced if number.start >= candidate.end]
                values = self._values(node)
                first = approximate(values[self.pivot]) if values is not None else Fraction(0)
                known = not first or self._is_known(first) or self.given.holds(first)
                if values is not None and not known and any(is_near(first, value, _WHOLE) for value in later):
                    self._add(node, values, candidate.start, candidate.end)

    def _values(self, node: Node) -> tuple[Value, ...] | None:
        try:
            return tuple(evaluate_tree(node, values) for values in self.solutions)
        except (ExtractionError, UnknownValueError, ArithmeticError):
            return None

    def derive(self, step: Step) -> None:
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

    def named(self, base: Sequence[Candidate]) -> None:
        """An unknown that stands in no equation and is given the value of a part of one: ``a = 20`` for ``2*b``."""
        for candidate in self.candidates.equations:
            left, right = candidate.equation.left, candidate.equation.right
            if not (candidate.assigns and isinstance(left, Name) and isinstance(right, Num)) or candidate.checking:
                continue
            if left.name in self.solutions[0] or self._is_known(right.value) or self.given.holds(right.value):
                continue
            parts = [node for c in base for side in (c.equation.left, c.equation.right) for node in multiples_in(side)]
            fitting = {part for part in parts if self._gives(part, right.value)}
            if len(fitting) == 1:
                (part,) = fitting
                self._add(part, self._values(part) or (), candidate.start, candidate.end)

    def series(self, base: Sequence[Candidate]) -> None:
        """The consecutive numbers that are asked beside the one set up, where the answer states or uses them all."""
        asked = self.given.asked.series
        if asked is None or len(self.solutions[0]) != 1 or not base:
            return
        (name,) = self.solutions[0]
        own = approximate(self.solutions[self.pivot][name])
        nodes = {node for c in base for side in (c.equation.left, c.equation.right) for node in walk(side)}
        for place in range(asked.length):
            steps = [(at - place) * asked.gap for at in range(asked.length) if at != place]
            parts = [Binary("+" if step > 0 else "-", Name(name), Num(Fraction(abs(step)))) for step in steps]
            pairs = zip(parts, steps, strict=True)
            if all(part in nodes or any(n.value == own + step for n in self.announced) for part, step in pairs):
                self._missing(parts, base[0])
                return

    def _missing(self, parts: Sequence[Node], source: Candidate) -> None:
        for part in parts:
            values = self._values(part)
            if values is not None and not self._is_known(approximate(values[self.pivot])):
                self._add(part, values, source.start, source.end)

    def complete(self, base: Sequence[Candidate]) -> None:
        """The other quantity of a system with one unknown, where one defined expression of its equation is left."""
        if self.found or len(self.solutions[0]) != 1:
            return
        parts = {part for c in base for side in (c.equation.left, c.equation.right) for part in walk(side)}
        nodes = {d.node: d for d in self.candidates.definitions if d.labelled and d.node in parts and names_of(d.node)}
        places = [(node, definition.start, definition.end) for node, definition in nodes.items()]
        places = places or [(node, c.start, c.end) for c in base if (node := other_part(c.equation)) is not None]
        if len(places) != 1:
            return
        ((node, start, end),) = places
        values = self._values(node)
        if isinstance(node, Binary) and values is not None:
            first = approximate(values[self.pivot])
            if first > 0 and not self._is_known(first) and not self.given.holds(first):
                self._add(node, values, start, end)

    def concluded(self) -> None:
        """A value that the closing prose states, one operation with a number of the question away from an unknown."""
        numbers = self.given.values or tuple(sorted(self.constants))
        if not numbers or len(numbers) > MAX_QUANTITIES:
            return
        closing = [n for n in self.announced if n.start >= self.candidates.end and abs(n.value) > 1]
        for number in closing:
            if not self._is_known(number.value) and not self.given.holds(number.value):
                self._conclude(number, numbers)

    def _conclude(self, number: Announced, numbers: Sequence[Fraction]) -> None:
        nodes = [Name(name) for name in self.solutions[0]]
        found = [node for node in one_operation(nodes, numbers) if self._gives(node, number.value)]
        values = self._values(found[0]) if len(found) == 1 else None
        if values is not None:
            self._add(found[0], values, number.start, number.start + 1)

    def _gives(self, node: Node, value: Fraction) -> bool:
        values = self._values(node)
        return values is not None and approximate(values[self.pivot]) == value

    def fraction(self) -> None:
        """A fraction that is asked, put together from its two parts: ``7/12`` once they are 7 and 12."""
        unasked = self.given.empty and "fraction" in self.candidates.plain.text.lower()
        if self.given.asked.derived != "fraction" and not unasked:
            return
        nodes = [Name(name) for name in self.solutions[0]] + [quantity.node for quantity in self.found]
        parts = [(node, values) for node in nodes if (values := self._values(node)) is not None]
        for top, above in parts:
            for bottom, below in parts:
                value = approximate(below[self.pivot]) and approximate(above[self.pivot]) / approximate(
                    below[self.pivot]
                )
                number = next((n for n in self.announced if n.value == value), None)
                if top is not bottom and value and number is not None and not self._is_known(value):
                    self._add(
                        Binary("/", top, bottom),
                        self._values(Binary("/", top, bottom)) or (),
                        number.start,
                        number.start + 1,
                    )

    def number_of_digits(self) -> None:
        """The number of two digits that are the unknowns: ``10*t + u = 36`` once they are 3 and 6."""
        names = list(self.solutions[self.pivot])
        if len(names) != _LEAST_PARTS or self.found or not self._speaks_of_digits():
            return
        first, second = (approximate(self.solutions[self.pivot][name]) for name in names)
        if not all(value.denominator == 1 and 0 <= value < 10 for value in (first, second)):
            return
        orders = ((names[0], names[1], 10 * first + second), (names[1], names[0], 10 * second + first))
        for number in self.announced:
            for tens, ones, value in orders:
                if number.value == value and not self._is_known(value) and not self.given.holds(value):
                    node = Binary("+", Binary("*", Num(Fraction(10)), Name(tens)), Name(ones))
                    self._add(node, self._values(node) or (), number.start, number.start + 1)

    def _speaks_of_digits(self) -> bool:
        return "digit" in self.given.question.lower() or "digit" in self.candidates.plain.text.lower()

    def total(self) -> None:
        """A sum that is asked and stated: of the quantities found ("15 and 20, 35 in all"), or of all values."""
        if not (self.given.asked.sums or self.given.empty) or not self.announced:
            return
        found = [quantity.node for quantity in self.found]
        last = self.announced[-1]
        for parts in (found, [*(Name(name) for name in self.solutions[0]), *found]):
            if len(parts) < _LEAST_PARTS or self._is_known(last.value) or self.given.holds(last.value):
                continue
            node = reduce(lambda left, right: Binary("+", left, right), parts)
            values = self._values(node)
            if values is not None and approximate(values[self.pivot]) == last.value:
                self._add(node, values, last.start, last.start + 1)

    def restated(self) -> None:
        """A value announced in another form: in percent 100 times the unknown, a time as the inverse of a rate."""
        for number in self.announced:
            if self._is_known(number.value) or self.given.holds(number.value) or not number.value:
                continue
            for name, value in self.solutions[self.pivot].items():
                size = approximate(value)
                if number.percent and is_near(size * 100, number.value, Fraction(2, 1000)):
                    self._restate(Binary("*", Num(Fraction(100)), Name(name)), name, number)
                elif 0 < size < 1 < number.value and is_near(1 / size, number.value, Fraction(2, 1000)):
                    self._restate(Binary("/", Num(Fraction(1)), Name(name)), name, number)

    def _restate(self, node: Node, name: str, number: Announced) -> None:
        values = self._values(node)
        if values is None or self._is_known(number.value):
            return
        source = next((c for c in self.candidates.equations if name in names_of(c.equation.left)), None)
        start, end = (source.start, source.end) if source is not None else (number.start, number.start + 1)
        self._add(node, values, start, end)


def _pivot(solutions: Sequence[Mapping[str, Value]]) -> int:
    """The solution that an answer goes on with: the first with only positive values, if there is one."""
    for index, values in enumerate(solutions):
        if all(approximate(value) > 0 for value in values.values()):
            return index
    return 0


def _last_step(candidates: Candidates) -> Step | None:
    """The last step, where no equation follows it."""
    steps = [step for step in candidates.steps if not step.checking]
    if not steps or any(c.start > steps[-1].end and not c.checking and not c.assigns for c in candidates.equations):
        return None
    return steps[-1]
