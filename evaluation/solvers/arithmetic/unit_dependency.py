"""UnitDep (Roy and Roth, AAAI 2017): LCA++ and a unit dependency graph, read together under the constraints of units.

Vertices of a graph are the quantities and the question; each is a rate ("5 miles a day") or not. An edge says that two
units are the same, or that one is the numerator or the denominator of the other one's rate, or that they have nothing
to do with each other. The paper's annotators drew the graphs; here a tree and its rates determine the graph by the same
rules of which operation goes with which units. Of the graphs that agree with a gold tree the most probable one is
taught, at first by rate words and then twice by the classifiers themselves.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from typing import Final, NamedTuple

from evaluation.solvers.arithmetic.expression_trees import LabelledRow, LcaPlus, TaughtQuestion, WordedClassifier
from evaluation.solvers.arithmetic.monotonic_trees import OperandChain, Scored, Tree, leaves, pair_operations
from evaluation.solvers.arithmetic.quantity_schemas import ReadQuestion, graph_features, quantity_features

ROUNDS: Final = 2
GRAPH_WEIGHT: Final = 0.1
COMPARED: Final = 30
"""Trees, the best ones first, that are compared with their graphs."""
_PENALTY: Final = 0.1
_UNSEEN: Final = -8.0
"""The score of a label that no training problem has, and of a tree that no graph agrees with."""
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


class GraphScores:
    """The scores of the vertices and edges of one question."""

    def __init__(self, read: ReadQuestion, classifiers: tuple[WordedClassifier, WordedClassifier]) -> None:
        vertices, edges = classifiers
        count = len(read.quantities)
        pairs = [(first, second) for first in range(QUESTION, count) for second in range(max(0, first + 1), count)]
        self._vertices = vertices.scores([vertex_features(read, index) for index in range(QUESTION, count)])
        self._edges = dict(zip(pairs, edges.scores([graph_features(read, pair) for pair in pairs]), strict=True))

    def of(self, graph: UnitGraph) -> float:
        """The score of a graph: the sum of those of its labels."""
        rates = (graph.asks_rate, *graph.rates)
        score = sum(row.get(str(rate), _UNSEEN) for row, rate in zip(self._vertices, rates, strict=True))
        return score + sum(self._edges[pair].get(label, _UNSEEN) for pair, label in graph.edges.items())


def vertex_features(read: ReadQuestion, index: int) -> list[str]:
    """The features by which a quantity, or the question, is a rate."""
    if index != QUESTION:
        return quantity_features(read, index)
    words = read.words(read.asked)
    return [f"question {name}" for name in (*words, *map(" ".join, pairwise(words)))]


class UnitDep(LcaPlus):
    """LCA++ whose best trees are scored again together with their best unit dependency graph."""

    def __init__(self) -> None:
        super().__init__()
        self._graphs: tuple[WordedClassifier, WordedClassifier] | None = None

    def learn(self, examples: Sequence[TaughtQuestion]) -> None:
        """Fit the classifiers of LCA++, and those of vertices and edges on graphs that agree with the gold trees."""
        super().learn(examples)
        choices = [(read, graphs) for read, gold in examples if (graphs := list(graphs_of(gold.tree, read)))]
        self._graphs = None
        for _ in range(ROUNDS if choices else 0):
            self._graphs = _fitted([(read, self._chosen(read, graphs)) for read, graphs in choices])

    def _chosen(self, read: ReadQuestion, graphs: Sequence[UnitGraph]) -> UnitGraph:
        """The graph with the best score; before there are scores, the one whose rates have rate words."""
        if self._graphs is not None:
            return max(graphs, key=GraphScores(read, self._graphs).of)
        words = [bool(one.rate) for one in read.quantities]
        return max(graphs, key=lambda graph: sum(a == b for a, b in zip(graph.rates, words, strict=True)))

    def trees(self, read: ReadQuestion) -> list[Scored]:
        """The trees of LCA++, the best first by their scores with that of their best graph."""
        found = super().trees(read)
        if self._graphs is None:
            return found
        scores = GraphScores(read, self._graphs)
        joint = [
            (score + GRAPH_WEIGHT * max((scores.of(graph) for graph in graphs_of(tree, read)), default=_UNSEEN), tree)
            for score, tree in found[:COMPARED]
        ]
        return sorted(joint, key=lambda one: (-round(one[0], 9), repr(one[1])))


def _fitted(chosen: Sequence[tuple[ReadQuestion, UnitGraph]]) -> tuple[WordedClassifier, WordedClassifier]:
    vertices: list[LabelledRow] = []
    edges: list[LabelledRow] = []
    for read, graph in chosen:
        rates = (graph.asks_rate, *graph.rates)
        vertices += [(vertex_features(read, index), str(rate)) for index, rate in enumerate(rates, QUESTION)]
        edges += [(graph_features(read, pair), label) for pair, label in graph.edges.items()]
    return WordedClassifier(vertices, _PENALTY), WordedClassifier(edges, _PENALTY)
