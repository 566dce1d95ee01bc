"""Both roots in one line: ``x - 2 = ±5`` and ``x = (5 ± 1)/2`` as one equation without the sign."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from extractors.expressions.tree import Binary, Call, Equation, Node, Num, Unary, names_of, walk

_TWO = Num(Fraction(2))


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


def may_branch(pieces: Sequence[str]) -> bool:
    """Whether the pieces of an expression can give ``±``: quicker than a look at its tree."""
    return "±" in pieces or "+/-" in pieces or ("+", "-") in pairwise(pieces)


def has_branch(node: Node) -> bool:
    """Whether ``±`` stands in a tree."""
    return any(isinstance(part, Unary | Binary) and part.op == "±" for part in walk(node))


def _square(node: Node) -> Node:
    return node.args[0] if isinstance(node, Call) and node.name == "sqrt" else Binary("^", node, _TWO)
