"""Two statements compared: values, lists, points, sets, regions, functions, equations, matrices.

Right and wrong are proven as far as ``equal_formulas`` proves; what depends on a reading is undecided, and of what
this module has no opinion it says None.
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Final, NamedTuple

from evaluation.metrics.formula_grades import FormulaTerms, constant_ratio, grade_formulas, renamed
from evaluation.metrics.formula_reader import Held, JoinedSets, RelationChain, StatedItem
from evaluation.metrics.grade_marks import Grade, Mark, doubted, matched, rank
from evaluation.metrics.real_regions import ORDERS, is_region, same_region
from evaluation.metrics.statement_reader import AnswerStatement
from extractors.expressions.tree import Binary, Call, Name, Node, Unary, names_of, transform, walk
from extractors.quantities.units import UNIT_NAMES

MAX_ROWS: Final = 32
_EQUAL: Final = frozenset(["=", "≈"])
_RIGHT: Final = Grade(Mark.RIGHT, "the same statement")
_NO_UNIT: Final = frozenset(["unit", "units", "radian", "radians", "rad"])
_DEGREES: Final = re.compile(r"(?:°|\\circ|\\degree|deg(?:rees?)?)[\s}$.]{0,9}\Z")
_POWERS: Final = {"sq": "square", "^2": "square", "^3": "cubic"}


class StatedValue(NamedTuple):
    """A value and its label: ``x`` of x = 3, ``f(x)`` of f(x) = x + 1, ``(x, y)`` of a point."""

    label: StatedItem | None
    value: StatedItem


def grade_statements(
    found: AnswerStatement, wanted: AnswerStatement, tolerance: Fraction, *, exact: bool = False
) -> Grade | None:
    """The grade of a statement against the gold's; None where their units or forms are for another reader."""
    ours, golds = (_units(statement) for statement in (found, wanted))
    if ours != golds and ((ours and golds) or "percent" in ours + golds):
        return None
    integers = (found.integers, wanted.integers)
    texts, bases = (found.text, wanted.text), (*found.bases, *wanted.bases)
    constants = found.constants | wanted.constants
    asked = FormulaTerms(tolerance, texts, found.roughly or wanted.roughly, integers, constants, bases, exact)
    readings = [
        _StatementComparison(asked).statements(one, other)
        for one, other in product(_readings(found), _readings(wanted))
    ]
    if len(readings) == 1 or len({None if one is None else one.mark for one in readings}) == 1:
        return readings[0]
    return Grade(Mark.UNDECIDED, "1/2x may be (1/2)x or 1/(2x)")


def _readings(statement: AnswerStatement) -> tuple[StatedItem, ...]:
    return (statement.item,) if statement.other is None else (statement.item, statement.other)


def _units(statement: AnswerStatement) -> tuple[str, ...]:
    """The units behind the numbers, "square units" and radians left out; degrees at the end are one."""
    if not _NO_UNIT.isdisjoint(statement.units):
        return ()
    degrees = ["°"] if _DEGREES.search(statement.text) else []
    return tuple(sorted([*degrees, *(UNIT_NAMES.get(unit, _POWERS.get(unit, unit)) for unit in statement.units)]))


