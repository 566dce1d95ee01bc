"""Grades: cases as data, spellings of one value, and that nothing unread is ever wrong."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.grade_marks import Mark, Strict
from evaluation.metrics.grading import grade
from extractors.answers.parsing import parse_answer
from tests.extractors.cases import FOLDER

HARD = [line.split("\t") for line in (FOLDER / "hard_grades.tsv").read_text(encoding="utf-8").splitlines()]
"""Pairs in the notation of competitions: ``=`` the same, ``!`` not; written before the reader was, but for a third."""
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


@given(st.from_regex(r"[0-9]{1,4}[1-9]", fullmatch=True), st.sampled_from(["", " miles", "x + 1", "\\pi", " million"]))
def test_a_point_before_a_decimal_is_not_lost(digits: str, behind: str) -> None:
    assert grade(f".{digits}{behind}", f"0.{digits}{behind}").mark is Mark.RIGHT
    assert grade(f".{digits}{behind}", f"{digits}{behind}").mark is not Mark.RIGHT


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


def test_hard_pairs_are_right_where_they_are_the_same_and_never_else() -> None:
    marks = [(same, grade(answer, gold).mark, answer, gold) for same, answer, gold in HARD]
    assert [row for row in marks if row[:2] in (("!", Mark.RIGHT), ("=", Mark.WRONG))] == []
    same = [mark for truth, mark, *_ in marks if truth == "="]
    assert same.count(Mark.RIGHT) >= len(same) - 3 > 200
    assert sum(row[:2] == ("!", Mark.WRONG) for row in marks) >= 110


def test_eight_threads_give_the_marks_of_one() -> None:
    pairs = [(answer, gold) for _, answer, gold in HARD] + [("2^5000+1", "2^5000"), ("3^900/3", "3^899")] * 8
    alone = [grade(*pair) for pair in pairs]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda pair: grade(*pair), pairs * 4)) == alone * 4


BOMBS = [
    *("9^{9^{9^9}}", "9^9^9^9^9", "(" * 3000 + "1" + ")" * 3000, "{" * 300 + "1" + "}" * 300, "-" * 1000 + "1"),
    *("+".join(["\\sqrt{2}"] * 450), "1000000!", "10^{10^{10}}!", "\\binom{10^9}{10^8}", "\\sqrt[10^9]{2}"),
    *("x^{99999}" * 60, "2" * 5000, "\\boxed{" * 400, "1," * 700, "\\frac" * 500, "(x+y+z)^{9999}", "\\pm 1" * 100),
    *("a" * 10**6, "\\frac{1}{2}" * 10**5, "$" * 1400, "_{" * 700, "\\left(" * 400, "e^{e^{e^{e^{e}}}}", "\\sin" * 400),
]


@pytest.mark.rows("bomb", BOMBS, ids=[f"{bomb[:12]}..." for bomb in BOMBS])
def test_a_bomb_is_undecided_within_a_moment(bomb: str) -> None:
    begun = time.process_time()
    for gold in ("5", "x+1", bomb + " "):
        assert grade(bomb + "", gold).mark in (Mark.UNDECIDED, Mark.RIGHT if gold.startswith(bomb) else Mark.WRONG)
    assert time.process_time() - begun < 2


@pytest.mark.rows(
    ("answer", "gold", "strict", "mark"),
    [
        ("41.494", "17 + 10\\sqrt{6}", None, Mark.RIGHT),
        ("41.494", "17 + 10\\sqrt{6}", Strict.EXACT, Mark.WRONG),
        ("41.49", "17 + 10\\sqrt{6}", None, Mark.UNDECIDED),
        ("5", "5 cm", None, Mark.RIGHT),
        ("5", "5 cm", Strict.UNIT, Mark.WRONG),
        ("5 cm", "5 centimeters", Strict.UNIT, Mark.RIGHT),
        ("2/4", "1/2", Strict.FORM, Mark.WRONG),
        ("x(x+1)", "x^2+x", Strict.FORM, Mark.WRONG),
        ("x+x^2", "x^2+x", Strict.FORM, Mark.RIGHT),
    ],
)
def test_strict_modes(answer: str, gold: str, strict: Strict | None, mark: Mark) -> None:
    assert grade(answer, gold, strict=[strict] if strict else []).mark is mark


def test_a_negative_tolerance_is_refused() -> None:
    with pytest.raises(ValueError, match="not negative"):
        grade("1", "1", Fraction(-1))
