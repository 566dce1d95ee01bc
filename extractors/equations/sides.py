"""The sides of a chain: runs of numeric sides as calculations, and both roots in one line.

``x - 2 = ±5`` and ``x = (5 ± 1)/2`` are one equation without the sign.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from extractors.algebra.systems import PI
from extractors.equations.identities import constant_value, is_near, unit_change
from extractors.equations.scanner import Segment
from extractors.expressions.tree import Binary, Call, Equation, Node, Num, Unary, names_of, walk

_TWO = Num(Fraction(2))


class Step(NamedTuple):
    """Arithmetic: ``node`` was worked out to be ``value``; ``named``: words say what it is; ``percent``: stated so."""

    node: Node
    value: Fraction
    start: int
    end: int
    named: bool
    checking: bool
    percent: bool = False


class Side(NamedTuple):
    """One side of a chain that was parsed; ``numeric``: it holds no unknown."""

    node: Node
    segment: Segment
    numeric: bool


def with_both_roots(sides: list[Side | None]) -> list[Side | None]:
    """Reads ``+-`` as both signs on the right of ``x =`` and ``x - 2 =``, where nothing follows it."""
    first, last = sides[0], sides[-1]
    if len(sides) != 2 or first is None or last is None or first.numeric or not last.numeric:
        return sides
    return [first, last._replace(node=with_typed_sign(last.node, last.segment.pieces or ()))]


def group_steps(group: Sequence[Side], named: bool, checking: bool) -> Iterator[Step]:
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
        yield Step(group[first].node, result, start, end, named or factor is not None, checking, percent)
        if factor is not None:
            node = Binary("*", Num(result), Num(factor))
            yield Step(node, last, start, group[split].segment.end, True, checking)
            return
        begin = first = split


def _is_percent(side: Side) -> bool:
    return "%" in (side.segment.pieces or ())


def _goes_on(node: Node, result: Fraction) -> bool:
    """Whether arithmetic begins with a result: ``24/2`` behind ``3*8 =``."""
    if not isinstance(node, Binary):
        return False
    while isinstance(node, Binary):
        node = node.left
    return isinstance(node, Num) and node.value == result


def squared(left: Node, right: Node) -> Equation | None:
    """``L = (A ± B)/C`` as ``(L*C - A)^2 = B^2``, for one unknown on the left and none on the right; else None."""
    if has_branch(left) or len(names_of(left)) != 1 or names_of(right):
        return None
    if isinstance(right, Binary) and right.op == "/" and not has_branch(right.right):
        left, right = Binary("*", left, right.right), right.left
    if isinstance(right, Unary) and right.op == "±":
        rest, root = left, right.operand
    elif isinstance(right, Binary) and right.op == "±":
        rest, root = Binary("-", left, right.left), right.right
    else:
        return None
    return None if has_branch(rest) or has_branch(root) else Equation(Binary("^", rest, _TWO), _square(root))


def with_typed_sign(node: Node, pieces: Sequence[str]) -> Node:
    """The tree with ``+-`` between two operands, or before the only one, read as ``±``; the same tree without one."""
    if pieces[:2] == ("+", "-"):
        return Unary("±", node.operand) if isinstance(node, Unary) and node.op == "-" else node
    if ("+", "-") not in pairwise(pieces):
        return node
    if isinstance(node, Binary) and node.op == "/":
        return Binary("/", with_typed_sign(node.left, pieces), node.right)
    if isinstance(node, Binary) and node.op == "+" and isinstance(node.right, Unary) and node.right.op == "-":
        return Binary("±", node.left, node.right.operand)
    return node


def may_branch(pieces: Sequence[str]) -> bool:
    """Whether the pieces of an expression can give ``±``: quicker than a look at its tree."""
    return "±" in pieces or "+/-" in pieces or ("+", "-") in pairwise(pieces)


def has_branch(node: Node) -> bool:
    """Whether ``±`` stands in a tree."""
    return any(isinstance(part, Unary | Binary) and part.op == "±" for part in walk(node))


def _square(node: Node) -> Node:
    return node.args[0] if isinstance(node, Call) and node.name == "sqrt" else Binary("^", node, _TWO)
