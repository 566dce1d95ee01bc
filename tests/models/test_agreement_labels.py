"""Threads that label themselves: closing values and solutions have to agree, each for itself."""

from collections.abc import Sequence

import pytest

from models.agreement_labels import agreed_threads
from models.read_threads import Solved

ASKED = "Tom has 3 pears and gets 4 more. How many pears does he have?"
PAIR = "Two numbers sum to 12 and differ by 2. What are the two numbers?"


@pytest.mark.rows(
    ("question", "answers", "solution", "gold"),
    [
        (ASKED, ["so 7 pears", "3 + 4 = 7", "9 pears"], [["7"]], ("7",)),
        (PAIR, ["5 and 7", "x = 7, y = 5"], [["7", "5"]], ("5", "7")),
        (ASKED, ["so 7 pears", "3 + 4 = 7"], [["8"]], None),  # the equations say something else
        (ASKED, ["so 7 pears", "3 + 4 = 7"], [], None),  # no equations
        (ASKED, ["so 7 pears"], [["7"]], None),  # nobody agrees
        (ASKED, ["7 pears", "7", "8 pears", "8"], [["7"]], None),  # two against two
        (PAIR, ["7", "7"], [["7", "5"]], None),  # fewer values than asked
    ],
)
def test_agreement(question: str, answers: list[str], solution: list[list[str]], gold: tuple[str, ...] | None) -> None:
    def solve(_question: str, _answers: Sequence[str]) -> Solved:
        return Solved(solution, asked=(0.1, 0.9) if question is PAIR else (0.9, 0.1))

    found = agreed_threads([("p:1", question, answers)], solve)
    assert [thread.label.gold_answer for thread in found] == ([] if gold is None else [gold])
