"""The value of a tree under values for its unknowns, and whether conditions hold there."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from math import isqrt

from extractors.expressions.tree import Binary, Call, Equation, Name, Node, Num, Unary, unwound
from extractors.extraction_errors import ExtractionError, LimitError
from extractors.polynomials.integer_polynomials import PRECISION
from extractors.polynomials.rational_forms import MAX_EXPONENT, in_radians
from extractors.polynomials.roots import WORKING_DIGITS
from extractors.real_numbers import real_functions as reals
from extractors.real_numbers.algebraic_numbers import AlgebraicNumber, FieldError, Surd, square_root
from extractors.real_numbers.values import MAX_BITS, Value, approximate, sign_of, to_decimal

_NEAR = Fraction(1, 10**12)
_MAX_OPERATIONS = 20
_SHORT = 2**200
MAX_SURD_BITS = 4_000
"""Bits of the parts of a quadratic irrational: its powers are worked out by products."""


class UnknownValueError(Exception):
    """The tree depends on an unknown without a value."""


def evaluate_tree(node: Node, values: Mapping[str, Value]) -> Value:
    """The value of a tree: exact within one quadratic field, else a decimal of 60 digits.

    Raises ``UnknownValueError``, or ``ExtractionError`` where there is no real value.
    """
    ratio = ratio_of(node, values) if type(node) is Binary else None
    return _evaluated(node, values) if ratio is None else Fraction(*ratio)


def ratio_of(node: Node, values: Mapping[str, Value], depth: int = _MAX_OPERATIONS) -> tuple[int, int] | None:
    """The value of short rationals that are added, subtracted, multiplied and divided; None for any other tree.

    Numerator and denominator are not in lowest terms: one division in the end instead of one for each operation.
    """
    kind = type(node)
    if kind is Num:
        return node.value.as_integer_ratio()  # type: ignore[union-attr]
    if kind is Name:
        value = values.get(node.name)  # type: ignore[union-attr]
        return value.as_integer_ratio() if type(value) is Fraction else None
    if kind is not Binary or not depth:
        return None
    op, left, right = node  # type: ignore[misc]
    first = ratio_of(left, values, depth - 1)
    second = ratio_of(right, values, depth - 1) if first is not None else None
    if first is None or second is None:
        return None
    (top, bottom), (other_top, other_bottom) = first, second
    if op == "*":
        found = top * other_top, bottom * other_bottom
    elif op == "/" and other_top:
        found = top * other_bottom, bottom * other_top
    elif op == "+":
        found = top * other_bottom + other_top * bottom, bottom * other_bottom
    elif op == "-":
        found = top * other_bottom - other_top * bottom, bottom * other_bottom
    else:
        return None
    return found if -_SHORT < found[0] < _SHORT and -_SHORT < found[1] < _SHORT else None


def _evaluated(node: Node, values: Mapping[str, Value]) -> Value:
    node, spine = unwound(node)
    result = _leaf(node, values)
    while spine:
        op, right = spine.pop()
        result = _arithmetic(op, result, _evaluated(right, values))
    return result


def _leaf(node: Node, values: Mapping[str, Value]) -> Value:
    if isinstance(node, Num):
        return node.value
    if isinstance(node, Name):
        if node.name not in values:
            raise UnknownValueError(node.name)
        return values[node.name]
    if isinstance(node, Call):
        return _call(node, [_evaluated(arg, values) for arg in node.args])
    if isinstance(node, Unary) and node.op == "-":
        return _arithmetic("-", Fraction(0), _evaluated(node.operand, values))
    if isinstance(node, Binary) and node.op == "^":
        return _power(_evaluated(node.left, values), _evaluated(node.right, values))
    if isinstance(node, Binary) and node.op == "%":
        return _call(Call("mod", ()), [_evaluated(node.left, values), _evaluated(node.right, values)])
    raise ExtractionError("no single value", code="unsupported")


def _arithmetic(op: str, a: Value, b: Value) -> Value:
    if op == "/" and not sign_of(b):
        raise reals.NoRealValueError("division by zero")
    if type(a) is Fraction and type(b) is Fraction:
        return _checked(_exact(op, a, b))
    if isinstance(a, Fraction | Surd) and isinstance(b, Fraction | Surd):
        try:
            return _checked(_exact(op, a, b))
        except FieldError:
            pass
    near = _exact(op, approximate(a, PRECISION), approximate(b, PRECISION))
    return to_decimal(approximate(near), WORKING_DIGITS)


def _exact(op: str, a: Fraction | Surd, b: Fraction | Surd) -> Fraction | Surd:
    if op == "+":
        return a + b
    if op == "-":
        return a - b
    return a * b if op == "*" else a / b


def _checked(value: Fraction | Surd) -> Fraction | Surd:
    parts, most = ((value,), MAX_BITS) if isinstance(value, Fraction) else ((value.a, value.b), MAX_SURD_BITS)
    if any(max(part.numerator.bit_length(), part.denominator.bit_length()) > most for part in parts):
        raise LimitError(f"number beyond {most} bits")
    return value


def _power(base: Value, exponent: Value) -> Value:
    if isinstance(exponent, Fraction) and exponent.denominator == 1 and abs(exponent) <= MAX_EXPONENT * 32:
        return _integer_power(base, exponent.numerator)
    if isinstance(exponent, Fraction) and exponent.denominator == 2 and isinstance(base, Fraction) and base >= 0:
        return _integer_power(square_root(base), exponent.numerator)
    if not sign_of(base):
        return Fraction(0)
    return to_decimal(reals.real_power(_near(base), _near(exponent)), WORKING_DIGITS)


def _near(value: Value) -> Fraction:
    return approximate(value, PRECISION)


def _integer_power(base: Value, exponent: int) -> Value:
    if isinstance(base, Fraction):
        size = max(base.numerator.bit_length(), base.denominator.bit_length())
        if size * abs(exponent) > MAX_BITS:
            return to_decimal(reals.long_power(base, exponent), WORKING_DIGITS)
        if not base and exponent < 0:
            raise reals.NoRealValueError("division by zero")
        return base**exponent
    if isinstance(base, Surd) and abs(exponent) <= MAX_EXPONENT:
        result: Value = Fraction(1)
        for _ in range(abs(exponent)):
            result = _arithmetic("*", result, base)
        return result if exponent >= 0 else _arithmetic("/", Fraction(1), result)
    near = _near(base)
    if near and abs(exponent) <= MAX_EXPONENT:
        return to_decimal(near**exponent, WORKING_DIGITS)
    sign = -1 if near < 0 and exponent % 2 else 1
    return to_decimal(sign * reals.real_power(abs(near), Fraction(exponent)), WORKING_DIGITS)


def _call(node: Call, args: list[Value]) -> Value:
    name = node.name
    if name in ("pi", "e"):
        return to_decimal(reals.pi() if name == "pi" else reals.euler(), WORKING_DIGITS)
    if name in ("sqrt", "root"):
        return _root(args)
    if name == "abs":
        return args[0] if sign_of(args[0]) >= 0 else _arithmetic("-", Fraction(0), args[0])
    near = tuple(_near(arg) for arg in args)
    if name in reals.DISCRETE:
        value = reals.discrete(name, near)
        exact = name not in ("max", "min", "mod") or all(isinstance(arg, Fraction) for arg in args)
        return _checked(value) if exact else to_decimal(value, WORKING_DIGITS)
    if name in reals.TRANSCENDENTAL:
        return to_decimal(reals.transcendental(name, near, in_radians(node)), WORKING_DIGITS)
    raise ExtractionError(f"no value for {name}", code="unsupported")


def _root(args: list[Value]) -> Value:
    degree = args[1] if len(args) > 1 else Fraction(2)
    value = args[0]
    if sign_of(value) < 0:
        raise reals.NoRealValueError("root of a negative number")
    if degree == 2 and isinstance(value, Fraction):
        return square_root(value)
    return _power(value, Fraction(1) / _near(degree)) if sign_of(degree) else Fraction(0)


def holds(condition: Equation, values: Mapping[str, Value]) -> bool | None:
    """Whether a condition or an equation holds; None where it depends on free unknowns or is too close to tell."""
    try:
        if condition.relation == "is" and isinstance(condition.left, Call):
            verdicts = [_predicate(condition.left.name, evaluate_tree(arg, values)) for arg in condition.left.args]
            return False if False in verdicts else None if None in verdicts else True
        gap = _arithmetic("-", evaluate_tree(condition.left, values), evaluate_tree(condition.right, values))
    except UnknownValueError:
        return None
    except LimitError:
        raise
    except ExtractionError:
        return False
    sign = sign_of(gap)
    if isinstance(gap, Decimal) and abs(Fraction(gap)) < _NEAR:
        if condition.relation in ("<=", ">=", "="):
            return True
        return None if condition.relation != "!=" else False
    return _RELATIONS[condition.relation](sign)


_RELATIONS: dict[str, Callable[[int], bool]] = {
    "=": lambda sign: sign == 0,
    "<": lambda sign: sign < 0,
    "<=": lambda sign: sign <= 0,
    ">": lambda sign: sign > 0,
    ">=": lambda sign: sign >= 0,
    "!=": lambda sign: sign != 0,
}


def _predicate(name: str, value: Value) -> bool | None:
    """An integer predicate; irrational values are no integers."""
    if isinstance(value, Surd | AlgebraicNumber):
        return False
    if isinstance(value, Decimal):
        return None if abs(Fraction(value) - round(Fraction(value))) < _NEAR else False
    if value.denominator != 1:
        return False
    n = value.numerator
    if name == "is_digit":
        return 0 <= n <= 9
    if name in ("is_odd", "is_even"):
        return n % 2 == (name == "is_odd")
    if name == "is_prime":
        return _is_prime(n)
    return True


def _is_prime(n: int) -> bool | None:
    if n > 10**10:
        return None
    return n > 1 and all(n % d for d in range(2, isqrt(n) + 1))
