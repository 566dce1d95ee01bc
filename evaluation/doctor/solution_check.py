"""Whether a row's answer is what its own equations and its own solution text come to."""

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from corpus.benchmarks.gold_problems import GoldProblem
from evaluation.gold_corpora.formula_answers import judge
from evaluation.metrics.value_matching import close, contains, same_printed, same_value
from extractors.extraction_errors import ExtractionError
from extractors.quantities.numbers import Number, find_numbers
from extractors.real_numbers.values import Budget, approximate, parse_value
from extractors.solve.equation_systems import Status, parse_system
from extractors.solve.solving import solve
from models.shipped import shipped_model

BUDGET: Final = 4_000
MAX_SOLUTION: Final = 6_000
"""Characters that are read of a solution text, its last ones."""
_MILLIONTH: Final = Fraction(1, 10**6)
_SURE: Final = 0.35
"""A lone solution text seldom gives a likelier value: other answers confirm none."""
_NO_VALUE: Final = ("article", "pronoun", "parity", "ordinal")
_LETTER: Final = re.compile(
    r"\b(?:answer|ans|option|choice|correct)\b[^A-Za-z0-9\n]{0,6}(?:(?:is|option|choice|answer)[^A-Za-z0-9\n]{0,4}){0,3}"
    r"([a-eA-E])(?![A-Za-z0-9'])",
    re.I,
)
_LAST_LETTER: Final = re.compile(r"(?<![A-Za-z0-9'])[(]?([A-E])[).\s\"]{0,4}\Z")
_LONGEST: Final = 40
"""Characters of an answer that are sought as they are written."""
_CALCULATION: Final = re.compile(r"<<[^<>]{0,100}>>")
"""What GSM8K's files repeat of each calculation for a machine."""
_WINDOW: Final = 120
_TAIL: Final = 160
Golds = tuple[tuple[Fraction, ...], ...]


class Contradiction(NamedTuple):
    """What speaks against an answer: the sign of it, and what the other side says, with its characters if any."""

    sign: str
    said: str
    span: tuple[int, int] | None = None


def golds_of(problem: GoldProblem) -> Golds:
    """The alternatives of the answer as rational numbers."""
    return tuple(tuple(approximate(parse_value(value)) for value in values) for values in problem.gold)


def equation_contradiction(problem: GoldProblem, golds: Golds) -> Contradiction | None:
    """What the equations come to, where that is not the answer; None where they agree or cannot be solved.

    ASDiv's formulas are read with their units, remainders and comparisons (``formula_answers``), other equations are
    solved.
    """
    if not golds:
        return None
    if problem.origin == "asdiv" and problem.formula:
        verdict = judge(problem.formula, problem.answer, problem.kind)
        return Contradiction(f"formula: {verdict.kind.value}", verdict.detail) if verdict.suspect else None
    if not problem.equations:
        return None
    try:
        result = solve(parse_system(problem.equations, problem.unknowns or None), budget=Budget(BUDGET))
    except ExtractionError:
        return None
    if result.status is Status.INCONSISTENT:
        return Contradiction("equations: no solution", "no solution")
    rows = [[approximate(value) for value in row] for row in result.solutions]
    if not rows or any(contains(row, gold, _same) for gold in golds for row in rows):
        return None
    found = [value for row in rows for value in row]
    near = any(all(any(abs(one - value) < 1 for value in found) for one in gold) for gold in golds)
    whole = near and all(one.denominator == 1 for gold in golds for one in gold)
    return Contradiction(f"equations: {'rounded' if whole else 'another value'}", ", ".join(map(_shown, found[:6])))


def _same(value: Fraction, one: Fraction) -> bool:
    """Whether a value is one of the answer, as it is printed or up to a millionth."""
    return same_printed(value, one) or same_value(value, one) or (one.denominator > 1 and close(value, one, _MILLIONTH))


def _shown(value: Fraction) -> str:
    return str(value) if value.denominator < 10**6 else f"{float(value):.6g}"


def solution_contradiction(problem: GoldProblem, golds: Golds) -> Contradiction | None:
    """What a solution text says, where that is not the answer; None where all that it says agrees.

    It is read three ways: the option that it names, the number that it ends in, and, where either is not the answer,
    the value that the answer model (``models/answer_model.py``) takes for its answer.
    """
    offset = max(0, len(problem.rationale) - MAX_SOLUTION)
    text = _CALCULATION.sub(lambda match: " " * len(match[0]), problem.rationale[offset:])
    named = _named_option(problem, text)
    if (named is None or named[1] == problem.correct) and _ends_in(_numbers_of(text[-_TAIL:]), golds):
        return None  # most rows, of which the whole text need not be read
    numbers = _numbers_of(text)
    place = _place(text, numbers, problem, golds)
    if named is not None and named[1] != problem.correct:
        return Contradiction("solution: names another option", *_characters(text, named[0], offset))
    if place == "at the end" or (named and place == "inside") or not golds or not numbers:
        return None
    ranking = shipped_model("answers").rank(problem.question, [text])
    same = any(contains(tuple(map(Fraction, ranking.values)), gold) for gold in golds)
    spans = [(one.start, one.end) for one in ranking.spans]
    said = _characters(text, spans[-1] if spans else (numbers[-1].start, numbers[-1].end), offset)
    sure = "" if same else ", surely" if ranking.confidence >= _SURE else ", perhaps"
    reads = "ends in another number, read as the answer" if same else "comes to another value"
    named_it = "names the option but " if named else ""
    return Contradiction(f"solution: {named_it}{reads}{sure}, answer {place}", *said)


def _named_option(problem: GoldProblem, text: str) -> tuple[tuple[int, int], int] | None:
    """The characters and the place of the option that a text names last; None where it names none."""
    if not problem.options:
        return None
    found = [*_LETTER.finditer(text)] or [*_LAST_LETTER.finditer(text)]
    if not found:
        return None
    place = "ABCDE".index(found[-1][1].upper())
    return (found[-1].span(), place) if place < len(problem.options) else None


def _numbers_of(text: str) -> list[Number]:
    return [one for one in find_numbers(text) if one.kind not in _NO_VALUE]


def _ends_in(numbers: Sequence[Number], golds: Golds) -> bool:
    """Whether the last of some numbers are the answer."""
    return any(contains([one.value for one in numbers[-len(gold) :]], gold) for gold in golds)


def _place(text: str, numbers: Sequence[Number], problem: GoldProblem, golds: Golds) -> str:
    """Where the answer stands in a solution text: last of all numbers or of all results, elsewhere, or nowhere."""
    values = [one.value for one in numbers]
    results = [one for one in numbers if text[max(0, one.start - _WINDOW) : one.start].rstrip(" $").endswith("=")]
    if _ends_in(numbers, golds) or _ends_in(results, golds):
        return "at the end"
    written = re.escape("".join(problem.answer[:_LONGEST].split()).strip("."))
    as_written = re.search(rf"(?<![0-9.]){written}(?![0-9])", "".join(text.split()), re.I) if written else None
    return "inside" if as_written or any(contains(values, gold) for gold in golds) else "absent"


def _characters(text: str, span: tuple[int, int], offset: int) -> tuple[str, tuple[int, int]]:
    return text[slice(*span)].strip(), (span[0] + offset, span[1] + offset)
