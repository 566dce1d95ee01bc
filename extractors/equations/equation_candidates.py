"""Candidates of one answer: equations, definition lines and arithmetic steps, parsed, with their spans.

The chains of the scanner are parsed in one scope for the whole answer, so that case drift, letters run together and
``x`` as times are settled over all of them. Chains fall apart into single equations; numeric identities become steps.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Final, NamedTuple

from extractors.equations.document import Document
from extractors.equations.identities import constant_value, is_near, unit_change
from extractors.equations.scanner import Announced, Chain, LooseExpression, Scan, Segment, prose_numbers, scan
from extractors.expressions.grammar import parse_expression_tokens
from extractors.expressions.tokens import NameScope, build_scope
from extractors.expressions.tree import (
    Binary,
    Call,
    Equation,
    Name,
    Node,
    Num,
    Unary,
    has_branch,
    may_branch,
    names_of,
    squared,
)
from extractors.extraction_errors import ExtractionError
from extractors.quantities.numerals import whole_number
from extractors.solve.equation_systems import PI
from extractors.text.plain import PlainText

MAX_CHAINS = 150
_NEXT_NUMBERS = 4
_WORKING: Final = re.compile(
    r"equal|\d\)?[^\S\n]{0,2}(?:[-+*/^x×÷]|times|plus|minus|over|of)\s{0,2}[$(]?\s?[\d(]", re.IGNORECASE
)
"""A sign of working; an answer without one only states what it comes to."""


class CandidateEquation(NamedTuple):
    """An equation of the answer with its unknowns; ``assigns``: it is an unknown and a number.

    The span is in the plain text.
    """

    equation: Equation
    start: int
    end: int
    assigns: bool
    checking: bool
    names: tuple[str, ...]


class Definition(NamedTuple):
    """An expression that may be a quantity of its own: "rest = 81 - a", "x + 6 is the longer".

    ``explicit``: a definition line or an evaluation; ``labelled``: words beside it say what it is.
    """

    node: Node
    start: int
    end: int
    explicit: bool
    labelled: bool


class ArithmeticStep(NamedTuple):
    """Arithmetic: ``node`` was worked out to be ``value``; ``named``: words say what it is; ``percent``: stated so."""

    node: Node
    value: Fraction
    start: int
    end: int
    named: bool
    checking: bool
    percent: bool = False


class Candidates(NamedTuple):
    """All that one answer offers, each kind in order of appearance."""

    document: Document
    equations: tuple[CandidateEquation, ...]
    definitions: tuple[Definition, ...]
    steps: tuple[ArithmeticStep, ...]
    announced: tuple[Announced, ...]

    @property
    def plain(self) -> PlainText:
        """The plain text in which all places lie."""
        return self.document.plain


class _Side(NamedTuple):
    node: Node
    segment: Segment
    names: tuple[str, ...]
    numeric: bool


def read_candidates(text: str) -> Candidates:
    """The candidates of an answer; total, at most quadratic in its length up to ``document.MAX_ANSWER`` characters.

    >>> found = read_candidates("Let rest = 81 - a. Then a + .1(81-a) = .2*81, so a = 9 and 81 - 9 = 72")
    >>> len(found.equations), len(found.definitions), [step.value for step in found.steps]
    (2, 1, [Fraction(72, 1)])
    """
    return candidates_of(Document.of(text))


def candidates_of(document: Document) -> Candidates:
    """The candidates of a text that is read already; none where it only states what it comes to."""
    text = document.plain.text
    if "=" not in text and _WORKING.search(text) is None:
        return Candidates(document, (), (), (), ())
    found = scan(text)
    collector = _CandidateCollector(found)
    for chain in found.chains[:MAX_CHAINS]:
        collector.chain(chain)
    for expression in found.expressions[:MAX_CHAINS]:
        collector.expression(expression)
    announced = tuple(sorted([*collector.results, *prose_numbers(found)], key=lambda number: number.start))
    return Candidates(
        document,
        tuple(collector.equations),
        tuple(sorted(collector.definitions, key=lambda definition: definition.start)),
        tuple(sorted([*collector.steps, *_announced_steps(collector.loose, announced)], key=lambda step: step.start)),
        announced,
    )


class _CandidateCollector:
    def __init__(self, found: Scan) -> None:
        self.scope = _scope(found)
        self.equations: list[CandidateEquation] = []
        self.definitions: list[Definition] = []
        self.steps: list[ArithmeticStep] = []
        self.loose: list[ArithmeticStep] = []
        self.results: list[Announced] = []
        self.assigned: set[str] = set()

    def chain(self, chain: Chain) -> None:
        """Takes a chain apart into equations, definitions and steps."""
        sides = [_parse(segment, self.scope) for segment in chain.segments]
        last = sides[-1]
        if chain.size is not None and last is not None and isinstance(last.node, Num):
            sides[-1] = last._replace(node=Num(chain.size))
        parsed = [side for side in sides if side is not None]
        if any(may_branch(side.segment.pieces or ()) and has_branch(side.node) for side in parsed):
            self._branches(parsed, chain)
            return
        self._definitions(chain, sides)
        for left, right in pairwise(parsed):
            if not (left.numeric and right.numeric) and left.node != right.node:
                self._equation(left, right, chain)
        self._steps(chain, sides)
        self._result(chain, sides)

    def _branches(self, sides: Sequence[_Side], chain: Chain) -> None:
        """The first pair of sides with both roots in it, as one equation; names a formula has are no unknowns here."""
        for left, right in pairwise(sides):
            equation = squared(left.node, right.node)
            if equation is not None:
                self.equations.append(
                    CandidateEquation(
                        equation,
                        left.segment.start,
                        right.segment.end,
                        False,
                        chain.checking,
                        names_of(equation.left, equation.right),
                    )
                )
                return

    def _equation(self, left: _Side, right: _Side, chain: Chain) -> None:
        assigns = _is_assignment(left.node, right.node)
        names = tuple(dict.fromkeys(left.names + right.names))
        if assigns:
            self.assigned.update(names)
        equation = Equation(left.node, right.node)
        self.equations.append(
            CandidateEquation(equation, left.segment.start, right.segment.end, assigns, chain.checking, names)
        )

    def _definitions(self, chain: Chain, sides: Sequence[_Side | None]) -> None:
        """Words on one side and an expression on the other; an expression worked out step by step."""
        first, words = sides[0], any(segment.words and not segment.pieces for segment in chain.segments)
        symbolic = [side for side in sides if side is not None and not side.numeric and not isinstance(side.node, Name)]
        evaluated = first is not None and not first.numeric and _ends_in_number(sides) and self._is_evaluation(first)
        if len(sides) == 2 and not chain.tail and first is not None and _is_multiple(first.node):
            evaluated = False
        if symbolic and (words or evaluated):
            side = symbolic[0]
            self.definitions.append(Definition(side.node, side.segment.start, side.segment.end, True, words))

    def _steps(self, chain: Chain, sides: Sequence[_Side | None]) -> None:
        group: list[_Side] = []
        named = bool(chain.tail) or bool(chain.segments[0].words)
        alone = sides[0] is None and len(sides) == 2
        for side in [*sides, None]:
            if side is not None and side.numeric:
                group.append(side)
                continue
            if len(group) > 1 or alone:
                self.steps.extend(_group_steps(group, named, chain.checking))
            group = []

    def _result(self, chain: Chain, sides: Sequence[_Side | None]) -> None:
        """The last number of a chain that gives a result: ``Dad = 63``, ``x = 9``, ``81 - x = 72``."""
        last, first = sides[-1], sides[0]
        if (
            first is not None
            and not first.numeric
            and not isinstance(first.node, Name)
            and not self._is_evaluation(first)
        ):
            return
        if first is not None and isinstance(first.node, Name) and _ends_in_number(sides):
            self.assigned.add(first.node.name)
        if last is None and len(sides) == 2 and first is not None and first.numeric and chain.segments[0].words:
            last = first
        value = None if last is None or not last.numeric else _plain_value(last.node)
        if last is not None and value is not None:
            percent = "%" in (last.segment.pieces or ())
            value = value * 100 if percent else value
            self.results.append(Announced(value, last.segment.start, percent, chain.checking))

    def _is_evaluation(self, side: _Side) -> bool:
        """Whether an expression comes after its unknowns were given values, so that its number is a result."""
        return self.assigned.issuperset(side.names)

    def expression(self, one: LooseExpression) -> None:
        """An expression outside of equations."""
        side = _parse(Segment(one.pieces, (), one.start, one.end), self.scope)
        if side is None or isinstance(side.node, Name):
            return
        if side.numeric:
            value = constant_value(side.node)
            if value is not None and isinstance(side.node, Binary):
                self.loose.append(ArithmeticStep(side.node, value, one.start, one.end, one.named, one.checking))
        elif not one.checking:
            self.definitions.append(Definition(side.node, one.start, one.end, False, one.named))


def _announced_steps(loose: Sequence[ArithmeticStep], announced: Sequence[Announced]) -> Iterator[ArithmeticStep]:
    """Arithmetic without an equals sign whose value is announced behind it, and what an answer ends with."""
    starts = [number.start for number in announced]
    for place, step in enumerate(loose):
        first = bisect_left(starts, step.end)
        behind = announced[first : first + _NEXT_NUMBERS]
        plain = next((number for number in behind if is_near(number.value, step.value)), None)
        percent = next((n for n in behind if n.percent and is_near(n.value, step.value * 100)), None)
        if plain is not None or percent is not None:
            yield step._replace(named=True, percent=plain is None)
        elif not behind and place == len(loose) - 1:
            yield step


def _scope(found: Scan) -> NameScope:
    lists = []
    for chain in found.chains[:MAX_CHAINS]:
        tokens: list[str] = []
        for segment in chain.segments:
            tokens.extend(segment.pieces or ())
            tokens.append("=")
        tokens[-1] = ""
        lists.append(tokens)
    return build_scope(lists)


def _parse(segment: Segment, scope: NameScope) -> _Side | None:
    """The tree of a side; None for words and for what is outside of the grammar."""
    if not segment.pieces:
        return None
    if len(segment.pieces) == 1 and segment.pieces[0].isdecimal() and segment.pieces[0].isascii():
        return _Side(Num(whole_number(segment.pieces[0])), segment, (), True)
    try:
        node = parse_expression_tokens([*segment.pieces, ""], scope)
    except ExtractionError:
        return None
    names = names_of(node)
    return _Side(node, segment, names, not names)


def _plain_value(node: Node) -> Fraction | None:
    """The value of a number or of a plain fraction; None for what still has to be worked out."""
    if isinstance(node, Num):
        return node.value
    fraction = (
        isinstance(node, Binary) and node.op == "/" and isinstance(node.left, Num) and isinstance(node.right, Num)
    )
    return constant_value(node) if fraction else None


def _is_assignment(left: Node, right: Node) -> bool:
    """An unknown beside a number as such, signed or not."""
    for name, value in ((left, right), (right, left)):
        bare = value.operand if isinstance(value, Unary) else value
        if isinstance(name, Name) and isinstance(bare, Num):
            return True
    return False


def _ends_in_number(sides: Sequence[_Side | None]) -> bool:
    last = sides[-1]
    return last is not None and last.numeric


def _is_multiple(node: Node) -> bool:
    """``2x``: before a number, more likely a worked step than a quantity."""
    return isinstance(node, Binary) and node.op == "*" and isinstance(node.left, Num) and isinstance(node.right, Name)


def _group_steps(group: Sequence[_Side], named: bool, checking: bool) -> Iterator[ArithmeticStep]:
    """The steps of a run of numeric sides; none where it is no calculation or does not come out.

    ``6*25 = 150 cents = $1.50`` changes the unit at the end: a second step, divided by 100 or by 60. Behind its result
    ``3*8 = 24/2 = 12`` goes on as if a new line began.
    """
    worked = [isinstance(side.node, Binary | Call) and side.node != PI for side in group]
    if not any(worked):
        return
    stated = [value for side in group if (value := constant_value(side.node)) is not None]
    if len(stated) < len(group):
        return
    begin, first, ended = 0, worked.index(True), len(group)
    while begin < ended:
        exact, last = stated[first], stated[-1]
        percent = _is_percent(group[-1]) and ended - begin > 1
        if percent and is_near(last * 100, exact) and not is_near(last, exact):
            last, percent = last * 100, False
        split = next((at for at in range(begin, ended - 1) if not is_near(stated[at], exact)), ended - 1)
        if split == ended - 1 and is_near(last, exact):
            split = ended
        result = last if split == ended else stated[split - 1]
        factor = unit_change(result, last) if begin < split == ended - 1 else None
        if split < ended and factor is None:
            if split <= first or not _goes_on(group[split].node, result):
                return
            percent = _is_percent(group[split - 1]) and split - begin > 1
        start, end = group[begin].segment.start, group[split - 1].segment.end
        yield ArithmeticStep(group[first].node, result, start, end, named or factor is not None, checking, percent)
        if factor is not None:
            node = Binary("*", Num(result), Num(factor))
            yield ArithmeticStep(node, last, start, group[split].segment.end, True, checking)
            return
        begin = first = split


def _is_percent(side: _Side) -> bool:
    return "%" in (side.segment.pieces or ())


def _goes_on(node: Node, result: Fraction) -> bool:
    """Whether arithmetic begins with a result: ``24/2`` behind ``3*8 =``."""
    if not isinstance(node, Binary):
        return False
    while isinstance(node, Binary):
        node = node.left
    return isinstance(node, Num) and node.value == result
