"""ASDiv's formulas and MathQA's programs against their own answers."""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from corpus.benchmarks.asdiv_formulas import Side, Statement, parse_asdiv
from corpus.benchmarks.choices import mathqa_options
from corpus.benchmarks.format_registry import format_named
from corpus.benchmarks.programs import parse_program
from corpus.benchmarks.reading import read_file
from evaluation.metrics.proportions import Proportion
from evaluation.metrics.reading_report import Failure, ReadingReport, Share, read_lines
from evaluation.metrics.value_matching import contains, same_printed
from extractors.answers.parsing import parse_answer
from extractors.expressions.tree import Binary, Equation, Name, Node, names_of, walk
from extractors.extraction_errors import ExtractionError
from extractors.real_numbers.values import Value, approximate, sign_of
from extractors.solve.equation_systems import Status, System
from extractors.solve.solving import solve
from extractors.solve.tree_evaluation import UnknownValueError, evaluate_tree

_COMPARED = {"yes", "no", "they are equal", "the same", "equal"}
_CENTS = {"dollar": 100, "dollars": 100, "cent": 1, "cents": 1}
_TIME = re.compile(r"(\d{1,2}(?::\d\d){1,2})\s*([ap]\.?m)?", re.ASCII | re.IGNORECASE)
_DIGITS = re.compile(r"-?\d+(?:\.\d+)?", re.ASCII)


class Consistency(StrEnum):
    """Whether a formula agrees with its answer, or the class of its failure."""

    CONSISTENT = "consistent"
    NOT_READ = "not read"
    FALSE_ARITHMETIC = "its arithmetic does not hold"
    OTHER_NUMBER = "another number than the answer"
    INCONSISTENT = "equations inconsistent"
    UNDERDETERMINED = "equations underdetermined"
    UNSUPPORTED = "equations unsupported"
    TOO_LARGE = "equations too_large"
    MALFORMED = "equations malformed"


_UNSOLVED = {
    Status.INCONSISTENT: Consistency.INCONSISTENT,
    Status.UNDERDETERMINED: Consistency.UNDERDETERMINED,
    Status.UNSUPPORTED: Consistency.UNSUPPORTED,
    Status.TOO_LARGE: Consistency.TOO_LARGE,
    Status.MALFORMED: Consistency.MALFORMED,
}


class FormulaCheck(NamedTuple):
    """How a formula was judged; ``suspect`` marks gold that contradicts itself."""

    kind: Consistency
    detail: str = ""
    suspect: bool = False


CONSISTENT = FormulaCheck(Consistency.CONSISTENT)


def judge(formula: str, answer: str, solution_type: str) -> FormulaCheck:
    """Reads a formula, checks its arithmetic, and compares what it gives with the answer.

    >>> print(judge("47/6=7 r5", "5 (cookies)", "Surplus").kind)
    consistent
    >>> print(judge("47/6=7 r5", "9 (cars)", "Ceil-Division").kind)
    another number than the answer
    """
    try:
        statements = parse_asdiv(formula)
        return _judged(statements, answer, solution_type)
    except (ExtractionError, UnknownValueError) as error:
        return FormulaCheck(Consistency.NOT_READ, str(error))


def _judged(statements: Sequence[Statement], answer: str, solution_type: str) -> FormulaCheck:
    chains = [statement for statement in statements if statement.kind == "chain"]
    names = names_of(*[term for chain in chains for side in chain.sides for term in side.terms])
    values: dict[str, Value] = {}
    if names:
        solved = _solved(chains, names)
        if isinstance(solved, FormulaCheck):
            return solved
        values = solved
    wrong = next((chain for chain in chains if not _holds(chain, values)), None)
    if wrong is not None:
        return FormulaCheck(Consistency.FALSE_ARITHMETIC, suspect=True)
    if _matches_words(statements, answer) or _matches_clock(statements, answer):
        return CONSISTENT
    found = _outcomes(statements, values, solution_type)
    golds = [[approximate(value) for value in gold] for gold in parse_answer(answer)]
    golds.append([Fraction(raw) for raw in _DIGITS.findall(answer.split("(")[0])])
    if any(gold and contains(found, gold, same_printed) for gold in golds):
        return CONSISTENT
    detail = f"{[str(value) for value in found[:6]]} for {answer}"
    return FormulaCheck(Consistency.OTHER_NUMBER, detail, suspect=True)


