"""The arithmetic solvers on a small corpus of our own, in which words decide the operation."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from corpus.benchmarks.gold_problems import Corpus, GoldProblem
from corpus.benchmarks.reading import read_corpus
from evaluation.solvers.arithmetic.expression_trees import LcaPlus, RoyRoth
from evaluation.solvers.arithmetic.unit_dependency import UnitDep
from evaluation.solvers.cross_validation import folds_of, tried
from evaluation.solvers.predictions import Prediction, Predictions
from evaluation.solvers.solver_accuracy import solver_accuracy

MakeTreeSolver = Callable[[], RoyRoth]
SOLVERS = pytest.mark.parametrize("make", [RoyRoth, LcaPlus, UnitDep])
KINDS = (
    ("Ann had {0} pens. She lost {1} of them. How many pens are left?", "x={0}-{1}", lambda a, b: a - b),
    (
        "Ann found {0} pens and Bob found {1} pens. How many pens did they find together?",
        "x={0}+{1}",
        lambda a, b: a + b,
    ),
    ("Each of {1} boxes holds {0} pens. How many pens do all boxes hold?", "x={0}*{1}", lambda a, b: a * b),
    (
        "Ann shares {0} pens equally among {1} friends. How many pens does each friend get?",
        "x={0}/{1}",
        lambda a, b: a // b,
    ),
)


def _problem(name: str, question: str, equation: str, value: int) -> GoldProblem:
    return GoldProblem(
        problem_id=name, native_id=name, origin="gold", question=question, equations=(equation,), gold=((str(value),),)
    )


def _corpus() -> Corpus:
    problems = []
    for n in range(6):
        for kind, (question, equation, value) in enumerate(KINDS):
            first, second = (n + 2) * (n + 5), n + 2
            made = _problem(
                f"{kind}-{n}", question.format(first, second), equation.format(first, second), value(first, second)
            )
            problems.append(made)
    blind = GoldProblem(problem_id="blind", native_id="blind", origin="gold", equations=("x=3+4",), gold=(("7",),))
    wordless = _problem("none", "Why are there owls and cats?", "x=3+4", 7)
    unread = _problem("unread", "Ann has 5 pens and 6 hats. How many?", "x=5+", 11)
    return Corpus("made", "gold", len(problems) + 3, (*problems, blind, wordless, unread))


def _fit(make: MakeTreeSolver, *extra: GoldProblem) -> RoyRoth:
    solver = make()
    solver.fit([*_corpus().problems, *extra])
    return solver


_fitted = cache(_fit)


def _value(prediction: Prediction | None) -> str:
    assert prediction is not None
    assert prediction.solutions is not None
    return str(prediction.solutions[0])


@SOLVERS
def test_all_kinds_are_solved_out_of_fold(make: MakeTreeSolver) -> None:
    corpus = _corpus()
    folds, _ = folds_of(corpus, None)
    found = solver_accuracy(corpus, Predictions(tried(corpus.problems, folds, make)[1]))
    assert found.share("solution, strict").hits >= 23
    assert found.share("equation").hits >= 23
    assert set(found.missing) >= {"blind", "none"}


@SOLVERS
def test_a_prediction_is_a_derivation(make: MakeTreeSolver) -> None:
    question = "Ann had 30 pens. She lost 7 of them. How many pens are left?"
    found = _fitted(make).solve(question)
    assert found is not None
    assert (found.template, found.solutions) == (("m = a - b",), (23,))
    assert {slot: question[start:end] for slot, (_, start, end) in found.alignment.items()} == {"a": "30", "b": "7"}
    assert found == _fit(make).solve(question)


@SOLVERS
def test_what_cannot_be_an_answer_is_not_given(make: MakeTreeSolver) -> None:
    solver = _fitted(make)
    assert _value(solver.solve("Ann had 7 pens. She lost 30 of them. How many pens are left?")) != "-23"
    # 8 / 3 is no number of pens
    found = solver.solve("Ann shares 8 pens equally among 3 friends. How many pens does each friend get?")
    assert "/" not in _value(found)


@SOLVERS
def test_it_abstains(make: MakeTreeSolver) -> None:
    solver = _fitted(make)
    assert solver.solve("How many pens are left?") is None
    assert solver.solve(f"Ann has {', '.join(str(n) for n in range(2, 42))} pens. How many pens are left?") is None
    assert solver.solve("Ann has 5 pens. How many pens has she?") is None
    empty = make()
    empty.fit([])
    assert empty.solve("Ann had 30 pens. She lost 7 of them. How many pens are left?") is None


@pytest.mark.parametrize("make", [LcaPlus, UnitDep])
def test_quotients_are_rounded_as_the_training_problems_are(make: MakeTreeSolver) -> None:
    texts = (
        ("A van seats {1} people. How many vans do {0} people need?", "x=ceiling({0}/{1})"),
        ("A pen costs {1} coins. How many pens can Ann buy with {0} coins?", "x=floor({0}/{1})"),
    )
    rounded = [
        _problem(f"r{n}{kind}", text.format(5 * n + 1, n), equation.format(5 * n + 1, n), 5 + (kind == 0))
        for n in range(3, 9)
        for kind, (text, equation) in enumerate(texts)
    ]
    solver = _fit(make, *rounded)
    assert _value(solver.solve("A van seats 7 people. How many vans do 37 people need?")) == "6"
    assert _value(solver.solve("A pen costs 7 coins. How many pens can Ann buy with 37 coins?")) == "5"
    # without such training problems nothing is rounded
    assert "floor" not in str(_fitted(make).solve("A pen costs 7 coins. How many pens can Ann buy with 37 coins?"))


@pytest.mark.shared
@pytest.mark.full
def test_roy_and_roth_on_asdiv_a(shared_data: Path) -> None:
    folder = shared_data / "asdiv" / "nfolds" / "asdiv-a"
    corpus = read_corpus(f"asdiv:{shared_data / 'asdiv' / 'ASDiv.xml'}@{folder}")
    folds, _ = folds_of(corpus, folder)
    found = solver_accuracy(corpus, Predictions(tried(corpus.problems, folds, RoyRoth)[1])).share("solution, relaxed")
    assert found.n == 1217
    assert found.hits / found.n > 0.72
