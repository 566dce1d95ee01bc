"""A thread read once: the answer and the system, each judged beside the other, by the models that ship."""

from dataclasses import replace
from math import log

import numpy as np
import pytest

from models.answer_model import SYSTEM_NAMES, SYSTEM_SIGNS, system_rows
from models.linear import NamedLogistic
from models.read_threads import NOTHING, Solved
from models.shipped import read_thread, shipped_model, shipped_reader
from models.thread_reading import ThreadReader
from tests.models.samples import wholes

QUESTION = "Two numbers add up to 41 and differ by 7. Find both numbers."
RIGHT = "x + y = 41\nx - y = 7\nx = 24, y = 17"
OTHER = "p + q = 41\np - q = 9\np = 25, q = 16"
RAISE = "After a 6% raise Dana earns $44,520 a year. What was her salary before the raise?"
OF_THE_NEW = "44520 * 0.94 = 41848.80"
"""Takes the raise off the new salary, which is wrong."""
OF_THE_OLD = "1.06 s = 44520\ns = 42000"


@pytest.fixture(scope="module")
def reader() -> ThreadReader:
    return shipped_reader()


def test_the_set_up_of_a_plain_answer_is_returned(reader: ThreadReader) -> None:
    ranking, found, _ = reader.read(QUESTION, [RIGHT])
    assert (ranking.values, ranking.sure()) == (("24", "17"), True)
    assert (found.equations, found.votes, found.note) == (("x+y=41", "x-y=7"), (0,), None)
    assert reader.answers.system_threshold <= found.probability <= 1
    assert [one.probability for one in found.candidates] == [found.probability]


def test_answers_that_only_state_the_solution_are_candidates(reader: ThreadReader) -> None:
    answers = [RIGHT, OTHER, "24 and 17", "a - b = 7, a + b = 41, so a = 24 and b = 17"]
    found = reader.read(QUESTION, answers).equations
    assert found.votes == (0, 2, 3)
    assert [(one.answer, one.status) for one in found.candidates if one.status == "stated"] == [(2, "stated")]


def test_too_few_votes_or_too_small_a_probability_return_nothing(reader: ThreadReader) -> None:
    assert reader.read(QUESTION, [RIGHT], min_votes=2).equations.note == "1 vote of 2 needed"
    found = reader.read(QUESTION, [RIGHT], least=1.0).equations
    assert found.equations is None
    assert found.note == f"the likeliest system has a probability of {found.probability:.3f}; 1 is wanted"
    assert reader.read(QUESTION, ["no idea"]).equations.note == "no answer gives a solved system"
    strict = ThreadReader(reader.systems, replace(reader.answers, system_threshold=1.0))
    assert strict.read(QUESTION, [RIGHT]).equations.equations is None
    assert strict.read(QUESTION, [RIGHT], least=0.0).equations.equations == ("x+y=41", "x-y=7")


def test_the_order_of_answers_does_not_change_the_solution(reader: ThreadReader) -> None:
    answers = [RIGHT, "a - b = 7, a + b = 41, a = 24", OTHER]
    orders = ([0, 1, 2], [2, 1, 0], [1, 2, 0])
    found = [reader.read(QUESTION, [answers[place] for place in order]).equations for order in orders]
    assert {tuple(sorted(one.solutions[0])) for one in found} == {(17, 24)}
    assert len({round(one.probability, 12) for one in found}) == 1


def test_a_system_that_contradicts_a_sure_answer_is_not_returned(reader: ThreadReader) -> None:
    assert reader.read(RAISE, [OF_THE_NEW]).equations.equations == ("x=44520*0.94",), "nobody says otherwise"
    stated = [OF_THE_NEW, "42000", "It was $42,000"]
    ranking, found, by_itself = reader.read(RAISE, stated)
    assert (ranking.values, ranking.sure()) == (("42000",), True)
    assert (found.equations, found.votes) == (None, ())
    assert by_itself is not None
    assert by_itself.equations == ("x=44520*0.94",)
    assert found.probability < 0.5 < by_itself.probability, "by itself it is likelier than not"


