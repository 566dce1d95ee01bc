"""Scores, floors and value matching on cases counted by hand."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from evaluation.gold_threads.version_quality import BASELINES, last_number_majority, random_candidate, thread_numbers
from evaluation.metrics.gold_scores import score_answers, score_equations, score_scope
from evaluation.metrics.value_matching import gold_alternatives, same_set, same_value
from extractors.extraction_errors import ExtractionError

SEVEN, NINE, HALF = Fraction(7), Fraction(9), Fraction(1, 2)


@pytest.mark.rows(
    ("left", "right", "same"),
    [
        ("1/3", "0.33", True),
        ("1/3", "0.333", True),
        ("1/3", "0.3", False),
        ("37/3", "12.33", True),
        ("37/3", "12.3", False),
        ("2/3", "0.66", False),
        ("2/3", "0.666", True),
        ("65/6", "11", False),
        ("10.83", "10.84", False),
        ("10000000000", "10000000001", False),
        ("2000", "2001", False),
        ("0.045", "0.05", False),
        ("7/2", "3.5", True),
    ],
)
def test_values_match_by_the_stated_rule(left: str, right: str, same: bool) -> None:
    first, second = Fraction(left), Fraction(right)
    assert same_value(first, second) is same
    assert same_value(second, first) is same


def test_sets_know_no_order_and_no_repetition() -> None:
    assert same_set([SEVEN, NINE], [NINE, SEVEN])
    assert same_set([SEVEN, SEVEN], [SEVEN])
    assert not same_set([SEVEN], [SEVEN, NINE])
    assert not same_set([SEVEN, NINE], [SEVEN])


def test_gold_strings_may_have_alternatives() -> None:
    assert gold_alternatives("2,125") == ((Fraction(2125),),)
    assert gold_alternatives(["7", "9"]) == ((SEVEN, NINE),)
    with pytest.raises(ExtractionError):
        gold_alternatives(["no number"])


def test_scope_counts() -> None:
    found = score_scope([True, True, True, False, False], [True, True, False, True, False])
    assert (found.hits, found.false_alarms, found.misses, found.n) == (2, 1, 1, 5)
    assert (found.precision.value, found.recall.value) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert found.f1[0] == pytest.approx(2 / 3)


def test_answer_precision_and_coverage() -> None:
    returned = [(SEVEN,), (SEVEN, NINE), None, (HALF,), (SEVEN,)]
    gold = [((SEVEN,),), ((SEVEN,),), ((NINE,),), ((NINE,), (HALF,)), None]
    found = score_answers(returned, gold)
    # right: the first and the fourth; the fifth has no gold and counts against precision, not against coverage
    assert (found.precision.hits, found.precision.n) == (2, 4)
    assert (found.contained.hits, found.contained.n) == (3, 4)
    assert (found.coverage.hits, found.coverage.n) == (3, 4)
    assert (found.found.hits, found.found.n) == (2, 4)


def test_equations_are_right_if_the_gold_is_in_one_solution() -> None:
    gold = [((SEVEN, NINE),), ((SEVEN, NINE),), ((SEVEN,),), None]
    found = score_equations([[(NINE, SEVEN)], [(SEVEN,), (NINE,)], None, [(HALF,)]], gold)
    assert (found.precision.hits, found.precision.n) == (1, 3)
    assert (found.coverage.hits, found.coverage.n) == (2, 3)


def test_floors_on_one_thread() -> None:
    numbers = thread_numbers(["5 + 2 = 7", "I say 9 or 7", "9", "junk"])
    found = {name: baseline(numbers) for name, baseline in BASELINES.items()}
    assert found["last-number majority (2 votes)"] == 7
    assert found["last number of the first answer"] == 7
    assert found["first number"] == 5
    assert found["most frequent number"] == 7
    assert found["random candidate"] in (5, 2, 7, 9)


def test_majority_needs_two_votes_and_no_tie() -> None:
    assert last_number_majority([[SEVEN], [NINE]]) is None
    assert last_number_majority([[SEVEN], [NINE], [SEVEN], [NINE]]) is None
    assert BASELINES["last-number vote (1 is enough)"]([[SEVEN]]) == 7
    assert random_candidate([[], []]) is None
    assert BASELINES["last number of the first answer"]([[], [SEVEN]]) is None


@pytest.mark.shared
def test_majority_vote_on_the_gsm8k_threads(shared_data: Path) -> None:
    lines = (shared_data / "gsm8k" / "threads.jsonl").read_text(encoding="utf-8").splitlines()
    threads = [json.loads(line) for line in lines]
    guesses = [
        last_number_majority(thread_numbers([answer["text"] for answer in thread["answers"]])) for thread in threads
    ]
    gold = [gold_alternatives(thread["gold_answer"]) for thread in threads]
    found = score_answers([None if guess is None else (guess,) for guess in guesses], gold)
    # the data's README: 239 threads with a clear winner, 175 of them right; it reads numbers by another rule
    assert found.precision.hits == pytest.approx(175, abs=2)
    assert found.precision.n == pytest.approx(239, abs=2)
    assert found.coverage.n == 400
