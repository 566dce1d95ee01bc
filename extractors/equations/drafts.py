"""A system of one answer before it is written down, and the answer beside its question."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from extractors.algebra.steps import Budget
from extractors.algebra.values import Value
from extractors.equations.arithmetic import Composer
from extractors.equations.candidates import Candidates
from extractors.equations.given import Given, Ratio, constants_of
from extractors.equations.identities import as_float
from extractors.equations.records import Kind
from extractors.expressions.render import render
from extractors.expressions.tree import Equation, Name, names_of


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

    @cached_property
    def asks_back(self) -> bool:
        """Whether the answer ends with a question or breaks off."""
        return self.candidates.plain.text.rstrip().endswith(("?", "..."))


class Draft(NamedTuple):
    """A system before it is written down: its equations, and the solutions by name.

    The first ``core`` equations are the model. ``confirmed`` and ``contradicted`` count the worked equations of the
    answer that it implies and that it contradicts; ``back`` the calculations behind the last one that it holds.
    """

    kind: Kind
    equations: tuple[Line, ...]
    solutions: tuple[dict[str, Value], ...]
    status: str
    linear: bool
    confirmed: int
    contradicted: int
    core: int
    back: int = 0
