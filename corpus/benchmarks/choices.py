"""MathQA and AQuA: multiple-choice problems, with an operation program or with a rationale.

Amini et al., NAACL 2019; Ling et al., ACL 2017. Their upstream files have no ids: a record without one is named by its
number in the file.
"""

import re
from collections.abc import Mapping
from typing import Any

from corpus.benchmarks.gold_problems import GoldProblem, GoldRecordError, alternatives, identifier, text, texts
from corpus.benchmarks.programs import parse_program, program_of
from corpus.benchmarks.single_answers import expression_of
from corpus.reasons import Reason
from extractors.expressions.tree import render
from extractors.extraction_errors import ExtractionError

MATHQA_FIELDS = ("Problem", "options", "correct", "annotated_formula")
AQUA_FIELDS = ("question", "options", "correct", "rationale")
_LETTERS = "abcde"
_OPTION = re.compile(r"(?:\A|, ?|\[? ?')\s*([a-e]) \) ")
_DOUBLED = re.compile(r"\A[a-e] \) ")
_SPACED_COMMA = re.compile(r"(?<=\d) , (?=\d\d\d)")
_LABEL = re.compile(r"\A\(?[A-E]\)\s*")


def mathqa_options(listed: str) -> dict[str, str]:
    """The options of a MathQA record by letter, from either of its two syntaxes.

    >>> mathqa_options("a ) 24 , b ) a ) 1 / 2 , c ) rs . 1 , 200")
    {'a': '24', 'b': '1 / 2', 'c': 'rs . 1,200'}
    """
    marks = list(_OPTION.finditer(listed))
    options: dict[str, str] = {}
    for mark, following in zip(marks, [*marks[1:], None], strict=False):
        raw = listed[mark.end() : following.start() if following else len(listed)]
        raw = _DOUBLED.sub("", raw.strip(" ,'[]"))
        if raw and mark[1] not in options:
            options[mark[1]] = _SPACED_COMMA.sub(",", raw)
    return options


def read_mathqa(record: Mapping[str, Any]) -> GoldProblem:
    """A MathQA record; its program becomes one equation, its answer is the keyed option."""
    listed, formula = text(record, "options"), text(record, "annotated_formula")
    options = mathqa_options(listed)
    letter = text(record, "correct").strip().lower()
    equations, notes = _program(formula)
    known = ("Problem", "Rationale", "annotated_formula", "correct", "category")
    return _choice(
        GoldProblem(
            problem_id="",
            native_id=identifier(record, "id") if record.get("id") is not None else "",
            origin="",
            question=text(record, "Problem"),
            equations=equations,
            unknowns=("x",) if equations else (),
            formula=formula,
            kind=text(record, "category", ""),
            rationale=text(record, "Rationale", ""),
            notes=notes,
            details={name: value for name, value in record.items() if name not in known},
        ),
        (tuple(options.values()), list(options).index(letter) if letter in options else None),
    )


def _program(formula: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    try:
        return (f"x={render(parse_program(formula))}",), ()
    except ExtractionError as error:
        return (), (f"program not read: {error}",)


def _choice(problem: GoldProblem, keyed: tuple[tuple[str, ...], int | None]) -> GoldProblem:
    """The problem with its options and the values of the keyed one."""
    options, correct = keyed
    if correct is None:
        raise GoldRecordError(Reason.WRONG_FIELD, "correct names no option")
    answer = options[correct]
    gold = alternatives(answer)
    notes = problem.notes if gold else (*problem.notes, "the keyed option is not a number")
    return problem.model_copy(
        update={"options": options, "correct": correct, "answer": answer, "gold": gold, "notes": notes}
    )


def read_aqua(record: Mapping[str, Any]) -> GoldProblem:
    """An AQuA record; there are no equations, only a rationale."""
    labelled = texts(record, "options")
    letters = [option.lstrip("( ")[:1].upper() for option in labelled]
    letter = text(record, "correct").strip().upper()
    known = ("question", "rationale", "correct")
    return _choice(
        GoldProblem(
            problem_id="",
            native_id=identifier(record, "id") if record.get("id") is not None else "",
            origin="",
            question=text(record, "question"),
            rationale=text(record, "rationale"),
            details={name: value for name, value in record.items() if name not in known},
        ),
        (
            tuple(_LABEL.sub("", option).strip() for option in labelled),
            letters.index(letter) if letter in letters else None,
        ),
    )


def _options_of(problem: GoldProblem) -> tuple[tuple[str, ...], int]:
    """Options and the index of the right one; a problem without options has its answer as the only one."""
    if problem.options and problem.correct is not None:
        if len(problem.options) > len(_LETTERS):
            raise GoldRecordError(Reason.NOT_EXPRESSIBLE, f"the format holds {len(_LETTERS)} options")
        return problem.options, problem.correct
    answer = problem.answer or " or ".join("; ".join(values) for values in problem.gold)
    if not answer or not problem.question:
        raise GoldRecordError(Reason.NOT_EXPRESSIBLE, "the format needs a text and an answer")
    return (answer,), 0


def write_mathqa(problem: GoldProblem, own: bool) -> dict[str, Any]:
    """The record of a problem whose equation is one program; without options its answer is the only option."""
    options, correct = _options_of(problem)
    if own:
        program, rest = problem.formula, dict(problem.details)
    else:
        try:
            program = program_of(expression_of(problem), problem.question)
        except ExtractionError as error:
            raise GoldRecordError(Reason.NOT_EXPRESSIBLE, str(error)) from error
        listed = " , ".join(f"{letter} ) {option}" for letter, option in zip(_LETTERS, options, strict=False))
        rest = {"id": problem.problem_id, "options": listed}
    return {
        "Problem": problem.question,
        "Rationale": problem.rationale,
        "correct": _LETTERS[correct],
        "annotated_formula": program,
        "category": problem.kind,
        **rest,
    }


def write_aqua(problem: GoldProblem, own: bool) -> dict[str, Any]:
    """The record of a problem with text and answer; without options its answer is the only option."""
    options, correct = _options_of(problem)
    labelled = [f"{letter.upper()}){option}" for letter, option in zip(_LETTERS, options, strict=False)]
    return {
        "question": problem.question,
        "rationale": problem.rationale,
        "correct": _LETTERS[correct].upper(),
        **(dict(problem.details) if own else {"id": problem.problem_id, "options": labelled}),
    }
