"""The templates of a training corpus, with what their slots are called in features, solved for many numbers at once.

Numbers are floating point here, since only signs and whole values of solutions are looked at while a derivation is
chosen; what is predicted is solved exactly by whoever judges it.
"""

import math
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations, permutations

import numpy as np
import numpy.typing as npt

from curation.equivalence.reconciliation import is_slot, slots_of
from extractors.expressions.grammar import parse_equation
from extractors.expressions.tree import Binary, Equation, Name, Node, Num, Unary, names_of
from extractors.extraction_errors import ExtractionError

Doubles = npt.NDArray[np.float64]
Indexes = npt.NDArray[np.intp]
MAX_SLOTS = 7
_SMALL = 1e-9


class NotPlainError(ValueError):
    """A template with more than sums, products, quotients and powers."""


@dataclass(frozen=True)
class SolverTemplate:
    """A template with its slots and unknowns."""

    equations: tuple[str, ...]

    @cached_property
    def slots(self) -> tuple[str, ...]:
        """The slots, in order of appearance."""
        return slots_of(self.equations)

    @cached_property
    def trees(self) -> tuple[Equation, ...]:
        """The equations as trees; ExtractionError where they cannot be read."""
        return tuple(tree for text in self.equations for tree in parse_equation(text))

    @cached_property
    def unknowns(self) -> tuple[str, ...]:
        """The names that are no slots."""
        names = names_of(*(side for tree in self.trees for side in (tree.left, tree.right)))
        return tuple(name for name in names if not is_slot(name))

    @cached_property
    def roles(self) -> tuple[str, ...]:
        """For each slot its place in its equations, with other slots and the unknowns nameless: ``((@*U)+S)=U``."""
        return tuple(self._role({slot}) for slot in self.slots)

    @cached_property
    def pair_roles(self) -> tuple[str, ...]:
        """The same for each pair of slots, in the order of ``combinations``."""
        return tuple(self._role({first}, {second}) for first, second in combinations(self.slots, 2))

    def _role(self, first: Set[str], second: Set[str] = frozenset()) -> str:
        """The equations in which the slots stand, as text."""
        texts = []
        for tree in self.trees:
            names = names_of(tree.left, tree.right)
            if not first.isdisjoint(names) or not second.isdisjoint(names):
                sides = [_shape(side, first, second) for side in (tree.left, tree.right)]
                texts.append("=".join(sides))
        return " & ".join(sorted(texts))

    @cached_property
    def symmetries(self) -> Indexes:
        """The orders of the slots that leave all solutions as they are, by two rows of numbers: a row for each."""
        orders = alignments(len(self.slots), len(self.slots))
        alike = np.ones(len(orders), dtype=bool)
        for start in (2.0, 3.0):
            values = np.sqrt(start + np.arange(len(self.slots)))
            found = np.sort(self.solutions(values[orders]), axis=1)
            alike &= np.isclose(found, found[0], equal_nan=True).all(axis=1)
        return orders[alike]

    def solutions(self, values: Doubles) -> Doubles:
        """The values of the unknowns (a row each) for rows of slot values; not a number where there is no solution.

        Only systems that are linear in their unknowns are solved.
        """
        count, unknowns = len(values), self.unknowns
        given = dict(zip(self.slots, values.T, strict=True))
        with np.errstate(all="ignore"):
            nothing = self._sides(given, dict.fromkeys(unknowns, 0.0), count)
            slopes = [
                self._sides(given, {name: float(name == one) for name in unknowns}, count) - nothing for one in unknowns
            ]
            steps = dict(zip(unknowns, np.sqrt(2.0 + np.arange(len(unknowns))).tolist(), strict=True))
            moved = self._sides(given, steps, count) - nothing
            straight = sum(step * slope for step, slope in zip(steps.values(), slopes, strict=True))
            found = _solved(np.stack(slopes, axis=2), -nothing)
        found[~np.isclose(straight, moved).all(axis=1)] = np.nan
        return found

    def _sides(self, given: Mapping[str, Doubles], unknowns: Mapping[str, float], count: int) -> Doubles:
        """Left less right of each equation, a row for each row of values."""
        columns = [
            _evaluated(tree.left, given, unknowns) - _evaluated(tree.right, given, unknowns) for tree in self.trees
        ]
        return np.stack([np.broadcast_to(column, (count,)) for column in columns], axis=1)


def _solved(matrices: Doubles, right: Doubles) -> Doubles:
    """Solutions of linear systems, by rows: of square ones, and of others where the first equations give the rest."""
    count, equations, unknowns = matrices.shape
    found = np.full((count, unknowns), np.nan)
    if equations < unknowns:
        return found
    finite = np.asarray(np.isfinite(matrices).all(axis=(1, 2)) & np.isfinite(right).all(axis=1))
    square = matrices[:, :unknowns]
    finite[finite] = np.abs(np.linalg.det(square[finite])) > _SMALL
    if finite.any():
        found[finite] = np.linalg.solve(square[finite], right[finite, :unknowns, None])[:, :, 0]
        rest = np.einsum("ceu,cu->ce", matrices[finite], found[finite])
        off = ~np.isclose(rest, right[finite]).all(axis=1)
        found[np.flatnonzero(finite)[off]] = np.nan
    return found


def as_double(value: Fraction) -> float:
    """A value in floating point; not a number where it is beyond that."""
    try:
        return float(value)
    except OverflowError:
        return math.nan


def _evaluated(node: Node, given: Mapping[str, Doubles], unknowns: Mapping[str, float]) -> Doubles | float:
    if isinstance(node, Num):
        return as_double(node.value)
    if isinstance(node, Name):
        return given[node.name] if node.name in given else unknowns[node.name]
    if isinstance(node, Unary) and node.op == "-":
        return -_evaluated(node.operand, given, unknowns)
    if isinstance(node, Binary) and node.op in _OPERATIONS:
        left, right = (_evaluated(side, given, unknowns) for side in (node.left, node.right))
        return _OPERATIONS[node.op](np.asarray(left), right)
    raise NotPlainError(type(node).__name__)


_OPERATIONS: dict[str, Callable[[Doubles, Doubles | float], Doubles]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "^": np.power,
}


def _shape(node: Node, first: Set[str], second: Set[str]) -> str:
    if isinstance(node, Num):
        return str(node.value)
    if isinstance(node, Name):
        marks = [mark for mark, names in (("@", first), ("%", second)) if node.name in names]
        return (marks or ["S" if is_slot(node.name) else "U"])[0]
    if isinstance(node, Unary):
        return f"({node.op}{_shape(node.operand, first, second)})"
    if isinstance(node, Binary):
        left, right = (_shape(side, first, second) for side in (node.left, node.right))
        if node.op in "+*":
            left, right = sorted((left, right))
        return f"({left}{node.op}{right})"
    return node.name


@lru_cache(maxsize=256)
def alignments(slots: int, numbers: int) -> Indexes:
    """All ways to put different numbers in the slots: a row of numbers for each."""
    rows = list(permutations(range(numbers), slots))
    return np.array(rows, dtype=np.intp).reshape(len(rows), slots)


def usable(equations: Sequence[str]) -> SolverTemplate | None:
    """The template, where it can be read and is not too large."""
    template = SolverTemplate(tuple(equations))
    try:
        plain = bool(template.trees) and bool(template.unknowns) and 1 <= len(template.slots) <= MAX_SLOTS
        if plain:
            template.solutions(np.ones((1, len(template.slots))))
    except (ExtractionError, NotPlainError):
        return None
    return template if plain else None
