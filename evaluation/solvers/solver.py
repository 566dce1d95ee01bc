"""What every solver does: it learns from problems with gold labels and solves questions that it has not seen."""

from collections.abc import Callable, Sequence
from typing import Final, Protocol

from corpus.benchmarks.gold_problems import GoldProblem
from evaluation.solvers.predictions import Prediction

NO_ID: Final = ""
"""The id of a prediction for a question alone."""


class Solver(Protocol):
    """A solver of word problems; the same problems in the same order give the same solver."""

    def fit(self, problems: Sequence[GoldProblem]) -> None:
        """Learn from these problems; those that lack what the solver learns from are passed over."""

    def solve(self, question: str) -> Prediction | None:
        """What the solver says of a question: a derivation, equations or values; None where it abstains."""


MakeSolver = Callable[[], Solver]
