"""Arithmetic answers: chains of steps composed into one expression (``x = arithmetic``, as Dolphin18K writes them)."""

import re
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final

from extractors.algebra.evaluation import UnknownValueError, evaluate_tree
from extractors.algebra.values import Value, approximate
from extractors.equations.drafts import FRESH, AnswerReading, Composer, Draft, Line, fresh_name
from extractors.equations.given import Ratio
from extractors.equations.identities import is_near, rational_value
from extractors.equations.records import Kind
from extractors.equations.sides import Step
from extractors.errors import ExtractionError
from extractors.expressions.tree import Binary, Equation, Name, Node, Num

MAX_STEPS_BACK: Final = 3
"""How many of the last calculations of an answer may be what it comes to."""
MAX_KNOWN: Final = 24
_TOGETHER: Final = (2, 3)
"""How many of the last calculations may be the answer together."""
_PAIR: Final = 2
_NUMERAL: Final = re.compile(r"[\d,.]*\d")
INVERSE: Final = -1
"""Marks a result that is stated as one over a step's."""
_CLOSE: Final = Fraction(1, 1000)
_ROUNDED: Final = Fraction(2, 1000)
"""Of a value with decimals, which may be rounded to two of them."""


def calculated(reading: AnswerReading) -> Iterator[Draft]:
    """What an answer without unknowns comes to: the results that it closes with, and each of the last calculations."""
    for targets in dict.fromkeys(_results(reading)):
        yield from _composed(targets, reading)


def _results(reading: AnswerReading) -> Iterator[tuple[tuple[int, int], ...]]:
    """The steps, each with its factor, that may be what an answer comes to together."""
    steps = reading.candidates.steps
    if not steps:
        return
    yield tuple(_targets(reading))
    first = max(0, len(steps) - MAX_KNOWN)
    numbers, given = reading.composer.numbers[first:], reading.given.sizes
    for least in _TOGETHER:
        yield tuple((first + index, 1) for index in closing_results(steps[first:], numbers, least, given))
    last = [index for index in range(len(steps) - 1, -1, -1) if not steps[index].checking]
    for index in last[:MAX_STEPS_BACK]:
        yield ((index, 1),)
        if steps[index].percent:
            yield ((index, 100),)
    for count in _TOGETHER:
        if count <= len(last):
            yield tuple((index, 1) for index in reversed(last[:count]))


def told(reading: AnswerReading) -> Iterator[Draft]:
    """The last number that the answer announces, where one operation makes it of two that are known by then.

    Known are the numbers of the question and the results of the calculations. It must be the only such operation.
    """
    announced = [n for n in reading.candidates.announced if not (n.checking or n.part)]
    steps = reading.candidates.steps
    if not announced or reading.given.holds(announced[-1].value):
        return
    last = announced[-1]
    known = [*reading.given.values, *(step.value for step in steps if step.end <= last.start)][:MAX_KNOWN]
    if any(is_near(step.value, last.value) for step in steps):
        return
    found = {node for a, b in combinations(dict.fromkeys(known), 2) for node in _operations(a, b, last.value)}
    if len(found) == 1:
        before = [step for step in steps if step.end <= last.start]
        told = Step(found.pop(), last.value, last.start, last.start + 1, named=True, checking=False)
        node, _ = Composer([*before, told], reading.given.holds).compose(len(before))
        written = _NUMERAL.match(reading.candidates.plain.text, last.start)
        line = Line.of(Equation(Name("x"), node), last.start, written.end() if written else last.start + 1)
        yield Draft(Kind.TOLD, (line,), ({"x": last.value},), "solved", True, 0, 0, 1)


def _operations(a: Fraction, b: Fraction, result: Fraction) -> Iterator[Node]:
    """The operations on two numbers that have a result."""
    for left, right in ((a, b), (b, a)):
        if left - right == result:
            yield Binary("-", Num(left), Num(right))
        if right and is_near(left / right, result, _CLOSE):
            yield Binary("/", Num(left), Num(right))
    if a + b == result:
        yield Binary("+", Num(a), Num(b))
    if a * b == result:
        yield Binary("*", Num(a), Num(b))


def _composed(targets: Sequence[tuple[int, int]], reading: AnswerReading) -> Iterator[Draft]:
    """One ``x = arithmetic`` for each of some results, times its factor."""
    steps = reading.candidates.steps
    equations: list[Line] = []
    values: dict[str, Value] = {}
    for index, factor in targets:
        name = fresh_name(values)
        worked = _worked(index, factor, name, reading)
        if worked is not None:
            values[name], line = worked
            equations.append(line)
    if equations:
        back = len(steps) - 1 - targets[-1][0]
        yield Draft(Kind.ARITHMETIC, tuple(equations), (values,), "solved", True, 0, 0, len(equations), back)


def _worked(index: int, factor: int, name: str, reading: AnswerReading) -> tuple[Value, Line] | None:
    """The value of ``name = arithmetic`` for a step, times its factor; None where it does not come out."""
    if (index, factor) not in reading.worked:
        reading.worked[index, factor] = _calculation(index, factor, reading)
    found = reading.worked[index, factor]
    return None if found is None else (found[0], found[1].renamed(name))


def _calculation(index: int, factor: int, reading: AnswerReading) -> tuple[Value, Line] | None:
    step = reading.candidates.steps[index]
    node, _ = reading.composer.compose(index)
    value = _value(node)
    if value is None or not is_near(approximate(value), step.value):
        return None
    if factor == INVERSE:
        node, value = Binary("/", Num(Fraction(1)), node), 1 / approximate(value)
    elif factor != 1:
        node, value = Binary("*", Num(Fraction(factor)), node), approximate(value) * factor
    return value, Line.of(Equation(Name(FRESH[0]), node), step.start, step.end)


