"""Sums followed back to the numbers they start from, on answers checked by hand."""

from collections.abc import Sequence

import pytest

from models.answer_evidence import Hypothesis, agreement
from models.chains import MAX_ORIGINS, Step, accounted_for, origins, quantities_of
from models.features import LOCAL_NAMES, analyse_thread, read_thread
from models.thread_features import AnalysedThread, accounts_for_question

PHONE = "A phone costs $400. Ann has $80 and earns $10 an hour for 20 hours. How much does she still need?"
PEARS = "Tom has 3 pears and gets 4 more. How many pears does he have?"


def claimed(question: str, answers: Sequence[str]) -> AnalysedThread:
    """A thread in which every answer claims its last number."""
    read = read_thread(question, answers)
    weights = read.tables[0].rows[0] * 0
    weights[LOCAL_NAMES.index("mean_is_last_number")] = 1.0
    weights[LOCAL_NAMES.index("dimension_one")] = 1.0
    return analyse_thread(read, weights)


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("3 hours * $30/hour = $90", [((3, 30), 90)]),
        ("3 + 4 = 7 * 2 = 14", [((3, 4), 7), ((7, 2), 14)]),
        ("so 45/9 = 5 times", [((45, 9), 5)]),
        ("30 + 40 minutes = 70", [((30, 40), 70)]),
        ("2 x 6 = 12", [((2, 6), 12)]),
        ("he had 3. 4 + 5 = 9", [((4, 5), 9)]),
        ("10 - 15 = -$5", [((10, 15), -5)]),
        ("box 5 = 9", []),
        ("5 boxx 2 = 10", []),
        ("n = 7", []),
        ("3 is less than 4 = 9", []),
        ("7, 8 = 15", []),
    ],
)
def test_steps(text: str, steps: list[tuple[tuple[int, ...], int]]) -> None:
    view = read_thread("", [text]).analysed[0]
    assert view.chain == tuple(Step(tuple((one, 1) for one in left), (right, 1)) for left, right in steps)


def test_origins_follow_the_latest_step_before() -> None:
    # the 6 that goes into 12 is the one worked out before it, not the one after
    steps = (Step(((2, 1), (3, 1)), (6, 1)), Step(((6, 1), (2, 1)), (12, 1)), Step(((1, 1), (5, 1)), (6, 1)))
    assert origins(steps, (12, 1)) == ((2, 1), (3, 1), (2, 1))
    assert origins(steps, (6, 1)) == ((1, 1), (5, 1))
    assert origins(steps, (5, 1)) == ()


def test_too_many_origins_are_none() -> None:
    # every step doubles: 2^5 ones, then 2^40
    steps = tuple(Step(((2**place, 1), (2**place, 1)), (2 ** (place + 1), 1)) for place in range(40))
    assert origins(steps[:5], (2**5, 1)) == ((1, 1),) * 32
    assert MAX_ORIGINS < 2**6
    assert origins(steps, (2**6, 1)) == origins(steps, (2**40, 1)) == ()


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        (PEARS, "3 + 4 = 7", 1.0),
        (PEARS, "7", 0.0),
        (PEARS, "3 + 3 = 6", -0.5),
        (PEARS, "1 + 1 = 2", -1.0),
        # 11 comes from nowhere
        (PEARS, "3 + 11 = 14", 0.0),
        (PHONE, "10 * 20 = 200\n400 - 200 = 200", -0.5),
        (PHONE, "10 * 20 = 200\n200 + 80 = 280\n400 - 280 = 120", 1.0),
        # "two" as often names as it counts, a half may be a division by 2, 20 % may be 0.2
        ("Ann and her two sons ate half of 16 figs. How many?", "16 / 2 = 8", 1.0),
        ("20% of 50 men left. How many?", "50 * 0.2 = 10", 1.0),
        ("20% of 50 men left. How many stayed?", "50 * .8 = 40", 1.0),
        # stated twice, used once
        ("He rode 2 times and she 2 times, 6 tickets each. How many tickets?", "2 * 6 = 12", -0.5),
        ("How many pears?", "3 + 4 = 7", 0.0),
    ],
)
def test_account_of_the_question(question: str, answer: str, expected: float) -> None:
    view = claimed(question, [answer])
    assert view.accounted == {0: expected}
    assert accounts_for_question(view, view.claims[0].candidate) == expected


def test_no_quantities_no_account() -> None:
    assert accounted_for(quantities_of(()), ((3, 1),)) == 0.0


def test_answers_for_one_value_share_their_account() -> None:
    view = claimed(PEARS, ["3 + 4 = 7", "it is 7"])
    assert accounts_for_question(view, view.claims[0].candidate) == 0.5


def test_sums_that_leave_a_quantity_out_agree_for_less() -> None:
    whole = ["10 * 20 = 200\n200 + 80 = 280\n400 - 280 = 120"] * 2
    short = ["10 * 20 = 200\n400 - 200 = 200"] * 2
    odds = []
    for answers in (whole, short):
        view = claimed(PHONE, answers)
        odds.append(agreement(Hypothesis(view, [view.claims[0].candidate], [1.0])))
    # two whole votes are those of agreement_odds(2, []); one vote is even, so two of three quarters lie between
    assert odds[0] == pytest.approx(1.6094, abs=1e-4)
    assert 0 < odds[1] < odds[0]
