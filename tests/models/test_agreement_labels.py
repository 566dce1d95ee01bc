"""Threads that label themselves: closing values and solutions have to agree, each for itself."""

from collections.abc import Sequence

import pytest

from models.label_queue import agreed_threads
from models.read_threads import Solved, Values
from tests.models.samples import wholes

ASKED = "Tom has 3 pears and gets 4 more. How many pears does he have?"
PAIR = "Two numbers sum to 12 and differ by 2. What are the two numbers?"


@pytest.mark.rows(
    ("question", "answers", "solution", "chance", "gold"),
    [
        (ASKED, ["so 7 pears", "3 + 4 = 7", "9 pears"], [wholes(7)], 0.9, ("7",)),
        (PAIR, ["5 and 7", "x = 7, y = 5"], [wholes(7, 5)], 0.9, ("5", "7")),
        (ASKED, ["so 7 pears", "3 + 4 = 7"], [wholes(8)], 0.9, None),  # the system says something else
        (ASKED, ["so 7 pears", "3 + 4 = 7"], [], 0.0, None),  # no system
        (ASKED, ["so 7 pears", "3 + 4 = 7"], [wholes(7)], 0.4, None),  # a system that is less likely than not
        (ASKED, ["so 7 pears"], [wholes(7)], 0.9, None),  # nobody agrees
        (ASKED, ["7 pears", "7", "8 pears", "8"], [wholes(7)], 0.9, None),  # two against two
        (PAIR, ["7", "7"], [wholes(7, 5)], 0.9, None),  # fewer values than asked
    ],
)
def test_agreement(
    question: str, answers: list[str], solution: list[Values], chance: float, gold: tuple[str, ...] | None
) -> None:
    def solve(_question: str, _answers: Sequence[str]) -> Solved:
        systems = [(0.1, [wholes(9)]), (chance, solution)] if solution else []
        return Solved(systems, solution, asked=(0.1, 0.9) if question is PAIR else (0.9, 0.1))

    found = agreed_threads([("p:1", question, answers)], solve)
    assert [thread.label.gold_answer for thread in found] == ([] if gold is None else [gold])
