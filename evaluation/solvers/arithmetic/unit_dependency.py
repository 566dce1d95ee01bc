"""UnitDep (Roy and Roth, AAAI 2017): LCA++ and a unit dependency graph, read together under the constraints of units.

The paper's annotators drew the graphs; here those of the training problems are the ones that agree with the gold tree,
the most probable of which is taken, at first by rate words and then twice by the classifiers themselves.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from evaluation.solvers.arithmetic.expression_trees import LcaPlus, TaughtQuestion
from evaluation.solvers.arithmetic.quantity_schemas import ReadQuestion
from evaluation.solvers.arithmetic.tree_features import graph_features, quantity_features
from evaluation.solvers.arithmetic.tree_search import Scored
from evaluation.solvers.arithmetic.unit_graphs import QUESTION, UnitGraph, graphs_of
from evaluation.solvers.arithmetic.worded_classifiers import LabelledRow, WordedClassifier

ROUNDS: Final = 2
GRAPH_WEIGHT: Final = 0.1
COMPARED: Final = 30
"""Trees, the best ones first, that are compared with their graphs."""
_PENALTY: Final = 0.1
_UNSEEN: Final = -8.0
"""The score of a label that no training problem has, and of a tree that no graph agrees with."""


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
    return [
        *(f"question {word}" for word in words),
        *(f"question {a} {b}" for a, b in pairwise(words)),
    ]


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
    return (
        WordedClassifier(vertices, _PENALTY),
        WordedClassifier(edges, _PENALTY),
    )
