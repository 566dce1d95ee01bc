"""A system of one answer before it is written down, the answer beside its question, and the evidence on the system.

Each piece of evidence is a function of a draft beside its reading and returns a number of about unit size:
``SYSTEM_EVIDENCE`` gives each its sign, 1 where it can only speak for a system, -1 only against it, 0 for either.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Final, NamedTuple

from extractors.equations.equation_candidates import ArithmeticStep, CandidateEquation, Candidates
from extractors.equations.given import Given, Ratio, Stance, stance
from extractors.equations.identities import are_near, as_float, is_near
from extractors.equations.thread_equations import AnswerSystem, Kind
from extractors.expressions.tree import Binary, Equation, Name, Node, Num, children, leaves_of, rebuild, render
from extractors.real_numbers.values import Budget, Value, approximate
from extractors.solve.equation_systems import Status

MAX_NODES: Final = 240
"""Numbers and signs of an expression into which steps are put; it bounds the depth of the recursion as well."""
LOOK_BACK: Final = 40
"""How many steps before it a number may have been worked out."""
_EXACT: Final = Fraction(1, 10_000)
_ABOUT: Final = 2e-4
"""For a quick look, before the exact comparison."""


class EquationLine(NamedTuple):
    """An equation of a draft with its span in the plain text, in normal form, and its unknowns and constants."""

    equation: Equation
    start: int
    end: int
    text: str
    names: tuple[str, ...]
    constants: tuple[Ratio, ...]

    @classmethod
    def of(cls, equation: Equation, start: int, end: int) -> "EquationLine":
        """An equation written down."""
        names, constants = leaves_of(equation.left, equation.right)
        return cls(equation, start, end, render(equation), names, tuple([n.as_integer_ratio() for n in constants]))

    def defining(self, name: str) -> "EquationLine":
        """The same arithmetic as the value of another unknown."""
        text = name + self.text[self.text.index("=") :]
        return self._replace(equation=Equation(Name(name), self.equation.right), text=text, names=(name,))


class Composer:
    """Puts the results of earlier steps into later ones."""

    def __init__(self, steps: Sequence[ArithmeticStep], is_given: Callable[[Fraction], bool]) -> None:
        """``steps`` in order of appearance; ``is_given`` says whether the question gives a number."""
        self.steps, self.is_given = steps, is_given
        self.sizes = [as_float(step.value) for step in steps]
        self.numbers = [frozenset([value.as_integer_ratio() for value in leaves_of(step.node)[1]]) for step in steps]
        self.used: set[int] = set()
        self.left = 0

    def compose(self, index: int) -> Node:
        """The expression of a step with the results of earlier steps put in.

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
        self.left -= 1
        if self.left < 0:
            return node
        if isinstance(node, Binary):
            left = self._expand(node.left, before)
            right = self._expand(node.right, before)
            return node if left is node.left and right is node.right else Binary(node.op, left, right)
        return rebuild(node, tuple([self._expand(part, before) for part in children(node)]))

    def _source(self, value: Fraction, before: int) -> int | None:
        """The latest of the steps before with that result."""
        size = as_float(value) if before else 0.0
        for index in range(before - 1, max(-1, before - 1 - LOOK_BACK), -1):
            if are_near(self.sizes[index], size, _ABOUT) and is_near(self.steps[index].value, value, _EXACT):
                if self.is_given(value) and (index in self.used or index < before - 1):
                    return None
                return index
        return None


class AnswerReading:
    """An answer's candidates with what the question gives, and the steps left for its systems."""

    def __init__(self, candidates: Candidates, given: Given, budget: Budget) -> None:
        self.candidates, self.given, self.budget = candidates, given, budget
        self.worked: dict[tuple[int, int], tuple[Value, EquationLine] | None] = {}
        self.written: list[tuple[list[CandidateEquation], list[dict[str, Value]]]] = []

    @cached_property
    def length(self) -> int:
        """The length of the answer in plain maths."""
        return max(1, len(self.candidates.plain.text))

    @cached_property
    def new(self) -> list[tuple[int, float]]:
        """The numbers that the question does not give: where each of them stands, and its value."""
        numbers = self.candidates.document.numbers
        return [(number.start, as_float(number.value)) for number in numbers if not self.given.holds(number.value)]

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
    def composer(self) -> Composer:
        """Puts the calculations of the answer into each other."""
        return Composer(self.candidates.steps, self.given.holds)


class Draft(NamedTuple):
    """A system before it is written down: its equations, and the solutions by name.

    The first ``core`` equations are the model. ``confirmed`` and ``contradicted`` count the worked equations of the
    answer that it implies and that it contradicts.
    """

    kind: Kind
    equations: tuple[EquationLine, ...]
    solutions: tuple[dict[str, Value], ...]
    status: Status
    core: int
    linear: bool = True
    confirmed: int = 0
    contradicted: int = 0


_MOST: Final = 4
ROUNDED: Final = 0.005


