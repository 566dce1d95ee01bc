"""The functions and predicates that the grammar knows, under one normal name each; numbers and calls as nodes."""

from fractions import Fraction
from functools import lru_cache

from extractors.expressions.tree import Binary, Call, Node, Num
from extractors.extraction_errors import ExtractionError, LimitError

ALIASES = {
    "sqrt": "sqrt", "abs": "abs", "sin": "sin", "cos": "cos", "tan": "tan", "cot": "cot",
    "arcsin": "arcsin", "arccos": "arccos", "arctan": "arctan", "asin": "arcsin", "acos": "arccos", "atan": "arctan",
    "ln": "ln", "log": "log", "exp": "exp",
    "_comb": "comb", "_cm": "comb", "comb": "comb", "nCr": "comb", "choose": "comb",
    "_perm": "perm", "_pm": "perm", "perm": "perm", "nPr": "perm",
    "_gcd": "gcd", "gcd": "gcd", "GCD": "gcd", "_lcm": "lcm", "lcm": "lcm", "LCM": "lcm",
    "_round": "round", "round": "round", "_ceiling": "ceiling", "ceiling": "ceiling", "ceil": "ceiling",
    "_floor": "floor", "floor": "floor", "_int": "floor", "int": "floor",
    "_max": "max", "max": "max", "_min": "min", "min": "min", "remainder": "mod", "mod": "mod",
    "factorial": "factorial", "_root": "root",
}  # fmt: skip
"""Spelling in the text -> normal name. Dolphin18K writes a leading underscore."""

PREDICATES = {
    "is_int": "is_integer", "is_integer": "is_integer", "is_digit": "is_digit",
    "is_odd": "is_odd", "is_even": "is_even", "is_prime": "is_prime", "is_prime_number": "is_prime",
}  # fmt: skip

PREFIX = frozenset({"sqrt", "sin", "cos", "tan", "cot", "arcsin", "arccos", "arctan", "ln", "log"})
"""Functions that may stand before an operand without brackets: ``sin x``, ``log 28``, ``sqrt 5``."""

TRIGONOMETRIC = frozenset({"sin", "cos", "tan", "cot"})

ARITY = {
    "sqrt": (1, 1), "abs": (1, 1), "sin": (1, 1), "cos": (1, 1), "tan": (1, 1), "cot": (1, 1),
    "arcsin": (1, 1), "arccos": (1, 1), "arctan": (1, 1), "ln": (1, 1), "log": (1, 2), "exp": (1, 1),
    "comb": (1, 2), "perm": (1, 2), "gcd": (2, 20), "lcm": (2, 20), "round": (1, 2), "ceiling": (1, 1),
    "floor": (1, 1), "max": (1, 20), "min": (1, 20), "mod": (2, 2), "factorial": (1, 1), "root": (1, 2),
    "is_integer": (1, 20), "is_digit": (1, 20), "is_odd": (1, 20), "is_even": (1, 20), "is_prime": (1, 20),
}  # fmt: skip
"""Least and greatest number of arguments by normal name."""

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
