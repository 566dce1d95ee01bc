"""Branches of a system: one for every choice of an alternative ("or") and of a sign (``±``)."""

from collections.abc import Sequence
from itertools import product

from extractors.expressions.tree import Binary, Equation, Name, Node, Num, Unary, children, transform
from extractors.extraction_errors import LimitError
from extractors.solve.equation_systems import System

MAX_BRANCHES = 32

Branch = tuple[tuple[Equation, ...], tuple[Equation, ...]]
"""Equations and conditions that hold together."""


def branches(system: System) -> list[Branch]:
    """Every branch; ``LimitError`` above 32 of them. Within one equation all signs are upper or all lower.

    >>> from extractors.solve.equation_systems import parse_system
    >>> len(branches(parse_system(["x = 2 or x = 3", "y = 1 ± x"])))
    4
    """
    choices = [[system.equations + system.conditions]] if not system.alternatives else []
    if system.alternatives:
        picked = product(*system.alternatives)
        fixed = system.equations + system.conditions
        choices = [[fixed + tuple(e for part in parts for e in part) for parts in picked]]
    out: list[Branch] = []
    for statements in choices[0]:
        for signed in product(*[_signs(equation) for equation in statements]):
            equations = tuple(e for e in signed if e.relation == "=")
            out.append((equations, tuple(e for e in signed if e.relation != "=")))
            if len(out) > MAX_BRANCHES:
                raise LimitError(f"more than {MAX_BRANCHES} branches")
    return out


def _signs(equation: Equation) -> Sequence[Equation]:
    """The equation with the upper and with the lower sign."""
    if not _has_sign(equation.left) and not _has_sign(equation.right):
        return (equation,)
    return tuple(
        Equation(_signed(equation.left, sign), _signed(equation.right, sign), equation.relation) for sign in "+-"
    )


def _has_sign(node: Node) -> bool:
    """Whether ``±`` occurs; long sums are walked without recursion."""
    while type(node) is Binary:
        op, node, right = node
        if op == "±" or _has_sign(right):
            return True
    if isinstance(node, Num | Name):
        return False
    return (isinstance(node, Unary) and node.op == "±") or any(map(_has_sign, children(node)))


def _signed(node: Node, sign: str) -> Node:
    """The tree with every ``±`` replaced by one sign."""

    def leaf(part: Node) -> Node | None:
        if isinstance(part, Binary) and part.op == "±":
            return Binary(sign, _signed(part.left, sign), _signed(part.right, sign))
        if isinstance(part, Unary) and part.op == "±":
            operand = _signed(part.operand, sign)
            return operand if sign == "+" else Unary("-", operand)
        return None

    return transform(node, leaf)
