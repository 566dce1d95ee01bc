"""The words and signs around the numbers of an answer: each sign on cases worked out by hand."""

import re
from collections.abc import Sequence

import pytest

from models.mention_words import MentionRow, mention_words
from models.read_threads import Solved, analyse_thread
from models.shipped import shipped_model
from tests.growth.counting import assert_linear
from tests.models.samples import wholes
from tests.tiers import in_turn

PENS = "How many pens are left?"
CHOICE = "How many? (A) 7 (B) 8 (C) 9"
ONE = Solved(likely_asked=[(wholes(7), 0.8, 0)])
TWO = Solved(likely_asked=[(wholes(3, 7), 0.8, 0)])
ELSEWHERE = Solved(likely_asked=[(wholes(7), 0.8, 1)])
NOTHING = Solved()

# (sign, question, answer, its value for each number of the answer, what the equations come to)
SIGNS: list[tuple[str, str, str, Sequence[float], Solved]] = [
    ("in first line", "", "5 apples\n7 pears", (1, 0), NOTHING),
    ("in first line", "", "\n5 apples\n7 pears", (1, 0), NOTHING),
    ("in last line", "", "5 apples\n7 pears\n", (0, 1), NOTHING),
    ("in last line", "", "5 apples\n7 pears\nbye", (0, 0), NOTHING),
    ("in first sentence", "", "He has 5. So 7 it is.", (1, 0), NOTHING),
    ("in last sentence", "", "He has 5. So 7 it is.", (0, 1), NOTHING),
    ("in last sentence", "", "He has 5.5 pens", (1,), NOTHING),
    ("first number", "", "5 then 7", (1, 0), NOTHING),
    ("last number", "", "5 then 7", (0, 1), NOTHING),
    ("only number", "", "5 pens", (1,), NOTHING),
    ("only number", "", "5 then 7", (0, 0), NOTHING),
    ("few numbers", "", "5, 6 and 7", (1, 1, 1), NOTHING),
    ("few numbers", "", "5, 6, 7 and 8", (0, 0, 0, 0), NOTHING),
    ("last conclusive", "", "so x = 7, which is 3 + 4", (1, 0, 0), NOTHING),
    ("last conclusive", "", "x = 7\nCheck: 7 + 3 = 10", (1, 0, 0, 0), NOTHING),
    ("begins line", "", "7 pens\n - $8\nor 9", (1, 1, 0), NOTHING),
    ("ends line", "", "it is 7.\n(or 8)\n9 pens", (1, 1, 0), NOTHING),
    ("place", "", "abcdefgh 7", (0.9,), NOTHING),
    ("place", "", "7", (0,), NOTHING),
    ("words asked in line", PENS, "3 cups\n7 pens are left", (0, 3 / 6), NOTHING),  # pens, are, left of five words
    ("words asked in line", f"Ann has 9 cups. {PENS}", "3 cups\n7 pens", (0, 1 / 6), NOTHING),
    ("asked unit", PENS, "3 cups, 7 pens, 1 red pen", (0, 1, 0), NOTHING),
    ("asked unit", PENS, "$7 (pens)", (1,), NOTHING),
    ("asked before", PENS, "left is 7, then 3 of them", (1, 0), NOTHING),
    ("announced", "", "So it is 7\nor 8", (1, 0), NOTHING),
    ("announced", "", "The final amount: 7", (1,), NOTHING),
    ("announced", "", "7 is the answer", (0,), NOTHING),
    ("in a check", "", "x = 7\nCheck: 7 + 3 = 10", (0, 1, 1, 1), NOTHING),
    ("percent as asked", "What percent is it?", "7%, so 3 pens", (1, 0), NOTHING),
    ("percent as asked", PENS, "7%, so 3 pens", (0, 1), NOTHING),
    ("operand", "", "7 * 9 = 63", (1, 1, 0), NOTHING),
    ("assigned", "", "so x = 7, 3 pens", (1, 0), NOTHING),
    ("assigned", "", "7 = x", (1,), NOTHING),
    ("result of", "", "7 * 9 = 63", (0, 0, 1), NOTHING),
    ("result of", "", "so x = 7", (0,), NOTHING),
    ("result", "", "x = 7, 3 pens", (1, 0), NOTHING),
    ("equals after", "", "7 * 9 = 63", (0, 1, 0), NOTHING),
    ("used later", "", "x = 7\n7 * 2 = 14", (1, 0, 0, 0), NOTHING),
    ("said later", "", "7 and 7 and 7 and 7", (2, 2, 1, 0), NOTHING),
    ("said before", "", "7 and 7 and 7 and 7", (0, 1, 2, 2), NOTHING),
    ("given", "Tom has 3 pens and gets 4 more.", "3 pens and 7 pens", (1, 0), NOTHING),
    ("given", "Tom has 7 pens.", "3 pens and 7 pens", (0, 1), ONE),
    ("small", "", "2 pens and 3 cups", (1, 0), NOTHING),
    ("of a system", "", "7 pens and 3 cups", (1, 0), ONE),
    ("of a system", "", "7 pens and 3 cups", (1, 1), TWO),
    ("of a system", "", "7 pens and 3 cups", (0, 0), ELSEWHERE),
    ("asked alone", "", "7 pens and 3 cups", (1, 0), ONE),
    ("asked alone", "", "7 pens and 3 cups", (0, 0), TWO),
    ("of no system", "", "7 pens and 3 cups", (0, 1), ONE),
    ("of no system", "", "7 pens and 3 cups", (0, 0), ELSEWHERE),
    ("option", CHOICE, "7 pens and 3 cups", (1, 0), NOTHING),
    ("option", CHOICE, "3 cups, so (B)", (0, 1), NOTHING),
    ("no option", CHOICE, "7 pens and 3 cups", (0, 1), NOTHING),
    ("no option", PENS, "7 pens and 3 cups", (0, 0), NOTHING),
    ("option closes", CHOICE, "7 pens and 8 cups", (0, 1), NOTHING),
    ("option closes", CHOICE, "7 pens and 3 cups", (0, 0), NOTHING),
]
_WORD = re.compile(r"\d (?:before|after) |near before |before |after |around |line |kind ")


