"""Immutable expression trees.

Nodes are named tuples rather than dataclasses: they are as immutable, and a post is parsed into hundreds of them, where
building a frozen dataclass costs twice as much. ``Node`` is the union of the five kinds.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
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
    """A function by its normal name (see ``functions.ALIASES``); constants such as ``pi`` have no arguments."""

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
