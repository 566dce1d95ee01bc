"""The shape of an equation system without its numbers: what is worked out last, by which operations, in how many."""

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from fractions import Fraction
from itertools import islice
from typing import Final

from extractors.expressions.grammar import parse_expression
from extractors.expressions.tree import (
    Binary,
    Call,
    Equation,
    Name,
    Node,
    Num,
    children,
    names_of,
    render,
    substitute,
    transform,
    walk,
)
from extractors.extraction_errors import ExtractionError
from extractors.solve.equation_systems import all_equations, parse_system

MAX_NODES: Final = 400
MAX_SHAPE: Final = 40
"""Characters of a shape that may be told from others."""
MANY: Final = 4
"""Counts beyond this are as this."""
_KNOWN: Final = frozenset(map(Fraction, (1, 2, 3, 4, 5, 7, 10, 12, 24, 60, 100, 180, 360, 1000)))
"""Constants that tell something; others are all alike."""
_NUMBER, _UNKNOWN = Name("n"), Name("x")


def read_equations(
    equations: Sequence[str], unknowns: Sequence[str] = (), asked: Sequence[str] = ()
) -> tuple[Equation, ...]:
    """The equations of a system, and one for each expression ``asked``, earlier results put in where they are used.

    Nothing for equations that are not understood, or that are too long.

    >>> [render(one) for one in read_equations(["y=3*4", "x=y+5"])]
    ['x=3*4+5']
    """
    try:
        found = all_equations(parse_system(equations, unknowns or None))
        wanted = [parse_expression(text, unknowns) for text in asked]
    except ExtractionError:
        return ()
    found += [Equation(Name(f"asked{place}"), node) for place, node in enumerate(wanted) if not isinstance(node, Name)]
    while _is_short(found):
        place = next((place for place in range(len(found)) if _is_earlier(found, place)), None)
        if place is None:
            return tuple(found)
        earlier = found.pop(place)
        values = dict.fromkeys(names_of(earlier.left), earlier.right)
        found = [Equation(substitute(e.left, values), substitute(e.right, values), e.relation) for e in found]
    return ()


def _sides(equations: Sequence[Equation]) -> list[Node]:
    return [side for one in equations for side in (one.left, one.right)]


def _is_short(equations: Sequence[Equation]) -> bool:
    nodes = (node for side in _sides(equations) for node in walk(side))
    return sum(1 for _ in islice(nodes, MAX_NODES + 1)) <= MAX_NODES


def _is_earlier(equations: Sequence[Equation], place: int) -> bool:
    """Whether an equation only works out what another one uses."""
    left, right, relation = equations[place]
    others = _sides([*equations[:place], *equations[place + 1 :]])
    return relation == "=" and isinstance(left, Name) and not names_of(right) and left.name in names_of(*others)


def steps(equations: Sequence[Equation]) -> int:
    """How many operations some equations take; a sum, or a product, of several numbers is one, rounding is none.

    >>> steps(read_equations(["x=18+7+(18-11)"])), steps(read_equations(["x=floor(47/6)"]))
    (2, 1)
    """
    nodes = [node for side in _sides(equations) for node in walk(side) if isinstance(node, Binary)]
    return len(nodes) - sum(node.op in "+*" and _op(part) == node.op for node in nodes for part in children(node))


def unknowns_of(equations: Sequence[Equation]) -> tuple[str, ...]:
    """The unknowns of some equations."""
    return names_of(*_sides(equations))


def _op(node: Node) -> str:
    """The operation of a node; a number is ``n`` and an unknown ``x``."""
    if isinstance(node, Name | Num):
        return "x" if isinstance(node, Name) else "n"
    return node.name if isinstance(node, Call) else node.op


def shape_terms(equations: Sequence[Equation], stated: Set[Fraction]) -> Iterator[str]:
    """Terms for the shape of some equations; ``stated`` are the numbers of the question, others are constants.

    >>> sorted(shape_terms(read_equations(["x=(9-6)*2"]), {Fraction(9), Fraction(6)}))[:4]
    ['1 equations', '1 times *', '1 times -', '1 unknowns']
    """
    nodes = [node for side in _sides(equations) for node in walk(side)]
    operations = [_op(node) for node in nodes if not isinstance(node, Num | Name)]
    counts = Counter(operations)
    yield f"{min(len(equations), MANY)} equations"
    yield f"{min(len(unknowns_of(equations)), MANY)} unknowns"
    yield f"{min(len(operations), MANY + 2)} operations"
    yield f"all {''.join(sorted(counts))}"
    yield f"order {''.join(operations)[:MAX_SHAPE]}"
    yield from (f"{min(count, MANY)} times {op}" for op, count in counts.items())
    constants = {node.value for node in nodes if isinstance(node, Num)} - stated
    yield from {f"constant {value if value in _KNOWN else 'other'}": None for value in sorted(constants)}
    for one in equations:
        yield from _worked_out(one)


def _worked_out(equation: Equation) -> Iterator[str]:
    """How an equation works out its unknown, or that it has to be solved for it."""
    if not isinstance(equation.left, Name) or names_of(equation.right):
        yield "set up"
        return
    root = equation.right
    yield f"last {_op(root)}"
    yield from (f"last {_op(root)}, part {place} {_op(part)}" for place, part in enumerate(children(root)))
    yield f"shape {render(transform(root, _masked))}"[:MAX_SHAPE]


def _masked(node: Node) -> Node | None:
    return _NUMBER if isinstance(node, Num) else _UNKNOWN if isinstance(node, Name) else None