def _solved(chains: Sequence[Statement], names: Sequence[str]) -> dict[str, Value] | FormulaCheck:
    """The unknowns of the equations; the first solution that is positive throughout, else the first."""
    equations = [
        equation
        for chain in chains
        for left, right in pairwise(chain.sides)
        for equation in _equations(left, right)
        if names_of(equation.left, equation.right)
    ]
    system = System(tuple(equations), (), tuple(names), tuple(map(Name, names)), declared=False)
    result = solve(system)
    if not result.solutions:
        return FormulaCheck(_UNSOLVED[result.status], result.detail)
    best = max(result.solutions, key=lambda solution: all(sign_of(value) > 0 for value in solution))
    return dict(zip(result.unknowns, best, strict=True))


def _equations(left: Side, right: Side) -> list[Equation]:
    """One equation, or for a ratio one for each pair of neighbouring terms."""
    if len(left.terms) != len(right.terms):
        return []
    if len(left.terms) == 1:
        return [Equation(left.terms[0], right.terms[0])]
    pairs = list(zip(left.terms, right.terms, strict=True))
    return [Equation(Binary("*", a, d), Binary("*", b, c)) for (a, b), (c, d) in pairwise(pairs)]


def _value(node: Node, values: dict[str, Value]) -> Fraction:
    return approximate(evaluate_tree(node, values))


def _holds(chain: Statement, values: dict[str, Value]) -> bool:
    """Whether every relation of a chain is true."""
    pairs = pairwise(chain.sides)
    return all(_relation(left, right, op, values) for (left, right), op in zip(pairs, chain.relations, strict=True))


