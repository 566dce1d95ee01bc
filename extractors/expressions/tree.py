"""Immutable expression trees, their text in normal form, and both roots (``±``) as one equation.

Nodes are named tuples rather than dataclasses: they are as immutable, and a post is parsed into hundreds of them, where
building a frozen dataclass costs twice as much. ``Node`` is the union of the five kinds.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple, TypeAlias


class Num(NamedTuple):
    """An exact number."""

    value: Fraction


class Name(NamedTuple):
    """An unknown."""

    name: str


class Unary(NamedTuple):
    """A sign: ``-`` or ``±`` (upper sign in one branch, lower sign in the other)."""

    op: str
    operand: "Node"


class Binary(NamedTuple):
    """``+ - * / ^``, ``%`` (remainder) or ``±`` between two operands."""

    op: str
    left: "Node"
    right: "Node"


class Call(NamedTuple):
    """A function by its normal name (see ``tokens.ALIASES``); constants such as ``pi`` have no arguments."""

    name: str
    args: tuple["Node", ...]


Node: TypeAlias = Num | Name | Unary | Binary | Call


class Equation(NamedTuple):
    """``left relation right``; an equation proper where the relation is ``=``, else a condition."""

    left: Node
    right: Node
    relation: str = "="


def children(node: Node) -> tuple[Node, ...]:
    """The operands of a node, from left to right."""
    kind = type(node)
    if kind is Binary:
        return (node.left, node.right)  # type: ignore[union-attr]
    if kind is Unary:
        return (node.operand,)  # type: ignore[union-attr]
    return node.args if kind is Call else ()  # type: ignore[union-attr]


def walk(node: Node) -> Iterator[Node]:
    """Every node of a tree, parents first, left to right."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        if isinstance(current, Binary):
            stack += (current.right, current.left)
        elif not isinstance(current, Num | Name):
            stack.extend(reversed(children(current)))


def names_of(*nodes: Node) -> tuple[str, ...]:
    """The unknowns of some trees in order of appearance.

    >>> names_of(Binary("+", Name("y"), Name("x")), Name("y"))
    ('y', 'x')
    """
    return leaves_of(*nodes)[0]


def leaves_of(*nodes: Node) -> tuple[tuple[str, ...], list[Fraction]]:
    """The different unknowns of some trees and all their numbers, in order of appearance."""
    names: dict[str, None] = {}
    numbers: list[Fraction] = []
    stack = list(reversed(nodes))
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is Num:
            numbers.append(node.value)  # type: ignore[union-attr]
        elif kind is Binary:
            stack += (node.right, node.left)  # type: ignore[union-attr]
        elif kind is Name:
            names[node.name] = None  # type: ignore[union-attr]
        else:
            stack.extend(reversed(children(node)))
    return tuple(names), numbers


def rebuild(node: Node, parts: tuple[Node, ...]) -> Node:
    """The same kind of node over other operands."""
    if isinstance(node, Binary):
        return Binary(node.op, parts[0], parts[1])
    if isinstance(node, Unary):
        return Unary(node.op, parts[0])
    if isinstance(node, Call):
        return Call(node.name, parts)
    return node


def unwound(node: Node) -> tuple[Node, list[tuple[str, Node]]]:
    """The first operand of a chain of ``+ - * /`` and its operators with their right operands, the last one first.

    Long sums and products lean to the left; whoever pops the list walks them without recursion.
    """
    spine: list[tuple[str, Node]] = []
    while type(node) is Binary and node.op in "+-*/":
        op, node, right = node
        spine.append((op, right))
    return node, spine


def transform(node: Node, leaf: Callable[[Node], Node | None]) -> Node:
    """A tree with nodes replaced where ``leaf`` gives one; long sums are walked without recursion.

    ``leaf`` sees every node, parents first; parts that stay the same are shared, not copied.
    """
    spine: list[Binary] = []
    new = leaf(node)
    while new is None and isinstance(node, Binary):
        spine.append(node)
        node = node.left
        new = leaf(node)
    result = _transformed_parts(node, leaf) if new is None else new
    for parent in reversed(spine):
        right = transform(parent.right, leaf)
        same = result is parent.left and right is parent.right
        result = parent if same else Binary(parent.op, result, right)
    return result


