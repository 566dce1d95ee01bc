"""Every feature of Table 1 on a case checked by hand."""

from fractions import Fraction

import numpy as np
import pytest

from models.features import LOCAL_NAMES, THREAD_NAMES, ReadThread, Solved, analyse_thread, read_thread
from models.mention_features import MENTION_FEATURES
from models.set_features import SET_FEATURES, NumberSets
from models.thread_features import THREAD_FEATURES, AnalysedThread, Claim
from tests.models.samples import ANSWERS, QUESTION

# (feature, question, answer, raw number, which mention of it) -> value
MENTIONS = [
    ("in_first_line", "", "5 apples\n7 pears", "5", 1.0),
    ("in_last_line", "", "5 apples\n7 pears\nbye", "7", 1.0),
    ("in_last_line", "", "5 apples\n7 pears\nbye", "5", 0.0),
    ("is_first_number", "", "5 then 7", "5", 1.0),
    ("relative_position", "", "abcdefgh 7", "7", 1.0),
    ("is_assigned", "", "so x = 7", "7", 1.0),
    ("is_assigned", "", "7 = x", "7", 1.0),
    ("is_operand", "", "7 * 9 = 63", "9", 1.0),
    ("follows_therefore", "", "therefore there are 7", "7", 1.0),
    ("is_small_integer", "", "it is 2", "2", 1.0),
    ("is_word", "", "it is seven", "seven", 1.0),
]

TWO = (0.1, 0.8, 0.1, 0.0)
"""Two values are asked, most likely."""


def test_every_mention_feature_has_a_case() -> None:
    assert {case[0] for case in MENTIONS} == {feature.__name__ for feature in MENTION_FEATURES}


@pytest.mark.rows("case", MENTIONS, ids=lambda case: f"{case[0]}:{case[2][:20]}")
def test_mention_feature(case: tuple[str, str, str, str, float]) -> None:
    name, question, answer, raw, expected = case
    feature = next(feature for feature in MENTION_FEATURES if feature.__name__ == name)
    read = read_thread(question, [answer])
    view = read.analysed[0]
    place = next(place for place, mention in enumerate(view.mentions) if mention.number.raw == raw)
    assert feature(view)[place] == pytest.approx(expected)


# (feature, question, answer, members) -> value
SETS = [
    ("same_role", "", "x = 5, y = 7", (5, 7), 1.0),
    ("same_role", "", "x = 5, there are 7", (5, 7), 0.0),
    ("breaks_list", "", "15, 16, 17 ft", (16, 17), 1.0),
    ("breaks_list", "", "15, 16, 17 ft", (15, 16, 17), 0.0),
    ("sum_is_given", "There are 12 of them.", "5 and 7", (5, 7), 1.0),
    ("share_implied", "", "x = 5, which is all", (5, 7), 0.5),
    ("dimension_one", "", "5 and 7", (5,), 1.0),
    ("dimension_as_asked", QUESTION, "5 and 7", (5, 7), 1.0),
]


def test_every_set_feature_has_a_case() -> None:
    assert {case[0] for case in SETS} == {feature.__name__ for feature in SET_FEATURES}


@pytest.mark.rows("case", SETS, ids=lambda case: f"{case[0]}:{case[3]}")
def test_set_feature(case: tuple[str, str, str, tuple[int, ...], float]) -> None:
    name, question, answer, members, expected = case
    feature = next(feature for feature in SET_FEATURES if feature.__name__ == name)
    read = read_thread(question, [answer], Solved(own={0: [["5", "7"]]}, asked=TWO if question == QUESTION else ()))
    exact = tuple(Fraction(value) for value in members)
    indexes = tuple(read.found.values.index(value) for value in exact)
    lone = (read.found.values.index(exact[0]),)
    chosen = NumberSets(read.question, read.analysed, read.found.values, (0, 0), (lone, indexes))
    assert feature(chosen)[1] == pytest.approx(expected)


def test_answers_side_by_side_do_not_mix() -> None:
    answers = ["x = 5, y = 7", "5 of 9 and 12 are 7 in all", "no number"]
    own = {0: [["5", "7"]], 1: [["9"]]}
    together = read_thread(QUESTION, answers, Solved(own=own))
    for place, answer in enumerate(answers):
        alone = read_thread(QUESTION, [answer], Solved(own={0: own.get(place, [])}))
        assert np.array_equal(together.tables[place].rows, alone.tables[0].rows)


def test_values_that_only_equations_give_have_no_local_context() -> None:
    read = read_thread(QUESTION, ["x = 5, find the other"], Solved(own={0: [["5", "7"]]}))
    both = next(place for place, one in enumerate(read.found.candidates) if len(one.values) == 2)
    row = read.tables[0].rows[read.tables[0].candidates.index(both)]
    assert row[LOCAL_NAMES.index("is_assigned")] == 0.5
    assert row[LOCAL_NAMES.index("share_implied")] == 0.5


def thread(solutions: tuple[tuple[str, ...], ...] = ()) -> tuple[AnalysedThread, dict[tuple[int, ...], int]]:
    """The sample thread with claims set by hand: two answers say 15 and 16, one says 16."""
    read: ReadThread = read_thread(QUESTION, ANSWERS, Solved(solutions, asked=TWO))
    view = analyse_thread(read, read.tables[0].rows[0] * 0)
    place = {
        tuple(
            int(view.values[index]) if view.values[index].denominator == 1 else 0 for index in candidate.values
        ): index
        for index, candidate in enumerate(view.candidates)
    }
    claims = (Claim(0, place[15, 16], 0.5), Claim(1, place[16,], 0.25), Claim(2, place[15, 16], 1.5))
    made = AnalysedThread(
        view.question, view.analysed, view.values, view.candidates, view.scores, claims, view.solutions
    )
    return made, place


THREADS = [
    ("best_local_score", (15, 16), 0.0),
    ("question_numbers_used", (15,), 0.0),
    ("equals_solution", (15, 16), 1.0),
    ("contradicts_solution", (16,), 0.0),
    ("contradicts_solution", (31,), 1.0),
]


@pytest.mark.rows("case", THREADS, ids=lambda case: f"{case[0]}:{case[1]}")
def test_thread_feature(case: tuple[str, tuple[int, ...], float]) -> None:
    name, members, expected = case
    feature = next(feature for feature in THREAD_FEATURES if feature.__name__ == name)
    view, place = thread((("15", "16"),))
    assert feature(view, place[members]) == pytest.approx(expected)


def test_names_are_unique() -> None:
    assert len(set(LOCAL_NAMES)) == len(LOCAL_NAMES)
    assert len(set(THREAD_NAMES)) == len(THREAD_NAMES)


def test_every_thread_feature_has_a_case() -> None:
    assert {case[0] for case in THREADS} == {feature.__name__ for feature in THREAD_FEATURES}