class _StatementComparison:
    """Compares items for one pair of texts."""

    def __init__(self, asked: FormulaTerms) -> None:
        self.asked = asked

    def statements(self, found: StatedItem, wanted: StatedItem) -> Grade | None:
        """Two whole statements."""
        if is_region(found) or is_region(wanted):
            same = same_region(found, wanted)
            if same is not None:
                clear = all(is_region(item) or _is_interval(item) for item in (found, wanted))
                return _RIGHT if same else Grade(Mark.WRONG if clear else Mark.UNDECIDED, "another set of numbers")
        ours, golds = _solutions(found), _solutions(wanted)
        if max(len(ours), len(golds)) > MAX_ROWS:
            return Grade(Mark.UNDECIDED, f"more than {MAX_ROWS} values")
        named = self.assignments(ours, golds)
        if named is not None:
            return named
        if _assigned(ours) is not None or _assigned(golds) is not None:
            return None
        joined = [item.marks if isinstance(item, Held) and item.kind == "list" else "" for item in (found, wanted)]
        grade = self.lists(ours, golds)
        unlabelled = not any(row.label for row in (*ours, *golds))
        if grade is not None and unlabelled and {*joined} >= {"or", "and"}:
            return doubted(grade, 'one says "and", the other "or"')
        return grade

    def assignments(self, ours: "Sequence[StatedValue]", golds: "Sequence[StatedValue]") -> Grade | None:
        """Values by their names; beside a point, names in the order of the alphabet."""
        one, other = _assigned(ours), _assigned(golds)
        if one is None and other is None:
            return None
        if one is not None and other is not None:
            if set(one) != set(other):
                return Grade(Mark.UNDECIDED, "the values have other names than those of the gold")
            return min((self.items(one[name], other[name]) for name in one), key=rank)
        names, rows = (one, golds) if one is not None else (other, ours)
        point = rows[0].value if len(rows) == 1 else None
        if names is None or not isinstance(point, Held) or point.kind != "tuple" or len(point.items) != len(names):
            return None
        pairs = zip(names.values(), point.items, strict=True)
        grades = [self.items(*(pair if one is not None else pair[::-1])) for pair in pairs]
        outcome = min(grades, key=rank)
        if list(names) != sorted(names) or outcome.mark is Mark.WRONG:
            return Grade(Mark.UNDECIDED, "which value is which cannot be told")
        return outcome

    def lists(self, ours: "Sequence[StatedValue]", golds: "Sequence[StatedValue]") -> Grade | None:
        """Values in any order."""
        if len(ours) == len(golds) == 1:
            return self.solutions(ours[0], golds[0])
        ours, golds = _spread(ours), _spread(golds)
        if not ours or not golds:
            return None
        table = [[self.solutions(one, other) for other in golds] for one in ours]
        if len(ours) == len(golds):
            return matched(table)
        best = [max(row, key=rank) for row in table], [max(column, key=rank) for column in zip(*table, strict=True)]
        if all(rank(one) for one in min(best, key=len)):
            return None
        plain = all(row.label is None and not isinstance(row.value, RelationChain) for row in (*ours, *golds))
        return Grade(Mark.WRONG if plain else Mark.UNDECIDED, "the answer names other values than the gold")

    def solutions(self, one: StatedValue, other: StatedValue) -> Grade:
        """One value with its label."""
        value, gold = one.value, other.value
        heads = [row.label if _is_head(row.label) else None for row in (one, other)]
        if heads[0] is not None and heads[1] is not None:
            gold = _with_names(gold, heads[1], heads[0])
            heads[1] = heads[0] if _alike(heads[0], heads[1]) else heads[1]
        if None not in (one.label, other.label) and (heads[0] or one.label) != (heads[1] or other.label):
            return Grade(Mark.UNDECIDED, "the values have other names than those of the gold")
        if (
            isinstance(one.label, Name)
            and isinstance(other.label, Name)
            and self.is_curve(one)
            and self.is_curve(other)
        ):
            return self.relations(_equation(one), _equation(other))
        if isinstance(gold, RelationChain) and one.label is not None:
            value = _equation(one)
        if isinstance(value, RelationChain) and other.label is not None:
            gold = _equation(other)
        return self.items(value, gold)

    def is_curve(self, row: StatedValue) -> bool:
        """Whether ``y = 2x`` may be a line: it has an unknown on the right that stands for no whole number."""
        return bool(set(_names(row.value)) - self.asked.integers[0] - self.asked.integers[1])

    def items(self, found: StatedItem, wanted: StatedItem) -> Grade:
        """Two items of any kind; a residue is one with its modulus or without."""
        residues = [isinstance(item, Held) and item.kind == "residue" for item in (found, wanted)]
        if residues[0] != residues[1]:
            found, wanted = (
                item.items[0] if isinstance(item, Held) and item.kind == "residue" else item for item in (found, wanted)
            )
        if isinstance(found, Held) and isinstance(wanted, Held):
            return self.groups(found, wanted)
        if isinstance(found, RelationChain) and isinstance(wanted, RelationChain):
            return self.relations(found, wanted)
        if isinstance(found, Held | RelationChain | JoinedSets) or isinstance(
            wanted, Held | RelationChain | JoinedSets
        ):
            return Grade(Mark.UNDECIDED, "the answer and the gold are of different kinds")
        return grade_formulas(found, wanted, self.asked)

    def groups(self, found: Held, wanted: Held) -> Grade:
        """Points, intervals, sets, matrices."""
        found, wanted = _as_point(_as_rows(found), wanted), _as_point(_as_rows(wanted), found)
        if "set" in (found.kind, wanted.kind) and found.kind == wanted.kind:
            return self.sets(found, wanted)
        if found.kind != wanted.kind or found.marks != wanted.marks:
            if {found.kind, wanted.kind} == {"tuple", "interval"} or found.kind == wanted.kind == "interval":
                inner = self.in_order(found, wanted)
                return doubted(inner, f"other brackets: {self.asked.texts[0][:40]}, gold {self.asked.texts[1][:40]}")
            return Grade(Mark.UNDECIDED, "the answer and the gold are of different kinds")
        return self.in_order(found, wanted)

    def in_order(self, found: Held, wanted: Held) -> Grade:
        """Members one by one."""
        if len(found.items) != len(wanted.items):
            return Grade(Mark.WRONG, f"the answer has {len(found.items)} values, the gold {len(wanted.items)}")
        pairs = zip(found.items, wanted.items, strict=True)
        return min((self.items(one, other) for one, other in pairs), key=rank, default=_RIGHT)

    def sets(self, found: Held, wanted: Held) -> Grade:
        """Members in any order."""
        ours, golds = (_spread([StatedValue(None, part) for part in group.items]) for group in (found, wanted))
        if len(ours) != len(golds) or max(len(ours), len(golds)) > MAX_ROWS:
            mark = Mark.WRONG if not (ours and golds) else Mark.UNDECIDED
            return Grade(mark, f"the answer has {len(ours)} values, the gold {len(golds)}")
        return matched([[self.solutions(one, other) for other in golds] for one in ours]) if ours else _RIGHT

    def relations(self, found: RelationChain, wanted: RelationChain) -> Grade:
        """Equations equal up to a factor, inequalities up to a positive one; else undecided."""
        doubt = Grade(Mark.UNDECIDED, "whether the relations are the same could not be told")
        if len(found.operators) != 1 or len(wanted.operators) != 1:
            return self.in_order(Held("", found.sides), Held("", wanted.sides)) if _same_signs(found, wanted) else doubt
        one, other = _gap(found), _gap(wanted)
        if one is None or other is None or one[0] != other[0]:
            return doubt
        sign = constant_ratio(one[1], other[1])
        if sign is None or (sign < 0 and one[0] not in ("=", "!=")):
            return doubt
        return Grade(Mark.RIGHT, "the same relation")


