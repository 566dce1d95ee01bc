"""The structured perceptron of Upadhyay and Chang (Annotating Derivations, 2017, section 5), averaged."""

import random
from collections.abc import Sequence

import numpy as np

from corpus.benchmarks.gold_problems import GoldProblem
from evaluation.solvers.predictions import Prediction
from evaluation.solvers.solver import NO_ID
from evaluation.solvers.template_solvers.derivation_space import DerivationSpace, FilledTemplate
from evaluation.solvers.template_solvers.question_features import read_question
from evaluation.solvers.template_solvers.supervision import Taught, TaughtProblem, training_space
from evaluation.solvers.template_solvers.template_bank import Doubles

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
        best = self.space.best(encoded, self.space.scores(encoded, self.space.blocks(self.weights)))
        if best is None:
            return None
        template = self.space.templates[best.template]
        spans = [(read.numbers[number].start, read.numbers[number].end) for number in best.numbers]
        places = {slot: ("span", *span) for slot, span in zip(template.slots, spans, strict=True)}
        return Prediction(NO_ID, template.equations, places, None, None, None)


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
            guess, gold = space.best(question, scores), space.best(question, scores, right)
            if guess is not None and gold is not None and not _is_right(space, problems[place], guess):
                for derivation, sign in ((gold, 1.0), (guess, -1.0)):
                    features = space.features(question, derivation)
                    np.add.at(weights, features, sign)
                    np.add.at(sums, features, sign * seen)
            seen += 1
    return weights - sums / seen


def _is_right(space: DerivationSpace, problem: TaughtProblem, guess: FilledTemplate) -> bool:
    group, template, row = space.find(problem.question, guess)
    return bool(problem.right[group][template, row])