def test_the_system_that_gives_the_answer_is_returned(reader: ThreadReader) -> None:
    ranking, found, _ = reader.read(RAISE, [OF_THE_NEW, "42000", "It was $42,000", OF_THE_OLD])
    assert ranking.values == ("42000",)
    assert (found.equations, found.solutions, found.votes) == (("1.06*s=44520",), (wholes(42_000),), (1, 2, 3))
    chances = {one.answer: one.probability for one in found.candidates}
    assert chances[0] < 0.5 < chances[3] == found.probability


def test_the_witness_is_the_likeliest_system_before_the_answer_is_known(reader: ThreadReader) -> None:
    witness = reader.read(QUESTION, [OTHER, RIGHT]).witness
    assert witness is not None
    assert (witness.answer, witness.equations) == (1, ("x+y=41", "x-y=7"))
    assert witness.probability == max(reader.systems.read(QUESTION, [OTHER, RIGHT]).chances.values())
    assert reader.read(QUESTION, ["24 and 17"]).witness is None
    weights = dict.fromkeys(SYSTEM_NAMES, 0.0) | {"system_odds": -1.0}
    turned = ThreadReader(reader.systems, replace(reader.answers, systems=NamedLogistic(weights)))
    _, found, same = turned.read(QUESTION, [OTHER, RIGHT], least=0.0)
    assert (found.equations, same) == (("p+q=41", "p-q=9"), witness)


def test_the_model_says_how_likely_a_system_is_beside_the_answer(reader: ThreadReader) -> None:
    solved = Solved([(0.5, [wholes(24, 17)]), (0.5, [wholes(25, 16)])])
    gives, does_not = reader.answers.system_chances(system_rows(solved, wholes(24, 17), 0.9))
    less_sure, _ = reader.answers.system_chances(system_rows(solved, wholes(24, 17), 0.6))
    assert does_not < less_sure < gives
    assert reader.answers.system_chances(system_rows(NOTHING, (), 0.0)) == []


def test_no_weight_says_the_opposite_of_its_evidence(reader: ThreadReader) -> None:
    weights = reader.answers.systems.weights
    assert set(weights) == set(SYSTEM_NAMES)
    assert all(sign * weights[name] >= 0 for name, sign in zip(SYSTEM_NAMES, SYSTEM_SIGNS, strict=True))


def test_what_ships_reads_alike() -> None:
    assert shipped_reader() == ThreadReader(shipped_model("systems"), shipped_model("answers"))
    assert read_thread(QUESTION, [RIGHT, OTHER]) == shipped_reader().read(QUESTION, [RIGHT, OTHER]).equations


@pytest.mark.rows(
    ("systems", "values", "rows"),
    [
        ([(0.8, [wholes(24, 17)])], wholes(17, 24), [(log(4), log(9), 1)]),
        ([(0.8, [wholes(24, 17)])], wholes(17), [(log(4), log(9), 1)]),  # the answer is a part of what it gives
        ([(0.2, [wholes(25, 16)])], wholes(24, 17), [(-log(4), 0, 0)]),
        ([(0.5, [wholes(5, 7), wholes(6, 8)])], wholes(5, 8), [(0, 0, 0)]),  # no one solution has both
        ([(0.5, [wholes(3), wholes(-3)])], wholes(-3, 3), [(0, log(9), 1)]),  # the roots of one unknown
        ([(0.5, [wholes(7)])], (), [(0, 0, 0)]),  # there is no answer
        ([(0.5, ())], wholes(7), [(0, 0, 0)]),  # its only solution is too long to be read
        ([(0.8, [wholes(7)]), (0.2, [wholes(8)])], wholes(8), [(log(4), 0, 0), (-log(4), log(9), 1)]),
    ],
)
def test_the_evidence_for_a_system_beside_the_answer(
    systems: list[tuple[float, list[tuple]]], values: tuple, rows: list[tuple[float, ...]]
) -> None:
    found = system_rows(Solved(systems), values, 0.9)
    assert found == pytest.approx(np.array(rows), abs=2**-16)


def test_a_thread_without_systems_has_no_rows() -> None:
    assert system_rows(NOTHING, wholes(7), 0.9).shape == (0, len(SYSTEM_NAMES))
