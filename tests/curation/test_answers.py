"""What the answers stage hands to the ranking."""

import pytest

from corpus.config import AnswersConfig
from corpus.records import Answer, Assignment, CleanedPost, Dropped, Post, PostAnswer, PostEquations, Solution
from corpus.workspace import BUNDLED
from curation.lines import LineContext, answers, both_solutions
from curation.stages.answers import STAGE, is_ruled_out, own_solutions
from curation.stages.stage import Context, Trail
from extractors.equations.votes import read_thread
from models.storage import load_model

ANSWERS = [{"text": "2x + 2(x + 6) = 48\n4x + 12 = 48\n4x = 36\nx = 9 m"}]


def _solution(**values: str) -> Solution:
    return Solution(assignments=tuple(Assignment(unknown=name, value=value) for name, value in values.items()))


def test_own_solutions_are_of_the_first_solved_system() -> None:
    systems = [
        (0, "rejected", (_solution(x="1"),)),
        (0, "solved", (_solution(x="2", y="3"),)),
        (0, "solved", (_solution(x="4"),)),
        (1, "stated", (_solution(x="2", y="3"),)),
        (2, "numeric", (_solution(x="5"), _solution(x="-5"))),
        (3, "solved", ()),
    ]
    assert own_solutions(systems) == {0: [["2", "3"]], 2: [["5"], ["-5"]]}


@pytest.mark.parametrize(
    ("values", "systems", "expected"),
    [
        (["50"], [("ruled_out", (_solution(x="50"),))], True),
        (["50"], [("ruled_out", (_solution(x="50"),)), ("solved", (_solution(y="50", z="2"),))], False),
        (["50"], [("ruled_out", (_solution(x="48"),))], False),
        (["50"], [("rejected", (_solution(x="50"),))], False),
        (["9", "15"], [("ruled_out", (_solution(x="9"),))], False),
        (["9"], [("ruled_out", (_solution(x="9", y="15"),))], True),
        ([], [("ruled_out", (_solution(x="9"),))], False),
    ],
)
def test_an_answer_that_the_question_rules_out(
    values: list[str], systems: list[tuple[str, tuple[Solution, ...]]], expected: bool
) -> None:
    assert is_ruled_out(values, systems) is expected


def test_a_value_that_nothing_else_gives_is_ruled_out_with_its_equations() -> None:
    record = {"question": "A room is 6 m longer than wide and 48 m around. Find the area.", "answers": ANSWERS}
    context = LineContext(2, lambda _: load_model(str(BUNDLED / "models" / "answers.json")))
    found = answers(record, context)
    assert (found["answer"], found["ranked"][0]["answer"]) == (None, ["9"])


def test_a_thread_gives_voted_and_own_solutions() -> None:
    answers = ["a + b = 59, a - b = 15", "37 and 22", "x + y = 59\nx - y = 15", "z = 59 - 15"]
    voted, own = both_solutions(read_thread("59 in the two crates, and 15 is what they are apart.", answers))
    assert [sorted(values) for values in voted] == [["22", "37"]]
    assert {place: [sorted(values) for values in found] for place, found in own.items()} == {
        0: [["22", "37"]],
        2: [["22", "37"]],
        3: [["44"]],
    }


def test_a_solution_of_thousands_of_digits_ends_no_run() -> None:
    record = {"question": "What is x, ten to the 4999 and then 7?", "answers": [{"text": "x = 10^4999"}]}
    context = LineContext(1, lambda _: load_model(str(BUNDLED / "models" / "answers.json")))
    assert answers(record, context)["answer"] is None


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("How many gallons do I need for 585 miles at 26 miles a gallon, and how much will they cost at $2.80?", True),
        ("How much will the gas for 585 miles cost at 26 miles a gallon and $2.80 a gallon?", False),
    ],
)
def test_a_part_of_what_is_asked_is_no_answer(question: str, reason: bool) -> None:
    texts = ("It is $63.", "$63")
    post = Post(
        post_id="t:1",
        source="t",
        question=question,
        answers=tuple(Answer(answer_id=f"a{place}", text=text) for place, text in enumerate(texts)),
    )
    cleaned = CleanedPost(post_id="t:1", question=question, steps=(), numbers=())
    system = PostEquations(
        post_id="t:1", equations=None, unknowns=(), solutions=(), votes=(), candidates=(), linear=None
    )
    model = load_model(str(BUNDLED / "models" / "answers.json"))
    trail = Trail(post, {CleanedPost: cleaned, PostEquations: system})
    (record,) = STAGE.decide([trail], Context(AnswersConfig(min_confidence=0.0), model))
    if reason:
        assert isinstance(record, Dropped)
        assert (record.reason, record.detail) == ("answer_incomplete", "1 of the 2 values that the question asks for")
    else:
        assert isinstance(record, PostAnswer)
        assert record.values == ("63",)
