"""ASDiv's formulas and MathQA's programs against their own answers."""

import re
from collections.abc import Callable, Iterator
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

from corpus.benchmarks.choices import mathqa_options
from corpus.benchmarks.format_registry import format_named
from corpus.benchmarks.programs import parse_linear_program, parse_program
from corpus.benchmarks.reading import read_file
from evaluation.gold_corpora.asdiv_agreement import Consistency, FormulaCheck, judge
from evaluation.metrics.proportions import Proportion
from evaluation.metrics.reading_report import Failure, ReadingReport, Share, read_lines
from evaluation.metrics.value_matching import close, same_printed
from extractors.answers.parsing import parse_answer
from extractors.extraction_errors import ExtractionError
from extractors.real_numbers.values import approximate
from extractors.solve.tree_evaluation import evaluate_tree

_TOKEN_NUMBER = re.compile(r"\d++(?>(?:,\d{3})*)(?:\.\d+)?|\.\d+", re.ASCII)


class ProgramOutcome(StrEnum):
    """What a program gives, held against the options of its problem."""

    AGREES = "agrees"
    OTHER_OPTION = "gives another option"
    NO_OPTION = "gives no option"
    NOT_A_NUMBER = "option is not a number"
    NO_VALUE = "no value"
    NOT_READ = "program not read"


_COMPARED = frozenset((ProgramOutcome.AGREES, ProgramOutcome.OTHER_OPTION, ProgramOutcome.NO_OPTION))


def asdiv(shared: Path) -> ReadingReport:
    """ASDiv 1.0: formulas read, true in their arithmetic, and consistent with the answer."""
    problems = read_file(shared / "asdiv" / "ASDiv.xml", format_named("asdiv"), "ASDiv").problems
    verdicts = [judge(p.formula, p.answer, p.kind) for p in problems]
    others = [judge(p.formula, q.answer, p.kind) for p, q in pairwise(problems)]
    failures = [
        Failure(p.native_id, v.kind, v.detail)
        for p, v in zip(problems, verdicts, strict=True)
        if v.kind is not Consistency.CONSISTENT
    ]
    suspected = [
        f
        for f, v in zip(failures, [v for v in verdicts if v.kind is not Consistency.CONSISTENT], strict=True)
        if v.suspect
    ]
    read = sum(v.kind is not Consistency.NOT_READ for v in verdicts)
    return ReadingReport(
        "ASDiv formulas",
        "Consistent: the formula is read, its arithmetic holds up to the rounding that it prints, and the answer is "
        "what it gives: the end of its last chain, the part of a division that the solution type asks for, a quantity "
        "of the solved equations, a compared name or a time of day. The floor row puts in the next problem's answer.",
        (
            Share("read", Proportion(read, len(problems))),
            Share("consistent with the answer", Proportion(len(problems) - len(failures), len(problems)), 95),
            Share("floor: answer of the next problem", Proportion(_consistent(others), len(others))),
        ),
        tuple(failures),
        tuple(suspected),
    )


def _consistent(verdicts: list[FormulaCheck]) -> int:
    return sum(verdict.kind is Consistency.CONSISTENT for verdict in verdicts)


def mathqa(shared: Path) -> ReadingReport:
    """MathQA: programs read and evaluated, and how often they give the option that is keyed as correct."""
    records = list(read_lines(shared / "mathqa" / "mathqa_dev_first2000.jsonl"))
    judged = [(record["id"], *_program_verdict(record)) for record in records]
    read = sum(kind not in (ProgramOutcome.NOT_READ, ProgramOutcome.NO_VALUE) for _, kind, _ in judged)
    compared = [row for row in judged if row[1] in _COMPARED]
    agrees = sum(kind is ProgramOutcome.AGREES for _, kind, _ in compared)
    failures = tuple(Failure(*row) for row in judged if row[1] is not ProgramOutcome.AGREES)
    steps = [_steps_agree(record) for record in records]
    both = [verdict for verdict in steps if verdict is not None]
    suspected = tuple(failure for failure in failures if failure.kind == ProgramOutcome.OTHER_OPTION)
    return ReadingReport(
        "MathQA operation programs",
        "Evaluated exactly with bounds. Agreement: the value is the keyed option up to the rounding the option prints, "
        "over records whose option is a number. The programs are noisy (27 % wrong on an arithmetic subset, ASDiv "
        "3.2), so agreement says more about them than about the reader.",
        (
            Share("annotated programs read and evaluated", Proportion(read, len(records))),
            Share("linear programs equal to annotated ones", Proportion.of(both)),
            Share("agreement with the keyed option", Proportion(agrees, len(compared))),
        ),
        failures,
        suspected,
    )


def _evaluated(parse: Callable[[], Any]) -> Fraction | tuple[ProgramOutcome, str]:
    try:
        node = parse()
    except ExtractionError as error:
        return ProgramOutcome.NOT_READ, str(error)
    try:
        return approximate(evaluate_tree(node, {}))
    except ExtractionError as error:
        return ProgramOutcome.NO_VALUE, str(error)


def _program_verdict(record: dict[str, Any]) -> tuple[ProgramOutcome, str]:
    value = _evaluated(lambda: parse_program(record["annotated_formula"]))
    if isinstance(value, tuple):
        return value
    options = mathqa_options(record["options"])
    keyed = list(_option_values(options.get(record["correct"], "")))
    if not keyed:
        return ProgramOutcome.NOT_A_NUMBER, options.get(record["correct"], "")
    if any(same_printed(value, option) for option in keyed):
        return ProgramOutcome.AGREES, ""
    others = [letter for letter, text in options.items() if any(same_printed(value, v) for v in _option_values(text))]
    if others:
        return ProgramOutcome.OTHER_OPTION, ",".join(others)
    return ProgramOutcome.NO_OPTION, f"{float(value):.6g}"


def _option_values(text: str) -> Iterator[Fraction]:
    """The single values an option may mean; a ratio is a quotient."""
    for values in parse_answer(text):
        if len(values) == 1:
            yield approximate(values[0])


def _steps_agree(record: dict[str, Any]) -> bool | None:
    """Whether the steps give the value of the nested calls; None where either cannot be evaluated."""
    nested = _evaluated(lambda: parse_program(record["annotated_formula"]))
    numbers = [
        Fraction(token.replace(",", "")) for token in record["Problem"].split() if _TOKEN_NUMBER.fullmatch(token)
    ]
    stepped = _evaluated(lambda: parse_linear_program(record["linear_formula"], numbers))
    if isinstance(nested, tuple) or isinstance(stepped, tuple):
        return None
    return close(stepped, nested, Fraction(1, 10**9))