def _same_signs(found: RelationChain, wanted: RelationChain) -> bool:
    return found.operators == wanted.operators and not any(sign in ORDERS for sign in found.operators)


def _gap(relation: RelationChain) -> tuple[str, Node] | None:
    """A relation as a formula beside zero, with ``<`` and ``<=`` for the other two."""
    left, right = relation.sides
    if isinstance(left, Held | RelationChain | JoinedSets) or isinstance(right, Held | RelationChain | JoinedSets):
        return None
    sign = relation.operators[0]
    return (sign.replace(">", "<"), Binary("-", right, left)) if sign[0] == ">" else (sign, Binary("-", left, right))


def _is_interval(item: StatedItem) -> bool:
    return isinstance(item, Held) and item.kind == "interval"


def _as_point(group: Held, other: Held) -> Held:
    """A matrix of one row or column beside a point."""
    if group.kind == "matrix" and other.kind == "tuple":
        rows = [row.items for row in group.items if isinstance(row, Held)]
        if len(rows) == 1 or all(len(row) == 1 for row in rows):
            return Held("tuple", tuple(part for row in rows for part in row))
    return group


def _as_rows(group: Held) -> Held:
    """``[[1, 2], [3, 4]]`` as a matrix."""
    rows = [part.items for part in group.items if isinstance(part, Held) and part.marks == "[]"]
    if group.marks != "[]" or len(rows) != len(group.items):
        return group
    return Held("matrix", tuple(Held("row", row) for row in rows))


