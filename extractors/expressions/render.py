"""Trees to text in normal form: explicit ``*``, no spaces, only the brackets that are needed."""

from fractions import Fraction

from extractors.expressions.tree import Binary, Call, Equation, Name, Node, Num, Unary

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