def rows_of(question: str, answer: str, solved: Solved = NOTHING) -> Sequence[MentionRow]:
    return mention_words(analyse_thread(question, [answer], solved))[0]


def learned() -> set[str]:
    """The signs that the model that ships weighs, and those that two of them make."""
    return {name for name in shipped_model("answers").words.weights if not _WORD.match(name)}


@pytest.mark.rows("case", SIGNS, ids=lambda case: f"{case[0]}:{case[2][:20]}")
def test_sign(case: tuple[str, str, str, Sequence[float], Solved]) -> None:
    sign, question, answer, expected, solved = case
    found = [row.get(sign, 0.0) for row in rows_of(question, answer, solved)]
    assert found == pytest.approx(list(expected), abs=2**-16)


def test_every_sign_has_a_case_where_it_holds_and_one_where_it_does_not() -> None:
    held = {sign for sign, *_, values, _ in SIGNS if any(values)}
    absent = {sign for sign, *_, values, _ in SIGNS if not all(values)}
    found = {
        name for _, question, answer, _, solved in SIGNS for row in rows_of(question, answer, solved) for name in row
    }
    signs = {name for name in learned() | found if not _WORD.match(name) and " and " not in name}
    assert held == absent == signs


def test_two_signs_together_stand_where_both_do() -> None:
    pairs = [tuple(name.split(" and ")) for name in learned() if " and " in name]
    assert len(pairs) > 5
    rows = [row for _, question, answer, _, solved in SIGNS for row in rows_of(question, answer, solved)]
    for first, second in pairs:
        held = [first in row and second in row for row in rows]
        assert any(held), (first, second)
        assert [f"{first} and {second}" in row for row in rows] == held


def test_words_around_a_number() -> None:
    (row,) = rows_of("", "He has 12 pens left.")
    assert {name for name in row if _WORD.match(name)} == {
        *("1 before has", "2 before he", "3 before ^", "4 before ^"),
        *("1 after pen", "2 after left", "3 after ."),
        *("near before ^", "near before he", "near before has"),
        *("before he has", "after pen left", "around has pen"),
        *("line he", "line has", "kind integer"),
    }


def test_a_line_break_is_a_word_and_a_line_begins_anew() -> None:
    row = rows_of("", "So the sum, 5,\nis in all of these 7.")[1]
    assert {name for name in row if name.startswith("line ")} == {"line is", "line in", "line all"}
    assert r"near before \n" not in row, "six words before"
    assert r"1 after \n" in rows_of("", "5\npens")[0]
    assert r"1 before \n" in rows_of("", "pens:\n5")[0]


def test_numbers_are_masked_and_plurals_are_singular() -> None:
    many, one = (rows_of("", text)[1] for text in ("5 + 12 pens = 17", "6 + 1,300 pen = 1,306"))
    assert {name for name in many if _WORD.match(name)} == {name for name in one if _WORD.match(name)}
    assert many["2 before #"] == many["1 before +"] == 1.0


def test_a_letter_of_an_option_is_a_number_with_words_of_its_own() -> None:
    row = rows_of(CHOICE, "2 x 4 is 8 pens. The answer is (B)")[3]
    assert {"kind option", "near before answer", "option closes", "said before", "last number"} <= set(row)


def test_an_answer_has_the_words_that_it_has_alone() -> None:
    answers = ["x = 7, so 7 pens", "3 + 4 = 8\nCheck: 8 - 4 = 3", "no number", "(B)"]
    together = mention_words(analyse_thread(CHOICE, answers, ONE))
    alone = [rows_of(CHOICE, answer, NOTHING if place else ONE) for place, answer in enumerate(answers)]
    assert together == alone


@pytest.mark.rows("piece", in_turn(["7 ", "so 7 = x. ", "7\n", "how many pens ", "a" * 50, "? what ", "(B) ", "= "], 3))
def test_steps_grow_linearly(piece: str) -> None:
    assert_linear(lambda text: rows_of(CHOICE, text), piece)
    assert_linear(lambda text: rows_of(text, "so 7 pens"), piece)
