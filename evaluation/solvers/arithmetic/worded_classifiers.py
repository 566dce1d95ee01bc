"""Multinomial regression over named features: names are put into columns, scikit-learn fits the weights."""

from collections import Counter
from collections.abc import Sequence
from math import log
from typing import Final

import numpy as np
from scipy.sparse import csr_matrix

from models.linear import Softmax

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
