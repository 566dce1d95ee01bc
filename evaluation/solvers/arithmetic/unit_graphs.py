"""Unit dependency graphs (Roy and Roth, AAAI 2017, section 3) as expression trees imply them.

Vertices are the quantities and the question; each is a rate ("5 miles a day") or not. An edge says that two units are
the same, or that one is the numerator or the denominator of the other one's rate, or that they have nothing to do with
each other. The paper's graphs are drawn by hand; here a tree and its rates determine the graph by the same rules of
which operation goes with which units, so that equations are all that is learned from.
"""

from collections.abc import Iterator
from itertools import product
from typing import Final, NamedTuple

from evaluation.solvers.arithmetic.monotonic_trees import OperandChain, Tree, leaves, pair_operations
from evaluation.solvers.arithmetic.quantity_schemas import ReadQuestion

SAME: Final = "same unit"
APART: Final = "no relation"
QUESTION: Final = -1
"""The vertex of the question."""

Rates = tuple[bool, ...]
"""For each quantity whether it is a rate."""


class UnitGraph(NamedTuple):
    """The rates of a graph, and the label of each edge by its two vertices, the question (-1) first."""

    rates: Rates
    asks_rate: bool
    edges: dict[tuple[int, int], str]


def graphs_of(tree: Tree, read: ReadQuestion) -> Iterator[UnitGraph]:
    """The graphs that agree with a tree: one for each choice of rates that its products allow."""
    used = leaves(tree)
    free = [(False, True) if index in used else (bool(one.rate),) for index, one in enumerate(read.quantities)]
    for rates in product(*free):
        if _allowed(tree, rates):
            yield _graph(tree, rates, read)


def _allowed(tree: Tree, rates: Rates) -> bool:
    """Whether one of several factors is a rate and a single one is none, and terms are all rates or all none."""
    if isinstance(tree, int):
        return True
    kinds = [_is_rate(part, rates) for part in tree.front]
    if tree.op == "+":
        fits = len({_is_rate(part, rates) for part in (*tree.front, *tree.back) if isinstance(part, int)}) < 2
    else:
        fits = sum(kinds) == (len(kinds) > 1)
    return fits and all(_allowed(part, rates) for part in (*tree.front, *tree.back))


def _is_rate(tree: Tree, rates: Rates) -> bool:
    """Whether a leaf, or a leaf among the terms of a sum, is a rate; a product is none."""
    if isinstance(tree, int):
        return rates[tree]
    return tree.op == "+" and any(rates[part] for part in tree.front if isinstance(part, int))


def _graph(tree: Tree, rates: Rates, read: ReadQuestion) -> UnitGraph:
    edges = {
        (first, second): SAME if one.unit == other.unit else APART
        for first, one in enumerate(read.quantities)
        for second, other in enumerate(read.quantities[first + 1 :], first + 1)
    }
    terms = set(_terms(tree))
    for pair, op in pair_operations(tree).items():
        edges[pair] = _edge(pair, op, rates, terms)
    asks_rate = _asks_rate(tree, rates)
    edges |= {(QUESTION, index): APART for index in range(len(rates))}
    edges |= {(QUESTION, index): label for index, label in _asked_edges(tree, rates, asks_rate)}
    return UnitGraph(rates, asks_rate, edges)


def _terms(tree: Tree) -> Iterator[tuple[int, int]]:
    """Each two leaves that are terms of one sum."""
    if isinstance(tree, OperandChain):
        parts = (*tree.front, *tree.back)
        if tree.op == "+":
            plain = sorted(part for part in parts if isinstance(part, int))
            yield from ((a, b) for a in plain for b in plain if a < b)
        for part in parts:
            yield from _terms(part)


def _edge(pair: tuple[int, int], op: str, rates: Rates, terms: set[tuple[int, int]]) -> str:
    """The label of an edge between two quantities of a tree."""
    first, second = (rates[index] for index in pair)
    if op in ("+", "-", "-r"):
        role = "numerator"
        if pair in terms:
            return SAME
    else:
        role = "denominator" if op == "*" else "numerator"
    if first == second:
        return APART
    return f"{role} of {'second' if second else 'first'}"


def _asks_rate(tree: Tree, rates: Rates) -> bool:
    """Whether the value of a tree is a rate: a quotient without one, or a sum of rates."""
    if isinstance(tree, int) or tree.op == "+":
        return _is_rate(tree, rates)
    return bool(tree.back) and not any(_is_rate(part, rates) for part in (*tree.front, *tree.back))


def _asked_edges(tree: Tree, rates: Rates, asks_rate: bool) -> Iterator[tuple[int, str]]:
    """The labels of the edges between the question (first) and the quantities (second)."""
    if isinstance(tree, int):
        yield tree, SAME
    elif tree.op == "+":
        for part in (*tree.front, *tree.back):
            yield from _asked_edges(part, rates, asks_rate)
    else:
        for role, parts in (("numerator", tree.front), ("denominator", tree.back)):
            for index in (leaf for part in parts for leaf in leaves(part)):
                yield index, f"{role} of second" if rates[index] else f"{role} of first" if asks_rate else APART
