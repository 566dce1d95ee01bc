"""A gold problem as variations start from it, and the drafts that edits of its text make.

``SourceProblem.of`` abstains from what is not sure: every gold value has to be the value of one unknown of the only
solution, and each number of the equations has to stand for one number of the text. A rule edits the text by pieces,
so that the place of every number stays known.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, TypeAlias

from corpus.benchmarks.gold_problems import GoldProblem
from extractors.expressions.tree import Equation, Name, Node, Num, names_of, substitute, walk
from extractors.extraction_errors import ExtractionError
from extractors.quantities.numbers import Number, find_numbers
from extractors.quantities.numerals import TENS, UNITS
from extractors.real_numbers.values import parse_value
from extractors.solve.equation_systems import Status, System, parse_system
from extractors.solve.solving import solve
from extractors.solve.tree_evaluation import evaluate_tree
from extractors.templates.matching import Matcher, align, equivalent_groups, replacements
from extractors.text.sentences import spans_of_sentences

MAX_NUMBERS = 24
"""Numbers of a text that is varied."""
KEY = "@"
"""Begins the name of a number of the text in the equations."""

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

    def __init__(self, reason: Abstention = Abstention.NO_RULE) -> None:
        super().__init__(reason.value)
        self.reason = reason


def key_of(number: int) -> str:
    """The name of a number of the text in the equations."""
    return f"{KEY}{number}"


def is_key(name: str) -> bool:
    """Whether a name in an equation is a number of the text."""
    return name.startswith(KEY)


class OldText(NamedTuple):
    """Characters of the old text as they stand there."""

    start: int
    end: int


class NewNumber(NamedTuple):
    """A number that is put in, by its key."""

    key: str
    raw: str


Piece: TypeAlias = OldText | NewNumber | str


class TextEdit(NamedTuple):
    """What stands from ``start`` to ``end`` gives way to pieces."""

    start: int
    end: int
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class VariationDraft:
    """A variation before it is checked: the text, the place of each of its numbers, and the equations over their keys.

    ``values`` are those of all keys and unknowns; without ``asked`` the problem has no answer.
    """

    text: str
    places: Mapping[str, tuple[int, int]]
    equations: tuple[Equation, ...]
    asked: tuple[str, ...]
    values: NumbersByName


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

    def restated(self, number: int) -> tuple[int, ...]:
        """The numbers that restate this one, itself among them."""
        return next((group for group in self.groups if number in group), (number,))

    @cached_property
    def unknowns(self) -> tuple[str, ...]:
        """The unknowns of the equations."""
        return unknowns_of(self.equations)

    @cached_property
    def sentences(self) -> tuple[tuple[int, int], ...]:
        """The places of the sentences of the text."""
        return spans_of_sentences(self.text)

    @property
    def parts(self) -> list[Node]:
        """Every node of the equations."""
        return [part for equation in self.equations for side in equation[:2] for part in walk(side)]

    @property
    def expression(self) -> Node | None:
        """What the only unknown is, where the only equation is ``unknown = expression``."""
        left, right = self.equations[0][:2]
        plain = len(self.equations) == 1 and isinstance(left, Name) and not is_key(left.name)
        return right if plain and all(map(is_key, names_of(right))) else None

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

    def edited(self, edits: Sequence[TextEdit]) -> tuple[str, dict[str, tuple[int, int]]]:
        """The text with some disjoint edits, and where its numbers stand by key."""
        text = ""
        places: dict[str, tuple[int, int]] = {}
        for piece in _pieces(0, len(self.text), edits):
            if isinstance(piece, OldText):
                moved = len(text) - piece.start
                for place, found in enumerate(self.numbers):
                    if piece.start <= found.start and found.end <= piece.end:
                        places[key_of(place)] = (found.start + moved, found.end + moved)
                text += self.text[piece.start : piece.end]
            elif isinstance(piece, NewNumber):
                places[piece.key] = (len(text), len(text) + len(piece.raw))
                text += piece.raw
            else:
                text += piece
        return text, places

    def draft(self, edits: Sequence[TextEdit], given: NumbersByName | None = None) -> VariationDraft:
        """The same equations over an edited text; ``given`` are values that are new or others."""
        return VariationDraft(*self.edited(edits), self.equations, self.asked, {**self.values, **(given or {})})

    def asking(self, edits: Sequence[TextEdit], answer: Node, given: NumbersByName | None = None) -> VariationDraft:
        """An edited text whose only equation says that the unknown is another expression."""
        unknown, values = self.asked[0], {**self.values, **(given or {})}
        value = evaluate_tree(answer, values)
        if not isinstance(value, Fraction):
            raise AbstainedError(Abstention.NO_VALUES)
        equations = (Equation(Name(unknown), answer),)
        return VariationDraft(*self.edited(edits), equations, (unknown,), {**values, unknown: value})

    def as_sentence(self, span: tuple[int, int] | None, edits: Sequence[TextEdit] = ()) -> tuple[Piece, ...]:
        """A clause as a sentence of its own with a blank behind it, with the edits inside it; nothing without one."""
        if span is None:
            return ()
        start, end = span
        inside = [edit for edit in edits if start <= edit.start < end]
        if all(edit.start != start for edit in inside):
            first = TextEdit(start, start + 1, (self.text[start].upper(),))
            for place, number in enumerate(self.numbers):
                if number.start == start:
                    raw = number.raw[0].upper() + number.raw[1:]
                    first = TextEdit(start, number.end, (NewNumber(key_of(place), raw),))
            inside.append(first)
        return (*_pieces(start, end, inside), ". ")


def _pieces(start: int, end: int, edits: Sequence[TextEdit]) -> Iterator[Piece]:
    """What stands from ``start`` to ``end``, with disjoint edits."""
    for edit in sorted(edits):
        yield OldText(start, edit.start)
        yield from edit.pieces
        start = edit.end
    yield OldText(start, end)


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
    return replaced(marked, found), groups


def replaced(equations: Sequence[Equation], nodes: dict[str, Node]) -> tuple[Equation, ...]:
    """Equations with some names replaced."""
    return tuple(Equation(substitute(e.left, nodes), substitute(e.right, nodes)) for e in equations)


def _names(equations: Sequence[Equation]) -> tuple[str, ...]:
    return names_of(*[side for equation in equations for side in (equation.left, equation.right)])


def unknowns_of(equations: Sequence[Equation]) -> tuple[str, ...]:
    """The names in equations that are no numbers of the text."""
    return tuple(name for name in _names(equations) if not is_key(name))


def solved(equations: Sequence[Equation], given: NumbersByName) -> NumbersByName | None:
    """The given values with those of all other names; None where there is not one rational solution."""
    filled = replaced(equations, {name: Num(value) for name, value in given.items()})
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


_WORDS = {value: word for word, value in reversed(UNITS.items())}
_TENS = {value: word for word, value in reversed(TENS.items())}
"""The first spelling of each; the lists hold misspelt ones behind it."""
_TOKENISED = re.compile(r"\w [.?,](?:\s|\Z)")
_JOINED = re.compile(r"\w[.?,](?:\s|\Z)")


def in_words(value: int) -> str:
    """A number below a thousand in words.

    >>> in_words(7), in_words(42), in_words(130)
    ('seven', 'forty-two', 'one hundred thirty')
    """
    if value in _WORDS:
        return _WORDS[value]
    if value < 100:
        rest = value % 10
        return _TENS[value - rest] + (f"-{_WORDS[rest]}" if rest else "")
    rest = value % 100
    return f"{_WORDS[value // 100]} hundred" + (f" {in_words(rest)}" if rest else "")


def written_like(raw: str, value: Fraction) -> str:
    """A value written as another number is: in words, with a comma at the thousands, with as many decimals.

    >>> written_like("Seven", Fraction(40)), written_like("1,200", Fraction(2300)), written_like("4.00", Fraction(5))
    ('Forty', '2,300', '5.00')
    """
    if raw[:1].isalpha():
        words = in_words(int(value))
        return words.capitalize() if raw[:1].isupper() else words
    comma = "," if "," in raw or (value >= 10_000 and len(raw) < 5) else ""
    places = len(raw.partition(".")[2])
    while (value * 10**places).denominator != 1:
        places += 1
    whole, rest = divmod(int(value * 10**places), 10**places)
    return f"{whole:{comma}}" + (f".{rest:0{places}d}" if places else "")


def sentence_like(source: SourceProblem, words: str) -> str:
    """A sentence in the manner of the text: tokenised texts have blanks before marks and the possessive.

    The words hold no numbers: these are pieces of their own.
    """
    if len(_TOKENISED.findall(source.text)) <= len(_JOINED.findall(source.text)):
        return words
    return re.sub(r"(?<=\w)(?=[.?,](?:\s|\Z)|'s\b)", " ", words)
