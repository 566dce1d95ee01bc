"""What questions state: cases as data, numbers that must all be accounted for, and what is said of solutions."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractors.equations.given import Given, Stance, stance
from extractors.quantities.numbers import find_numbers
from extractors.questions.stated import Stated, read_question
from extractors.questions.wording import page_of
from extractors.text.wordlists import words
from tests.extractors.cases import cases


def _stated(question: str) -> Stated:
    found = Given(question).stated
    assert found is not None
    return found


def _rows(*rows: str) -> list[list[Fraction]]:
    return [[Fraction(value) for value in row.split()] for row in rows]


@pytest.mark.rows(("question", "expect"), cases("questions"))
def test_question(question: str, expect: list[list[str]] | None) -> None:
    found = Given(question).stated
    given = None if found is None else {tuple(sorted(map(str, row))) for row in found.answers}
    assert given == (None if expect is None else {tuple(sorted(row)) for row in expect})


def test_the_cases_hold_negatives() -> None:
    expected = [case.values[1] for case in cases("questions")]
    assert len(expected) >= 80
    assert sum(expect is None for expect in expected) >= 20


TWO = "Two numbers add up to 52 and differ by 8. What are they?"
BOX = "The perimeter of a rectangle is 34 and its length is 3 more than its width. Find the length and the width."
ONE = "A quarter of a number is 6"


@pytest.mark.rows(
    ("question", "rows", "says"),
    [
        (TWO, _rows("30 22"), Stance.CONFIRMS),
        (TWO, _rows("22 30 8"), Stance.CONFIRMS),
        (TWO, _rows("30"), Stance.SILENT),
        (TWO, _rows("31 21"), Stance.CONTRADICTS),
        (TWO, _rows("26 26"), Stance.CONTRADICTS),
        (TWO, _rows("30 22 1 2 3"), Stance.SILENT),
        (BOX, _rows("7 10"), Stance.CONFIRMS),
        (BOX, _rows("70"), Stance.SILENT),
        (BOX, _rows("17/2 15/2"), Stance.CONTRADICTS),
        (ONE, _rows("3/2"), Stance.CONTRADICTS),
        (ONE, _rows("18"), Stance.CONTRADICTS),
        (ONE, _rows("24.004"), Stance.CONFIRMS),
        (ONE, _rows("24.03"), Stance.SILENT),
        ("solve x^2 - 7x + 12 = 0", _rows("3", "4"), Stance.CONFIRMS),
        ("solve x^2 - 7x + 12 = 0", _rows("3"), Stance.SILENT),
        ("How many pens are there?", _rows("3"), Stance.SILENT),
    ],
)
def test_verdict(question: str, rows: list[list[Fraction]], says: Stance) -> None:
    found = Given(question)
    assert stance(found.stated, rows, found.values) is says


def test_a_number_that_no_clause_uses_keeps_a_question_unread() -> None:
    assert Given(f"{TWO} I am 12.").stated is None
    assert Given(f"{TWO} I am lost.").stated is not None


def test_a_word_that_says_as_much_as_a_number_keeps_a_question_unread() -> None:
    assert Given("Two numbers add up to 52 and differ by 8. What is half of it?").stated is None


def test_the_one_that_is_asked() -> None:
    question = "The sum of two numbers is 40. The larger is 4 more than twice the smaller."
    assert sorted(map(str, _stated(question).answers[0])) == ["12", "28"]
    assert _stated(f"{question} Find the smaller number.").answers == ((Fraction(12),),)
    assert _stated(f"{question} Find the larger number.").answers == ((Fraction(28),),)


def test_spelling_keeps_every_number() -> None:
    text = "Jo’s $1,200 at 2½% − and a third of 3.5 dozen"
    page = page_of(text, find_numbers(text))
    assert page is not None
    assert [page.tokens[place] for place in page.numbers] == ["1200", "5/2", "1/3", "42"]


@pytest.mark.rows(
    "text", ["", " ", "5", "% 5 $", "2 2 2 2", "1 = 1", "the sum of", "x " * 240, "9" * 400, "two " * 120, "a ) 5 b ) "]
)
def test_odd_questions_are_not_read(text: str) -> None:
    assert Given(text).stated is None


@pytest.mark.rows("amount", ["12/0/2010", "12/00/2010"])
def test_a_quotient_by_zero_is_not_read(amount: str) -> None:
    assert Given(f"adults $7, students $5, ${amount} tickets. How many of each?").stated is None


_WORDS = words(
    """the sum of two numbers is 12 and their difference 4 . times twice half more than less number larger smaller
other one % $ 20 solution added to liters of at mph miles hours together alone years ago in as old consecutive digits
perimeter length width exceeds by ratio : 3 5 what find 1/2 square - ( ) = , ? coins dimes nickels $2.50"""
)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(_WORDS), max_size=60))
def test_any_words_are_read_or_not_but_never_fail(parts: list[str]) -> None:
    text = " ".join(parts)
    found = read_question(text, find_numbers(text))
    if found is not None:
        assert all(len(row) == len(found.unknowns) for row in found.rows)
