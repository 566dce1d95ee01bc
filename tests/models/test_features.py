"""Every feature of Table 1 on a case checked by hand."""

from fractions import Fraction

import numpy as np
import pytest

from models.features import LOCAL_NAMES, THREAD_NAMES, ReadThread, Solved, analyse_thread, read_thread
from models.mention_features import MENTION_FEATURES
from models.number_sets import NumberSets
from models.set_features import SET_FEATURES, is_reckoned_on
from models.thread_features import THREAD_FEATURES, AnalysedThread, Claim
from tests.models.samples import ANSWERS, QUESTION

# (feature, question, answer, raw number, which mention of it) -> value
MENTIONS = [
    ("in_first_line", "", "5 apples\n7 pears", "5", 1.0),
    ("in_last_line", "", "5 apples\n7 pears\nbye", "7", 1.0),
    ("in_last_line", "", "5 apples\n7 pears\nbye", "5", 0.0),
    ("in_first_sentence", "", "I had 5 left. Then 7 came.", "5", 1.0),
    ("in_last_sentence", "", "I had 5 left. Then 7 came.", "5", 0.0),
    ("in_last_conclusive_sentence", "", "He has 7 left. And 5 + 2 of them", "7", 1.0),
    ("is_first_number", "", "5 then 7", "5", 1.0),
    ("is_last_number", "", "5 then 7", "5", 0.0),
    ("is_last_number", "", "x = 7\nCheck: 5 of 9", "7", 1.0),
    ("is_last_conclusive", "", "it is 7 and 5 * y", "7", 1.0),
    ("relative_position", "", "abcdefgh 7", "7", 1.0),
    ("is_result", "", "3 + 4 = 7", "7", 1.0),
    ("is_result", "", "3 + 4 = 7", "4", 0.0),
    ("is_assigned", "", "so x = 7", "7", 1.0),
    ("is_assigned", "", "7 = x", "7", 1.0),
    ("is_operand", "", "7 * 9 = 63", "9", 1.0),
    ("is_stated", "", "there are 7 left", "7", 1.0),
    ("follows_answer_word", "", "the answer is 7", "7", 1.0),
    ("follows_therefore", "", "therefore there are 7", "7", 1.0),
    ("follows_copula", "", "the width is 7", "7", 1.0),
    ("has_asked_unit", "How many hours does it take?", "It takes 7 hours", "7", 1.0),
    ("has_asked_unit", "How many hours does it take?", "It is 7 miles", "7", 0.0),
    ("is_asked_money", "How much does it cost?", "It costs $7", "7", 1.0),
    ("is_asked_money", "How many hours?", "It costs $7", "7", -1.0),
    ("has_word_after", "", "7 nickels", "7", 1.0),
    ("is_alone_on_line", "", "so we get\n7\nthanks", "7", 1.0),
    ("is_reckoned_with_later", "", "3 + 4 = 7\n7 * 2 = 14", "7", 1.0),
    ("is_in_check", "", "she was 7 then", "7", 1.0),
    ("is_after_check", "", "x = 5\nCheck: 7 is right", "7", 1.0),
    ("is_negated", "", "it is not 7", "7", 1.0),
    ("is_hedged", "", "i guess 7", "7", 1.0),
    ("is_in_brackets", "", "five (that is, 7 and more)", "7", 1.0),
    ("share_of_mentions", "", "7 and 7 and 5", "7", 2 / 3),
    ("is_in_question", "I have 7.", "it is 7", "7", 1.0),
    ("is_integer", "", "it is 7.5", "7.5", 0.0),
    ("is_negative", "", "it is -7", "-7", 1.0),
    ("magnitude", "", "it is 999999", "999999", 1.0),
    ("is_small_integer", "", "it is 2", "2", 1.0),
    ("is_unwieldy", "", "it is 11.0123", "11.0123", 1.0),
    ("is_word", "", "it is seven", "seven", 1.0),
    ("is_percent", "", "it is 7%", "7", 1.0),
]

TWO = (0.1, 0.8, 0.1, 0.0)
"""Two values are asked, most likely."""


def test_every_mention_feature_has_a_case() -> None:
    assert {case[0] for case in MENTIONS} == {feature.__name__ for feature in MENTION_FEATURES}