def _relation(left: Side, right: Side, op: str, values: dict[str, Value]) -> bool:
    if len(left.terms) != len(right.terms):
        return False
    first, second = ([_value(term, values) for term in side.terms] for side in (left, right))
    if right.remainder is not None:
        return _divides(left, second[0], right.remainder, values)
    if len(first) > 1:
        return all(same_printed(a * second[0], b * first[0]) for a, b in zip(first, second, strict=True))
    a, b = first[0], second[0]
    if op == "=":
        return same_printed(a, b) or same_printed(b, a)
    if left.unit in _CENTS and right.unit in _CENTS:
        a, b = a * _CENTS[left.unit], b * _CENTS[right.unit]
    return {"<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b}[op]


def _divides(side: Side, quotient: Fraction, remainder: int, values: dict[str, Value]) -> bool:
    """``a/b = q r m`` holds where ``a = q*b + m``."""
    node = side.terms[0]
    if not isinstance(node, Binary) or node.op != "/":
        return False
    return _value(node.left, values) == quotient * _value(node.right, values) + remainder


def _outcomes(statements: Sequence[Statement], values: dict[str, Value], solution_type: str) -> list[Fraction]:
    """What a formula gives: the end of its last chain, or all its quantities where it has unknowns."""
    chains = [statement for statement in statements if statement.kind in ("chain", "sequence") and statement.sides]
    if values:
        return _quantities(chains, values)
    if not chains:
        return []
    out = [value for chain in chains[-1:] for value in _ends(chain, solution_type)]
    # Several answers ("17 (years old); 12 (years old)") are the ends of several chains.
    return out + [value for chain in chains[:-1] for value in _ends(chain, solution_type) if len(chains) > 1]


def _ends(chain: Statement, solution_type: str) -> list[Fraction]:
    last = chain.sides[-1]
    terms = [_value(term, {}) for term in last.terms]
    if chain.kind == "sequence":
        return terms[-1:]
    if last.remainder is not None:
        return _by_type(terms[0], last.remainder, solution_type)
    ratio = [terms[0] / terms[1]] if len(terms) == 2 and terms[1] else []
    return terms + ratio


def _by_type(quotient: Fraction, remainder: int, solution_type: str) -> list[Fraction]:
    """Which part of a division the problem asks for."""
    if solution_type == "Surplus":
        return [Fraction(remainder)]
    if solution_type == "Floor-Division":
        return [quotient]
    if solution_type == "Ceil-Division":
        return [quotient + (remainder > 0)]
    return [quotient, Fraction(remainder), quotient + 1]


def _quantities(chains: Sequence[Statement], values: dict[str, Value]) -> list[Fraction]:
    """The unknowns, the quantities that the equations are made of, and the quotient of two unknowns (a fraction)."""
    nodes = [node for chain in chains for side in chain.sides for term in side.terms for node in walk(term)]
    out = [approximate(value) for value in values.values()]
    out += [_value(node, values) for node in dict.fromkeys(nodes)]
    first = out[: len(values)]
    return out + ([first[0] / first[1]] if len(first) == 2 and first[1] else [])


def _matches_words(statements: Sequence[Statement], answer: str) -> bool:
    """A comparison: the answer is a name beside one of its sides, or says whether it holds."""
    wanted = answer.strip().lower().rstrip(".")
    sides = [side for statement in statements for side in statement.sides]
    labels = {side.label.lower() for side in sides if side.label}
    compares = any(set(statement.relations) & {"<", ">", "<=", ">="} for statement in statements)
    return wanted in labels or (wanted in _COMPARED and (compares or len(labels) > 1))


def _matches_clock(statements: Sequence[Statement], answer: str) -> bool:
    """A time of day: same hours and minutes, and the same half of the day where both say it."""
    clocks = [statement.text for statement in statements if statement.kind == "clock"]
    gold = _TIME.search(answer)
    if not clocks or gold is None:
        return False
    found = _TIME.search(clocks[-1])
    return found is not None and found[1] == gold[1] and (not (found[2] and gold[2]) or found[2] == gold[2])


class ProgramOutcome(StrEnum):
    """What a program gives, held against the options of its problem."""

    AGREES = "agrees"
    OTHER_OPTION = "gives another option"
    NO_OPTION = "gives no option"
    NOT_A_NUMBER = "option is not a number"
    NO_VALUE = "no value"
    NOT_READ = "program not read"


_WITH_A_VALUE = frozenset((ProgramOutcome.AGREES, ProgramOutcome.OTHER_OPTION, ProgramOutcome.NO_OPTION))


def asdiv(shared: Path) -> ReadingReport:
    """ASDiv 1.0: formulas read, true in their arithmetic, and consistent with the answer."""
    problems = read_file(shared / "asdiv" / "ASDiv.xml", format_named("asdiv"), "ASDiv").problems
    verdicts = [judge(p.formula, p.answer, p.kind) for p in problems]
    others = [judge(p.formula, q.answer, p.kind) for p, q in pairwise(problems)]
    wrong = [(p, v) for p, v in zip(problems, verdicts, strict=True) if v.kind is not Consistency.CONSISTENT]
    failures = [Failure(p.native_id, v.kind, v.detail) for p, v in wrong]
    suspected = [failure for failure, (_, v) in zip(failures, wrong, strict=True) if v.suspect]
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
    compared = [row for row in judged if row[1] in _WITH_A_VALUE]
    agrees = sum(kind is ProgramOutcome.AGREES for _, kind, _ in compared)
    failures = tuple(Failure(*row) for row in judged if row[1] is not ProgramOutcome.AGREES)
    suspected = tuple(failure for failure in failures if failure.kind == ProgramOutcome.OTHER_OPTION)
    return ReadingReport(
        "MathQA operation programs",
        "Evaluated exactly with bounds. Agreement: the value is the keyed option up to the rounding the option prints, "
        "over records whose option is a number. The programs are noisy (27 % wrong on an arithmetic subset, ASDiv "
        "3.2), so agreement says more about them than about the reader.",
        (
            Share("annotated programs read and evaluated", Proportion(read, len(records))),
            Share("agreement with the keyed option", Proportion(agrees, len(compared))),
        ),
        failures,
        suspected,
    )


def _program_verdict(record: dict[str, Any]) -> tuple[ProgramOutcome, str]:
    try:
        node = parse_program(record["annotated_formula"])
    except ExtractionError as error:
        return ProgramOutcome.NOT_READ, str(error)
    try:
        value = approximate(evaluate_tree(node, {}))
    except ExtractionError as error:
        return ProgramOutcome.NO_VALUE, str(error)
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
