"""Candidate answers: which numbers, which subsets, which bounds."""

import pytest

from extractors.answers.answer_candidates import MAX_NUMBERS, role_of, thread_candidates


def sets(*answers: str) -> set[tuple[str, ...]]:
    found = thread_candidates(answers)
    return {tuple(str(found.values[value]) for value in candidate.values) for candidate in found.candidates}


def test_spellings_are_one_and_units_stay_apart() -> None:
    assert sets("0.5", "1/2 of it") == {("1/2",)}
    assert sets("1.2 h", "72 min") == {("6/5",), ("72",)}
    assert ("24/7",) in sets("x = 24/7, about 3.43 quarts")
    assert ("343/100",) not in sets("x = 24/7, about 3.43 quarts")
    assert sets("1,200", "1200.0") == {("1200",)}


def test_larger_sets_come_from_one_answer_and_leave_out_operands() -> None:
    assert ("5", "7") in sets("x = 5 and y = 7")
    assert ("5", "7") not in sets("x = 5", "y = 7")
    assert ("5", "7") not in sets("5 * 7 = 35")
    assert {("5",), ("7",), ("35",)} <= sets("5 * 7 = 35")


def test_runs_of_four_and_five_are_candidates() -> None:
    assert ("75", "76", "77", "78") in sets("2x = 150, so 75, 76, 77, 78")
    assert ("1", "3", "5", "7", "9") in sets("they are 1, 3, 5, 7, 9")


def test_bounds_are_said() -> None:
    assert thread_candidates(["x = 5"]).bounds == ()
    found = thread_candidates([" ".join(f"{number} cats," for number in range(100))] + ["7"] * 30)
    assert len(found.answers[0].mentions) == MAX_NUMBERS
    assert [bound.split(" ", 1)[0] for bound in found.bounds] == ["7", "answer"]


def test_spans_lead_back_to_the_post() -> None:
    text = "so {{{x=4}}} and \\(y = \\frac{3}{4}\\) with −2 left"
    found = thread_candidates([text])
    answer = found.answers[0]
    shown = {str(found.values[mention.value]): text[slice(*answer.source_span(mention))] for mention in answer.mentions}
    assert shown["4"] == "4"
    assert shown["-2"] == "−2"
    assert "3" in shown["3/4"]


@pytest.mark.rows(
    ("text", "raw", "role"),
    [
        ("40 cups * 20 = 800", "40", "operand"),
        ("5x = 80", "5", "operand"),
        ("80 = 5x", "80", "operand"),
        ("13 = x", "13", "assigned"),
        ("M = 13", "13", "assigned"),
        ("T = 13 + 9 = 22", "22", "result"),
        ("T = 13 + 9 = 22", "13", "operand"),
        ("you need 4 buses", "4", "stated"),
        ("12 - she is right", "12", "stated"),
        ("2.4 hours", "2.4", "stated"),
    ],
)
def test_roles(text: str, raw: str, role: str) -> None:
    start = text.index(raw)
    assert role_of(text, start, start + len(raw)) == role


@pytest.mark.rows(
    "text", ["1+" * 6_000, "=" * 12_000, "9 " * 6_000, "(((" * 4_000, "x = " * 3_000, "a " * 6_000 + "= 5"]
)
def test_long_hostile_texts_end(text: str) -> None:
    found = thread_candidates([text])
    assert len(found.answers) == 1