@pytest.mark.parametrize("case", MENTIONS, ids=lambda case: f"{case[0]}:{case[2][:20]}")
def test_mention_feature(case: tuple[str, str, str, str, float]) -> None:
    name, question, answer, raw, expected = case
    feature = next(feature for feature in MENTION_FEATURES if feature.__name__ == name)
    read = read_thread(question, [answer])
    view = read.analysed[0]
    place = next(place for place, mention in enumerate(view.mentions) if mention.number.raw == raw)
    assert feature(read.question, view)[place] == pytest.approx(expected)


# (feature, question, answer, members) -> value
SETS = [
    ("in_one_line", "", "x = 5, y = 7", (5, 7), 1.0),
    ("in_one_line", "", "x = 5\ny = 7", (5, 7), 0.0),
    ("in_one_sentence", "", "She is 5. He is 7.", (5, 7), 0.0),
    ("stand_together", "", "5, 6 and 7", (5, 7), 0.0),
    ("stand_together", "", "5, 6 and 7", (6, 7), 1.0),
    ("same_role", "", "x = 5, y = 7", (5, 7), 1.0),
    ("same_role", "", "x = 5, there are 7", (5, 7), 0.0),
    ("is_whole_closing", "", "First 9. So she is 5 and he 7.", (5,), 0.5),
    ("is_whole_answer", "", "5 and 7", (5, 7), 1.0),
    ("covers_assigned", "", "x = 5\ny = 7", (5,), 0.5),
    ("breaks_list", "", "15, 16, 17 ft", (16, 17), 1.0),
    ("breaks_list", "", "15, 16, 17 ft", (15, 16, 17), 0.0),
    ("sum_is_given", "There are 12 of them.", "5 and 7", (5, 7), 1.0),
    ("difference_is_given", "They differ by 2.", "5 and 7", (5, 7), 1.0),
    ("ratio_is_given", "One is 3 times the other.", "4 and 12", (4, 12), 1.0),
    ("member_is_sum", "", "5, 7 and 12", (5, 7, 12), 1.0),
    ("closes_as_asked", QUESTION, "9 coins. So 5 and 7", (5, 7), 1.0),
    ("closes_as_asked", "How many are left?", "9 coins. So 5 and 7", (5, 7), 0.0),
    ("closes_as_asked", "How many are left?", "x = 7\nCheck: 5 is right", (7,), 1.0),
    ("is_exact_closing", "", "First 9. So she is 5 and he 7.", (5, 7), 1.0),
    ("is_exact_closing", "", "First 9. So she is 5 and he 7.", (5,), 0.0),
    ("is_own_solution", "", "x = 5, y = 7", (5, 7), 1.0),
    ("is_own_solution", "", "x = 5, y = 7", (5,), 0.0),
    ("is_part_of_own_solution", "", "x = 5, y = 7, 9 in all", (5, 9), 0.5),
    ("is_apart_from_own_solution", "", "x = 5, y = 7, 9 in all", (9,), 1.0),
    ("is_apart_from_own_solution", "", "x = 5, y = 7, 9 in all", (5, 9), 0.0),
    ("share_implied", "", "x = 5, which is all", (5, 7), 0.5),
    ("is_all_of_own_solution", QUESTION, "x = 5, y = 7", (5, 7), 1.0),
    ("is_all_of_own_solution", "How many are left?", "x = 5, y = 7", (5, 7), 0.0),
    ("dimension_one", "", "5 and 7", (5,), 1.0),
    ("dimension_two", "", "5 and 7", (5, 7), 1.0),
    ("dimension_more", "", "5, 6 and 7", (5, 6, 7), 1 / 3),
    ("dimension_as_asked", QUESTION, "5 and 7", (5, 7), 1.0),
    ("dimension_below_asked", QUESTION, "5 and 7", (5,), 0.25),
    ("dimension_above_asked", "How many are left?", "5 and 7", (5, 7), 0.25),
]


def test_every_set_feature_has_a_case() -> None:
    by_hand = {case[0] for case in SETS} | {"is_reckoned_on"}
    assert by_hand == {feature.__name__ for feature in SET_FEATURES}


