"""Sets of real numbers as conditions on one unknown: inequalities, intervals, unions, "all but 2".

A region is asked about the ends that both texts name and about the gaps between them; two regions that hold the same of
these are the same set.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from evaluation.metrics.formula_reader import INFINITY, Held, JoinedSets, RelationChain, StatedItem
from extractors.expressions.tree import Binary, Call, Name, Node, Unary, names_of
from extractors.extraction_errors import ExtractionError
from extractors.real_numbers.ball_values import real_value
from extractors.solve.tree_evaluation import ratio_of

_NEAR: Final = Fraction(1, 2**120)
_PLACES: Final = (Fraction(0), Fraction(1), Fraction(100_003, 7), Fraction(-887, 1_009))
"""Where a condition that is linear is told from one that is not."""
_FLIPPED: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "!=": "!="}
ORDERS: Final = frozenset(["<", ">", "<=", ">=", "!="])


class Region(NamedTuple):
    """``<``, ``=`` and ``>`` of an end, ``and`` or ``or`` of parts, ``not`` of one; ``all`` by itself."""

    sort: str
    end: Fraction = Fraction(0)
    parts: "tuple[Region, ...]" = ()

    def ends(self) -> Iterator[Fraction]:
        """The ends that the region names."""
        if self.sort in "<=>":
            yield self.end
        for part in self.parts:
            yield from part.ends()

    def holds(self, cell: int, ends: Sequence[Fraction]) -> bool:
        """Whether a cell is inside: ``2*i + 1`` is end ``i``, even numbers are the gaps around them."""
        match self.sort:
            case "and":
                return all(part.holds(cell, ends) for part in self.parts)
            case "or":
                return any(part.holds(cell, ends) for part in self.parts)
            case "not":
                return not self.parts[0].holds(cell, ends)
            case "all":
                return True
        place = 2 * next(index for index, end in enumerate(ends) if _near(end, self.end)) + 1
        return (cell < place, cell == place, cell > place)["<=>".index(self.sort)]


def same_region(left: StatedItem, right: StatedItem) -> bool | None:
    """Whether two items are one set of real numbers; None where one of them is none, or is about another unknown."""
    names: set[str] = set()
    try:
        regions = [_region(item, names) for item in (left, right)]
    except ExtractionError:
        return None
    if len(names) > 1:
        return None
    ends: list[Fraction] = []
    for end in sorted([*regions[0].ends(), *regions[1].ends()]):
        if not ends or not _near(ends[-1], end):
            ends.append(end)
    cells = range(2 * len(ends) + 1)
    return all(regions[0].holds(cell, ends) == regions[1].holds(cell, ends) for cell in cells)


def is_region(item: StatedItem) -> bool:
    """Whether an item is a set of real numbers by how it is written."""
    if isinstance(item, RelationChain):
        return any(sign in ORDERS or sign in ("\\in", "\\notin") for sign in item.operators)
    if isinstance(item, Held):
        if item.kind in ("domain", "where"):
            return True
        if item.kind in ("tuple", "interval"):
            return any(_unsigned(part) == INFINITY for part in item.items)
        return item.kind == "list" and any(map(is_region, item.items))
    return isinstance(item, JoinedSets)


def _near(one: Fraction, other: Fraction) -> bool:
    return abs(one - other) <= _NEAR * max(Fraction(1), abs(one))


def _unsigned(item: StatedItem) -> StatedItem:
    return item.operand if isinstance(item, Unary) else item


def _end(item: StatedItem) -> Fraction:
    if isinstance(item, Held | RelationChain | JoinedSets) or names_of(item):
        raise ExtractionError("no end of an interval")
    ratio = ratio_of(item, {})
    if ratio is not None:
        return Fraction(*ratio)
    value = real_value(item)
    if value is None:
        raise ExtractionError("no real end")
    return value


def _region(item: StatedItem, names: set[str]) -> Region:
    if isinstance(item, RelationChain):
        pairs = zip(item.sides, item.operators, item.sides[1:], strict=False)
        return Region("and", parts=tuple(_pair(left, sign, right, names) for left, sign, right in pairs))
    if isinstance(item, JoinedSets):
        left, right = _region(item.left, names), _region(item.right, names)
        if item.operator == "\\setminus":
            return Region("and", parts=(left, Region("not", parts=(right,))))
        return Region("or" if item.operator == "\\cup" else "and", parts=(left, right))
    return _group(item, names) if isinstance(item, Held) else Region("=", _end(item))


def _group(item: Held, names: set[str]) -> Region:
    match item.kind:
        case "tuple" | "interval" if len(item.items) == 2:
            return _interval(item)
        case "set":
            return Region("or", parts=tuple(Region("=", _end(part)) for part in item.items))
        case "list":
            return _listed(item, names)
        case "domain" if item.marks == "ℝ":
            return Region("all")
        case "where":
            head, *conditions = item.items
            if isinstance(head, Name):
                names.add(head.name)
                return Region("and", parts=tuple(_region(part, names) for part in conditions))
            return Region("and", parts=tuple(_region(part, names) for part in item.items))
    raise ExtractionError(f"a {item.kind} is no set of real numbers")


def _listed(item: Held, names: set[str]) -> Region:
    """Conditions joined by a comma or "and" hold together, unless nothing would be left."""
    parts = tuple(_region(part, names) for part in item.items)
    together = Region("and", parts=parts)
    ends = sorted(set(together.ends()))
    if item.marks == "or" or not any(together.holds(cell, ends) for cell in range(2 * len(ends) + 1)):
        return Region("or", parts=parts)
    if not all(isinstance(part, RelationChain) for part in item.items):
        raise ExtractionError("sets side by side")
    return together


def _interval(item: Held) -> Region:
    low, high = item.items
    opening, closing = (item.marks or "()")[0], (item.marks or "()")[-1]
    parts = []
    if low != Unary("-", INFINITY):
        parts.append(_beyond(">" + "=" * (opening == "["), _end(low)))
    if high != INFINITY:
        parts.append(_beyond("<" + "=" * (closing == "]"), _end(high)))
    return Region("and", parts=tuple(parts))


def _beyond(sign: str, end: Fraction) -> Region:
    if sign == "!=":
        return Region("not", parts=(Region("=", end),))
    return Region("or", parts=tuple(Region(part, end) for part in sign))


def _pair(left: StatedItem, sign: str, right: StatedItem, names: set[str]) -> Region:
    """One relation: an unknown in a set, or a linear condition on it."""
    if sign in ("\\in", "\\notin"):
        if not isinstance(left, Name):
            raise ExtractionError("a formula in a set")
        names.add(left.name)
        inside = _region(right, names)
        return inside if sign == "\\in" else Region("not", parts=(inside,))
    if sign == "!=" and isinstance(right, Held) and isinstance(left, Name):
        names.add(left.name)
        return Region("not", parts=(_region(right, names),))
    if (
        isinstance(left, Held | RelationChain | JoinedSets)
        or isinstance(right, Held | RelationChain | JoinedSets)
        or sign not in _FLIPPED
    ):
        raise ExtractionError("no relation of numbers")
    if right in (INFINITY, Unary("-", INFINITY)) or left in (INFINITY, Unary("-", INFINITY)):
        names.update(names_of(left, right))
        return Region("all")
    if not names_of(left):
        left, sign, right = right, _FLIPPED[sign], left
    names.update(names_of(left, right))
    if isinstance(left, Call) and left.name == "abs" and not names_of(right):
        return _size(left.args[0], sign, right)
    return _linear(left, sign, right)


def _size(inside: Node, sign: str, bound: Node) -> Region:
    """``|u| < c`` is ``-c < u < c``."""
    parts = (_linear(inside, sign, bound), _linear(inside, _FLIPPED[sign], Unary("-", bound)))
    if _end(bound) < 0:
        raise ExtractionError("a size below nothing")
    return Region("and" if sign in ("<", "<=", "!=") else "or", parts=parts)


def _linear(left: Node, sign: str, right: Node) -> Region:
    names = names_of(left, right)
    if len(names) != 1:
        raise ExtractionError("no condition on one unknown")
    if isinstance(left, Name) and not names_of(right):
        return _beyond(sign, _end(right))
    gap = Binary("-", left, right)
    values = [ratio_of(gap, {names[0]: place}) for place in _PLACES]
    if None in values:
        raise ExtractionError("a condition that is not linear")
    zero, one, *others = (Fraction(*value) for value in values if value is not None)
    slope = one - zero
    if not slope or any(value != zero + slope * place for value, place in zip(others, _PLACES[2:], strict=True)):
        raise ExtractionError("a condition that is not linear")
    return _beyond(sign if slope > 0 else _FLIPPED[sign], -zero / slope)
