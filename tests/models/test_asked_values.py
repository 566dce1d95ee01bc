"""Which values of a system are asked: the sets that may be, their evidence, and the expressions over the core."""

from itertools import pairwise

import pytest

from corpus.records import Label
from extractors.equations.thread_equations import MAX_EXPRESSION, core_of
from extractors.equations.votes import read_systems
from models.asked_values import ASKED_EVIDENCE, asked_rows, pool_of, sets_of
from models.label_split import LabelledThread
from models.shipped import read_thread
from models.system_training import is_asked

SUM = "x + y = 41\nx - y = 7\nx = 24, y = 17"
SHARE = "Let x be the first part.\n.06x + .08(12000 - x) = 860\nx = 5000\n12000 - x = 7000"


def test_the_values_of_a_system_with_what_its_answer_states_last() -> None:
    thread = read_systems("Two numbers add up to 41 and differ by 7.", [SUM])
    pool = pool_of(thread, thread.solved[0])
    assert (pool.held.names, pool.held.values, pool.held.set_up) == (("x", "y"), (24.0, 17.0), (0, 1))
    assert (pool.closing, pool.stated) == ((0, 1), (1, 0))
    assert sets_of(pool) == [(0,), (0, 1), (1,)]


def test_roots_are_values_of_one_unknown() -> None:
    thread = read_systems("x^2 - 2x = 24", ["x^2 - 2x = 24\n(x - 6)(x + 4) = 0\nx = 6 or x = -4"])
    pool = pool_of(thread, thread.solved[0])
    assert (pool.held.names, sorted(pool.held.values)) == (("x", "x"), [-4.0, 6.0])


def test_evidence_of_two_values_and_of_one() -> None:
    thread = read_systems("", [SUM])
    pool = pool_of(thread, thread.solved[0])
    names = [function.__name__ for function, _ in ASKED_EVIDENCE]
    rows = [dict(zip(names, row, strict=True)) for row in asked_rows([(0, 1), (0,)], pool, (0.48, 0.98, 0.0, 0.0))]
    assert rows[0]["asked_so_many"] == pytest.approx(0.0, abs=1e-3)
    assert rows[1]["asked_so_many"] == pytest.approx(-0.693, abs=1e-3)
    assert [rows[0][name] for name in names[1:]] == [1, 1, 1, 1, 1]
    assert [rows[1][name] for name in names[1:]] == [0, 0, 0, 0, 0]


@pytest.mark.rows(("gold", "asked"), [(("24", "17"), True), (("24",), False), (("24", "18"), False)])
def test_asked_is_the_gold_answer_no_more_and_no_less(gold: tuple[str, ...], asked: bool) -> None:
    thread = read_systems("", [SUM])
    label = Label(post_id="t:1", in_scope=True, scope_reason="ok", gold_answer=gold)
    labelled = LabelledThread("t:1", "", (SUM,), label)
    assert is_asked(pool_of(thread, thread.solved[0]), (0, 1), labelled) is asked


@pytest.mark.rows(
    ("question", "answer", "asked"),
    [
        ("Two numbers add up to 41 and differ by 7. Find both numbers.", SUM, [("x", 24), ("y", 17)]),
        (
            "Two numbers add up to 41 and differ by 7. What is the smaller number?",
            SUM + "\nThe smaller is 17",
            [("y", 17)],
        ),
    ],
)
def test_a_question_that_asks_for_one_value_gets_one(question: str, answer: str, asked: list[tuple[str, int]]) -> None:
    found = read_thread(question, [answer], 1)
    assert [(name, int(value)) for name, value in found.asked] == asked


def test_definitions_become_expressions_and_leave_their_values() -> None:
    found = read_thread("How much is invested at each rate? $12000 in all, at 6 % and at 8 %, earn $860.", [SHARE], 1)
    assert found.equations is not None
    core = core_of(found.equations, [name for name, _ in found.asked])
    assert (core.equations, core.asked) == (("0.06*x+0.08*(12000-x)=860",), ("x", "12000-x"))
    assert core.solutions(found.unknowns, found.solutions) == ({"x": 5000, "12000-x": 7000},)


def test_definitions_that_would_grow_without_end_stay_equations() -> None:
    names = [f"x_{place}" for place in range(12)]
    squares = [f"{name}={before}*{before}" for before, name in pairwise(names)]
    core = core_of(["x_0+2=5", *squares], [names[-1]])
    assert len(core.asked[0]) < 4 * MAX_EXPRESSION
    assert 2 < len(core.equations) < 12


def test_a_system_beyond_the_grammar_stays_whole() -> None:
    long = "x=" + "+".join(["1"] * 60_000)
    assert core_of([long, "y=2*z"], ["y"], ["x", "y", "z"])[:3] == ((long, "y=2*z"), ("x", "y", "z"), ("y",))
