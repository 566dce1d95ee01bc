"""The system model: what it chooses, votes, thresholds, training from threads, and its data."""

from dataclasses import replace

import pytest

from corpus.errors import InputError
from extractors.equations.votes import read_systems
from models.asked_values import ASKED_NAMES, AskedValues
from models.gold_values import gold_values
from models.shipped import shipped_model
from models.system_model import OWN_NAMES, OWN_SIGNS, THREAD_NAMES, NamedLogistic, SystemModel, own_rows, weigh
from models.system_training import holds_gold, train_systems
from models.thresholds import lowest_threshold
from tests.models.samples import systems

QUESTION = "Two numbers add up to 41 and differ by 7. Find both numbers."
RIGHT = "x + y = 41\nx - y = 7\nx = 24, y = 17"
OTHER = "p + q = 41\np - q = 9\np = 25, q = 16"


@pytest.fixture(scope="module")
def model() -> SystemModel:
    return shipped_model("systems")


def test_the_set_up_of_a_plain_answer_is_returned(model: SystemModel) -> None:
    found = model.read(QUESTION, [RIGHT], 1)
    assert (found.equations, found.votes, found.note) == (("x+y=41", "x-y=7"), (0,), None)
    assert model.threshold <= found.probability <= 1
    assert [one.probability for one in found.candidates] == [found.probability]


def test_votes_are_answers_with_the_solution_and_those_that_state_it(model: SystemModel) -> None:
    found = model.read(QUESTION, [RIGHT, OTHER, "24 and 17", "a - b = 7, a + b = 41, so a = 24 and b = 17"])
    assert found.votes == (0, 2, 3)
    assert [(one.answer, one.status) for one in found.candidates if one.status == "stated"] == [(2, "stated")]


def test_too_few_votes_or_too_small_a_probability_return_nothing(model: SystemModel) -> None:
    assert model.read(QUESTION, [RIGHT], 2).note == "1 vote of 2 needed"
    found = model.choose(read_systems(QUESTION, [RIGHT]), 1, least=1.0)
    assert found.equations is None
    assert found.note == f"the likeliest system has a probability of {found.probability:.3f}; 1 is wanted"
    assert model.read(QUESTION, ["no idea"], 1).note == "no answer gives a solved system"


def test_agreement_raises_and_dissent_lowers_the_probability(model: SystemModel) -> None:
    alone = model.read(QUESTION, [RIGHT], 1).probability
    agreed = model.read(QUESTION, [RIGHT, RIGHT.replace("x", "a")], 1).probability
    denied = model.read(QUESTION, [RIGHT, OTHER], 1).probability
    assert denied < alone < agreed


def test_the_order_of_answers_does_not_change_the_solution(model: SystemModel) -> None:
    answers = [RIGHT, "a - b = 7, a + b = 41, a = 24", OTHER]
    found = [
        model.read(QUESTION, [answers[place] for place in order], 1) for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0])
    ]
    assert {tuple(sorted(one.solutions[0])) for one in found} == {(17, 24)}
    assert len({round(one.probability, 12) for one in found}) == 1


def test_every_sign_is_kept(model: SystemModel) -> None:
    assert all(sign * model.own.weights[name] >= 0 for name, sign in zip(OWN_NAMES, OWN_SIGNS, strict=True))


def test_a_score_is_the_weighted_sum_of_the_evidence(model: SystemModel) -> None:
    thread = read_systems(QUESTION, [RIGHT])
    chances = (0.1, 0.7, 0.2, 0.0)
    rows = own_rows(thread, chances, AskedValues(thread, chances, model.asked.head(ASKED_NAMES)))
    weighed = weigh(thread, rows, model.own.head(OWN_NAMES))
    place = thread.solved[0]
    assert rows[0][-2] == pytest.approx(0.2, abs=1e-4)
    total = sum(model.own.weights[name] * value for name, value in zip(OWN_NAMES, rows[0], strict=True))
    assert weighed.scores[place] == pytest.approx(total + model.own.intercept, abs=1e-4)


def test_other_evidence_is_refused(model: SystemModel) -> None:
    data = model.as_dict()
    assert SystemModel.from_dict(data) == model
    short = {**data, "thread": {"weights": dict.fromkeys(THREAD_NAMES[1:], 0.0), "intercept": 0.0}}
    with pytest.raises(ValueError, match="other evidence"):
        SystemModel.from_dict(short)


@pytest.mark.rows(
    ("answer", "gold", "right"),
    [
        ("x + y = 41, x - y = 7", ("17",), True),
        ("x + y = 41, x - y = 7", ("17", "25"), False),
        ("x^2 = 9", ("3", "-3"), True),
    ],
)
def test_a_system_is_right_where_one_solution_holds_the_gold(answer: str, gold: tuple[str, ...], right: bool) -> None:
    thread = read_systems("", [answer])
    values = gold_values(gold)
    assert values is not None
    assert holds_gold(thread, thread.solved[0], values) is right


def test_training_learns_that_foreign_numbers_speak_against_a_system() -> None:
    trained = train_systems(systems(60), wanted=0.95)
    assert trained.model.own.weights["any_foreign"] < 0
    assert trained.model == train_systems(systems(60)[::-1], wanted=0.95).model
    row = trained.report.rows[0]
    assert (row.hits, row.n) == (48, 60)
    assert row.returned <= 50, "48 right ones are 95 % of 50.5"


def test_ten_labels_are_needed() -> None:
    with pytest.raises(InputError, match="9 labels with a numeric gold answer; at least 10"):
        train_systems(systems(9))


def test_the_threshold_is_the_lowest_that_is_precise() -> None:
    found = [(0.9, True)] * 18 + [(0.8, False)] * 2 + [(0.7, True)] * 20
    assert lowest_threshold(found, 0.95)[0] == 0.5
    assert lowest_threshold(found, 0.96)[0] == 0.81
    assert lowest_threshold([(0.9, False)] * 20, 0.5)[0] == 0.99


def test_a_part_has_a_weight_for_each_name() -> None:
    head = NamedLogistic({"a": 1.0, "b": 2.0}, 0.5).head(("b", "a"))
    assert (head.weights.tolist(), head.intercept) == ([2.0, 1.0], 0.5)
    assert replace(shipped_model("systems"), threshold=1.0).read(QUESTION, [RIGHT], 1).equations is None
