"""The evidence for and against a hypothesis, on cases worked out by hand, and what each answer of a thread claims."""

from collections.abc import Sequence
from fractions import Fraction
from math import log
from typing import NamedTuple

import numpy as np
import pytest

from models.hypotheses import EVIDENCE, NAMES, WeighedThread, agreement, evidence_rows
from models.read_threads import Solved, analyse_thread
from tests.models.samples import wholes

ASKED = "Tom has 3 pears and gets 4 more. How many pears does he have?"
PAIR = "Two numbers add up to 52 and differ by 8. What are they?"
CHOICE = "How many? (A) 7 (B) 8 (C) 9"
NOTHING = Solved()
TWICE = "3 + 4 = 7\nx = 7"
"""An answer with two steps, which counts in full in agreement."""
STEPS = [-2.0, -2.0, 2.0, 2.0]
"""Scores by which such an answer claims its result."""
SURE = log(3)
"""The score of a value that is of the answer with a probability of three quarters."""


def thread(
    answers: Sequence[str], scores: Sequence[Sequence[float]] = (), solved: Solved = NOTHING, question: str = ASKED
) -> WeighedThread:
    """A thread with these scores of its mentions, by answer; without scores all are 0."""
    read = analyse_thread(question, answers, solved)
    return WeighedThread(read, scores or [[0.0] * len(view.mentions) for view in read.answers])


def place_of(made: WeighedThread, values: str) -> int:
    """The place of the candidate with these values, which are written with blanks between."""
    return made.read.candidate_values.index(tuple(map(Fraction, values.split())))


class Case(NamedTuple):
    """An evidence, a candidate of a thread, and what it has to come to."""

    name: str
    answers: Sequence[str]
    values: str
    expected: float
    scores: Sequence[Sequence[float]] = ()
    solved: Solved = NOTHING
    question: str = ASKED


OWN = Solved(own={0: [wholes(5, 7)]})
"""A system that gives 5 and 7."""
MOSTLY_TWO = Solved(asked=(0.18, 0.78, 0.02, 0.02))
SEVEN = Solved(likely_asked=[(wholes(7), 0.8, 0), (wholes(5), 0.5, 0)])
BOTH = Solved(likely_asked=[(wholes(5, 7), 0.8, 0)])
TWO_ASKED = Solved(asked=(0.1, 0.9, 0.0, 0.0))

CASES = [
    # 5 alone: 3/4 * 3/4; 5 and 7: 3/4 * 1/4, a third of it; 7 alone: 1/4 * 1/4, a ninth
    Case("likelihood", ["5 and 7"], "5", 0.0, [[SURE, -SURE]]),
    Case("likelihood", ["5 and 7"], "5 7", -log(3), [[SURE, -SURE]]),
    Case("likelihood", ["5 and 7"], "7", -log(9), [[SURE, -SURE]]),
    Case("least_member", ["5 and 7"], "5 7", -1.0, [[2.0, -1.0]]),
    Case("least_member", ["5 and 7, 5"], "5", 2.0, [[1.0, -1.0, 2.0]]),  # the best of a value's mentions
    Case("least_member", ["x = 5"], "5 7", -1.0, [[2.0]], OWN),  # 7 stands nowhere
    Case("as_many_asked", ["5 and 7"], "5 7", log(0.8), solved=MOSTLY_TWO),
    Case("as_many_asked", ["5 and 7"], "5", log(0.2), solved=MOSTLY_TWO),
    Case("likely_asked", ["5, 7 and 8"], "7", 0.8, solved=SEVEN),
    Case("likely_asked", ["5, 7 and 8"], "8", 0.0, solved=SEVEN),
    Case("likely_asked", ["5, 7 and 8"], "5 7", 0.0, solved=SEVEN),
    Case("asked_of_a_system", ["5, 7 and 8"], "5", 1.0, solved=SEVEN),
    Case("asked_of_a_system", ["5, 7 and 8"], "8", 0.0, solved=SEVEN),
    Case("single_asked", ["5, 7 and 8"], "7", 0.8, solved=SEVEN),
    Case("single_asked", ["5, 7 and 8"], "5 7", 0.0, solved=BOTH),
    Case("is_likeliest_solution", ["5 and 7"], "5 7", 1.0, solved=Solved(likeliest=[wholes(7, 5)])),
    Case("is_likeliest_solution", ["5 and 7"], "5", 0.0, solved=Solved(likeliest=[wholes(7, 5)])),
    Case("claims", ["7", "7", "9"], "7", 2.0),
    Case("claims", ["7"] * 4, "7", 3.0),
    Case("claims", ["7 or 9"], "7", 0.0, [[0.0, 1.0]]),
    Case("share_of_claims", ["7", "7", "9", "no idea"], "7", 2 / 3),
    Case("share_of_claims", ["7 or 9"], "7", 0.0, [[0.0, 1.0]]),
    Case("agreement", [TWICE, TWICE], "7", log(5), [STEPS, STEPS]),  # a wrong one is repeated by chance 0.2
    Case("agreement", ["7"], "7", 0.0),
    Case("agreement", ["3 + 4 = 7"] * 2, "7", log(5) / 4, [STEPS[:3]] * 2),  # 5/8 each with one step: 1/4 more than one
    Case("confirmed_by_question", ["30 and 22"], "22 30", 1.0, solved=TWO_ASKED, question=PAIR),
    Case("confirmed_by_question", ["30 and 22"], "30", 0.0, solved=TWO_ASKED, question=PAIR),
    Case("confirmed_by_question", ["30 and 22"], "22 30", 0.0, solved=TWO_ASKED, question=CHOICE),
    Case("contradicted_by_question", ["30 and 22"], "30", 1.0, solved=TWO_ASKED, question=PAIR),
    Case("contradicted_by_question", ["30 and 22"], "22 30", 0.0, solved=TWO_ASKED, question=PAIR),
    Case("contradicted_by_question", ["30 and 22"], "30", 0.0, solved=TWO_ASKED, question=CHOICE),
    Case("was_given", ["4 pears, 7 in all"], "4 7", 1.0),
    Case("was_given", ["4 pears, 7 in all"], "7", 0.0),
    Case("closes", ["3 + 4 = 7\nso 7 pears"], "7", 1.0),
    Case("closes", ["3 + 4 = 7\nso 7 pears, 7 = 3 + 4"], "7", 1.0),
    Case("closes", ["7, I said 9"], "7", 0.0),
    Case("is_option", ["3 + 4 = 7"], "7", 1.0, question=CHOICE),
    Case("is_option", ["so (B)"], "8", 1.0, question=CHOICE),
    Case("is_option", ["7 or 8"], "7 8", 0.0, question=CHOICE),
    Case("is_no_option", ["3 + 4 = 7"], "3", 1.0, question=CHOICE),
    Case("is_no_option", ["3 + 4 = 7"], "7", 0.0, question=CHOICE),
    Case("is_no_option", ["3 + 4 = 7"], "3", 0.0),
]
FUNCTIONS = {function.__name__: function for function in EVIDENCE}


