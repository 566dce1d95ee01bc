"""Joint inference over monotonic expression trees (Roy and Roth, EMNLP 2015, section 5): a beam from leaves to root."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final

from evaluation.solvers.arithmetic.monotonic_trees import OperandChain, Tree, chain_of, leaves

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
