"""ASDiv: whether a formula is read and agrees with its answer."""

import re
from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from corpus.benchmarks.asdiv_formulas import Side, Statement, parse_asdiv
from extractors.answers.parsing import parse_answer
from extractors.expressions.tree import Binary, Equation, Name, Node, names_of, walk
from extractors.extraction_errors import ExtractionError
from extractors.real_numbers.values import Value, approximate, sign_of
from extractors.solve.equation_systems import Status, System
from extractors.solve.solving import solve
from extractors.solve.tree_evaluation import UnknownValueError, evaluate_tree
from extractors.templates.matching import decimal_places

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
    if any(gold and all(any(same_printed(other, value) for other in found) for value in gold) for gold in golds):
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


def same_printed(exact: Fraction, printed: Fraction) -> bool:
    """Equal, or equal up to the rounding or cutting of what was printed; a whole number was not rounded.

    >>> same_printed(Fraction(80, 60), Fraction("1.33")), same_printed(Fraction(17, 3), Fraction(6))
    (True, False)
    """
    places = decimal_places(printed)
    return exact == printed or (bool(places) and abs(exact - printed) < Fraction(1, 10 ** (places or 0)))


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
