"""Signs that one row of a corpus is not one sound problem: of which kind, and the characters that show it."""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import pairwise
from typing import Final, NamedTuple

from corpus.benchmarks.gold_problems import GoldProblem
from evaluation.doctor.solution_check import Golds, equation_contradiction, golds_of, solution_contradiction
from extractors.quantities.numbers import Number, find_numbers
from extractors.questions.question_types import QuestionType, TypedQuestion, types_of
from extractors.text.sentences import sentence_ends
from models.label_split import OUTCOMES
from models.post_model import PostModel
from models.shipped import shipped_model

MAX_EVIDENCE: Final = 200


class FaultKind(StrEnum):
    """What may be wrong with a row."""

    CONTRADICTS_EQUATIONS = "contradicts_equations"
    CONTRADICTS_SOLUTION = "contradicts_solution"
    REPEATED_OPTION = "repeated_option"
    SENTINEL = "sentinel"
    UNREADABLE_ANSWER = "unreadable_answer"
    ANSWER_IN_QUESTION = "answer_in_question"
    NO_NUMBERS = "no_numbers"
    SEVERAL_PROBLEMS = "several_problems"
    PROOF = "proof"
    YES_OR_NO = "yes_or_no"
    DUPLICATE = "duplicate"
    IN_BENCHMARK = "in_benchmark"


class Sign(NamedTuple):
    """One sign: its kind, its name, which ``shares`` are kept by, the field that shows it and what stands there.

    ``span`` are the characters of that field, None for all of it.
    """

    kind: FaultKind
    name: str
    field: str
    shown: str
    span: tuple[int, int] | None = None


_SENTINELS: Final = frozenset((
    *("notfound", "proof", "na", "nan", "none", "null"),
    *("unknown", "tbd", "todo", "missing", "noanswer", "notavailable"),
))  # fmt: skip
"""Placeholders, their letters and digits alone."""
_SAID: Final = frozenset(("yes", "no", "true", "false"))
_ENOUGH: Final = 2_000
"""Characters of a solution text that show what numbers and words it has."""
_NO_VALUE: Final = ("article", "pronoun")
_ASKS: Final = re.compile(
    r"(?:(?:and|then|also|now|if [^,?]{1,80}),? )?(?:how (?:many|much|long|far|old|fast)|what|which|find|calculate"
    r"|determine|compute)\b",
    re.I,
)
_HOW_MANY: Final = re.compile(r"\bhow (?:many|much|long|far|old|fast|tall|high|wide|big|large|deep)\b", re.I)
_CHANCES: Final = ((0.1, "agrees"), (0.04, "wavers"), (0.0, "does not"))
"""From which probability of several problems on the post model agrees; of 99 in 100 single problems it is below 0.1."""
_SEVERAL: Final = OUTCOMES.index("multiple")


def signs_of(problem: GoldProblem) -> list[Sign]:
    """The signs that a row shows by itself, at most one of each kind."""
    golds = golds_of(problem)
    numbers = [one for one in find_numbers(problem.question) if one.kind not in _NO_VALUE]
    typed = list(types_of(problem.question))
    found = [
        *_contradictions(problem, golds),
        *_answer_signs(problem, golds),
        *_stated(problem, golds, (typed, numbers)),
        *_missing_numbers(problem, numbers),
        *_several(problem, typed),
        *_closed(problem, typed),
    ]
    return list({sign.kind: sign for sign in reversed(found)}.values())[::-1]


def _contradictions(problem: GoldProblem, golds: Golds) -> Iterator[Sign]:
    """An answer that is not what equations or solution come to; the evidence of equations is what they give."""
    found = equation_contradiction(problem, golds)
    if found is not None:
        yield Sign(FaultKind.CONTRADICTS_EQUATIONS, found.sign, "equations", found.said)
    said = solution_contradiction(problem, golds) if problem.rationale else None
    if said is not None:
        yield Sign(FaultKind.CONTRADICTS_SOLUTION, said.sign, "rationale", said.said, said.span)


def _answer_signs(problem: GoldProblem, golds: Golds) -> Iterator[Sign]:
    """Placeholders, answers without a value, and options that say the same."""
    said = problem.answer.strip().casefold()
    word = "".join(filter(str.isalnum, said))
    if word in _SENTINELS or not (word or golds):
        yield Sign(FaultKind.SENTINEL, "answer: a placeholder", "answer", problem.answer)
    elif not golds and said.rstrip(".") not in _SAID:
        form = "digits that are not read" if any(map(str.isdecimal, said)) else "words"
        wanted = "a number is asked for" if _HOW_MANY.search(problem.question) else "no number is asked for"
        yield Sign(FaultKind.UNREADABLE_ANSWER, f"answer: {form}, {wanted}", "answer", problem.answer)
    options = [" ".join(option.casefold().split()) for option in problem.options]
    if problem.correct is not None and options.count(options[problem.correct]) > 1:
        yield Sign(FaultKind.REPEATED_OPTION, "options: the keyed one stands twice", "options", problem.answer)
    elif len(set(options)) < len(options):
        twice = next(option for option in options if options.count(option) > 1)
        yield Sign(FaultKind.REPEATED_OPTION, "options: another one stands twice", "options", twice)