def _solutions(item: StatedItem) -> list[StatedValue]:
    """The values of a statement, each with its label; a label before a list belongs to all of it."""
    rows: list[StatedValue] = []
    for part in item.items if isinstance(item, Held) and item.kind == "list" else (item,):
        row = _labelled(part) if isinstance(part, RelationChain) else StatedValue(None, part)
        if row.label is None and rows and not isinstance(row.value, RelationChain):
            row = StatedValue(rows[-1].label, row.value)
        rows += [StatedValue(row.label, value) for value in _branches(row.value)]
    return rows


def _labelled(relation: RelationChain) -> StatedValue:
    """``x = 3`` as the value of x; a relation that is no label stays one."""
    if relation.operators == ("\\in",) and isinstance(relation.sides[1], Held) and relation.sides[1].kind == "set":
        return StatedValue(relation.sides[0], relation.sides[1])
    if relation.operators == ("≈",) and not any(map(_names, relation.sides)):
        return StatedValue(None, relation.sides[0])
    if not _EQUAL.issuperset(relation.operators):
        return StatedValue(None, relation)
    left, *middle, right = relation.sides
    if not middle and _is_label(right) and not _is_label(left) and not _names(left):
        left, right = right, left
    if not _is_label(left) or any(isinstance(side, Name) for side in middle) or (middle and isinstance(right, Name)):
        return StatedValue(None, relation)
    return StatedValue(left, right)


def _names(item: StatedItem) -> tuple[str, ...]:
    return () if isinstance(item, Held | RelationChain | JoinedSets) else names_of(item)


def _is_label(item: StatedItem) -> bool:
    """A name, a point of names, ``AB``, ``|AB|``, ``sin A``, ``x + y``."""
    if isinstance(item, Held):
        return item.kind == "tuple" and all(isinstance(part, Name) for part in item.items)
    if isinstance(item, Call):
        return item.name == "head" or (len(item.args) == 1 and item.name != "sqrt" and _is_label(item.args[0]))
    if isinstance(item, Binary) and item.op in ("*", "+"):
        named = all(isinstance(part, Name | Binary) for part in walk(item)) and _is_label(item.left)
        return named and (item.op == "+" or all(name.isupper() for name in names_of(item)))
    return isinstance(item, Name)


def _is_head(label: StatedItem | None) -> bool:
    return isinstance(label, Call) and label.name == "head"


def _parameters(head: StatedItem | None) -> list[str]:
    return [part.name for part in head.args[1:] if isinstance(part, Name)] if isinstance(head, Call) else []


def _alike(one: StatedItem | None, other: StatedItem | None) -> bool:
    """Whether two heads are one function of parameters: f(x) and f(t), not T(10) and T(5)."""
    ours, golds = _parameters(one), _parameters(other)
    letters = all(name.isalpha() for name in (*ours, *golds))
    same = isinstance(one, Call) and isinstance(other, Call) and one.args[0] == other.args[0]
    return same and letters and len(ours) == len(golds)


def _with_names(item: StatedItem, head: StatedItem | None, wanted: StatedItem | None) -> StatedItem:
    """A value of ``f(t)`` as one of ``f(x)``."""
    ours, golds = _parameters(head), _parameters(wanted)
    if isinstance(item, Held | RelationChain | JoinedSets) or ours == golds or not _alike(head, wanted):
        return item
    return item if set(golds) & set(names_of(item)) - set(ours) else renamed(item, dict(zip(ours, golds, strict=True)))


