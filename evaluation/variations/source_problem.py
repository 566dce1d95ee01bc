"""A gold problem as variations start from it: numbers of the text in the equations, and what is asked.

``SourceProblem.of`` abstains from what is not sure: every gold value has to be the value of one unknown of the only
solution, and each number of the equations has to stand for one number of the text.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from corpus.benchmarks.gold_problems import GoldProblem
from extractors.expressions.tree import Equation, Name, Node, Num, names_of, substitute
from extractors.extraction_errors import ExtractionError
from extractors.quantities.numbers import Number, find_numbers
from extractors.real_numbers.values import parse_value
from extractors.solve.equation_systems import Status, System, parse_system
from extractors.solve.solving import solve
from extractors.templates.matching import Matcher, align, equivalent_groups, replacements
from extractors.text.sentences import sentence_ends

MAX_NUMBERS = 24
"""Numbers of a text that is varied."""
KEY = "@"
"""Begins the name of a number of the text in the equations."""
_ABBREVIATED = re.compile(r"(?:\b(?:Mr|Mrs|Ms|Dr|St|lbs|lb|oz|ft|in|No|vs|[A-Z])\.|[^.?!\s])\s*\Z")

NumbersByName = Mapping[str, Fraction]


class Abstention(StrEnum):
    """Why there is no variation."""

    NO_TEXT = "no text"
    NO_EQUATIONS = "no equations"
    ZERO = "a number is zero"
    NEGATIVE = "an amount is negative"
    TOO_MANY_NUMBERS = "too many numbers"
    NOT_READ = "equations not read"
    NOT_UNIQUE = "not one solution"
    CONTRADICTED = "the solution is not the gold answer"
    AMBIGUOUS = "a number of the equations stands in the text several times"
    NO_RULE = "the rule does not fit"
    NO_VALUES = "no other numbers fit"
    REFUSED = "refused by the check"


class AbstainedError(Exception):
    """There is no variation; ``reason`` says why."""

    def __init__(self, reason: Abstention) -> None:
        super().__init__(reason.value)
        self.reason = reason


def key_of(number: int) -> str:
    """The name of a number of the text in the equations."""
    return f"{KEY}{number}"


def is_key(name: str) -> bool:
    """Whether a name in an equation is a number of the text."""
    return name.startswith(KEY)


@dataclass(frozen=True)
class SourceProblem:
    """A problem that can be varied.

    ``equations`` are over unknowns and keys of ``numbers``; ``groups`` are numbers that restate one quantity, of which
    the first is in the equations; ``asked`` are the unknowns that are the gold values, in their order; ``values`` are
    those of all unknowns and keys.
    """

    problem: GoldProblem
    numbers: tuple[Number, ...]
    equations: tuple[Equation, ...]
    groups: tuple[tuple[int, ...], ...]
    asked: tuple[str, ...]
    values: NumbersByName

    @property
    def text(self) -> str:
        """The question."""
        return self.problem.question

    @cached_property
    def used(self) -> tuple[int, ...]:
        """The numbers that the equations use."""
        return tuple(int(name[1:]) for name in _names(self.equations) if is_key(name))

    @cached_property
    def unknowns(self) -> tuple[str, ...]:
        """The unknowns of the equations."""
        return unknowns_of(self.equations)

    @property
    def only(self) -> tuple[str, Node] | None:
        """The unknown and its expression, where the only equation is ``unknown = expression``."""
        if len(self.equations) != 1 or not isinstance(self.equations[0].left, Name):
            return None
        unknown, right = self.equations[0].left.name, self.equations[0].right
        return None if is_key(unknown) or any(not is_key(name) for name in names_of(right)) else (unknown, right)

    @classmethod
    def of(cls, problem: GoldProblem) -> "SourceProblem":
        """The problem with its numbers in the equations; AbstainedError for one that is not sure."""
        numbers = _numbers(problem)
        try:
            system = parse_system(problem.equations, problem.unknowns or None)
            equations, groups = _keyed(problem.question, numbers, system)
        except ExtractionError as error:
            raise AbstainedError(Abstention.NOT_READ) from error
        given = {key_of(place): number.value for place, number in enumerate(numbers)}
        values = solved(equations, given)
        if values is None or any(isinstance(target, Num) for target in system.targets):
            raise AbstainedError(Abstention.NOT_UNIQUE)
        if any(value < 0 for value in values.values()) and re.search(r"\bhow (?:many|much)\b", problem.question, re.I):
            raise AbstainedError(Abstention.NEGATIVE)
        return cls(problem, numbers, equations, groups, _asked(problem, values), values)


def _numbers(problem: GoldProblem) -> tuple[Number, ...]:
    if not problem.question.strip():
        raise AbstainedError(Abstention.NO_TEXT)
    if not problem.equations:
        raise AbstainedError(Abstention.NO_EQUATIONS)
    numbers = find_numbers(problem.question)
    if len(numbers) > MAX_NUMBERS:
        raise AbstainedError(Abstention.TOO_MANY_NUMBERS)
    if any(not number.value for number in numbers):
        raise AbstainedError(Abstention.ZERO)
    return numbers


def _keyed(
    text: str, numbers: Sequence[Number], system: System
) -> tuple[tuple[Equation, ...], tuple[tuple[int, ...], ...]]:
    matcher = Matcher(numbers, place_values=re.search(r"\bdigits?\b", text, re.IGNORECASE) is not None)
    marked = [Equation(matcher.mark(e.left), matcher.mark(e.right)) for e in system.equations]
    groups = equivalent_groups(text, numbers)
    alignment = align(text, numbers, matcher.occurrences, groups)
    if system.conditions or any(len(choices) > 1 for choices in alignment.choices):
        raise AbstainedError(Abstention.AMBIGUOUS)
    found = replacements(matcher.occurrences, alignment.chosen)
    return tuple(Equation(substitute(e.left, found), substitute(e.right, found)) for e in marked), groups


def _names(equations: Sequence[Equation]) -> tuple[str, ...]:
    return names_of(*[side for equation in equations for side in (equation.left, equation.right)])


def unknowns_of(equations: Sequence[Equation]) -> tuple[str, ...]:
    """The names in equations that are no numbers of the text."""
    return tuple(name for name in _names(equations) if not is_key(name))


def solved(equations: Sequence[Equation], given: NumbersByName) -> NumbersByName | None:
    """The given values with those of all other names; None where there is not one rational solution."""
    numbers: dict[str, Node] = {name: Num(value) for name, value in given.items()}
    filled = tuple(Equation(substitute(e.left, numbers), substitute(e.right, numbers)) for e in equations)
    names = _names(filled)
    result = solve(System(filled, (), names, tuple(map(Name, names)), True))
    if result.status is not Status.SOLVED or len(result.solutions) != 1 or not names:
        return None
    found = [value for value in result.solutions[0] if isinstance(value, Fraction)]
    return {**given, **dict(zip(names, found, strict=True))} if len(found) == len(names) else None


def _asked(problem: GoldProblem, values: NumbersByName) -> tuple[str, ...]:
    """The unknown of each gold value; a value that is that of none, or of several, is not sure."""
    if len(problem.gold) != 1 or not problem.gold[0]:
        raise AbstainedError(Abstention.CONTRADICTED)
    asked = []
    for text in problem.gold[0]:
        gold = parse_value(text)
        unknowns = [name for name, value in values.items() if not is_key(name) and value == gold]
        if len(unknowns) != 1:
            raise AbstainedError(Abstention.CONTRADICTED if not unknowns else Abstention.NOT_UNIQUE)
        asked.append(unknowns[0])
    return tuple(asked)


def spans_of_sentences(text: str) -> tuple[tuple[int, int], ...]:
    """The first and last places of each sentence, without blanks around it; "Mrs." and "lbs." end none.

    >>> text = "Mrs. Hilt has 3 pens. Why?"
    >>> [text[start:end] for start, end in spans_of_sentences(text)]
    ['Mrs. Hilt has 3 pens.', 'Why?']
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for _, end in pairwise([0, *sentence_ends(text)]):
        piece = text[start:end]
        if end < len(text) and (_ABBREVIATED.search(piece[-16:]) or text[end:].lstrip()[:1].islower()):
            continue
        if piece.strip():
            spans.append((start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())))
        start = end
    return tuple(spans)
