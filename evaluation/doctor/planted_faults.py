"""Faults put into problems on purpose, each as a pure function of the problem and a seeded chooser."""

import random
import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from fractions import Fraction
from typing import Final

from corpus.benchmarks.fields import alternatives
from corpus.benchmarks.gold_problems import GoldProblem
from evaluation.doctor.signs import FaultKind
from evaluation.doctor.solution_check import golds_of
from extractors.quantities.numbers import find_numbers
from extractors.real_numbers.values import format_value


class Fault(StrEnum):
    """What is planted."""

    DIGIT = "answer: a digit changed"
    OPERAND = "answer: another number of the solution"
    INTERMEDIATE = "answer: an intermediate result"
    OPTION = "answer: another option keyed"
    SIGN = "answer: the other sign"
    FACTOR = "answer: off by a factor"
    SWAPPED = "answer of another row"
    SENTINEL = "a placeholder for the answer"
    UNREADABLE = "an answer that cannot be read"
    DUPLICATE = "another row with light edits"
    NUMBERLESS = "question without its numbers"
    JOINED = "two problems in one row"
    STATED = "answer put into the question"


_WRONG: Final = frozenset((FaultKind.CONTRADICTS_EQUATIONS, FaultKind.CONTRADICTS_SOLUTION))
FOUND_BY: Final[Mapping[Fault, frozenset[FaultKind]]] = {
    **dict.fromkeys(Fault, _WRONG),
    Fault.SENTINEL: frozenset((FaultKind.SENTINEL,)),
    Fault.UNREADABLE: frozenset((FaultKind.UNREADABLE_ANSWER,)),
    Fault.DUPLICATE: frozenset((FaultKind.DUPLICATE,)),
    Fault.NUMBERLESS: frozenset((FaultKind.NO_NUMBERS,)),
    Fault.JOINED: frozenset((FaultKind.SEVERAL_PROBLEMS,)),
    Fault.STATED: frozenset((FaultKind.ANSWER_IN_QUESTION,)),
}
"""The kinds of findings that name a planted fault."""
_PLACEHOLDERS: Final = ("notfound", "proof", "-", "N/A", "nan", "None", "unknown", "?")
_GARBLED: Final = (
    "see the solution above",
    "#REF!",
    "{0}??{0}",
    "it depends",
    "1.2.3.4",
    "about {0}ish or so",
    "x<{0}",
)
_STATEMENTS: Final = (
    "The answer is {}.",
    "(Answer: {})",
    "It turned out to be {}.",
    "{} is correct.",
    "Hint: the result should be {}.",
    "I already know that it is {}.",
)
_FACTORS: Final = (Fraction(2), Fraction(10), Fraction(100), Fraction(1, 10), Fraction(1, 2))
_LIGHT: Final = (
    (re.compile(r"\bHow many\b", re.I), "What is the number of"),
    (re.compile(r"\b(?:the|a|an) ", re.I), ""),
    (re.compile(r"(?<=[a-z]), "), " "),
    (re.compile(r"\. (?=[A-Z])"), ". Then "),
    (re.compile(r"\bif\b", re.I), "suppose that"),
    (re.compile(r"\b(?:has|had)\b"), "owns"),
)
Chooser = random.Random
Planter = Callable[[GoldProblem, GoldProblem, Chooser], GoldProblem | None]
"""Takes a problem, one that stands before it in its corpus, and a chooser; None where the fault does not fit."""


def planted(problem: GoldProblem, other: GoldProblem) -> tuple[Fault, GoldProblem] | None:
    """The problem with one fault that its id chooses, the next one that fits; None where none does."""
    chooser = random.Random(f"{problem.problem_id}/fault")  # noqa: S311 - reproducible, not secret
    for fault in chooser.sample(list(Fault), len(Fault)):
        made = _PLANTERS[fault](problem, other, chooser)
        if made is not None and made != problem:
            return fault, made
    return None


def _answered(problem: GoldProblem, value: Fraction | None) -> GoldProblem | None:
    """The problem with another value as the first one of its answer; None where it is none or the same."""
    golds = golds_of(problem)
    if value is None or not golds or value in golds[0]:
        return None
    said = "; ".join(map(format_value, (value, *golds[0][1:])))
    return _with_answer(problem, said)


def _with_answer(problem: GoldProblem, said: str) -> GoldProblem:
    options = list(problem.options)
    if problem.correct is not None:
        options[problem.correct] = said
    return problem.model_copy(update={"answer": said, "gold": alternatives(said), "options": tuple(options)})


def _first(problem: GoldProblem) -> Fraction | None:
    return next((gold[0] for gold in golds_of(problem)), None)


