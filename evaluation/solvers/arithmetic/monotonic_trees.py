"""Monotonic expression trees (Roy and Roth, EMNLP 2015): one tree for every way to write an expression (section 2).

A sum is what is added and what is taken away, a product what is multiplied and what is divided by; then the operation
at the lowest common ancestor of two quantities is the same in every way to write the expression. The best trees are
found by a beam from leaves to root (section 5).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final, NamedTuple, TypeAlias

from extractors.expressions.tree import Binary, Call, Name, Node, Num, leaves_of
from extractors.solve.equation_systems import parse_system

OPERATIONS: Final = ("+", "-", "-r", "*", "/", "/r")
"""The operations between two quantities in the order of the text; ``r`` where the second one is taken from or divided
by the first."""


class OperandChain(NamedTuple):
    """A sum (``+``) or a product (``*``): what is added or multiplied, and what is taken away or divided by."""

    op: str
    front: tuple["Tree", ...]
    back: tuple["Tree", ...]


Tree: TypeAlias = int | OperandChain
"""A quantity by its number among those of the question, or a chain of trees."""
_INVERSE: Final = {"+": "-", "*": "/"}


def chain_of(op: str, front: Sequence[Tree], back: Sequence[Tree]) -> Tree:
    """The tree of ``front`` and ``back`` under ``+`` or ``*``; chains of the same kind among them are merged.

    >>> chain_of("+", [chain_of("+", [0], [1])], [2])
    OperandChain(op='+', front=(0,), back=(1, 2))
    """
    sides: tuple[list[Tree], list[Tree]] = ([], [])
    for side, trees in enumerate((front, back)):
        for tree in trees:
            if isinstance(tree, OperandChain) and tree.op == op:
                sides[side].extend(tree.front)
                sides[1 - side].extend(tree.back)
            else:
                sides[side].append(tree)
    if len(sides[0]) == 1 and not sides[1]:
        return sides[0][0]
    return OperandChain(op, tuple(sorted(sides[0], key=leaves)), tuple(sorted(sides[1], key=leaves)))


def leaves(tree: Tree) -> tuple[int, ...]:
    """The quantities of a tree, sorted."""
    if isinstance(tree, int):
        return (tree,)
    return tuple(sorted(quantity for part in (*tree.front, *tree.back) for quantity in leaves(part)))


def pair_operations(tree: Tree) -> dict[tuple[int, int], str]:
    """The operation at the lowest common ancestor of each two quantities.

    >>> pair_operations(chain_of("+", [2], [0, 1]))
    {(0, 1): '+', (0, 2): '-r', (1, 2): '-r'}
    """
    found: dict[tuple[int, int], str] = {}
    if isinstance(tree, OperandChain):
        parts = [(part, False) for part in tree.front] + [(part, True) for part in tree.back]
        for index, (part, taken) in enumerate(parts):
            found |= pair_operations(part)
            for other, also in parts[index + 1 :]:
                for a in leaves(part):
                    for b in leaves(other):
                        op = tree.op if taken == also else _INVERSE[tree.op] + "r" * ((a > b) != taken)
                        found[min(a, b), max(a, b)] = op
    return dict(sorted(found.items()))


def value_of(tree: Tree, values: Sequence[Fraction]) -> Fraction | None:
    """The value of a tree; None where it divides by zero."""
    if isinstance(tree, int):
        return values[tree]
    result = Fraction(0 if tree.op == "+" else 1)
    for taken, trees in ((False, tree.front), (True, tree.back)):
        for part in trees:
            value = value_of(part, values)
            if value is None or (taken and tree.op == "*" and value == 0):
                return None
            change = -value if taken and tree.op == "+" else 1 / value if taken else value
            result = result + change if tree.op == "+" else result * change
    return result


def tree_text(tree: Tree, name: Callable[[int], str]) -> str:
    """A tree in our grammar, with a name for each quantity.

    >>> tree_text(chain_of("*", [chain_of("+", [0, 1], [])], [2]), "abc".__getitem__)
    '(a + b) / c'
    """
    if isinstance(tree, int):
        return name(tree)
    parts = [
        name(part) if isinstance(part, int) else f"({tree_text(part, name)})" for part in (*tree.front, *tree.back)
    ]
    ops = [tree.op] * (len(tree.front) - 1) + [_INVERSE[tree.op]] * len(tree.back)
    return parts[0] + "".join(f" {op} {part}" for op, part in zip(ops, parts[1:], strict=True))


class GoldTree(NamedTuple):
    """The tree of a gold equation, and ``floor`` or ``ceiling`` where its value is rounded."""

    tree: Tree
    rounding: str


def gold_tree(equations: Sequence[str], values: Sequence[Fraction]) -> GoldTree | None:
    """The tree of one equation between an unknown and an expression over quantities with these values.

    None where it is none: another form, or a number that no quantity has, or one quantity twice. Raises
    ``ExtractionError`` for what cannot be read.
    """
    stated = parse_system(equations).equations
    sides = [stated[0].left, stated[0].right] if len(stated) == 1 else []
    if not sides or sum(isinstance(side, Name) for side in sides) != 1:
        return None
    node: Node = sides[isinstance(sides[0], Name)]
    rounding = ""
    if isinstance(node, Call):
        if node.name not in ("floor", "ceiling"):
            return None
        rounding = node.name
        node = node.args[0]
    free = list(range(len(values)))
    places: list[int] = []
    for number in leaves_of(node)[1]:
        place = next((index for index in free if values[index] == number), None)
        if place is None:
            return None
        free.remove(place)
        places.append(place)
    tree = _tree(node, iter(places))
    return None if tree is None or isinstance(tree, int) else GoldTree(tree, rounding)


def _tree(node: Node, places: Iterator[int]) -> Tree | None:
    if isinstance(node, Num):
        return next(places)
    if not isinstance(node, Binary) or node.op not in "+-*/":
        return None
    left, right = _tree(node.left, places), _tree(node.right, places)
    if left is None or right is None:
        return None
    if node.op in "+*":
        return chain_of(node.op, [left, right], [])
    return chain_of("+" if node.op == "-" else "*", [left], [right])


BEAM: Final = 200
NONE: Final = "none"
"""The operation between two quantities where one of them is irrelevant."""
_UNLIKELY: Final = -15.0
_TURNED: Final = {"+": "+", "*": "*", "-": "-r", "-r": "-", "/": "/r", "/r": "/"}

PairScores = Mapping[tuple[int, int], Mapping[str, float]]
Scored = tuple[float, Tree]


def best_trees(relevance: Sequence[tuple[float, float]], pairs: PairScores) -> list[Scored]:
    """Trees over the quantities with their scores, the best first.

    ``relevance`` are the scores of leaving a quantity out and of using it, ``pairs`` those of the operations between
    two quantities. A tree's score is the sum of those it agrees with; where operations have a score for NONE, pairs
    with an irrelevant quantity count as well.
    """
    beam = dict(_starts(relevance, pairs))
    found: dict[Tree, float] = {}
    while beam:
        grown: dict[tuple[Tree, ...], float] = {}
        for forest, score in beam.items():
            for new, gain in _merged(forest, pairs):
                total = score + gain
                if len(new) == 1:
                    found[new[0]] = max(found.get(new[0], total), total)
                else:
                    grown[new] = max(grown.get(new, total), total)
        beam = dict(sorted(grown.items(), key=lambda one: (-one[1], repr(one[0])))[:BEAM])
    return sorted(((score, tree) for tree, score in found.items()), key=lambda one: (-round(one[0], 9), repr(one[1])))


def _starts(relevance: Sequence[tuple[float, float]], pairs: PairScores) -> list[tuple[tuple[Tree, ...], float]]:
    """The best sets of two and more quantities."""
    everything = range(len(relevance))
    found: list[tuple[tuple[Tree, ...], float]] = []
    for size in range(2, len(relevance) + 1):
        for used in combinations(everything, size):
            score = sum(relevance[index][index in used] for index in everything)
            score += sum(one.get(NONE, 0.0) for pair, one in pairs.items() if not set(pair) <= set(used))
            found.append((used, score))
    return sorted(found, key=lambda one: (-round(one[1], 9), one[0]))[:BEAM]


def _merged(forest: tuple[Tree, ...], pairs: PairScores) -> Iterator[tuple[tuple[Tree, ...], float]]:
    for a, b in combinations(range(len(forest)), 2):
        first, second = forest[a], forest[b]
        rest = [tree for index, tree in enumerate(forest) if index not in (a, b)]
        crossed = [(x, y) for x in leaves(first) for y in leaves(second)]
        for op, tree in joins(first, second):
            scores = (
                pairs[x, y].get(op, _UNLIKELY) if x < y else pairs[y, x].get(_TURNED[op], _UNLIKELY) for x, y in crossed
            )
            yield tuple(sorted([*rest, tree], key=leaves)), sum(scores)


def joins(first: Tree, second: Tree) -> Iterator[tuple[str, Tree]]:
    """Monotonic trees of two trees, with the operation between them: nothing is added to or taken from a difference."""
    for chain, (plain, taken) in {"+": ("+", "-"), "*": ("*", "/")}.items():
        if not any(isinstance(tree, OperandChain) and tree.op == chain and tree.back for tree in (first, second)):
            yield plain, chain_of(chain, [first, second], [])
            yield taken, chain_of(chain, [first], [second])
            yield f"{taken}r", chain_of(chain, [second], [first])
