"""Whether two formulas are equal: constants by balls, functions at fixed places.

Constants are equal where exact fractions are, or balls of hundreds of bits. Functions are equal where they agree to
those bits at every place that both are defined at, among them places of either sign: places are fractions of large
numbers that nothing in an answer depends on, where an identity of short formulas holds by chance with a probability
below 2**-40 for each (Schwartz 1980, Zippel 1979). They differ where a ball at a place proves it.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from typing import Final

from extractors.expressions.tree import Binary, Call, Name, Node, Num, Unary, names_of, substitute, transform, walk
from extractors.extraction_errors import ExtractionError
from extractors.real_numbers.ball_values import compared_at
from extractors.solve.tree_evaluation import ratio_of

MAX_NAMES: Final = 12
_MODULUS: Final = 10**12 + 39
_RANGES: Final = ((1, 3), (0, 1), (2, 6), (-1, 2), (-3, 6), (-2, 2))
_POSITIVE: Final = 3
"""So many of the ranges give positive values only."""
_WHOLE: Final = frozenset("nmkpqrNMKjt")
"""Names that stand for whole numbers where a factorial or a sign of a power says so."""
_WHOLE_PLACES: Final = 8


def equal_formulas(left: Node, right: Node) -> bool | None:
    """Whether two formulas are equal wherever both have a value; None where that cannot be told.

    >>> from extractors.expressions.grammar import parse_expression as parsed
    >>> equal_formulas(parsed("(x+1)^2"), parsed("x^2+2x+1")), equal_formulas(parsed("2x"), parsed("3x"))
    (True, False)
    >>> equal_formulas(parsed("sqrt(x^2)"), parsed("x")), equal_formulas(parsed("2x"), parsed("2y"))
    (None, False)
    """
    if left == right:
        return True
    if any(
        isinstance(node, Call) and node.name == "log" and len(node.args) == 1 for node in (*walk(left), *walk(right))
    ):
        verdicts = [_equal(left, right), _equal(_natural(left), _natural(right))]
        return True if True in verdicts else None if None in verdicts else False
    return _equal(left, right)


def _natural(node: Node) -> Node:
    """The formula with a logarithm of no base as the natural one."""

    def leaf(part: Node) -> Node | None:
        bare = isinstance(part, Call) and part.name == "log" and len(part.args) == 1
        return Call("ln", (_natural(part.args[0]),)) if bare and isinstance(part, Call) else None

    return transform(node, leaf)


def _equal(left: Node, right: Node) -> bool | None:
    names = sorted({*names_of(left), *names_of(right)})
    if not names:
        return _equal_constants(left, right)
    if len(names) > MAX_NAMES:
        return None
    verdicts = [_at(left, right, place) for place in _places(names)]
    known = [verdict for verdict in verdicts if verdict is not None]
    if len(known) >= _POSITIVE and all(known) and any(verdicts[_POSITIVE:]):
        return True
    if _is_whole(left, right, names) and (agreed := _agree_whole(left, right, names)) is not False:
        return agreed
    return False if known and not any(known) else None


def _equal_constants(left: Node, right: Node) -> bool | None:
    one, other = ratio_of(left, {}), ratio_of(right, {})
    if one is not None and other is not None:
        return one[0] * other[1] == other[0] * one[1]
    return _at(left, right, {})


def _at(left: Node, right: Node, values: Mapping[str, Fraction]) -> bool | None:
    if values:
        one, other = ratio_of(left, values), ratio_of(right, values)
        if one is not None and other is not None:
            return one[0] * other[1] == other[0] * one[1]
    try:
        return compared_at(left, right, values)
    except (ExtractionError, ZeroDivisionError, ValueError, OverflowError):
        return None


def _is_whole(left: Node, right: Node, names: Sequence[str]) -> bool:
    """Whether the formulas speak of whole numbers: names that mostly do, and a function that asks for them."""
    return _WHOLE.issuperset(names) and any(map(_asks_whole, (*walk(left), *walk(right))))


def _asks_whole(node: Node) -> bool:
    if isinstance(node, Call):
        return node.name in ("factorial", "comb", "floor", "ceiling", "cos", "sin")
    return isinstance(node, Binary) and node.op == "^" and isinstance(node.left, Unary)


def _agree_whole(left: Node, right: Node, names: Sequence[str]) -> bool | None:
    """Whether two formulas agree at whole numbers; False only where they never do."""
    verdicts = [_at(left, right, place) for place in _whole_places(names)]
    return True if all(verdicts) else None if None in verdicts or any(verdicts) else False


def _whole_places(names: Sequence[str]) -> Iterator[Mapping[str, Fraction]]:
    for trial in range(_WHOLE_PLACES):
        yield {name: Fraction(3 + trial + 5 * (len(names) - place - 1)) for place, name in enumerate(names)}


def _places(names: Sequence[str]) -> Iterator[Mapping[str, Fraction]]:
    for trial in range(len(_RANGES)):
        yield {name: _coordinate(trial, place) for place, name in enumerate(names)}


@lru_cache(maxsize=256)
def _coordinate(trial: int, place: int) -> Fraction:
    low, width = _RANGES[trial][0], _RANGES[trial][1]
    drawn = int.from_bytes(sha256(f"{trial}.{place}".encode()).digest()[:8], "big") % _MODULUS
    return low + width * Fraction(drawn, _MODULUS)


def constant_ratio(left: Node, right: Node) -> int | None:
    """The sign of the constant that two formulas differ by as a factor; None where there is none.

    >>> from extractors.expressions.grammar import parse_expression as parsed
    >>> constant_ratio(parsed("2x-2y"), parsed("y-x")), constant_ratio(parsed("x"), parsed("x+1"))
    (-1, None)
    """
    names = sorted({*names_of(left), *names_of(right)})
    if not names or len(names) > MAX_NAMES:
        return None
    first: dict[str, Node] = {name: Num(value) for name, value in next(_places(names)).items()}
    one, other = substitute(left, first), substitute(right, first)
    if _equal_constants(one, Num(Fraction(0))) is not False or _equal_constants(other, Num(Fraction(0))) is not False:
        return None
    if equal_formulas(Binary("*", left, other), Binary("*", right, one)) is not True:
        return None
    size = Call("abs", (Binary("/", one, other),))
    return 1 if _equal_constants(size, Binary("/", one, other)) else -1


def renamed(node: Node, names: Mapping[str, str]) -> Node:
    """The formula with other names."""
    return substitute(node, {name: Name(new) for name, new in names.items()})
