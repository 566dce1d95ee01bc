"""A system of one answer before it is written down, and the answer beside its question."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final, NamedTuple

from extractors.equations.equation_candidates import Candidates, Step
from extractors.equations.given import Given, Ratio, constants_of
from extractors.equations.identities import are_near, as_float, is_near
from extractors.equations.thread_equations import Kind
from extractors.expressions.render import render
from extractors.expressions.tree import Binary, Equation, Name, Node, Num, children, names_of, rebuild
from extractors.real_numbers.arithmetic_cost import Budget
from extractors.real_numbers.values import Value

MAX_NODES: Final = 120
LOOK_BACK: Final = 40
"""How many steps before it a number may have been worked out."""
_EXACT: Final = Fraction(1, 10_000)
_ABOUT: Final = 2e-4
"""For a quick look, before the exact comparison."""


class Line(NamedTuple):
    """An equation of a draft with its span in the plain text, in normal form, and its unknowns and constants."""

    equation: Equation
    start: int
    end: int
    text: str
    names: tuple[str, ...]
    constants: tuple[Ratio, ...]

    @classmethod
    def of(cls, equation: Equation, start: int, end: int) -> "Line":
        """An equation written down."""
        constants = tuple([value.as_integer_ratio() for value in constants_of(equation)])
        return cls(equation, start, end, render(equation), names_of(equation.left, equation.right), constants)

    def renamed(self, name: str) -> "Line":
        """A definition of another unknown by the same arithmetic."""
        if self.names == (name,):
            return self
        text = name + self.text.removeprefix(self.names[0])
        return self._replace(equation=Equation(Name(name), self.equation.right), text=text, names=(name,))


class Composer:
    """Puts the results of earlier steps into later ones."""

    def __init__(self, steps: Sequence[Step], is_given: Callable[[Fraction], bool]) -> None:
        """``steps`` in order of appearance; ``is_given`` says whether the question gives a number."""
        self.steps, self.is_given = steps, is_given
        self.sizes = [as_float(step.value) for step in steps]
        self.numbers = [frozenset([value.as_integer_ratio() for value in constants_of(step.node)]) for step in steps]
        self.used: set[int] = set()
        self.left = 0

    def compose(self, index: int) -> Node:
        """The expression of a step with the results of earlier steps put in; ``used`` then holds the steps in it.

        A number that is the result of an earlier step stands for it, unless the question gives it and the step was used
        before or is not the last one; the latest such step counts.
        """
        self.used, self.left = {index}, MAX_NODES
        return self._expand(self.steps[index].node, index)

    def _expand(self, node: Node, before: int) -> Node:
        kind = type(node)
        if kind is Num:
            source = self._source(node.value, before)  # type: ignore[union-attr]
            self.left -= 1
            if source is None or self.left < 0:
                return node
            self.used.add(source)
            return self._expand(self.steps[source].node, source)
        if kind is Name:
            return node
        turned = self._turned(node, before)
        if turned is not None:
            self.used.add(turned)
            return Binary("/", Num(Fraction(1)), self._expand(self.steps[turned].node, turned))
        return rebuild(node, tuple([self._expand(part, before) for part in children(node)]))

    def _turned(self, node: Node, before: int) -> int | None:
        """The step right before a fraction that is one over its result: ``7/12`` of it an hour, ``12/7`` hours."""
        if not (before and isinstance(node, Binary) and node.op == "/" and self.left > 0):
            return None
        top, bottom = node.left, node.right
        if not (isinstance(top, Num) and isinstance(bottom, Num)) or self.is_given(top.value) or not bottom.value:
            return None
        return before - 1 if self.steps[before - 1].value * top.value == bottom.value else None

    def _source(self, value: Fraction, before: int) -> int | None:
        """The latest of the steps before with that result."""
        size = as_float(value) if before else 0.0
        for index in range(before - 1, max(-1, before - 1 - LOOK_BACK), -1):
            if are_near(self.sizes[index], size, _ABOUT) and is_near(self.steps[index].value, value, _EXACT):
                if self.is_given(value) and (index in self.used or index < before - 1):
                    return None
                return index
        return None


@dataclass(frozen=True)
class AnswerReading:
    """An answer's candidates with what the question gives, and the steps left for its systems."""

    answer: int
    candidates: Candidates
    given: Given
    budget: Budget

    @cached_property
    def new(self) -> tuple[tuple[int, float], ...]:
        """Where each number stands in the plain text that the question does not give, and its value."""
        found = self.candidates.document.numbers
        return tuple([(n.start, as_float(n.value)) for n in found if not self.given.holds(n.value)])

    @cached_property
    def announced(self) -> float | None:
        """The last result that the answer announces, those of checks left out."""
        announced = (n for n in reversed(self.candidates.announced) if not (n.checking or n.part))
        last = next(announced, None)
        return None if last is None else as_float(last.value)

    @cached_property
    def calculated_with(self) -> tuple[tuple[int, frozenset[Ratio]], ...]:
        """Where each calculation that is no check begins, and the numbers in it that the question does not give."""
        given = self.given.sizes
        found = zip(self.candidates.steps, self.composer.numbers, strict=True)
        calculations = [(step.start, numbers) for step, numbers in found if not step.checking]
        return tuple(
            (start, frozenset([size for size in numbers if (abs(size[0]), size[1]) not in given]))
            for start, numbers in calculations
        )

    @cached_property
    def worked(self) -> dict[tuple[int, int], tuple[Value, Line] | None]:
        """Calculations that are written down already, by step and factor, with their values."""
        return {}

    @cached_property
    def length(self) -> int:
        """The length of the plain text."""
        return max(1, len(self.candidates.plain.text))

    @cached_property
    def composer(self) -> Composer:
        """Puts the calculations of the answer into each other."""
        return Composer(self.candidates.steps, self.given.holds)


class Draft(NamedTuple):
    """A system before it is written down: its equations, and the solutions by name.

    The first ``core`` equations are the model. ``confirmed`` and ``contradicted`` count the worked equations of the
    answer that it implies and that it contradicts.
    """

    kind: Kind
    equations: tuple[Line, ...]
    solutions: tuple[dict[str, Value], ...]
    status: str
    linear: bool
    confirmed: int
    contradicted: int
    core: int
