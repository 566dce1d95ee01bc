"""The evidence for and against a hypothesis, on cases checked by hand, and the hypotheses that a thread gives."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from extractors.equations.given import Stance
from models.answer_evidence import ANSWER_EVIDENCE, Hypothesis, agreement
from models.features import LOCAL_NAMES, THREAD_NAMES, Solved, analyse_thread, read_thread
from models.hypotheses import MOST, NAMES, SIGNS, Scored, evidence_rows, hypotheses, scored
from models.thread_features import Claim

ASKED = "Tom has 3 pears and gets 4 more. How many pears does he have?"


def hypothesis(
    answer: str,
    value: int,
    solutions: Sequence[Sequence[str]] = (),
    likely_asked: Sequence[tuple[Sequence[str], float]] = (),
    says: Stance = Stance.SILENT,
    asked: Sequence[float] = (),
) -> Hypothesis:
    """The value that the only answer of a thread claims."""
    read = read_thread(ASKED, [answer], Solved(own={0: solutions}, likely_asked=likely_asked, asked=asked))
    view = analyse_thread(read, read.tables[0].rows[0] * 0)
    top = next(place for place, one in enumerate(view.candidates) if [*map(int, view.values_of(place))] == [value])
    made = replace(view, claims=(Claim(0, top, 0.5),))
    return Hypothesis(made, [top], [1.0], says=says, other_confirmed=says is Stance.CONTRADICTS)


# (evidence, answer, value, solutions) -> value
CASES = [
    ("closes", "3 + 4 = 7\nso 7 pears", 7, (), 1.0),
    ("closes", "7, I said 9", 7, (), 0.0),
    ("was_given", "4 pears", 4, (), 1.0),
    ("given_numbers_used", "3 and then 7", 7, (), 0.5),
    ("goes_on", "x = 7\n7 * 2 = 14", 7, (), 1.0),
    ("goes_on", "7 * 2 = 14", 14, (), 0.0),
    ("is_unsaid", "find x, 3 or so", 7, (("7",),), 1.0),
]


FUNCTIONS = {function.__name__: function for function, _ in ANSWER_EVIDENCE}


@pytest.mark.rows("case", CASES, ids=lambda case: f"{case[0]}:{case[1][:16]}")
def test_evidence_of_an_answer(case: tuple[str, str, int, Sequence[Sequence[str]], float]) -> None:
    name, answer, value, solutions, expected = case
    assert FUNCTIONS[name](hypothesis(answer, value, solutions)) == pytest.approx(expected)


@pytest.mark.rows(("asked", "expected"), [((("7",), 0.8), 0.8), ((("7", "9"), 0.9), 0.0), ((("9",), 0.8), 0.0)])
def test_what_a_likely_system_is_asked_for_speaks(asked: tuple[Sequence[str], float], expected: float) -> None:
    one = hypothesis("x = 7", 7, likely_asked=[asked])
    assert FUNCTIONS["likely_asked"](one) == expected


@pytest.mark.rows(
    ("says", "expected"),
    [(Stance.CONFIRMS, (1.0, 0.0, 0.0)), (Stance.CONTRADICTS, (0.0, 1.0, 1.0)), (Stance.SILENT, (0.0, 0.0, 0.0))],
)
def test_what_the_question_says(says: Stance, expected: tuple[float, ...]) -> None:
    one = hypothesis("7", 7, says=says)
    names = ("confirmed_by_question", "contradicted_by_question", "other_is_confirmed")
    assert tuple(FUNCTIONS[name](one) for name in names) == expected


def test_fewer_values_than_asked() -> None:
    assert FUNCTIONS["fewer_than_asked"](hypothesis("7", 7, asked=(0.2, 0.5, 0.2, 0.1))) == pytest.approx(0.8)


def ranked(answers: list[str]) -> Scored:
    """A thread ranked by how far on a number stands in its answers."""
    read = read_thread(ASKED, answers)
    weights = read.tables[0].rows[0] * 0
    weights[LOCAL_NAMES.index("relative_position")] = 1.0
    over = read.tables[0].rows[0][: len(THREAD_NAMES)] * 0
    over[THREAD_NAMES.index("best_local_score")] = 1.0
    return scored(read, weights, over)


def test_hypotheses_are_the_best_of_the_ranking_and_what_the_question_confirms() -> None:
    found = ranked(["3, 4, 5, 6, 8 and 9", "it is 9"])
    offered = hypotheses(found)
    assert [one.place for one in offered] == [*range(MOST)]
    assert [float(value) for value in found.view.values_of(offered[0].candidate)] == [9.0]
    rows = evidence_rows(offered)
    assert rows.shape == (MOST, len(NAMES))
    assert rows[:, NAMES.index("lead")].tolist() == [found.scores[0] - found.scores[1]] + [
        score - found.scores[0] for score in found.scores[1:MOST]
    ]
    assert evidence_rows([]).shape == (0, len(NAMES)) == (0, len(SIGNS))


def test_two_that_agree_weigh_more_than_one_or_two_against_two() -> None:
    right, wrong = "x = 3 + 4 = 7, x = 7", "x = 3 * 4 = 12, x = 12"
    alone, agreed, torn = [right], [right, right], [right, right, wrong, wrong]
    weighed = [agreement(hypotheses(ranked(answers))[0]) for answers in (alone, agreed, torn)]
    assert weighed[1] > max(weighed[0], weighed[2])