def _digit(problem: GoldProblem, _other: GoldProblem, chooser: Chooser) -> GoldProblem | None:
    value = _first(problem)
    digits = format_value(value) if value is not None else ""
    places = [place for place, sign in enumerate(digits) if sign.isdigit()]
    if not places:
        return None
    place = chooser.choice(places)
    changed = digits[:place] + chooser.choice("123456789".replace(digits[place], "")) + digits[place + 1 :]
    return _answered(problem, Fraction(changed))


def _of_solution(problem: GoldProblem, chooser: Chooser, *, results: bool) -> GoldProblem | None:
    """Another number of the solution as the answer: one that stands behind an equals sign, or one that does not."""
    text = problem.rationale or problem.formula or " ; ".join(problem.equations)
    golds = {value for gold in golds_of(problem) for value in gold}
    numbers = [
        one.value
        for one in find_numbers(text)
        if one.value not in golds and (text[: one.start].rstrip(" $").endswith("=") is results)
    ]
    return _answered(problem, chooser.choice(numbers)) if numbers else None


def _option(problem: GoldProblem, _other: GoldProblem, chooser: Chooser) -> GoldProblem | None:
    places = [place for place in range(len(problem.options)) if place != problem.correct]
    if not places:
        return None
    place = chooser.choice(places)
    said = problem.options[place]
    return problem.model_copy(update={"correct": place, "answer": said, "gold": alternatives(said)})


def _sign(problem: GoldProblem, _other: GoldProblem, _chooser: Chooser) -> GoldProblem | None:
    value = _first(problem)
    return None if value is None else _answered(problem, -value)


def _factor(problem: GoldProblem, _other: GoldProblem, chooser: Chooser) -> GoldProblem | None:
    value = _first(problem)
    return None if value is None else _answered(problem, value * chooser.choice(_FACTORS))


def _swapped(problem: GoldProblem, other: GoldProblem, _chooser: Chooser) -> GoldProblem | None:
    if not problem.gold or not other.gold or other.gold == problem.gold:
        return None
    return _with_answer(problem, other.answer or "; ".join(other.gold[0]))


def _placeholder(problem: GoldProblem, _other: GoldProblem, chooser: Chooser) -> GoldProblem | None:
    return _with_answer(problem, chooser.choice(_PLACEHOLDERS))


def _unreadable(problem: GoldProblem, _other: GoldProblem, chooser: Chooser) -> GoldProblem | None:
    made = _with_answer(problem, chooser.choice(_GARBLED).format(problem.answer))
    return None if made.gold else made


def _duplicate(problem: GoldProblem, other: GoldProblem, chooser: Chooser) -> GoldProblem | None:
    text = other.question
    for form, put in chooser.sample(_LIGHT, 2):
        text = form.sub(put, text, count=1)
    kept = {"problem_id": problem.problem_id, "native_id": problem.native_id, "question": text}
    return other.model_copy(update=kept) if problem is not other and text != other.question else None


def _numberless(problem: GoldProblem, _other: GoldProblem, _chooser: Chooser) -> GoldProblem | None:
    text = problem.question
    for one in reversed(find_numbers(text)):
        text = text[: one.start] + "some" + text[one.end :]
    return problem.model_copy(update={"question": re.sub(r"\d+", "some", text)})


def _joined(problem: GoldProblem, other: GoldProblem, _chooser: Chooser) -> GoldProblem | None:
    return None if problem is other else problem.model_copy(update={"question": f"{problem.question} {other.question}"})


def _stated(problem: GoldProblem, _other: GoldProblem, chooser: Chooser) -> GoldProblem | None:
    if not problem.gold:
        return None
    said = chooser.choice(_STATEMENTS).format(" and ".join(problem.gold[0]))
    return problem.model_copy(update={"question": f"{problem.question} {said}"})


_PLANTERS: Final[Mapping[Fault, Planter]] = {
    Fault.DIGIT: _digit,
    Fault.OPERAND: lambda problem, _, chooser: _of_solution(problem, chooser, results=False),
    Fault.INTERMEDIATE: lambda problem, _, chooser: _of_solution(problem, chooser, results=True),
    Fault.OPTION: _option,
    Fault.SIGN: _sign,
    Fault.FACTOR: _factor,
    Fault.SWAPPED: _swapped,
    Fault.SENTINEL: _placeholder,
    Fault.UNREADABLE: _unreadable,
    Fault.DUPLICATE: _duplicate,
    Fault.NUMBERLESS: _numberless,
    Fault.JOINED: _joined,
    Fault.STATED: _stated,
}