@pytest.mark.rows("case", CASES, ids=lambda case: f"{case.name}:{case.answers[0][:16]}:{case.values}")
def test_evidence(case: Case) -> None:
    made = thread(case.answers, case.scores, case.solved, case.question)
    assert FUNCTIONS[case.name](made)[place_of(made, case.values)] == pytest.approx(case.expected, abs=1e-9)


def test_every_evidence_has_two_cases_that_differ() -> None:
    found: dict[str, set[float]] = {}
    for case in CASES:
        found.setdefault(case.name, set()).add(case.expected)
    assert set(found) == set(NAMES) == set(FUNCTIONS)
    assert len(set(NAMES)) == len(EVIDENCE)
    assert [name for name, values in found.items() if len(values) < 2] == []


def test_rows_are_in_order_and_on_the_grid() -> None:
    made = thread(["5 and 7", "5"], [[0.1, -1.0], [0.7]], MOSTLY_TWO)
    rows = evidence_rows(made)
    assert rows.shape == (3, len(NAMES))
    assert np.array_equal(rows * 2**16, np.rint(rows * 2**16))
    assert rows[:, NAMES.index("was_given")].tolist() == [0.0, 0.0, 0.0]
    assert rows[:, NAMES.index("least_member")] == pytest.approx([0.7, -1.0, -1.0], abs=2**-16)
    assert evidence_rows(thread(["no idea"])).shape == (0, len(NAMES))


def claimed(made: WeighedThread) -> list[tuple[int, ...]]:
    """The values that each answer claims, none where it claims nothing."""
    return [tuple(map(int, made.read.candidate_values[place])) if place >= 0 else () for place in made.claims]


@pytest.mark.rows(
    ("scores", "solved", "expected"),
    [
        ((1.0, 0.5), Solved(asked=(0.9, 0.1, 0.0, 0.0)), (5,)),
        ((1.0, 0.5), Solved(asked=(0.1, 0.9, 0.0, 0.0)), (5, 7)),
        ((1.0, -0.5), Solved(asked=(0.9, 0.1, 0.0, 0.0), likely_asked=[(wholes(7), 0.8, 0)]), (7,)),
        ((1.0, -0.5), Solved(asked=(0.9, 0.1, 0.0, 0.0), likely_asked=[(wholes(7), 0.8, 1)]), (5,)),  # another answer's
        (
            (1.0, -1.5),
            Solved(asked=(0.9, 0.1, 0.0, 0.0), likely_asked=[(wholes(7), 0.8, 0)]),
            (5,),
        ),  # 1 against -1.5 + 2
    ],
)
def test_what_an_answer_claims(scores: tuple[float, float], solved: Solved, expected: tuple[int, ...]) -> None:
    assert claimed(thread(["5 and 7", "no idea"], [scores, ()], solved)) == [expected, ()]


def test_a_claim_does_not_depend_on_what_others_say() -> None:
    answers = ["5 and 7", "x = 7, so 7", "9", "no idea", "7, 8 or 9"]
    scores = [[1.0, 0.5], [0.3, -0.1], [-2.0], [], [0.5, 0.4, 0.6]]
    expected = [claimed(thread([answer], [row]))[0] for answer, row in zip(answers, scores, strict=True)]
    assert claimed(thread(answers, scores)) == expected
    assert claimed(thread(answers[::-1], scores[::-1])) == expected[::-1]
    assert expected[2:4] == [(9,), ()]


def test_a_candidate_is_seen_in_the_answer_that_shows_it_best() -> None:
    made = thread(["7 or 9", "7"], [[0.0, 3.0], [1.0]])
    found = zip(made.read.candidate_values, made.best_shown, strict=True)
    assert [(values, shown.answer) for values, shown in found][:2] == [(wholes(7), 1), (wholes(9), 0)]


def test_two_that_agree_weigh_more_than_one_or_two_against_two() -> None:
    other = "3 * 4 = 12\nx = 12"
    threads = [
        thread(answers, [STEPS] * len(answers))
        for answers in ([TWICE], [TWICE] * 2, [TWICE, TWICE, other, other], [TWICE, other, other])
    ]
    alone, agreed, torn, outvoted = [agreement(made)[place_of(made, "7")] for made in threads]
    assert outvoted < torn < alone < agreed
