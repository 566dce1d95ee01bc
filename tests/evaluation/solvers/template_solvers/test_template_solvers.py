"""KAZB, ZDC, the perceptrons and MixedSP over small problems of our own."""

import numpy as np
import pytest
from scipy.optimize import check_grad

from corpus.benchmarks.gold_problems import GoldProblem
from corpus.errors import InputError
from corpus.records import SlotAlignment
from evaluation.solvers.predictions import Prediction
from evaluation.solvers.solver import SOLVERS, Solver
from evaluation.solvers.solver_accuracy import judge_prediction
from evaluation.solvers.template_solvers.derivation_learners import _beams, _loss
from evaluation.solvers.template_solvers.derivation_space import best, likeliest
from evaluation.solvers.template_solvers.question_features import MAX_NUMBERS, read_question
from evaluation.solvers.template_solvers.supervision import Taught, training_space
from tests.evaluation.solvers.template_solvers.samples import LEFT, PROBLEMS, TOTAL, problem

TEMPLATE_SOLVERS = ("kazb", "zdc", "te", "te-as-written", "td", "mixedsp", "sim")
NEW = (
    problem("7", "Ida had 12 dolls. She lost 5 dolls. How many dolls are left?", LEFT, "ab", "7"),
    problem("8", "Max lost 1 keys. He had 10 keys before. How many keys are left?", LEFT, "ba", "9"),
    problem("9", "There are 7 rows with 8 seats in each row. How many seats are there in all?", TOTAL, "ab", "56"),
)


def _fitted(name: str, problems: tuple[GoldProblem, ...] = PROBLEMS) -> Solver:
    solver = SOLVERS[name].make()
    solver.fit(problems)
    return solver


def _verdicts(one: GoldProblem, prediction: Prediction | None) -> list[str]:
    judged = judge_prediction(one, prediction)
    return [judged.verdicts[measure] for measure in ("derivation", "equation", "solution, strict")]


@pytest.mark.parametrize("name", TEMPLATE_SOLVERS)
def test_new_problems_are_solved(name: str) -> None:
    solver = _fitted(name)
    assert [_verdicts(one, solver.solve(one.question)) for one in NEW] == [["", "", ""]] * 3


@pytest.mark.parametrize("name", TEMPLATE_SOLVERS)
def test_the_same_problems_give_the_same_solver(name: str) -> None:
    first, second = _fitted(name), _fitted(name)
    assert [first.solve(one.question) for one in NEW] == [second.solve(one.question) for one in NEW]


@pytest.mark.parametrize("name", TEMPLATE_SOLVERS)
def test_without_fitting_numbers_there_is_no_answer(name: str) -> None:
    solver = _fitted(name)
    assert solver.solve("How many pens are left?") is None
    assert solver.solve("She lost 4 pens.") is None


@pytest.mark.parametrize("name", [name for name in TEMPLATE_SOLVERS if name != "sim"])
def test_a_question_with_forty_numbers_is_not_tried(name: str) -> None:
    solver = _fitted(name)
    few = " and ".join(f"{n} pens" for n in range(2, 2 + MAX_NUMBERS))
    assert solver.solve(f"Ann had {few}. How many pens are left?") is not None
    assert solver.solve("Ann had " + " and ".join(f"{n} pens" for n in range(40)) + ".") is None


def test_scores_are_sums_of_weights() -> None:
    space, taught = training_space(PROBLEMS, Taught.DERIVATION)
    weights = np.random.default_rng(5).normal(size=space.size)
    question = taught[0].question
    scores = space.scores(question, space.blocks(weights))
    for derivation in range(len(scores)):
        assert scores[derivation] == pytest.approx(weights[space.features(question, derivation)].sum())
    ordered = likeliest(scores, 4, np.ones(len(scores), dtype=bool))
    assert scores[ordered].tolist() == sorted(scores, reverse=True)[:4]
    assert best(scores) == ordered[0]


