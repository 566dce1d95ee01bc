"""The system model: how likely systems are, what they come to, training from threads, and its data."""

from dataclasses import replace

import pytest

from corpus.errors import InputError
from extractors.equations.votes import read_systems
from models.asked_values import ASKED_NAMES, AskedValues
from models.label_split import LabelledThread, lowest_threshold
from models.linear import NamedLogistic
from models.shipped import shipped_model
from models.system_model import OWN_NAMES, OWN_SIGNS, THREAD_NAMES, JudgedSystems, SystemModel, own_rows, weigh
from models.system_training import offered, train_systems
from tests.models.samples import label, systems, wholes

QUESTION = "Two numbers add up to 41 and differ by 7. Find both numbers."
RIGHT = "x + y = 41\nx - y = 7\nx = 24, y = 17"
OTHER = "p + q = 41\np - q = 9\np = 25, q = 16"


@pytest.fixture(scope="module")
def model() -> SystemModel:
    return shipped_model("systems")


def likeliest(found: JudgedSystems) -> int:
    """The place of the likeliest system."""
    place = found.likeliest(found.chances)
    assert place is not None
    return place


def test_votes_are_answers_with_the_solution_and_those_that_state_it(model: SystemModel) -> None:
    found = model.read(QUESTION, [RIGHT, OTHER, "24 and 17", "a - b = 7, a + b = 41, so a = 24 and b = 17"])
    assert found.votes(likeliest(found)) == (0, 2, 3)
    (other,) = (place for place in found.thread.solved if found.thread.systems[place].answer == 1)
    assert found.votes(other) == (1,)


def test_the_likeliest_is_the_first_of_equals() -> None:
    assert JudgedSystems.likeliest({2: 0.5, 1: 0.5, 0: 0.4}) == 1
    assert JudgedSystems.likeliest({}) is None


def test_agreement_raises_and_dissent_lowers_the_probability(model: SystemModel) -> None:
    alone, agreed, denied = (
        max(model.read(QUESTION, answers).chances.values())
        for answers in ([RIGHT], [RIGHT, RIGHT.replace("x", "a")], [RIGHT, OTHER])
    )
    assert denied < alone < agreed


def test_systems_come_to_the_solutions_of_the_likeliest_and_of_the_likeliest_of_each_answer(model: SystemModel) -> None:
    answers = ["a + b = 59, a - b = 15", "37 and 22", "x + y = 59\nx - y = 15", "z = 59 - 15"]
    solved = model.read("59 in the two crates, and 15 is what they are apart.", answers).solved
    assert [sorted(values) for values in solved.likeliest] == [[22, 37]]
    assert {place: [sorted(values) for values in found] for place, found in solved.own.items()} == {
        0: [[22, 37]],
        2: [[22, 37]],
        3: [[44]],
    }
    asked = {answer: (sorted(values), chance) for values, chance, answer in solved.likely_asked}
    assert (asked[0][0], asked[3][0]) == ([22, 37], [44])
    assert [chance for chance, _ in solved.systems] == [asked[answer][1] for answer in (0, 2, 3)]
    assert [len(rows) for _, rows in solved.systems] == [1, 1, 1]
    assert sum(solved.asked) == pytest.approx(1)


def test_the_likeliest_of_all_stands_for_its_answer(model: SystemModel) -> None:
    found = model.read("There are 74 legs. How many are there?", ["74/2 = 37, 37 - 7 = 30"])
    places = {tuple(found.thread.systems[place].solutions[0]): place for place in found.thread.solved}
    claimed = found.weighed.claims[0]
    other = places[wholes(37)]
    assert claimed != other, "by its own answer alone it is not the best"
    solved = replace(found, chances=dict.fromkeys(found.chances, 0.1) | {other: 0.9}).solved
    assert (solved.likeliest, solved.own) == ((wholes(37),), {0: (wholes(37),)})
    assert solved.likely_asked == [(wholes(37), 0.9, 0)]


def test_a_thread_without_a_system_comes_to_nothing(model: SystemModel) -> None:
    solved = model.read(QUESTION, ["24 and 17", "no idea"]).solved
    assert (solved.systems, solved.likeliest, solved.own, solved.likely_asked) == ([], (), {}, [])


def test_both_roots_of_one_unknown_are_solutions(model: SystemModel) -> None:
    solved = model.read("The square of a number is 9. What is it?", ["x^2 = 9\nx = 3 or x = -3"]).solved
    assert sorted(solved.likeliest) == [wholes(-3), wholes(3)]


def test_every_sign_is_kept(model: SystemModel) -> None:
    assert all(sign * model.own.weights[name] >= 0 for name, sign in zip(OWN_NAMES, OWN_SIGNS, strict=True))


def test_a_score_is_the_weighted_sum_of_the_evidence(model: SystemModel) -> None:
    thread = read_systems(QUESTION, [RIGHT])
    chances = (0.1, 0.7, 0.2, 0.0)
    rows = own_rows(thread, chances, AskedValues(thread, chances, model.asked.head(ASKED_NAMES)))
    weighed = weigh(thread, rows, model.own.head(OWN_NAMES))
    place = thread.solved[0]
    assert rows[0][OWN_NAMES.index("fewer_than_asked")] == pytest.approx(0.2, abs=1e-4)
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
    found = offered(LabelledThread("p:1", "", (answer,), label("p:1", "ok", gold)))
    assert found is not None
    assert found.right == (right,)


def test_training_learns_that_the_question_speaks_against_a_system() -> None:
    threads = systems(60)
    trained = train_systems(threads)
    assert trained.model.own.weights["contradicted_by_question"] < 0
    assert trained.model == train_systems(threads[::-1]).model
    (row,) = trained.report.rows
    assert (row.hits, row.returned, row.n) == (48, 60, 60), "every fifth answer slips"
    chances = [max(trained.model.read(one.question, one.answers).chances.values()) for one in threads]
    slipped = chances[::5]
    assert max(slipped) < min(chance for place, chance in enumerate(chances) if place % 5)


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
