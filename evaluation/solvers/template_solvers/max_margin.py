"""ZDC (Zhou et al., EMNLP 2015): weights with the largest margin between right and wrong derivations.

The paper solves one quadratic programme over all wrong derivations of a beam. Here the worst wrong one of each problem
is added round by round, and a linear SVM without intercept over the differences solves what has been gathered.
"""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array, csr_matrix, vstack

from evaluation.solvers.template_solvers.derivation_space import DerivationSpace
from evaluation.solvers.template_solvers.perceptron import TemplateSolver, perceptron
from evaluation.solvers.template_solvers.supervision import TaughtProblem
from evaluation.solvers.template_solvers.template_bank import Doubles
from models.fits import fit_margin

ROUNDS = 6
COST = 0.05
LEAST_ROWS = 2
"""Differences that a margin needs; with fewer the perceptron's weights stay."""


class MaxMarginSolver(TemplateSolver):
    """ZDC: each right derivation is ahead of all wrong ones by a margin."""

    def learned(self, space: DerivationSpace, problems: Sequence[TaughtProblem]) -> Doubles:
        """The weights, from those of a perceptron of one epoch."""
        weights = perceptron(space, problems, epochs=1)
        gathered: list[csr_array] = []
        for _ in range(ROUNDS):
            gathered += [row for problem in problems if (row := _difference(space, problem, weights)) is not None]
            if len(gathered) < LEAST_ROWS:
                break
            weights = _separated(gathered)
        return weights


def _difference(space: DerivationSpace, problem: TaughtProblem, weights: Doubles) -> csr_array | None:
    """The features of the best right derivation less those of the best wrong one."""
    scores = space.scores(problem.question, space.blocks(weights))
    right = space.best(problem.question, scores, problem.right)
    wrong = space.best(problem.question, scores, [~mask for mask in problem.right])
    if right is None or wrong is None:
        return None
    plus, minus = space.features(problem.question, right), space.features(problem.question, wrong)
    columns = np.concatenate([plus, minus])
    signs = np.concatenate([np.ones(len(plus)), -np.ones(len(minus))])
    row = csr_array((signs, (np.zeros(len(columns), dtype=np.intp), columns)), shape=(1, space.size))
    row.sum_duplicates()
    return row


def _separated(differences: Sequence[csr_array]) -> Doubles:
    rows = vstack(differences, format="csr")
    used, columns = np.unique(rows.indices, return_inverse=True)
    starts = rows.indptr.astype(np.int32)
    narrow = csr_matrix((rows.data, columns.astype(np.int32), starts), shape=(rows.shape[0], len(used)))
    weights = np.zeros(rows.shape[1])
    weights[used] = fit_margin(narrow, COST)
    return weights
