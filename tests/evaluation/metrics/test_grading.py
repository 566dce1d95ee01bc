"""Grades: cases as data, spellings of one value, and that nothing unread is ever wrong."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.grading import Mark, grade
from extractors.answers.parsing import parse_answer
from tests.extractors.cases import FOLDER

CASES = [json.loads(line) for line in (FOLDER / "grades.jsonl").read_text(encoding="utf-8").splitlines()]
PIECES = st.lists(
    st.sampled_from(
        [
            "1",
            "2/3",
            "0.5",
            ",",
            ", ",
            " ",
            "or",
            "x",
            "=",
            "(",
            ")",
            "%",
            "$",
            "feet",
            "-",
            "±",
            ":",
            "a",
            "\\frac",
            "{",
            "}",
        ]
    )
)


@pytest.mark.rows("case", CASES, ids=[case["id"] for case in CASES])
def test_cases(case: dict[str, Any]) -> None:
    tolerance = Fraction(case.get("tolerance", 0))
    assert grade(case["answer"], case["gold"], tolerance).mark == case["expect"], grade(case["answer"], case["gold"])
    if case["expect"] == "right" and not tolerance:
        assert grade(case["gold"], case["answer"]).mark is Mark.RIGHT


@given(st.fractions(max_denominator=40).filter(lambda value: abs(value) < 10**6))
def test_spellings_of_one_value_are_right(value: Fraction) -> None:
    whole, part = divmod(abs(value), 1)
    sign = "-" if value < 0 else ""
    mixed = f"{sign}{whole} {part}" if part and whole else str(value)
    for spelling in (
        mixed,
        f"x = {value}",
        f"${value}$",
        f"{100 * value}%",
        f"{value.numerator * 3}/{value.denominator * 3}",
    ):
        assert grade(spelling, str(value)).mark is Mark.RIGHT, spelling
        assert grade(spelling, str(value + 1)).mark is Mark.WRONG, spelling


@given(PIECES.map("".join), PIECES.map("".join))
def test_what_is_not_read_is_never_wrong(answer: str, gold: str) -> None:
    for one, other in ((answer, gold), (answer, "5"), ("5", gold)):
        found = grade(one, other)
        assert found.why
        if found.mark is Mark.WRONG and not found.why.startswith(("option", "another expression")):
            assert parse_answer(one.strip() or " ") or " or " in one or "or" in one, found
            assert parse_answer(other), found


HOSTILE = st.lists(
    st.sampled_from(
        [
            *(
                "1",
                "2/3",
                "1,200",
                ", ",
                ",",
                ";",
                " or ",
                " and ",
                " to ",
                "x",
                " = ",
                "y_1",
                "\n",
                " ",
                "é",
                "\ud800",
            ),
            *("(", ")", "[", "]", "{", "}", "(1,2)", "[3,4)", "(1,006)", "±", "+/-", "%", "$", "-", ":", "::", "12:60"),
            *(
                "\\boxed{",
                "\\frac{",
                "\\sqrt",
                "|",
                " | ",
                "A) ",
                "pm",
                " a.m.",
                "5 ft 3 in",
                "9" * 130,
                "1e300",
                "2^9^9",
            ),
            *(
                "not",
                "yes",
                "≤",
                "∞",
                "½",
                "²",
                "٣",
                "\u200b",
                "1/0",
                "Ann: ",
                "boys",
                "is",
                "...",
                "!",
                "#",
                "\\",
                "_",
            ),
        ]
    ),
    max_size=9,
).map("".join)


@given(HOSTILE, HOSTILE)
def test_no_pair_of_strings_ends_in_an_error(answer: str, gold: str) -> None:
    assert grade(answer, gold).why
    assert grade(answer + gold, gold).why


@pytest.mark.rows("folder", ["08-grade-clock", "23-grade-points"])
def test_shared_pairs_are_never_wrongly_right(shared_data: Path, folder: str) -> None:
    same = {("14:15", "2:15 PM")}
    for line in (shared_data / "cases" / folder / "pairs.tsv").read_text(encoding="utf-8").splitlines():
        answer, gold = line.split("\t")
        assert (grade(answer, gold).mark is Mark.RIGHT) == ((answer, gold) in same), line


def test_a_negative_tolerance_is_refused() -> None:
    with pytest.raises(ValueError, match="not negative"):
        grade("1", "1", Fraction(-1))
