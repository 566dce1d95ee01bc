"""The parts of a whole in an equation: ``3*x`` and ``5*x`` of ``3*x + 5*x = 64``, ``x + 8`` of ``x + x + 8 = 48``."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from extractors.expressions.tree import Binary, Equation, Name, Node, Num

_TEN = Num(Fraction(10))


def pairs_of(equation: Equation) -> tuple[tuple[Node, Node], tuple[Node, Node]]:
    """Both sides of an equation, each with the other."""
    return (equation.left, equation.right), (equation.right, equation.left)


def other_part(equation: Equation) -> Node | None:
    """The second of two parts with a given total: ``x + 8`` in ``x + x + 8 = 48``, ``3*x`` in ``3*x + x = 84``.

    None unless one side is a number and the other a sum of the unknown and a multiple of it, with perhaps a number.
    """
    for side, total in pairs_of(equation):
        if not isinstance(total, Num):
            continue
        terms = list(terms_of(side))
        single = next((term for term in terms if isinstance(term, Name)), None)
        rest = [term for term in terms if term is not single]
        if single is None or not 1 <= len(rest) <= 2 or not all(_is_part(term, single) for term in rest):
            continue
        if len(rest) == 2 and not isinstance(rest[1], Num):
            continue
        return rest[0] if len(rest) == 1 else Binary("+", rest[0], rest[1])
    return None


def terms_of(node: Node) -> Iterator[Node]:
    """The terms of a sum; one that is taken away stays with its sign."""
    if isinstance(node, Binary) and node.op == "+":
        yield from terms_of(node.left)
        yield from terms_of(node.right)
    elif isinstance(node, Binary) and node.op == "-" and isinstance(node.right, Num):
        yield from terms_of(node.left)
        yield Num(-node.right.value)
    else:
        yield node


def _is_part(term: Node, name: Name) -> bool:
    multiple = _multiple(term, name)
    return isinstance(term, Num) or term == name or (multiple is not None and multiple.denominator == 1)


def _multiple(term: Node, name: Name) -> Fraction | None:
    if isinstance(term, Binary) and term.op == "*" and isinstance(term.left, Num) and term.right == name:
        return term.left.value
    return None


def one_operation(nodes: Sequence[Name], numbers: Sequence[Fraction]) -> Iterator[Node]:
    """Sums of two unknowns, then one unknown with a number of the question."""
    if len(nodes) == 2:
        yield Binary("+", nodes[0], nodes[1])
    for node in nodes:
        for number in (Num(value) for value in numbers if value > 0):
            yield from (Binary("+", node, number), Binary("-", node, number), Binary("-", number, node))
            if number.value.denominator == 1 and number.value > 1:
                yield Binary("*", number, node)