def _transformed_parts(node: Node, leaf: Callable[[Node], Node | None]) -> Node:
    parts = children(node)
    new = tuple(transform(part, leaf) for part in parts)
    return node if all(a is b for a, b in zip(parts, new, strict=True)) else rebuild(node, new)


def substitute(node: Node, values: dict[str, Node]) -> Node:
    """The tree with unknowns replaced; parts without any of them are shared, not copied."""
    return transform(node, lambda part: values.get(part.name) if isinstance(part, Name) else None)


_POWER = {"+": 10, "-": 10, "±": 10, "*": 20, "/": 20, "%": 20, "^": 30}
_SIGN, _ATOM = 25, 50


def render_number(value: Fraction) -> str:
    """A decimal where the value has a short finite one, else a fraction.

    >>> render_number(Fraction(3, 40)), render_number(Fraction(1, 3))
    ('0.075', '1/3')
    """
    if value.denominator == 1:
        return str(value.numerator)
    for digits in range(1, 13):
        scaled = value * 10**digits
        if scaled.denominator == 1:
            whole = str(abs(scaled.numerator)).zfill(digits + 1)
            return f"{'-' if value < 0 else ''}{whole[:-digits]}.{whole[-digits:]}"
    return f"{value.numerator}/{value.denominator}"


def render(node: Node | Equation) -> str:
    """The normal form of a tree or an equation; parsing it gives an equal value back.

    >>> from extractors.expressions.grammar import parse_equation
    >>> render(parse_equation("2(x - 3)^2 = 5y%")[0])
    '2*(x-3)^2=5*(y/100)'
    """
    if isinstance(node, Equation):
        if node.relation == "is":
            return _render(node.left)[0]
        return f"{_render(node.left)[0]}{node.relation}{_render(node.right)[0]}"
    return _render(node)[0]


def _render(node: Node) -> tuple[str, int]:
    """The text and the binding power of its outermost operator."""
    if isinstance(node, Num):
        return _render_value(node.value)
    if isinstance(node, Name):
        return node.name, _ATOM
    if isinstance(node, Call):
        if not node.args:
            return node.name, _ATOM
        return f"{node.name}({','.join(_render(arg)[0] for arg in node.args)})", _ATOM
    if isinstance(node, Unary):
        return node.op + _bracketed(node.operand, _SIGN), _SIGN - 1
    return _render_binary(node)


def _render_binary(node: Binary) -> tuple[str, int]:
    """A long sum or product is walked down its left side without recursion."""
    spine: list[Binary] = []
    inner: Node = node
    while isinstance(inner, Binary):
        spine.append(inner)
        inner = inner.left
    text, power = _render(inner)
    for parent in reversed(spine):
        own = _POWER[parent.op]
        if power < own + (parent.op == "^"):
            text = f"({text})"
        right = _bracketed(parent.right, own + (parent.op != "^"))
        text += parent.op + (f"({right})" if right[0] in "-±" else right)
        power = own
    return text, power


def _render_value(value: Fraction) -> tuple[str, int]:
    """A number; a fraction binds like a quotient and a negative number like a sign."""
    top, bottom = value.as_integer_ratio()
    if bottom == 1:
        return str(top), _ATOM if top >= 0 else _SIGN - 1
    text = render_number(value)
    if "/" in text:
        return text, _POWER["/"] if value >= 0 else _POWER["+"]
    return text, _ATOM if value >= 0 else _SIGN - 1


def _bracketed(node: Node, least: int) -> str:
    """The text of an operand, in brackets where its operator binds too weakly."""
    text, power = _render(node)
    return text if power >= least else f"({text})"


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
    return "±" in pieces or "+/-" in pieces or ("+" in pieces and ("+", "-") in pairwise(pieces))


def has_branch(node: Node) -> bool:
    """Whether ``±`` stands in a tree."""
    return any(isinstance(part, Unary | Binary) and part.op == "±" for part in walk(node))


def _square(node: Node) -> Node:
    return node.args[0] if isinstance(node, Call) and node.name == "sqrt" else Binary("^", node, _TWO)