def _value(node: Node) -> Value | None:
    rational = rational_value(node)
    if rational is not None:
        return rational
    try:
        return evaluate_tree(node, {})
    except (ExtractionError, UnknownValueError, ArithmeticError):
        return None


def _targets(reading: AnswerReading) -> list[tuple[int, int]]:
    """The steps whose results the answer ends with, and how it states them.

    With the factor 100 where the result is stated in percent, as INVERSE where a rate was worked out and a time is
    asked and stated (``1/10 + 1/15 = 1/6``, 6 hours).
    """
    steps = reading.candidates.steps
    last = max((i for i, step in enumerate(steps) if not step.checking), default=None)
    if last is None:
        return []
    closing = [n for n in reading.candidates.announced if n.start >= steps[last].end and not n.checking]
    found: list[tuple[int, int]] = []
    matches: dict[tuple[Fraction, bool], tuple[int, int] | None] = {}
    for number in closing:
        if is_time(steps[last], number.value, reading.given.values, reading.given.asked.duration):
            return [(last, INVERSE)]
        stated = number.value, number.percent
        if stated not in matches:
            matches[stated] = _matching(steps[: last + 1], *stated)
        match = matches[stated]
        if match is not None and match not in found:
            found.append(match)
    return found or [(last, 100 if steps[last].percent else 1)]


def _matching(steps: Sequence[Step], value: Fraction, percent: bool) -> tuple[int, int] | None:
    for index in range(len(steps) - 1, -1, -1):
        if is_near(steps[index].value, value, _ROUNDED if value.denominator > 1 else _CLOSE):
            return index, 1
        if (percent or steps[index].percent) and is_near(steps[index].value * 100, value, _CLOSE):
            return index, 100
    return None


def closing_results(
    steps: Sequence[Step], numbers: Sequence[frozenset[Ratio]], least: int, given: Collection[Ratio]
) -> list[int]:
    """The steps at the end that give the values asked, of which there are at least ``least``; none or several.

    Named steps that share a factor (``boys = 4*7 = 28``, ``girls = 3*7 = 21``); as many steps as are asked that share
    the result of an earlier one (``2*10 = 20``, ``3*10 = 30``); a part, and what is left of a total that the question
    gives (``24/2 = 12 cows``, ``30 - 12 = 18 hens``). Where no question is at hand (nothing is ``given``), any total
    counts, and more steps than ``least``. ``numbers`` are those of each step.
    """
    found = _sharing(steps, numbers)
    if found:
        return found
    last = len(steps) - least
    if last > 0 and _share_a_result(steps, numbers, last, given):
        while not given and last > 1 and _share_a_result(steps, numbers, last - 1, given):
            last -= 1
        return list(range(last, len(steps)))
    return [last, last + 1] if least == _PAIR <= len(steps) and _is_rest(steps[last], steps[-1], given) else []


def _share_a_result(
    steps: Sequence[Step], numbers: Sequence[frozenset[Ratio]], first: int, given: Collection[Ratio]
) -> bool:
    """Whether the steps from one on have a number in common that an earlier step worked out."""
    shared = frozenset.intersection(*numbers[first:])
    values = [step.value.as_integer_ratio() for step in steps[:first]] if shared else []
    return any(value in shared and value not in given for value in values)


def _sharing(steps: Sequence[Step], numbers: Sequence[frozenset[Ratio]]) -> list[int]:
    found: list[int] = []
    shared: frozenset[Ratio] = frozenset()
    for index in range(len(steps) - 1, -1, -1):
        shared = shared & numbers[index] if found else numbers[index]
        if not steps[index].named or not shared:
            break
        found.insert(0, index)
    return found if len(found) > 1 else []


def _is_rest(part: Step, rest: Step, given: Collection[Ratio]) -> bool:
    """Whether a named part is taken from a total of the question, and what is left is named."""
    if not (part.named and rest.named and isinstance(rest.node, Binary) and rest.node.op == "-"):
        return False
    total = rest.node.left
    return (
        isinstance(total, Num)
        and rest.node.right == Num(part.value)
        and (not given or total.value.as_integer_ratio() in given)
    )


def is_time(step: Step, time: Fraction, given: Sequence[Fraction], asked: bool) -> bool:
    """Whether a step is a rate of work and a number the time for the whole.

    ``asked``: the question asks for a time; else the step has to add up rates (``1/5 + 1/7 = 12/35``).
    """
    if not 0 < step.value < 1 < time or not is_near(1 / step.value, time):
        return False
    if asked and time not in given:
        return True
    return isinstance(step.node, Binary) and step.node.op in "+-" and _are_rates(step.node, given)


def _are_rates(node: Node, given: Sequence[Fraction]) -> bool:
    """Whether terms are ``1/5``, where the question (if there is one) gives the 5."""
    while isinstance(node, Binary) and node.op in "+-":
        if not _is_rate(node.right, given):
            return False
        node = node.left
    return _is_rate(node, given)


def _is_rate(node: Node, given: Sequence[Fraction]) -> bool:
    if not (
        isinstance(node, Binary) and node.op == "/" and node.left == Num(Fraction(1)) and isinstance(node.right, Num)
    ):
        return False
    return not given or node.right.value in given
