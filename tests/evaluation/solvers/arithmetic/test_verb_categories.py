"""The solver by verb categories; the stories of the small corpus need three of them."""

import pytest

from corpus.benchmarks.gold_problems import GoldProblem
from evaluation.solvers.arithmetic.monotonic_trees import chain_of
from evaluation.solvers.arithmetic.quantity_schemas import read_question
from evaluation.solvers.arithmetic.verb_categories import Aris, story_of, story_tree

STORIES = (
    ("Ann had {0} pens. She lost {1} pens. How many pens does she have?", "x={0}-{1}"),
    ("Ann had {0} pens. She found {1} pens. How many pens does she have?", "x={0}+{1}"),
    ("Ann had {0} pens. She gave {1} pens away. How many pens does she have?", "x={0}-{1}"),
    ("Ann had {0} pens. Bob gave Ann {1} pens. How many pens does Ann have?", "x={0}+{1}"),
)


def _problems() -> list[GoldProblem]:
    made = [
        (text.format(20 + n, 3 + n), equation.format(20 + n, 3 + n)) for n in range(4) for text, equation in STORIES
    ]
    made += [
        (f"{n} boxes hold {n + 3} pens each. How many pens are in the boxes?", f"x={n}*{n + 3}") for n in range(4, 12)
    ]
    return [
        GoldProblem(problem_id=f"p{n}", native_id=f"p{n}", origin="gold", question=question, equations=(equation,))
        for n, (question, equation) in enumerate(made)
    ]


def _fitted() -> Aris:
    solver = Aris()
    solver.fit(_problems())
    return solver


@pytest.mark.rows(
    ("question", "value"),
    [
        ("Cy had 40 pens. He lost 11 pens. How many pens does he have?", "29"),
        ("Cy had 40 pens. He found 11 pens. How many pens does he have?", "51"),
        ("Cy had 40 pens. He gave 11 pens away. How many pens does he have?", "29"),
        ("Cy had 40 pens. Di gave Cy 11 pens. How many pens does Cy have?", "51"),
        ("Cy had 40 pens. He found some more pens. Now he has 51 pens. How many pens does he have more?", "11"),
    ],
)
def test_verbs_say_what_happens(question: str, value: str) -> None:
    found = _fitted().solve(question)
    assert found is not None
    assert [str(one) for one in found.solutions or ()] == [value]


def test_categories_are_learned() -> None:
    found = _fitted().categories
    assert (found["find"], found["give"]) == ("positive", "transfer")
    assert found["lose"] in ("negative", "transfer")  # nobody is given what is lost, so either says the same


def test_it_abstains() -> None:
    solver = _fitted()
    assert solver.solve("7 boxes hold 30 pens each. How many pens are in the boxes?") is None
    assert solver.solve("Ann had 5 pens. How many pens does she have?") is None
    assert solver.solve("How many pens does she have?") is None
    assert solver.solve(f"Ann had {', '.join(str(n) for n in range(40))} pens. How many pens does she have?") is None
    assert Aris().solve(STORIES[0][0].format(9, 5)) is None
    empty = Aris()
    empty.fit([])
    assert empty.solve(STORIES[0][0].format(9, 5)) is None


@pytest.mark.rows(
    ("question", "asked", "added"),
    [
        ("Ann has 9 pens. Bob has 5 pens. How many pens do they have together?", "total", True),
        ("Ann has 9 pens. Bob has 5 pens. How many more pens does Ann have?", "comparison", False),
        ("Ann has 9 pens. 5 are red and the rest are blue. How many pens are blue?", "left", False),
        ("Ann found 9 pens. Now she has 5 pens. How many pens did she have at first?", "start", False),
        ("Ann has 9 more pens than Bob. Bob has 5 pens. How many pens does Ann have?", "state", True),
        ("Ann has 9 pens. She has 5 more pens than Bob. How many pens does Bob have?", "state", False),
        ("Ann has 5 fewer pens than Bob. Bob has 9 pens. How many pens does Ann have?", "state", False),
        ("Ann had 9 pens. Now she has 5 pens. How many pens did she use?", "change", False),
    ],
)
def test_what_is_asked(question: str, asked: str, added: bool) -> None:
    read = read_question(question)
    assert read is not None
    story = story_of(read)
    assert story is not None
    assert story.asked == asked
    assert (story_tree(story, {"find": "positive"}) == chain_of("+", [0, 1], [])) is added
