"""How the weights of derivations are learned: the structured perceptron, a log-linear model, the largest margin.

The perceptron is that of Upadhyay and Chang (Annotating Derivations, 2017, section 5), averaged. KAZB (Kushman et al.,
ACL 2014) is log-linear over a beam of derivations, those that are right summed out. ZDC (Zhou et al., EMNLP 2015) has
the largest margin between right and wrong derivations: the paper solves one quadratic programme over all wrong ones of
a beam; here the worst wrong one of each problem is added round by round, and a linear SVM without intercept over the
differences solves what has been gathered.
"""

import random
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.sparse import csr_array, csr_matrix, vstack

from corpus.benchmarks.gold_problems import GoldProblem
from evaluation.solvers.predictions import Prediction
from evaluation.solvers.template_solvers.derivation_space import DerivationSpace, best, likeliest
from evaluation.solvers.template_solvers.question_features import read_question
from evaluation.solvers.template_solvers.supervision import Taught, TaughtProblem, training_space
from evaluation.solvers.template_solvers.template_bank import Doubles, Indexes

EPOCHS = 10
SEED = 2017


class TemplateSolver:
    """A solver that gives the best derivation under weights that a subclass learns."""

    answers = False
    """Whether problems teach of which only the answer is known."""

    def __init__(self, taught: str = Taught.DERIVATION, *, released: bool = True) -> None:
        self.taught, self.released = Taught(taught), released
        self.space: DerivationSpace | None = None
        self.weights: Doubles = np.zeros(0)

    def fit(self, problems: Sequence[GoldProblem]) -> None:
        """Learn from the problems that have a right derivation; InputError where there is none."""
        how = {"released": self.released, "answers": self.answers}
        self.space, taught = training_space(problems, self.taught, **how)
        self.weights = self.learned(self.space, taught)

    def learned(self, space: DerivationSpace, problems: Sequence[TaughtProblem]) -> Doubles:
        """The weights."""
        return perceptron(space, problems)

    def solve(self, question: str) -> Prediction | None:
        """The best derivation; None where the question has no numbers, too many, or none that fit a template."""
        assert self.space is not None, "fit comes before solve"
        read = read_question(question)
        encoded = self.space.encode(read)
        if encoded is None:
            return None
        found = best(self.space.scores(encoded, self.space.blocks(self.weights)))
        if found is None:
            return None
        template, numbers = self.space.filled(encoded, found)
        spans = [(read.numbers[number].start, read.numbers[number].end) for number in numbers]
        places = {slot: ("span", *span) for slot, span in zip(template.slots, spans, strict=True)}
        return Prediction(template.equations, places)


class MixedSolver(TemplateSolver):
    """MixedSP (Upadhyay et al., EMNLP 2016): derivations first, then also problems of which only the answer is known.

    Of those the best derivation with the right solution counts as right.
    """

    answers = True

    def learned(self, space: DerivationSpace, problems: Sequence[TaughtProblem]) -> Doubles:
        """The weights of a perceptron that begins with those of the derivations."""
        start = perceptron(space, [one for one in problems if one.taught is not Taught.SOLUTION])
        return perceptron(space, problems, start=start)


def perceptron(
    space: DerivationSpace, problems: Sequence[TaughtProblem], epochs: int = EPOCHS, start: Doubles | None = None
) -> Doubles:
    """Averaged weights: where the best derivation is wrong, its features lose what the best right one's win."""
    weights = np.zeros(space.size) if start is None else np.array(start)
    sums, blocks, order = np.zeros(space.size), space.blocks(weights), list(range(len(problems)))
    chooser, seen = random.Random(SEED), 1  # noqa: S311 - reproducible, not secret
    for _ in range(epochs):
        chooser.shuffle(order)
        for place in order:
            question, right, _taught = problems[place]
            scores = space.scores(question, blocks)
            guess, gold = best(scores), best(scores, right)
            if guess is not None and gold is not None and not right[guess]:
                for derivation, sign in ((gold, 1.0), (guess, -1.0)):
                    features = space.features(question, derivation)
                    np.add.at(weights, features, sign)
                    np.add.at(sums, features, sign * seen)
            seen += 1
    return weights - sums / seen


PRIOR = 0.1
"""Weight of the squared norm (KAZB, section 5)."""
BEAM = 50
BEAM_ROUNDS = 2
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
        for _ in range(BEAM_ROUNDS):
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
        for wanted, allowed in ((True, mask), (False, ~mask)):
            for derivation in likeliest(scores, BEAM, allowed):
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


MARGIN_ROUNDS = 6
COST = 0.05
LEAST_ROWS = 2
"""Differences that a margin needs; with fewer the perceptron's weights stay."""


class MaxMarginSolver(TemplateSolver):
    """ZDC: each right derivation is ahead of all wrong ones by a margin."""

    def learned(self, space: DerivationSpace, problems: Sequence[TaughtProblem]) -> Doubles:
        """The weights, from those of a perceptron of one epoch."""
        weights = perceptron(space, problems, epochs=1)
        gathered: list[csr_array] = []
        for _ in range(MARGIN_ROUNDS):
            gathered += [row for problem in problems if (row := _difference(space, problem, weights)) is not None]
            if len(gathered) < LEAST_ROWS:
                break
            weights = _separated(gathered)
        return weights


def _difference(space: DerivationSpace, problem: TaughtProblem, weights: Doubles) -> csr_array | None:
    """The features of the best right derivation less those of the best wrong one."""
    scores = space.scores(problem.question, space.blocks(weights))
    right, wrong = best(scores, problem.right), best(scores, ~problem.right)
    if right is None or wrong is None:
        return None
    plus, minus = space.features(problem.question, right), space.features(problem.question, wrong)
    columns = np.concatenate([plus, minus])
    signs = np.concatenate([np.ones(len(plus)), -np.ones(len(minus))])
    row = csr_array((signs, (np.zeros(len(columns), dtype=np.intp), columns)), shape=(1, space.size))
    row.sum_duplicates()
    return row


def _separated(differences: Sequence[csr_array]) -> Doubles:
    from models.fits import fit_margin  # scikit-learn takes a second to import

    rows = vstack(differences, format="csr")
    used, columns = np.unique(rows.indices, return_inverse=True)
    starts = rows.indptr.astype(np.int32)
    narrow = csr_matrix((rows.data, columns.astype(np.int32), starts), shape=(rows.shape[0], len(used)))
    weights = np.zeros(rows.shape[1])
    weights[used] = fit_margin(narrow, COST)
    return weights
