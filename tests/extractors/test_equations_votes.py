"""The systems that answers offer: cases as data, spans, what each kind finds, agreement, bad input."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractors.equations.thread_equations import AnswerSystem, Kind
from extractors.equations.votes import ThreadSystems, read_systems
from extractors.real_numbers.values import format_value
from tests.extractors.cases import cases
from tests.tiers import in_turn

QUESTION = "Two numbers add up to 41 and differ by 7. Find both numbers."
RIGHT = "x + y = 41\nx - y = 7\nx = 24, y = 17"


@pytest.mark.rows(("thread", "expect"), cases("reading"))
def test_the_system_is_offered_with_its_solutions(thread: dict[str, Any], expect: dict[str, Any]) -> None:
    found = read_systems(thread["question"], thread["answers"])
    offered = [(list(system.equations), _solutions(system)) for system in found.systems if system.counts]
    if expect["equations"] is None:
        assert not offered
    else:
        assert (expect["equations"], expect["solutions"]) in offered


@pytest.mark.rows(
    "answers",
    [
        (RIGHT, "Hi, here is how:\n\nx + y = 41 , x - y = 7\nx = 24, y = 17", RIGHT),
        ("x + y = 41\nx - y = 7\nx = 24", "x + y = 41\nx - y = 7\nso x = 24 check: 24 - 17 = 7"),
        ("41 - 7 = 34, 34/2 = 17", "First 41 - 7 = 34 and\n34/2 = 17. 17", "41 - 7 = 34 \n 34/2 = 17. It is 17."),
        ("2 * 3 = 6, which leaves 35", "2 * 3 = 6, and that leaves 35,0", "2 * 3 = 6: 35.0 remain"),
        ("41  7 = 34", "so 41  7 = 34"),
        ("x + y = 41 , x - y = 2 hr 15 min", "x + y = 41 , x - y = 2 hr 30 min"),
    ],
)
def test_an_answer_is_read_in_a_thread_as_it_is_alone(answers: tuple[str, ...]) -> None:
    read = read_systems(QUESTION, answers).systems
    for answer, text in enumerate(answers):
        alone = [system._replace(answer=answer) for system in read_systems(QUESTION, [text]).systems]
        assert alone
        assert [system for system in read if system.answer == answer] == alone


def _solutions(system: AnswerSystem) -> list[list[str]]:
    return [[format_value(value) for value in row] for row in system.solutions]


@pytest.mark.rows(("thread", "expect"), cases("reading"))
def test_spans_lie_in_the_answer(thread: dict[str, Any], expect: dict[str, Any]) -> None:
    for system in read_systems(thread["question"], thread["answers"]).systems:
        text = thread["answers"][system.answer]
        assert len(system.spans) == len(system.equations)
        assert all(0 <= start < end <= len(text) for start, end in system.spans)
        for solution in system.solutions:
            assert len(solution) == len(system.unknowns)


def test_spans_point_at_the_characters_of_the_post() -> None:
    text = "So {{{x+y=41}}} (sum)\nand x − y = 7 too, x=24, y=17"
    system = read_systems(QUESTION, [text]).systems[0]
    assert [text[start:end] for start, end in system.spans] == ["x+y=41", "x − y = 7"]


@pytest.mark.rows(
    ("kind", "question", "answer", "equations"),
    [
        (Kind.SETUP, QUESTION, RIGHT, ("x+y=41", "x-y=7")),
        (Kind.MENDED, QUESTION, "x + y = 47\nx - y = 7\n2x = 48\nx = 24\ny = 17", ("x-y=7", "2*x=48")),
        (Kind.ARITHMETIC, "4 of 6 faces", "4/6 or 66.7% chance", ("x=4/6",)),
        (Kind.ARITHMETIC, "(15,7) and (6,4)", "(4-7)/(6-15)\n= -3/-9\n= 1/3", ("x=(4-7)/(6-15)",)),
        (
            Kind.ARITHMETIC,
            "150 east, 30 west",
            "150 + 30 = 180 m in all, 150 - 30 = 120 m off",
            ("x=150+30", "y=150-30"),
        ),
    ],
)
def test_each_kind_of_system(kind: Kind, question: str, answer: str, equations: tuple[str, ...]) -> None:
    assert (kind, equations) in [(one.kind, one.equations) for one in read_systems(question, [answer]).systems]


def test_definitions_are_offered_with_and_without() -> None:
    answer = "Let x be the shorter and x + 6 the longer.\nx + x + 6 = 36\nx = 15\nx + 6 = 21"
    question = "A board of 36 in is cut in two; one piece is 6 in longer. What is the longer piece?"
    found = {(one.unknowns, one.core) for one in read_systems(question, [answer]).systems if one.kind is Kind.SETUP}
    assert found == {(("x",), 1), (("x", "y"), 1)}


def _place(thread: ThreadSystems, *equations: str) -> int:
    return [system.equations for system in thread.systems].index(equations)


def test_answers_agree_whatever_the_names_and_the_size() -> None:
    thread = read_systems(QUESTION, [RIGHT, "a - b = 7, a + b = 41", "2p + 7 = 41", "p + q = 41, p - q = 9"])
    first = _place(thread, "x+y=41", "x-y=7")
    agreed = [
        thread.agree(first, _place(thread, *e)) for e in (("a-b=7", "a+b=41"), ("2*p+7=41",), ("p+q=41", "p-q=9"))
    ]
    assert agreed == [True, True, False]


@pytest.mark.rows(
    ("answer", "states"),
    [
        ("24 and 17.", True),
        ("Not hard: 24 and 17", True),
        ("No, not 24 and 17.", False),
        ("It isn't 24 or 17.", False),
        ("24", False),
        ("24, 17 and 3", False),
    ],
)
def test_an_answer_without_a_system_may_state_the_solution(answer: str, states: bool) -> None:
    thread = read_systems(QUESTION, [RIGHT, answer])
    assert thread.stating(_place(thread, "x+y=41", "x-y=7")) == ((1,) if states else ())


def test_a_copied_value_is_not_stated() -> None:
    question = "3 pens and a stamp of 5 cents cost 26 cents. What is a pen?"
    for answers, stating in ((["3p + 5 = 26", "7 cents"], ()), (["7 cents", "3p + 5 = 26"], (0,))):
        thread = read_systems(question, answers)
        assert thread.stating(_place(thread, "3*p+5=26")) == stating


def _hostile() -> list[str]:
    return [
        "x = " + "(" * 3000 + "1" + ")" * 3000,
        "x = " + "9" * 100_000,
        "x = 9^9^9^9^9",
        "=".join("x" * 4000),
        "x=1 " * 4000,
        "\n".join(f"x{i} + x{i + 1} = {i}" for i in range(200)),
        "x = 1/(1+" * 2000,
        "x \u202e= 5\x00\ud800",
        "x=" + "+1" * 8000,
        "x = 100000! + 50000!",
        "\n".join(f"x^{i} + y^{i} = {i}" for i in range(2, 60)),
        "\n".join(f"{i} + {i} = {2 * i}" for i in range(1, 1500)),
    ]


@pytest.mark.rows("text", in_turn(_hostile(), 4))
def test_hostile_answers_never_raise(text: str) -> None:
    assert read_systems("What is 5 and 7?", [text]).note is None


def test_endless_sum_in_the_question_never_raises() -> None:
    question = f"The sum of two numbers is {'1' * 4600}, or 59, and they differ by 15."
    assert read_systems(question, ["a + b = 59, a - b = 15"]).systems[0].equations == ("a+b=59", "a-b=15")


_WORDS = "x y a = + - * / ( ) ^ 2 3.5 1/2 % $ of cost 5 apples sqrt or and , . 10 ± ² {{{ }}} ! check is | [ ] _ C( ° e"
_PIECES = st.lists(st.sampled_from([*_WORDS.split(" "), " ", "\n", "x = ", "\\frac{1}{2}"]), max_size=60)


@settings(max_examples=150, deadline=None)
@given(_PIECES)
def test_random_maths_never_raises(pieces: list[str]) -> None:
    text = "".join(pieces)
    for system in read_systems("5 apples cost 10", [text, text[::-1]]).systems:
        for (start, end), raw in zip(system.spans, system.equations, strict=True):
            assert 0 <= start <= end
            assert raw