@pytest.mark.parametrize("case", SETS, ids=lambda case: f"{case[0]}:{case[3]}")
def test_set_feature(case: tuple[str, str, str, tuple[int, ...], float]) -> None:
    name, question, answer, members, expected = case
    feature = next(feature for feature in SET_FEATURES if feature.__name__ == name)
    read = read_thread(question, [answer], Solved(own={0: [["5", "7"]]}, asked=TWO if question == QUESTION else ()))
    exact = tuple(Fraction(value) for value in members)
    indexes = tuple(read.found.values.index(value) for value in exact)
    lone = (read.found.values.index(exact[0]),)
    chosen = NumberSets(read.question, read.analysed, read.found.values, (0, 0), (lone, indexes))
    assert feature(chosen)[1] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [("12c = 12\nc = 1\n1 * 16 = 16", 1.0), ("3c = 3\nc = 1", 0.0), ("c = 1\n1 * 16 = 16\nso c is 1", 0.0)],
)
def test_a_solution_that_is_only_a_step(answer: str, expected: float) -> None:
    read = read_thread("", [answer], Solved(own={0: [["1"]]}))
    one = read.found.values.index(Fraction(1))
    sets = NumberSets(read.question, read.analysed, read.found.values, (0,), ((one,),))
    assert is_reckoned_on(sets)[0] == expected


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
    assert row[LOCAL_NAMES.index("mean_is_assigned")] == 0.5
    assert row[LOCAL_NAMES.index("least_is_assigned")] == 0.0
    assert row[LOCAL_NAMES.index("share_implied")] == 0.5


def test_own_solutions_stay_with_their_answer() -> None:
    read = read_thread("", ["5 and 7", "5 and 7"], Solved(own={1: [["5", "7"]], 9: [["3"]]}))
    assert [view.solutions for view in read.analysed] == [(), ((Fraction(5), Fraction(7)),)]
    column = LOCAL_NAMES.index("is_own_solution")
    assert [max(table.rows[:, column]) for table in read.tables] == [0.0, 1.0]


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
    claims = (Claim(0, place[15, 16], 2.0, 0.5), Claim(1, place[16,], 1.0, 0.25), Claim(2, place[15, 16], 1.0, 1.5))
    made = AnalysedThread(
        view.question, view.analysed, view.values, view.candidates, view.scores, claims, view.solutions
    )
    return made, place


THREADS = [
    ("best_local_score", (15, 16), 0.0),
    ("offer_share", (15, 16), 2 / 3),
    ("member_answer_share", (15, 16), (2 / 3 + 1) / 2),
    ("is_in_first_answer", (15, 16), 1.0),
    ("claim_share", (15, 16), 2 / 3),
    ("is_claimed", (16,), 1.0),
    ("is_claimed_twice", (15, 16), 1.0),
    ("is_claimed_thrice", (15, 16), 0.0),
    ("worked_claim_share", (15,), 0.0),
    ("best_claim_margin", (15, 16), 1.5),
    ("extended_by_claims", (16,), 2 / 3),
    ("extends_claims", (15, 16), 1 / 3),
    ("opposed_share", (16,), 0.0),
    ("sums_are_right", (15, 16), 1.0),
    ("question_numbers_used", (15,), 0.0),
    ("question_restated", (15,), 0.0),
    ("work_shown", (15, 16), 1.0),
    ("objection_for", (15, 16), 0.0),
    ("objection_against", (15, 16), 0.0),
    ("accounts_for_question", (15, 16), 0.0),
    ("size_as_asked", (15, 16), 1.0),
    ("size_above_asked", (15, 16), 0.0),
    ("equals_solution", (15, 16), 1.0),
    ("share_in_solution", (16,), 1.0),
    ("contradicts_solution", (16,), 0.0),
    ("contradicts_solution", (31,), 1.0),
]


@pytest.mark.parametrize("case", THREADS, ids=lambda case: f"{case[0]}:{case[1]}")
def test_thread_feature(case: tuple[str, tuple[int, ...], float]) -> None:
    name, members, expected = case
    feature = next(feature for feature in THREAD_FEATURES if feature.__name__ == name)
    view, place = thread((("15", "16"),))
    assert feature(view, place[members]) == pytest.approx(expected)


def test_agreement_features_rise_with_support() -> None:
    view, place = thread()
    for name in ("claim_odds", "work_odds", "member_frequency"):
        feature = next(feature for feature in THREAD_FEATURES if feature.__name__ == name)
        assert feature(view, place[15, 16]) > feature(view, place[31,])


def test_names_are_unique() -> None:
    assert len(set(LOCAL_NAMES)) == len(LOCAL_NAMES)
    assert len(set(THREAD_NAMES)) == len(THREAD_NAMES)


def test_every_thread_feature_has_a_case() -> None:
    odds = {"claim_odds", "work_odds", "member_frequency"}
    assert {case[0] for case in THREADS} | odds == {feature.__name__ for feature in THREAD_FEATURES}
