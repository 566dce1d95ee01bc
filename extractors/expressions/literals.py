"""Numbers and calls as nodes: what the parser builds from single tokens and argument lists."""

from fractions import Fraction
from functools import lru_cache

from extractors.expressions.function_names import ALIASES, ARITY
from extractors.expressions.tree import Binary, Call, Node, Num, Unary
from extractors.extraction_errors import ExtractionError, LimitError

MAX_DECIMAL_EXPONENT = 300


@lru_cache(maxsize=4096)
def number(raw: str) -> Num:
    """A number token as an exact value; ``LimitError`` for a decimal exponent above 300.

    >>> number(".25")
    Num(value=Fraction(1, 4))
    """
    mantissa, _, exponent = raw.replace("E", "e").partition("e")
    whole, _, fraction = mantissa.partition(".")
    if not (whole + fraction).isdecimal() or not (whole + fraction).isascii():
        raise ExtractionError("a point without digits" if not whole + fraction else f"no number: {raw[:20]!a}")
    power = int(exponent or 0) - len(fraction)
    if abs(int(exponent or 0)) > MAX_DECIMAL_EXPONENT:
        raise LimitError(f"decimal exponent {exponent[:12]} beyond {MAX_DECIMAL_EXPONENT}")
    digits = int(whole + fraction)
    return Num(Fraction(digits * 10**power) if power >= 0 else Fraction(digits, 10**-power))


def make_call(symbol: str, args: tuple[Node, ...]) -> Call:
    """A checked call; ``_cm(104)`` lost its separator and means ``_cm(10, 4)``."""
    name = ALIASES[symbol]
    least, most = ARITY[name]
    if not least <= len(args) <= most:
        raise ExtractionError(f"{symbol} takes {least} to {most} arguments, not {len(args)}")
    if name in ("comb", "perm") and len(args) == 1:
        args = _unglue(symbol, args[0])
    return Call(name, args)


def make_power(symbol: str, exponent: Node, argument: Node) -> Node:
    """``cos^2(x)`` is the square of the cosine, ``sin^-1(x)`` the inverse function."""
    if exponent == Unary("-", Num(Fraction(1))) and "arc" + symbol in ALIASES:
        return Call("arc" + symbol, (argument,))
    return Binary("^", Call(ALIASES[symbol], (argument,)), exponent)


def _unglue(symbol: str, node: Node) -> tuple[Node, Node]:
    """The two arguments of a count whose separator was lost, where only one reading makes sense."""
    if isinstance(node, Num) and node.value.denominator == 1:
        digits = str(node.value.numerator)
        splits = [(int(digits[:i]), int(digits[i:])) for i in range(1, len(digits)) if digits[i] != "0"]
        fitting = [(n, r) for n, r in splits if n >= r]
        if digits.isdecimal() and len(fitting) == 1:
            return Num(Fraction(fitting[0][0])), Num(Fraction(fitting[0][1]))
    if isinstance(node, Binary) and isinstance(node.right, Num) and node.right.value.denominator == 1:
        last = node.right.value.numerator
        if 10 <= last < 100 and last % 10:
            return Binary(node.op, node.left, Num(Fraction(last // 10))), Num(Fraction(last % 10))
    raise ExtractionError(f"{symbol} needs two arguments")