def _equation(row: StatedValue) -> RelationChain:
    if isinstance(row.value, RelationChain) or row.label is None:
        return row.value if isinstance(row.value, RelationChain) else RelationChain((row.value,), ())
    return RelationChain((row.label, row.value), ("=",))


def _assigned(rows: Sequence[StatedValue]) -> dict[str, StatedItem] | None:
    """Values by name: of several rows with different names, or of one point of names."""
    if len(rows) == 1 and isinstance(label := rows[0].label, Held) and isinstance(point := rows[0].value, Held):
        names = [part.name for part in label.items if isinstance(part, Name)]
        same = point.kind == "tuple" and len(names) == len(point.items) == len(set(names))
        return dict(zip(names, point.items, strict=True)) if same else None
    labels = [row.label.name for row in rows if isinstance(row.label, Name)]
    if len(rows) < 2 or len(labels) != len(rows) or len(set(labels)) != len(labels):
        return None
    return {name: row.value for name, row in zip(labels, rows, strict=True)}


def _spread(rows: Sequence[StatedValue]) -> list[StatedValue]:
    """Rows of which a lone set is its members, and a formula with ``±`` both its values."""
    if len(rows) == 1 and isinstance(rows[0].value, Held) and rows[0].value.kind == "set":
        rows = [StatedValue(rows[0].label, part) for part in rows[0].value.items]
    return [StatedValue(row.label, value) for row in rows for value in _branches(row.value)]


def _branches(item: StatedItem) -> list[StatedItem]:
    """Both values of a formula with ``±``, the upper sign first."""
    if isinstance(item, RelationChain | JoinedSets) or not _has_branch(item):
        return [item]
    if isinstance(item, Held):
        return [item]
    return [_signed(item, "±"), _signed(item, "∓")]


def _has_branch(item: StatedItem) -> bool:
    nodes = () if isinstance(item, Held | RelationChain | JoinedSets) else walk(item)
    return any(isinstance(node, Unary | Binary) and node.op in "±∓" for node in nodes)


def _signed(node: Node, plus: str) -> Node:
    def leaf(part: Node) -> Node | None:
        if isinstance(part, Binary) and part.op in "±∓":
            return Binary("+" if part.op == plus else "-", _signed(part.left, plus), _signed(part.right, plus))
        if isinstance(part, Unary) and part.op in "±∓":
            operand = _signed(part.operand, plus)
            return operand if part.op == plus else Unary("-", operand)
        return None

    return transform(node, leaf)


def same_form(found: AnswerStatement | None, wanted: AnswerStatement | None) -> bool | None:
    """Whether two statements have one form but for the order of terms and factors; None where one was not read."""
    return None if found is None or wanted is None else _form(found.item) == _form(wanted.item)


def _form(item: StatedItem) -> str:
    """The tree as a text, terms and factors sorted."""
    if isinstance(item, RelationChain):
        row = _labelled(item)
        return _form(row.value) if row.label is not None else f"{item.operators}{[_form(side) for side in item.sides]}"
    if isinstance(item, Held):
        parts = [_form(part) for part in item.items]
        return f"{item.kind}{item.marks}{sorted(parts) if item.kind in ('set', 'list') else parts}"
    if isinstance(item, Binary) and item.op in ("+", "*"):
        return f"{item.op}{sorted(_terms(item, item.op))}"
    if isinstance(item, JoinedSets | Unary | Binary | Call):
        return f"{type(item).__name__}{[part if isinstance(part, str) else _form(part) for part in _fields(item)]}"
    return repr(item)


def _fields(item: JoinedSets | Unary | Binary | Call) -> tuple[StatedItem | str, ...]:
    return (item.name, *item.args) if isinstance(item, Call) else tuple(item)


def _terms(item: Node, sign: str) -> list[str]:
    if isinstance(item, Binary) and item.op == sign:
        return [*_terms(item.left, sign), *_terms(item.right, sign)]
    return [_form(item)]
