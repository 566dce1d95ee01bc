"""A system of one answer before it is written down, and the answer beside its question."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from extractors.algebra.steps import Budget
from extractors.algebra.values import Value
from extractors.equations.candidates import Candidates
from extractors.equations.given import Given, constants_of
from extractors.equations.identities import as_float
from extractors.equations.records import Kind
from extractors.expressions.tree import Equation
from extractors.quantities.numbers import Number, find_numbers


@dataclass(frozen=True)
class AnswerReading:
    """An answer's candidates with what the question gives, and the steps left for its systems."""

    answer: int
    candidates: Candidates
    given: Given
    budget: Budget

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """The numbers of the answer, in order."""
        return tuple(as_float(number.value) for number in self._found)

    @cached_property
    def new(self) -> tuple[tuple[int, float], ...]:
        """Where each number stands in the plain text that the question does not give, and its value."""
        found = zip(self._found, self.numbers, strict=True)
        return tuple((number.start, value) for number, value in found if not self.given.holds(number.value))

    @cached_property
    def announced(self) -> tuple[float, ...]:
        """The results that the answer announces, those of checks left out."""
        return tuple(as_float(n.value) for n in self.candidates.announced if not (n.checking or n.part))

    @cached_property
    def calculated_with(self) -> tuple[tuple[int, frozenset[Fraction]], ...]:
        """Where each calculation that is no check begins, and the numbers in it that the question does not give."""
        steps = (step for step in self.candidates.steps if not step.checking)
        return tuple(
            (step.start, frozenset(v for v in constants_of(step.node) if not self.given.holds(v))) for step in steps
        )

    @cached_property
    def _found(self) -> list[Number]:
        return list(find_numbers(self.candidates.plain.text))


class Draft(NamedTuple):
    """A system before it is written down: equations with spans in the plain text, and the solutions by name.

    The first ``core`` equations are the model. ``confirmed`` and ``contradicted`` count the worked equations of the
    answer that it implies and that it contradicts.
    """

    kind: Kind
    equations: tuple[tuple[Equation, int, int], ...]
    solutions: tuple[dict[str, Value], ...]
    status: str
    linear: bool
    confirmed: int
    contradicted: int
    core: int
