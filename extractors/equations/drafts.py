"""A system of one answer before it is written down, and the answer beside its question."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import or_
from typing import Final, NamedTuple

from extractors.algebra.steps import Budget
from extractors.algebra.values import Value
from extractors.equations.arithmetic import Composer
from extractors.equations.candidates import Candidates
from extractors.equations.given import Given, Ratio, constants_of
from extractors.equations.identities import are_near, as_float, near_ones
from extractors.equations.records import Kind
from extractors.expressions.render import render
from extractors.expressions.tree import Equation, Name, names_of

ROUNDED: Final = 0.005
_LAST: Final = 3


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


class Sighting(NamedTuple):
    """Where an answer states a value, but for rounding.

    ``stated`` at all; as its ``last`` number; as one of the last three; as the last result that it announces;
    ``new``: a bit for each number of ``AnswerReading.new``.
    """

    stated: bool
    last: bool
    late: bool
    announced: bool
    new: int

    def joined(self, other: "Sighting") -> "Sighting":
        """Where either of two values is stated."""
        return Sighting(*map(or_, self, other))


@dataclass(frozen=True)
class AnswerReading:
    """An answer's candidates with what the question gives, and the steps left for its systems."""

    answer: int
    candidates: Candidates
    given: Given
    budget: Budget
    is_variant: bool = False

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """The numbers of the answer, in order."""
        return tuple([as_float(number.value) for number in self.candidates.document.numbers])

    @cached_property
    def new(self) -> tuple[tuple[int, float], ...]:
        """Where each number stands in the plain text that the question does not give, and its value."""
        found = zip(self.candidates.document.numbers, self.numbers, strict=True)
        return tuple([(number.start, value) for number, value in found if not self.given.holds(number.value)])

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

    @cached_property
    def _distinct(self) -> tuple[float, ...]:
        return tuple(sorted(set(self.numbers)))

    @cached_property
    def _sightings(self) -> dict[Ratio, Sighting]:
        return {}

    def sighting(self, value: Fraction) -> Sighting:
        """Where the answer states a value; each value is sought once."""
        size = value.as_integer_ratio()
        found = self._sightings.get(size)
        if found is None:
            found = self._sightings[size] = self._sought(as_float(value))
        return found

    def _sought(self, value: float) -> Sighting:
        near = near_ones(value, self._distinct, ROUNDED)
        late = [number in near for number in self.numbers[-_LAST:]]
        new = sum([1 << place for place, (_, number) in enumerate(self.new) if number in near]) if near else 0
        announced = self.announced is not None and are_near(value, self.announced, ROUNDED)
        return Sighting(bool(near), bool(late) and late[-1], any(late), announced, new)


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
