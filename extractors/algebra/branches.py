"""Branches of a system: one for every choice of an alternative ("or") and of a sign (``±``)."""

from collections.abc import Sequence
from itertools import product

from extractors.algebra.systems import System
from extractors.errors import LimitError
from extractors.expressions.tree import Binary, Equation, Node, Unary, transform, walk

MAX_BRANCHES = 32

Branch = tuple[tuple[Equation, ...], tuple[Equation, ...]]
"""Equations and conditions that hold together."""


def branches(system: System) -> list[Branch]:
    """Every branch; ``LimitError`` above 32 of them. Within one equation all signs are upper or all lower.

    >>> from extractors.algebra.systems import parse_system
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
    if not any(isinstance(n, Binary | Unary) and n.op == "±" for side in equation[:2] for n in walk(side)):
        return (equation,)
    return tuple(
        Equation(_signed(equation.left, sign), _signed(equation.right, sign), equation.relation) for sign in "+-"
    )


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
