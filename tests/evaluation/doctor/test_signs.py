"""What a row shows by itself: kinds of findings and the characters behind them, on problems of our own."""

from typing import Any

import pytest

from corpus.benchmarks.gold_problems import Corpus, GoldProblem
from evaluation.doctor.examination import of_benchmarks, repeated_in
from evaluation.doctor.signs import FaultKind, signs_of

SHOP = "Ann buys 3 pens at 4 dollars each. How much does she pay?"
WORKED = "A pen is 4 dollars, so Ann pays 3*4 = <<3*4=12>>12 dollars."


def row(question: str = SHOP, answer: str = "12", gold: tuple[str, ...] | None = None, **more: Any) -> GoldProblem:
    """A problem; without ``gold`` the answer is one value."""
    values = (answer,) if gold is None else gold
    return GoldProblem(
        problem_id=more.pop("id", "own:1"), native_id="1", origin="own", question=question, answer=answer,
        gold=(values,) if values else (), **more,
    )  # fmt: skip


def found(problem: GoldProblem) -> dict[str, str]:
    return {sign.kind.value: sign.shown for sign in signs_of(problem)}


SOUND = {
    "plain": row(),
    "worked": row(rationale=WORKED),
    "solved": row(equations=("x=3*4",), unknowns=("x",)),
    "result before another number": row(rationale="She pays 3*4 = 12 dollars for all 3."),
    "printed with two decimals": row(answer="0.33", equations=("x=1/3",)),
    "keyed and named": row(answer="12", options=("10", "12"), correct=1, rationale="3*4 = 12. The answer is B."),
    "two questions, one problem": row("Ann has 3 pens and gets 4. How many has she? How many more than before?", "7"),
    "a number of the question": row("Ann has 12 pens and loses none of them. How many has she?", "12"),
    "options behind the question": row("What is 3*4? A) 7 B) 12 C) 1", "12"),
    "no text": row("", "12"),
    "half of a number in letters": row("Ann has a dozen pens. How many has she?", "12"),
}


@pytest.mark.rows("problem", list(SOUND.values()), ids=list(SOUND))
def test_sound_rows_show_nothing(problem: GoldProblem) -> None:
    assert found(problem) == {}


FAULTS: dict[str, tuple[GoldProblem, str, str]] = {
    "another value": (row(answer="13", equations=("x=3*4",)), "contradicts_equations", "12"),
    "no solution": (row(equations=("x=3", "x=4")), "contradicts_equations", "no solution"),
    "ASDiv's formula": (
        row(answer="13 (dollars)", gold=("13",), formula="3*4=12").model_copy(update={"origin": "asdiv"}),
        "contradicts_equations", "['12'] for 13 (dollars)",
    ),
    "worked otherwise": (row(answer="15", rationale=WORKED), "contradicts_solution", "12"),
    "an operand": (row(answer="4", rationale=WORKED), "contradicts_solution", "12"),
    "another option": (
        row(answer="10", options=("10", "12"), correct=0, rationale="3*4 = 12. The answer is B."),
        "contradicts_solution", "answer is B",
    ),
    "notfound": (row(answer="Not found", gold=()), "sentinel", "Not found"),
    "a dash": (row(answer="-", gold=()), "sentinel", "-"),
    "words": (row(answer="plenty of money", gold=()), "unreadable_answer", "plenty of money"),
    "announced": (row(SHOP + " The answer is 12."), "answer_in_question", "? The answer is 12"),
    "behind a request": (row("Ann buys 3 pens at 4 dollars. Find the price. Hint: 12"), "answer_in_question", "12"),
    "no numbers": (row("Ann buys pens. How much does she pay?"), "no_numbers", "Ann buys pens. How much does she pay?"),
    "joined": (
        row(f"{SHOP} Bob has 5 figs and eats 2. How many are left?"), "several_problems",
        "Bob has 5 figs and eats 2. How many are left?",
    ),
    "a proof": (row("Prove that 3 and 4 add up to 7.", "7"), "proof", "Prove"),
    "yes or no": (row("Ann has 9 dollars. Is that enough for 3 pens at 4 dollars?", "No", ()), "yes_or_no",
                  "Is that enough for 3 pens at 4 dollars?"),
    "options": (row(options=("12", "7", "12"), correct=0), "repeated_option", "12"),
}  # fmt: skip


@pytest.mark.rows(("problem", "kind", "shown"), list(FAULTS.values()), ids=list(FAULTS))
def test_faults_are_named_with_their_evidence(problem: GoldProblem, kind: str, shown: str) -> None:
    assert found(problem)[kind] == shown


def test_evidence_is_where_its_characters_stand() -> None:
    problem = row(answer="15", rationale="x" * 7_000 + ". " + WORKED)
    (sign,) = signs_of(problem)
    assert sign.span is not None
    assert problem.rationale[slice(*sign.span)] == sign.shown == "12"


CORPUS = Corpus(
    "own", "own", 6, (
        row("Tom had 59 red marbles and lost 27 of them. How many are left?", "32", id="own:1"),
        row("tom had 59 red marbles and  lost 27 of them. How many are left?", "32", id="own:2"),
        row("Ben had 59 red marbles and lost 27 of these. How many are left?", "31", id="own:3"),
        row("Tom had 60 red marbles and lost 27 of them. How many are left?", "33", id="own:4"),
        row("", "1", id="own:5"),
        row("", "1", id="own:6"),
    ),
)  # fmt: skip


def test_rows_that_repeat_an_earlier_one() -> None:
    signs = repeated_in(CORPUS)
    assert {whole: sign.name for whole, sign in signs.items()} == {
        "own:2": "row: the same words and numbers, the same answer",
        "own:3": "row: the same numbers, few words differ, another answer",
    }
    assert signs["own:3"].shown.startswith("own own:1: Tom had 59")


def test_rows_of_a_named_benchmark() -> None:
    held = Corpus("bench", "own", 1, CORPUS.problems[3:4])
    assert {whole: (sign.kind, sign.name) for whole, sign in of_benchmarks(CORPUS, [held]).items()} == {
        "own:4": (FaultKind.IN_BENCHMARK, "row: the same words and numbers, the same answer")
    }
