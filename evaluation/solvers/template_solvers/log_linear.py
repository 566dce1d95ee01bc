"""KAZB (Kushman et al., ACL 2014): a log-linear model over a beam of derivations, those that are right summed out."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.sparse import csr_array

from evaluation.solvers.template_solvers.derivation_space import DerivationSpace
from evaluation.solvers.template_solvers.perceptron import TemplateSolver, perceptron
from evaluation.solvers.template_solvers.supervision import TaughtProblem
from evaluation.solvers.template_solvers.template_bank import Doubles, Indexes

PRIOR = 0.1
"""Weight of the squared norm (KAZB, section 5)."""
BEAM = 50
ROUNDS = 2
STEPS = 50


class Beams(NamedTuple):
    """The derivations in the beams of all problems: a row of features each, where each problem begins, which are right.

    ``used`` are the places of the columns in a vector of weights.
    """

    rows: csr_array
    starts: Indexes
    right: npt.NDArray[np.bool_]
    used: Indexes


class LogLinearSolver(TemplateSolver):
    """KAZB: weights that make the right derivations likely."""

    def learned(self, space: DerivationSpace, problems: Sequence[TaughtProblem]) -> Doubles:
        """The weights by L-BFGS; the beams are those of a perceptron of one epoch, then of the weights before."""
        weights = perceptron(space, problems, epochs=1)
        for _ in range(ROUNDS):
            beams = _beams(space, problems, weights)
            start, options = np.zeros(len(beams.used)), {"maxiter": STEPS}
            found = minimize(_loss, start, args=(beams,), jac=True, method="L-BFGS-B", options=options)
            weights = np.zeros(space.size)
            weights[beams.used] = found.x
        return weights


def _beams(space: DerivationSpace, problems: Sequence[TaughtProblem], weights: Doubles) -> Beams:
    """The likeliest derivations of each problem, right ones and others apart, so that some of both are there."""
    found: list[Indexes] = []
    right: list[bool] = []
    starts: list[int] = []
    for question, mask, _ in problems:
        scores = space.scores(question, space.blocks(weights))
        starts.append(len(found))
        for wanted, allowed in ((True, mask), (False, [~one for one in mask])):
            for derivation in space.likeliest(question, scores, BEAM, allowed):
                found.append(space.features(question, derivation))
                right.append(wanted)
    used, columns = np.unique(np.concatenate(found), return_inverse=True)
    ends = np.cumsum([0, *map(len, found)])
    rows = csr_array((np.ones(len(columns)), columns, ends), shape=(len(found), len(used)))
    return Beams(rows, np.array(starts, dtype=np.intp), np.array(right), used)


def _loss(weights: Doubles, beams: Beams) -> tuple[float, Doubles]:
    """Minus the log likelihood of the right derivations with a Gaussian prior, and its gradient."""
    scores = beams.rows @ weights
    everything, log_all = _shares(scores, beams.starts)
    wanted, log_right = _shares(np.where(beams.right, scores, -np.inf), beams.starts)
    total = float((log_all - log_right).sum()) + PRIOR / 2 * float(weights @ weights)
    return total, beams.rows.T @ (everything - wanted) + PRIOR * weights


def _shares(scores: Doubles, starts: Indexes) -> tuple[Doubles, Doubles]:
    """The probability of each derivation in its beam, and for each beam the logarithm of the sum."""
    sizes = np.diff([*starts, len(scores)])
    highest = np.maximum.reduceat(scores, starts)
    shares = np.exp(scores - np.repeat(highest, sizes))
    sums = np.add.reduceat(shares, starts)
    return shares / np.repeat(sums, sizes), highest + np.log(sums)
