"""The options of multiple-choice questions, and the letters of answers that point at one."""

from fractions import Fraction

import pytest

from extractors.questions.question_types import option_texts, options_of, pointers
from tests.growth.counting import assert_linear
from tests.tiers import in_turn

PARTS = "Tom has 3 pens. a) How many are 2 of them? b) What is the sum of 3 and 4? c) Find 5 of 10."
THREE = {"A": "15", "B": "20", "C": "25"}


@pytest.mark.rows(
    ("question", "expected"),
    [
        ("How fast? a) 15 b) 20 c) 25", THREE),
        ("How fast? (A) 15 mph (B) 20 mph (C) 25 mph", THREE),
        ("How fast?\nA. 15\nB. 20\nC. 25", THREE),
        ("How fast? A: 15 B: 20 C: 25", THREE),
        ("How fast? [A] 15 [B] 20 [C] 25", THREE),
        ("How fast?\n\nA\n15\n\nB\n20\n\nC\n25", THREE),
        ("How fast? a) 15 b) 20 c) 25\nThanks for all 99 answers", THREE),
        ("How fast? A) 15 B) 20 C) 25 D) 30 E) 35", THREE | {"D": "30", "E": "35"}),
        ("Which ratio? A) 1 to 4 B) 2:3 C) 7 : 2", {"A": "1/4", "B": "2/3", "C": "7/2"}),
        ("Which ratio? (A) 1 to 4 (B) 2:3 (C) 7 : 2", {"A": "1/4", "B": "2/3", "C": "7/2"}),
        ("Which ratio? A) 1 to 4 B) 2:3 C) 3:0", {"A": "1/4", "B": "2/3"}),
        ("How long? A) 2 1/2 ft B) 3 3/4 ft C) 1.5 ft", {"A": "5/2", "B": "15/4", "C": "3/2"}),
        ("How much? A) $1,200 B) -3 C) half", {"A": "1200", "B": "-3", "C": "1/2"}),
        ("How many? A) 3 B) 5 C) none of these", {"A": "3", "B": "5"}),
        ("How many? A) 3 and 4 B) 5 and 6 C) 7 D) 8", {"C": "7", "D": "8"}),  # two numbers are no value
    ],
)
def test_options_with_a_value(question: str, expected: dict[str, str]) -> None:
    assert {letter: str(value) for letter, value in options_of(question).items()} == expected


@pytest.mark.rows(
    "question",
    [
        "How fast is it?",
        "How many? A) 3 B) all of them C) none of these",  # one value is too few
        "How fast? a) 15 b) 20",
        "How fast? a) 15 b) 20 d) 25",
        "Do these: 1) 15 2) 20 3) 25",
        "Choose one of the answers: 1) 15 2) 20 3) 25",  # options, but no letters to point with
        "How fast?\n- 15\n- 20\n- 25",
        "How fast?\n• 15\n• 20\n• 25",
        PARTS,
        f"How many? a) {'very ' * 25}15 b) 20 c) 25",  # too long for an option
    ],
)
def test_no_options(question: str) -> None:
    assert options_of(question) == {}


def test_parts_that_ask_do_not_hide_the_options_behind_them() -> None:
    assert option_texts(PARTS) == ()
    assert option_texts(f"{PARTS} How many pens? A) 6 B) 7 C) no pens") == (("A", "6"), ("B", "7"), ("C", "no pens"))


def test_the_bracket_of_the_next_option_is_no_part_of_one() -> None:
    assert option_texts("How fast? (a) 15 mph (b) 20 [c] none") == (("a", "15 mph"), ("b", "20"), ("c", "none"))


def test_the_last_list_is_the_one_offered() -> None:
    twice = "How fast? a) 1 km b) 2 km c) 3 km, sorry, I mean a) 15 mph b) 20 mph c) 25 mph"
    assert [text for _, text in option_texts(twice)] == ["15 mph", "20 mph", "25 mph"]


OPTIONS = {"A": Fraction(5), "B": Fraction(7), "C": Fraction(9, 2)}


@pytest.mark.rows(
    ("text", "expected"),
    [
        ("the correct option is C", [("C", "9/2", 22)]),
        ("(b)", [("b", "7", 1)]),
        ("so it is [C].", [("C", "9/2", 10)]),
        ("b) 7 km", [("b", "7", 0)]),
        ("Answer:B", [("B", "7", 7)]),
        ("not A but B", [("A", "5", 4), ("B", "7", 10)]),
        ("It is D", []),  # there is no such option
        ("a boy has a dog, and b is 7", []),
        ("Bob's car is 3A, B's is 4", []),
        ("2*B = x, y = C", [("C", "9/2", 13)]),
        ("2^B, 7/C", []),
    ],
)
def test_letters_that_point(text: str, expected: list[tuple[str, str, int]]) -> None:
    found = pointers(text, OPTIONS)
    assert [(one.raw, str(one.value), one.start) for one in found] == expected
    assert all((one.kind, text[one.start : one.end]) == ("option", one.raw) for one in found)


def test_without_options_no_letter_points() -> None:
    assert pointers("the answer is (B)", {}) == []


@pytest.mark.rows("piece", in_turn(["A ", "(b) ", "A)", "a", "[C] 5 ", "B\n", "A) 1 B) 2 C) 3 "], 3))
def test_steps_grow_linearly(piece: str) -> None:
    assert_linear(lambda text: pointers(text, OPTIONS), piece)
    assert_linear(options_of, piece)
    assert len(options_of(piece * (100_000 // len(piece)))) <= 8
