"""MathQA's operation programs as trees: the nested calls of ``annotated_formula``.

Every operation becomes a small tree over its arguments, so a program is evaluated by the same exact, bounded
evaluation as any other expression (Amini et al., NAACL 2019, give the operations).
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from extractors.expressions.tree import Binary, Call, Node, Num, Unary, children, render_number
from extractors.extraction_errors import ExtractionError, LimitError

MAX_PROGRAM = 4000
MAX_OPERATIONS = 120
MAX_DEPTH = 40
MAX_WEIGHT = 4000
"""Nodes of the whole tree, repeated parts counted each time."""
MAX_NUMBER = 40

_TOKEN = re.compile(r"[a-z][a-z_0-9.]*|\d+(?>(?:,\d{3})*)(?:\.\d+)?|\.\d+|[()#,|-]|\S", re.ASCII)
_NUMBER = re.compile(r"\d+(?:\.\d*)?|\.\d+", re.ASCII)
_PI, _FOUR_THIRDS = Call("pi", ()), Num(Fraction(4, 3))


def _num(n: int) -> Num:
    return Num(Fraction(n))


def _fold(op: str, nodes: Sequence[Node]) -> Node:
    result = nodes[0]
    for node in nodes[1:]:
        result = Binary(op, result, node)
    return result


def _times(*nodes: Node) -> Node:
    return _fold("*", nodes)


def _plus(*nodes: Node) -> Node:
    return _fold("+", nodes)


def _square(node: Node) -> Node:
    return Binary("^", node, _num(2))


def _half(node: Node) -> Node:
    return Binary("/", node, _num(2))


def _binary(op: str) -> Callable[[Node, Node], Node]:
    return lambda a, b: Binary(op, a, b)


def _function(name: str) -> Callable[..., Node]:
    return lambda *args: Call(name, args)


def _heron(a: Node, b: Node, c: Node) -> Node:
    half = _half(_plus(a, b, c))
    return Call("sqrt", (_times(half, *[Binary("-", half, side) for side in (a, b, c)]),))


def _box_surface(a: Node, b: Node, c: Node) -> Node:
    return _times(_num(2), _plus(_times(a, b), _times(a, c), _times(b, c)))


def _cylinder_surface(r: Node, h: Node) -> Node:
    return _times(_num(2), _PI, r, _plus(r, h))


_OPERATIONS: dict[str, tuple[int, Callable[..., Node]]] = {
    "add": (2, _binary("+")),
    "subtract": (2, _binary("-")),
    "multiply": (2, _binary("*")),
    "divide": (2, _binary("/")),
    "speed": (2, _binary("/")),
    "power": (2, _binary("^")),
    "reminder": (2, _function("mod")),
    "sqrt": (1, _function("sqrt")),
    "floor": (1, _function("floor")),
    "factorial": (1, _function("factorial")),
    "log": (1, _function("ln")),
    "sine": (1, _function("sin")),
    "cosine": (1, _function("cos")),
    "tangent": (1, _function("tan")),
    "gcd": (2, _function("gcd")),
    "lcm": (2, _function("lcm")),
    "max": (2, _function("max")),
    "min": (2, _function("min")),
    "choose": (2, _function("comb")),
    "permutation": (2, _function("perm")),
    "negate": (1, lambda a: Binary("-", _num(0), a)),
    "inverse": (1, lambda a: Binary("/", _num(1), a)),
    "p_after_gain": (2, lambda g, p: _times(Binary("/", _plus(_num(100), g), _num(100)), p)),
    "square_area": (1, _square),
    "square_perimeter": (1, lambda a: _times(_num(4), a)),
    "square_edge_by_area": (1, _function("sqrt")),
    "square_edge_by_perimeter": (1, lambda p: Binary("/", p, _num(4))),
    "rectangle_area": (2, _binary("*")),
    "rectangle_perimeter": (2, lambda a, b: _times(_num(2), _plus(a, b))),
    "circle_area": (1, lambda r: _times(_PI, _square(r))),
    "circumface": (1, lambda r: _times(_num(2), _PI, r)),
    "diagonal": (2, lambda a, b: Call("sqrt", (_plus(_square(a), _square(b)),))),
    "triangle_area": (2, lambda a, h: _half(_times(a, h))),
    "triangle_area_three_edges": (3, _heron),
    "triangle_perimeter": (3, _plus),
    "quadrilateral_area": (3, lambda h, a, b: _half(_times(h, _plus(a, b)))),
    "rhombus_area": (2, lambda d, e: _half(_times(d, e))),
    "rhombus_perimeter": (1, lambda a: _times(_num(4), a)),
    "surface_cube": (1, lambda a: _times(_num(6), _square(a))),
    "surface_sphere": (1, lambda r: _times(_num(4), _PI, _square(r))),
    "surface_cylinder": (2, _cylinder_surface),
    "surface_rectangular_prism": (3, _box_surface),
    "volume_cube": (1, lambda a: Binary("^", a, _num(3))),
    "volume_sphere": (1, lambda r: _times(_FOUR_THIRDS, _PI, Binary("^", r, _num(3)))),
    "volume_cylinder": (2, lambda r, h: _times(_PI, _square(r), h)),
    "volume_cone": (2, lambda r, h: Binary("/", _times(_PI, _square(r), h), _num(3))),
    "volume_rectangular_prism": (3, _times),
    "cube_edge_by_volume": (1, lambda v: Binary("^", v, Num(Fraction(1, 3)))),
    "original_price_before_gain": (2, lambda g, p: Binary("/", _times(p, _num(100)), _plus(_num(100), g))),
    "original_price_before_loss": (2, lambda g, p: Binary("/", _times(p, _num(100)), Binary("-", _num(100), g))),
}
"""Operation -> number of arguments and its tree. ``reminder`` and ``circumface`` are spelt as upstream."""

_CONSTANTS: Mapping[str, Node] = {
    "const_pi": _PI,
    "const_0_33": Num(Fraction(1, 3)),
    "const_0_2778": Num(Fraction(5, 18)),
    "const_0_6": Num(Fraction(3, 5)),
}
"""Constants that are no plain decimals: a third, and km/h to m/s (5/18, printed as 0.2778)."""

_COPIES = {"triangle_area_three_edges": 5, "surface_rectangular_prism": 2, "surface_cylinder": 2}
"""How often a tree repeats each of its arguments, where that is more than once."""


class _Sized(NamedTuple):
    node: Node
    weight: int = 1


def parse_program(text: str) -> Node:
    """The tree of an ``annotated_formula``.

    Raises ``ExtractionError`` for unknown operations, wrong numbers of arguments and anything else outside the
    notation, ``LimitError`` beyond 4,000 characters, 120 operations or depth 40.

    >>> from extractors.expressions.tree import render
    >>> render(parse_program("divide(multiply(650, const_0_25), subtract(100, 44))"))
    '650*0.25/(100-44)'
    """
    _check_length(text)
    tokens = [*_TOKEN.findall(text), ""]
    if tokens.count("(") > MAX_OPERATIONS:
        raise LimitError(f"program of {tokens.count('(')} operations; at most {MAX_OPERATIONS} are read")
    sized, position = _operand(tokens, 0, 0)
    if tokens[position]:
        raise ExtractionError(f"unexpected symbol at token {position + 1}")
    return sized.node


def _check_length(text: str) -> None:
    if len(text) > MAX_PROGRAM:
        raise LimitError(f"program of {len(text)} characters; at most {MAX_PROGRAM} are read")


def _operand(tokens: Sequence[str], position: int, depth: int) -> tuple[_Sized, int]:
    """A number, a constant or a call, and where it ends."""
    if depth > MAX_DEPTH:
        raise LimitError(f"nested deeper than {MAX_DEPTH}")
    symbol = tokens[position]
    if symbol == "-":
        inner, position = _operand(tokens, position + 1, depth + 1)
        return _Sized(Binary("-", _num(0), inner.node), inner.weight + 2), position
    if not symbol or tokens[position + 1] != "(":
        return _atom(symbol), position + 1
    args: list[_Sized] = []
    position += 1
    while not args or tokens[position] == ",":
        argument, position = _operand(tokens, position + 1, depth + 1)
        args.append(argument)
    if tokens[position] != ")":
        raise ExtractionError(f"expected , or ) at token {position + 1}")
    return _applied(symbol, args), position + 1


def _applied(name: str, args: Sequence[_Sized]) -> _Sized:
    """One operation over its arguments."""
    if name not in _OPERATIONS:
        raise ExtractionError(f"unknown operation {name[:30]!r}", code="unsupported")
    arity, build = _OPERATIONS[name]
    if len(args) != arity:
        raise ExtractionError(f"{name} takes {arity} arguments, not {len(args)}")
    weight = 6 + _COPIES.get(name, 1) * sum(arg.weight for arg in args)
    if weight > MAX_WEIGHT:
        raise LimitError(f"program of more than {MAX_WEIGHT} nodes")
    return _Sized(build(*[arg.node for arg in args]), weight)


def _atom(symbol: str) -> _Sized:
    """A number or ``const_...``."""
    if symbol in _CONSTANTS:
        return _Sized(_CONSTANTS[symbol])
    raw = symbol.removeprefix("const_")
    raw = (raw.replace("_", ".") if raw != symbol else raw).replace(",", "")
    if len(raw) > MAX_NUMBER or not _NUMBER.fullmatch(raw):
        raise ExtractionError(f"no number or constant: {symbol[:30]!r}")
    return _Sized(Num(Fraction(raw)))


_NAMES = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "^": "power"}
_CALLS = {"sqrt": "sqrt", "factorial": "factorial", "floor": "floor", "gcd": "gcd", "lcm": "lcm", "comb": "choose"}


def program_of(node: Node, question: str = "") -> str:
    """The ``annotated_formula`` of a tree; numbers that do not stand in the question are ``const_...``.

    Raises ExtractionError for operations that the notation does not have.

    >>> program_of(parse_program("divide(12, const_4)"), "12 pens")
    'divide(12, const_4)'
    """
    stated = frozenset(_TOKEN.findall(question.replace(",", "")))
    return _call(node, stated, 0)


def _call(node: Node, stated: Collection[str], depth: int) -> str:
    if depth > MAX_DEPTH:
        raise LimitError(f"nested deeper than {MAX_DEPTH}")
    if isinstance(node, Num):
        return _literal(node.value, stated)
    if isinstance(node, Call) and node == _PI:
        return "const_pi"
    name, parts = "", children(node)
    if isinstance(node, Binary):
        name = _NAMES.get(node.op, "")
    elif isinstance(node, Unary) and node.op == "-":
        name = "negate"
    elif isinstance(node, Call):
        name = _CALLS.get(node.name, "")
    if not name or len(parts) != _OPERATIONS[name][0]:
        raise ExtractionError("an operation that the programs do not have", code="unsupported")
    return f"{name}({', '.join(_call(part, stated, depth + 1) for part in parts)})"


def _literal(value: Fraction, stated: Collection[str]) -> str:
    if value < 0:
        return f"negate({_literal(-value, stated)})"
    text = render_number(value)
    if "/" in text:
        numerator, denominator = Fraction(value.numerator), Fraction(value.denominator)
        return f"divide({_literal(numerator, stated)}, {_literal(denominator, stated)})"
    return text if text in stated else f"const_{text.replace('.', '_')}"