class Drafted:
    """A draft beside the reading of its answer, with what several pieces of evidence need.

    ``rows`` are the values of each solution; ``used`` counts the numbers of the question that it uses. ``system`` is
    the draft written down, but for its answer and its spans; ``behind`` counts the new numbers behind it.
    """

    def __init__(self, draft: Draft, reading: AnswerReading) -> None:
        """Work out what the evidence is about."""
        self.draft, self.reading = draft, reading
        lines = draft.equations
        unknowns = tuple(dict.fromkeys([name for line in lines for name in line.names]))
        solutions = tuple([tuple([values[name] for name in unknowns]) for values in draft.solutions])
        equations = tuple([line.text for line in lines])
        self.system = AnswerSystem(
            -1, equations, unknowns, solutions, draft.status, (), draft.linear, draft.kind, draft.core
        )
        self.rows = [[approximate(value) for value in solution.values()] for solution in draft.solutions]
        self.sizes = dict.fromkeys([as_float(value) for row in self.rows for value in row])
        self.used = reading.given.used_by([size for line in lines for size in line.constants])
        self.start, self.end = min([line.start for line in lines]), max([line.end for line in lines])
        self.behind = len(reading.new) - bisect_left(reading.new, (self.end,))

    @cached_property
    def says(self) -> Stance:
        """What the question says of the solutions."""
        given = self.reading.given
        return stance(given.stated, self.rows, given.values)

    def has(self, value: float) -> bool:
        """Whether a number is one of the values, but for rounding."""
        return value in self.sizes or any(are_near(value, other, ROUNDED) for other in self.sizes)

    def evidence(self) -> tuple[float, ...]:
        """A number for each of ``SYSTEM_EVIDENCE``, for a draft that has a solution."""
        return tuple([function(self) for function, _ in SYSTEM_EVIDENCE])


DraftEvidence = Callable[[Drafted], float]


def last_behind(one: Drafted) -> float:
    """1 where the last new number behind it is a value."""
    return float(one.behind > 0 and one.has(one.reading.new[-1][1]))


def nothing_behind(one: Drafted) -> float:
    """1 where no new number stands behind it."""
    return float(not one.behind)


def announced_last(one: Drafted) -> float:
    """1 where the last result that the answer announces is a value."""
    return float(one.reading.announced is not None and one.has(one.reading.announced))


def announces_nothing(one: Drafted) -> float:
    """1 where the answer announces no result."""
    return float(one.reading.announced is None)


def no_question(one: Drafted) -> float:
    """1 where the question states no number."""
    return float(one.reading.given.empty)


def confirmed(one: Drafted) -> float:
    """How many worked equations of the answer follow from it, over 4."""
    return min(one.draft.confirmed, _MOST) / _MOST


def share_confirmed(one: Drafted) -> float:
    """Of the worked equations that it implies or contradicts, the share that it implies; a half without any."""
    weighed = one.draft.confirmed + one.draft.contradicted
    return one.draft.confirmed / weighed if weighed else 0.5


def explains_work(one: Drafted) -> float:
    """The share of the answer's equations that it holds or implies."""
    count = len(one.reading.candidates.equations)
    return min(1.0, (one.draft.core + one.draft.confirmed) / count) if count else 0.5


def all_given_used(one: Drafted) -> float:
    """1 where every number of the question is used."""
    given = one.reading.given
    return float(bool(given.values) and one.used >= len(given.values))


def goes_on(one: Drafted) -> float:
    """1 where a later calculation uses a value: a step, not the end."""
    behind = [numbers for start, numbers in one.reading.calculated_with if start >= one.end]
    values = {value.as_integer_ratio() for row in one.rows for value in row} if behind else ()
    return float(any(value in numbers for value in values for numbers in behind))


def begins(one: Drafted) -> float:
    """Where in the answer it begins, 0 to 1."""
    return one.start / one.reading.length


def ends(one: Drafted) -> float:
    """Where in the answer it ends, 0 to 1."""
    return one.end / one.reading.length


def confirmed_by_question(one: Drafted) -> float:
    """1 where the question, surely read, confirms it."""
    return float(one.says is Stance.CONFIRMS)


def contradicted_by_question(one: Drafted) -> float:
    """1 where the question, surely read, contradicts it."""
    return float(one.says is Stance.CONTRADICTS)


SYSTEM_EVIDENCE: Final[tuple[tuple[DraftEvidence, int], ...]] = (
    (last_behind, 1),
    (nothing_behind, 0),
    (announced_last, 1),
    (announces_nothing, 0),
    (no_question, 0),
    (confirmed, 1),
    (share_confirmed, 1),
    (explains_work, 1),
    (all_given_used, 1),
    (goes_on, -1),
    (begins, 0),
    (ends, 0),
    (confirmed_by_question, 1),
    (contradicted_by_question, -1),
)
"""The evidence of a system with its sign."""