def test_what_counts_as_right() -> None:
    twice = "Ann had 4 pens and 4 hats. She lost 3 pens. How many pens are left?"
    slots = (SlotAlignment(slot="a", value="4", start=8, end=9), SlotAlignment(slot="b", value="3", start=36, end=37))
    one = problem("t", "Ann had 4 pens. She lost 3 pens. How many pens are left?", LEFT, "ab", "1").model_copy(
        update={"question": twice, "alignment": slots}
    )
    found = {}
    for mode in Taught:
        space, taught = training_space([one, PROBLEMS[4]], mode, answers=True)
        minus = [place for place, template in enumerate(space.templates) if template.equations == LEFT]
        rows = taught[0].question.candidates[0].rows
        right = taught[0].right.reshape(2, -1)
        found[mode] = [
            (place in minus, rows[row].tolist()) for place in range(2) for row in range(len(rows)) if right[place, row]
        ]
    # numbers 0 and 1 are both 4: only the aligned one is the derivation, both give the equation
    assert found[Taught.DERIVATION] == [(True, [0, 2])]
    assert found[Taught.EQUATIONS] == found[Taught.SOLUTION] == [(True, [0, 2]), (True, [1, 2])]


def test_an_order_that_changes_nothing_is_right_as_well() -> None:
    one = problem("s", "Ann has 2 pens and 3 hats. How many things has she?", ("m = a + b",), "ab", "5")
    _, taught = training_space([one], Taught.DERIVATION)
    assert taught[0].right.tolist() == [True, True]


def test_answers_alone_teach_mixedsp() -> None:
    story = "The temperature was {} degrees. It fell by {} degrees. What is it now?"
    cold = [problem(str(k), story.format(3, 3 + k), LEFT, "ab", str(-k)) for k in (2, 4, 5)]
    bare = [one.model_copy(update={"template": (), "alignment": (), "equations": ()}) for one in cold[:2]]
    explicit, mixed = _fitted("td", (*PROBLEMS, *bare)), _fitted("mixedsp", (*PROBLEMS, *bare))
    new = cold[2].question
    assert "other values: 5" in _verdicts(cold[2], explicit.solve(new))[2]  # all answers that it knows are positive
    assert _verdicts(cold[2], mixed.solve(new)) == ["", "", ""]


@pytest.mark.parametrize("name", TEMPLATE_SOLVERS)
def test_corpora_with_nothing_to_choose_and_values_beyond_floating_point(name: str) -> None:
    pens = problem("x", "Ann has 3 pens. How many pens has she?", ("m = a",), "a", "3")
    gold = PROBLEMS[0].model_copy(update={"gold": (("9" * 400,),)})
    constant = problem("h", "Ann has 3 pens and 4 hats. How many?", ("m = a + b * 1" + "0" * 400,), "ab", "7")
    for problems in ((pens,), (gold,), (constant,), (pens, gold, constant)):
        solver = _fitted(name, problems)
        assert solver.solve("How many?") is None
        found = solver.solve(problems[0].question)
        assert found is None or len(found.alignment) in (1, 2)


@pytest.mark.parametrize("name", ["td", "te", "zdc", "kazb"])
def test_a_corpus_that_teaches_nothing(name: str) -> None:
    bare = {"template": (), "alignment": (), "equations": ()}
    with pytest.raises(InputError, match="no training problem has a template"):
        _fitted(name, tuple(one.model_copy(update=bare) for one in PROBLEMS))


def test_the_slope_of_the_log_likelihood() -> None:
    space, taught = training_space(PROBLEMS, Taught.EQUATIONS)
    beams = _beams(space, taught, np.zeros(space.size))
    start = np.random.default_rng(3).normal(size=len(beams.used)) / 10
    off = check_grad(lambda w: _loss(w, beams)[0], lambda w: _loss(w, beams)[1], start)
    assert off < 1e-4


def test_features_of_numbers_and_pairs() -> None:
    question = read_question("Ann had 9 pens. She lost 4 pens. How many pens are left?")
    assert [str(value) for value in question.values] == ["9", "4"]
    assert {"+1 pen", "-1 have", "largest True", "rank 0 of 2", "unit asked True", "asked False"} <= set(
        question.single[0]
    )
    assert {"before True", "sentences 1", "same unit True", "larger 1"} <= set(question.pairs[0][1])
    assert {"before False", "sentences -1", "larger -1"} <= set(question.pairs[1][0])
    assert "?how many" in question.words


def test_names_are_known() -> None:
    assert set(TEMPLATE_SOLVERS) <= set(SOLVERS)