def _stated(
    problem: GoldProblem, golds: Golds, read: tuple[Sequence[TypedQuestion], Sequence[Number]]
) -> Iterator[Sign]:
    """An answer that the question states."""
    typed, numbers = read
    text, kind = problem.question, FaultKind.ANSWER_IN_QUESTION
    values = {value for gold in golds for value in gold}
    same = [one for one in numbers if one.value in values]
    for one in typed:
        if one.type is QuestionType.ANSWER_IN_QUESTION and one.span:
            held = any(one.span[0] <= number.start < one.span[1] for number in same)
            yield _shown(kind, f"question: {'the' if held else 'another'} answer is announced", text, one.span)
    asked = [end for _, end, asks in _asking(text) if asks]
    behind = [number for number in same if asked and number.start >= asked[-1]]
    if behind and not any(one.type is QuestionType.MULTIPLE_CHOICE for one in typed):
        span = behind[-1].start, behind[-1].end
        yield _shown(kind, "question: the answer stands behind what is asked", text, span)


def _solution_numbers(problem: GoldProblem) -> tuple[Number, ...]:
    """The numbers that a row's solution works with."""
    return find_numbers(" ; ".join(problem.equations) or problem.rationale[:_ENOUGH])


def _missing_numbers(problem: GoldProblem, numbers: Sequence[Number]) -> Iterator[Sign]:
    if problem.question.strip() and not numbers and not any(map(str.isdigit, problem.question)):
        used = "the solution has some" if len(_solution_numbers(problem)) > 1 else "nor in a solution"
        yield Sign(FaultKind.NO_NUMBERS, f"question: no numbers, {used}", "question", problem.question[:MAX_EVIDENCE])


def _several(problem: GoldProblem, typed: Sequence[TypedQuestion]) -> Iterator[Sign]:
    """Several problems: by the form of the text, and how likely the post model finds them."""
    text = problem.question
    parts = next((one.span for one in typed if one.type is QuestionType.SEVERAL_PARTS), None)
    form, span = ("parts that ask", parts) if parts is not None else _second_problem(text)
    if span is not None:
        model: PostModel = shipped_model("posts")
        chance = model.probabilities(model.row(text, [problem.rationale[:_ENOUGH]]))[_SEVERAL]
        said = next(said for least, said in _CHANCES if chance >= least)
        yield _shown(FaultKind.SEVERAL_PROBLEMS, f"question: {form}, the post model {said}", text, span)


def _asking(text: str) -> Iterator[tuple[int, int, bool]]:
    """The sentences of a text, and whether each asks."""
    for start, end in pairwise([0, *sentence_ends(text)]):
        sentence = text[start:end].strip()
        yield start, end, sentence.endswith("?") or bool(_ASKS.match(sentence))


def _second_problem(text: str) -> tuple[str, tuple[int, int] | None]:
    """What stands behind a first question: figures and another question, or a question with figures of its own."""
    asked, begun = False, None
    for start, end, asks in _asking(text):
        figures = len(find_numbers(text[start:end])) if asked else 0
        if asks and begun is not None:
            return "figures between two questions", (begun, end)
        if asks and figures > 1:
            return "a second question with figures", (start, end)
        if figures and begun is None:
            begun = start
        asked = asked or asks
    return "", None


def _closed(problem: GoldProblem, typed: Sequence[TypedQuestion]) -> Iterator[Sign]:
    """Proofs, and questions of yes or no."""
    for one, kind in ((QuestionType.PROOF, FaultKind.PROOF), (QuestionType.YES_OR_NO, FaultKind.YES_OR_NO)):
        span = next((found.span for found in typed if found.type is one), None)
        if span is not None:
            yield _shown(kind, f"question: {kind.value}", problem.question, span)
    if problem.answer.strip().casefold().rstrip(".") in _SAID:
        yield Sign(FaultKind.YES_OR_NO, "answer: yes or no", "answer", problem.answer)


def _shown(kind: FaultKind, name: str, text: str, span: tuple[int, int]) -> Sign:
    return Sign(kind, name, "question", text[slice(*span)].strip()[:MAX_EVIDENCE], span)
