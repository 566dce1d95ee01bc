"""What a question that states its problem surely does to the ranking: confirmed first, ruled out, or nothing."""

from fractions import Fraction
from pathlib import Path

import pytest

from extractors.equations.given import Given, Stance
from models.answer_model import AnswerModel
from models.read_threads import question_says
from models.storage import load_model
from tests.models.equations import solved

SHIPPED = Path(__file__).resolve().parents[2] / "data" / "models"
TWO = "Two numbers add up to 52 and differ by 8. What are they?"
RIGHT = "x + y = 52\nx - y = 8\n2x = 60\nx = 30\ny = 22"
WRONG = "x + y = 52\nx = 8 + 52\nx = 60"


@pytest.fixture(scope="module")
def answers() -> AnswerModel:
    model = load_model(str(SHIPPED / "answers.json"))
    assert isinstance(model, AnswerModel)
    return model


@pytest.mark.rows(
    ("question", "values", "several", "says"),
    [
        (TWO, "30 22", True, Stance.CONFIRMS),
        (TWO, "30", True, Stance.CONTRADICTS),
        (TWO, "30", False, Stance.SILENT),
        (TWO, "30 22", False, Stance.SILENT),
        (TWO, "31", False, Stance.CONTRADICTS),
        (TWO, "60 30", True, Stance.CONTRADICTS),
        (TWO, "3000 2200", True, Stance.SILENT),
        ("A quarter of a number is 6", "24", False, Stance.CONFIRMS),
        ("A quarter of a number is 6", "3/2", False, Stance.CONTRADICTS),
        ("solve x^2 - 7x + 12 = 0", "3 4", False, Stance.CONFIRMS),
        ("solve x^2 - 7x + 12 = 0", "4", False, Stance.CONTRADICTS),
        ("Solve 2x + y = 11 and x - y = 1", "4", False, Stance.CONTRADICTS),
        (
            "The sum of two numbers is 40, the larger is 4 more than the smaller. Find the larger.",
            "22",
            False,
            "confirms",
        ),
    ],
)
def test_what_the_question_says(question: str, values: str, several: bool, says: str) -> None:
    given = Given(question)
    assert given.stated is not None
    assert question_says(given.stated, [[Fraction(v) for v in values.split()]], given.values, several) == (says,)


def test_a_confirmed_answer_is_sure(answers: AnswerModel) -> None:
    ranking = answers.rank(TWO, [RIGHT], solved(TWO, [RIGHT]))
    assert sorted(ranking.values) == ["22", "30"]
    assert ranking.sure()


def test_a_confirmed_answer_comes_before_a_majority(answers: AnswerModel) -> None:
    ranking = answers.rank(TWO, [WRONG, WRONG, RIGHT], solved(TWO, [WRONG, WRONG, RIGHT]))
    assert sorted(ranking.values) == ["22", "30"]
    assert ranking.ranked[0][0] == ranking.values
    scores = [score for _, score in ranking.ranked]
    assert scores == sorted(scores, reverse=True)


def test_an_answer_that_cannot_be_it_is_not_returned(answers: AnswerModel) -> None:
    ranking = answers.rank(TWO, [WRONG], solved(TWO, [WRONG]))
    assert ranking.confidence < 0.5
    assert not ranking.sure()
