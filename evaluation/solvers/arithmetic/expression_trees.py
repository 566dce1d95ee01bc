"""Expression-tree solvers: Roy and Roth (EMNLP 2015), and LCA++ (the same with wide features; Roy and Roth, AAAI 2017).

One classifier says whether a quantity is relevant, another one which operation stands at the lowest common ancestor of
two quantities; the tree is the best one by their joint score whose value can be an answer.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import ceil, floor, log
from typing import Final, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from corpus.benchmarks.gold_problems import GoldProblem
from evaluation.solvers.arithmetic.monotonic_trees import (
    NONE,
    GoldTree,
    OperandChain,
    Scored,
    Tree,
    best_trees,
    gold_tree,
    leaves,
    pair_operations,
    tree_text,
    value_of,
)
from evaluation.solvers.arithmetic.quantity_schemas import (
    ReadQuestion,
    plain_features,
    quantity_features,
    read_question,
    wide_features,
)
from evaluation.solvers.predictions import Prediction
from extractors.extraction_errors import ExtractionError
from models.linear import Softmax

PENALTY: Final = 0.5
RELEVANCE_PENALTY: Final = 0.03
TRIED: Final = 50
SLOTS: Final = "abcdefgh"
PairFeatures = Callable[[ReadQuestion, tuple[int, int]], list[str]]


SEEN: Final = 2
"""A feature counts if at least so many training rows have it."""
_LEAST: Final = 1e-6
NamedRow = Sequence[str]
LabelledRow = tuple[NamedRow, str]


class WordedClassifier:
    """A softmax over the names of features; ``c`` is the inverse strength of its L2 penalty."""

    def __init__(self, examples: Sequence[LabelledRow], c: float) -> None:
        from models.fits import fit_softmax  # scikit-learn takes a second to import

        rows, outcomes = [row for row, _ in examples], [outcome for _, outcome in examples]
        counts = Counter(name for row in rows for name in set(row))
        self._columns = {name: i for i, name in enumerate(sorted(name for name in counts if counts[name] >= SEEN))}
        self.outcomes = tuple(sorted(set(outcomes)))
        labels = np.array([self.outcomes.index(outcome) for outcome in outcomes], dtype=np.intp)
        weights = np.ones(len(rows))
        self._fitted: Softmax = fit_softmax(self._matrix(rows), labels, weights, len(self.outcomes), c)

    def _matrix(self, rows: Sequence[NamedRow]) -> csr_matrix:
        found = [sorted({self._columns[name] for name in row if name in self._columns}) for row in rows]
        starts = np.cumsum([0, *map(len, found)])
        columns = np.array([column for row in found for column in row], dtype=np.intp)
        return csr_matrix((np.ones(len(columns)), columns, starts), shape=(len(rows), len(self._columns)))

    def scores(self, rows: Sequence[NamedRow]) -> list[dict[str, float]]:
        """The logarithm of the probability of each outcome, row by row."""
        if not rows:
            return []
        shares = self._fitted.shares(self._matrix(rows))
        return [
            {name: log(max(share, _LEAST)) for name, share in zip(self.outcomes, row, strict=True)} for row in shares
        ]


class TaughtQuestion(NamedTuple):
    """A training problem: its question as it is read, and its gold tree."""

    read: ReadQuestion
    gold: GoldTree


def taught(problems: Sequence[GoldProblem]) -> Iterator[TaughtQuestion]:
    """The problems whose one equation is an expression over the quantities of the question; others are passed over."""
    for problem in problems:
        read = read_question(problem.question)
        if read is None or not problem.equations:
            continue
        try:
            gold = gold_tree(problem.equations, [one.value for one in read.quantities])
        except ExtractionError:
            continue
        if gold is not None:
            yield TaughtQuestion(read, gold)


def pairs_of(read: ReadQuestion) -> list[tuple[int, int]]:
    """Each two quantities, in the order of the text."""
    count = len(read.quantities)
    return [(first, second) for first in range(count) for second in range(first + 1, count)]


class RoyRoth:
    """The solver of Roy and Roth (2015): plain features, pairs of relevant quantities alone, no rounding."""

    features: PairFeatures = staticmethod(plain_features)
    all_pairs = False
    """Whether pairs with an irrelevant quantity are taught and scored as such."""

    def __init__(self) -> None:
        self._relevance: WordedClassifier | None = None
        self._operation: WordedClassifier | None = None

    def fit(self, problems: Sequence[GoldProblem]) -> None:
        """Learn from problems with one equation over the numbers of the question."""
        examples = list(taught(problems))
        self._relevance = self._operation = None
        if examples:
            self.learn(examples)

    def learn(self, examples: Sequence[TaughtQuestion]) -> None:
        """Fit the classifiers."""
        quantities: list[LabelledRow] = []
        pairs: list[LabelledRow] = []
        for read, gold in examples:
            used, known = set(leaves(gold.tree)), pair_operations(gold.tree)
            quantities += [(quantity_features(read, i), str(i in used)) for i in range(len(read.quantities))]
            wanted = [pair for pair in pairs_of(read) if self.all_pairs or pair in known]
            pairs += [(self.features(read, pair), known.get(pair, NONE)) for pair in wanted]
        self._relevance = WordedClassifier(quantities, RELEVANCE_PENALTY)
        self._operation = WordedClassifier(pairs, PENALTY)

    def trees(self, read: ReadQuestion) -> list[Scored]:
        """The trees over the quantities of a question, the best first."""
        if self._relevance is None or self._operation is None:
            return []
        pairs = pairs_of(read)
        scores = self._operation.scores([self.features(read, pair) for pair in pairs])
        rows = self._relevance.scores([quantity_features(read, index) for index in range(len(read.quantities))])
        relevance = [(row.get("False", 0.0), row.get("True", 0.0)) for row in rows]
        return best_trees(relevance, dict(zip(pairs, scores, strict=True)))

    def rounding(self, read: ReadQuestion, tree: Tree) -> str:
        """How the value of a tree is rounded where a whole number is asked; empty where it is not."""
        return ""

    def solve(self, question: str) -> Prediction | None:
        """The best tree whose value is positive, and whole where things are counted; None where there is none."""
        read = read_question(question)
        if read is None:
            return None
        values = [one.value for one in read.quantities]
        for _, tree in self.trees(read)[:TRIED]:
            value, rounding = value_of(tree, values), ""
            if value is not None and value.denominator > 1 and read.counted:
                rounding = self.rounding(read, tree)
                value = rounded(value, rounding)
            if value is not None and value > 0:
                return predicted_tree(read, tree, value, rounding)
        return None


def rounded(value: Fraction, rounding: str) -> Fraction | None:
    """A value rounded down or up; None where nothing says how."""
    return Fraction(floor(value) if rounding == "floor" else ceil(value)) if rounding else None


def predicted_tree(read: ReadQuestion, tree: Tree, value: Fraction, rounding: str) -> Prediction:
    """A tree as a template, aligned to the numbers that it uses, with its value."""
    text = tree_text(tree, lambda index: SLOTS[index])
    template = f"m = {rounding}({text})" if rounding else f"m = {text}"
    places = {SLOTS[index]: ("span", *read.quantities[index].span) for index in leaves(tree)}
    return Prediction((template,), places, solutions=(value,))


class LcaPlus(RoyRoth):
    """LCA++: wide features, irrelevant pairs as an operation of their own, and quotients rounded where people would."""

    features: PairFeatures = staticmethod(wide_features)
    all_pairs = True

    def __init__(self) -> None:
        super().__init__()
        self._rounding: WordedClassifier | None = None

    def learn(self, examples: Sequence[TaughtQuestion]) -> None:
        """Fit the classifiers, and that of rounding on the rounded examples."""
        super().learn(examples)
        known = [(_rounding_features(read), gold.rounding) for read, gold in examples if gold.rounding]
        self._rounding = WordedClassifier(known, PENALTY) if known else None

    def rounding(self, read: ReadQuestion, tree: Tree) -> str:
        """Down or up, for a quotient; nothing for other trees, or where no training problem was rounded."""
        if self._rounding is None or not isinstance(tree, OperandChain) or tree.op != "*":
            return ""
        (scores,) = self._rounding.scores([_rounding_features(read)])
        return min(scores, key=lambda name: (-scores[name], name))


def _rounding_features(read: ReadQuestion) -> list[str]:
    return [*(f"asked {word}" for word in read.words(read.asked)), *(f"text {word}" for word in read.lemmas)]
