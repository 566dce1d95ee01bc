"""The agree stage: an answer that no system confirms needs confidence and more than one post that gives it."""

import pytest

from corpus.config import AgreeConfig
from corpus.records import (
    Answer,
    Assignment,
    CleanedPost,
    Dropped,
    Post,
    PostAgreement,
    PostAnswer,
    PostEquations,
    SystemSolution,
    TextSpan,
)
from curation.stages.agree_stage import STAGE
from curation.stages.stage import Context, Trail


def trail(confidence: float, giving: tuple[str, ...], question: str = "?") -> Trail:
    """A post whose answer 5 stands in the posts ``giving``, and for which no equation system was voted."""
    post = Post(post_id="t:1", source="t", question="?", answers=(), content_sha256="0" * 64)
    spans = tuple(TextSpan(answer_id=answer, start=0, end=1, raw="5") for answer in giving)
    answer = PostAnswer(post_id="t:1", values=("5",), confidence=confidence, ranked=(), spans=spans)
    system = PostEquations(
        post_id="t:1", equations=None, unknowns=(), solutions=(), votes=(), candidates=(), linear=None
    )
    cleaned = CleanedPost(post_id="t:1", question=question, steps=(), numbers=())
    return Trail(post, {CleanedPost: cleaned, PostAnswer: answer, PostEquations: system})


@pytest.mark.rows(
    ("confidence", "giving", "least", "said"),
    [
        (0.97, ("a", "b"), 2, None),
        (0.97, ("a", "a"), 2, "1 answer gives it; an unconfirmed answer needs 2"),
        (0.97, ("a",), 1, None),
        (0.94, ("a", "b"), 2, "confidence 0.940; an unconfirmed answer needs 0.95"),
    ],
)
def test_an_unconfirmed_answer(confidence: float, giving: tuple[str, ...], least: int, said: str | None) -> None:
    config = AgreeConfig(unconfirmed_min_answers=least)
    (record,) = STAGE.decide([trail(confidence, giving)], Context(config))
    if said is None:
        assert isinstance(record, PostAgreement)
        assert record.verdict == "undecided"
    else:
        assert isinstance(record, Dropped)
        assert (record.reason, record.detail) == ("answer_unconfirmed", f"no solution to compare with; {said}")


@pytest.mark.rows(
    ("question", "on", "kept"),
    [
        ("Half a number plus 3 is 5.5", True, True),
        ("Half a number plus 3 is 5.5", False, False),
        ("Half a number plus 3 is 6", True, False),
        ("How many pens are there?", True, False),
    ],
)
def test_the_question_confirms_what_it_states(question: str, on: bool, kept: bool) -> None:
    config = AgreeConfig(question_confirms=on)
    (record,) = STAGE.decide([trail(0.8, ("a",), question)], Context(config))
    if not kept:
        assert isinstance(record, Dropped)
        return
    assert isinstance(record, PostAgreement)
    assert record.verdict == "undecided"
    assert record.detail == "no solution to compare with; the question states (((1/2)*x)+3)=(11/2)"


@pytest.mark.rows(
    ("chosen", "kept"),
    [
        ("9. read it again: all but 9 died", False),
        ("5 of them, 9 - 4", True),
        ("\\(f = \\frac{10}{2}\\), so it is five", True),
        ("about 4.99", True),
        ("think of the ones that are left", True),
        (None, True),
    ],
)
def test_the_answer_that_was_chosen_as_the_best(chosen: str | None, kept: bool) -> None:
    found = trail(0.97, ("a", "b"))
    answers = [Answer(answer_id="a", text="5"), Answer(answer_id="b", text="it is 5")]
    answers += [Answer(answer_id="c", text=chosen, is_best=True)] if chosen is not None else []
    post = found.post.model_copy(update={"answers": tuple(answers)})
    (record,) = STAGE.decide([Trail(post, found.records)], Context(AgreeConfig()))
    assert isinstance(record, PostAgreement) is kept
    if isinstance(record, Dropped):
        assert (record.reason, record.evidence) == ("best_answer_differs", chosen)


AGES = ("x=4*y", "x+5=3*(y+5)", "z=x-y")
"""An answer that sets up two ages, 40 and 10, and works out by how much they differ."""


def settled(values: tuple[str, ...], likely: tuple[tuple[str, str], ...] = ()) -> PostAgreement:
    """What the stage makes of an answer to the system AGES; ``likely`` are the values taken for asked."""
    post = Post(post_id="t:1", source="t", question="?", answers=(), content_sha256="0" * 64)
    solved = (("x", "40"), ("y", "10"), ("z", "30"))
    system = PostEquations(
        post_id="t:1",
        equations=AGES,
        unknowns=("x", "y", "z"),
        solutions=(SystemSolution(assignments=tuple(Assignment(unknown=name, value=value) for name, value in solved)),),
        votes=("a",),
        candidates=(),
        linear=True,
        asked=tuple(Assignment(unknown=name, value=value) for name, value in likely),
    )
    span = TextSpan(answer_id="a", start=0, end=1, raw="5")
    answer = PostAnswer(post_id="t:1", values=values, confidence=0.99, ranked=(), spans=(span,))
    cleaned = CleanedPost(post_id="t:1", question="?", steps=(), numbers=())
    found = Trail(post, {CleanedPost: cleaned, PostAnswer: answer, PostEquations: system})
    (record,) = STAGE.decide([found], Context(AgreeConfig(unconfirmed_min_answers=1)))
    assert isinstance(record, PostAgreement)
    return record


@pytest.mark.rows(
    ("values", "gold", "asked"),
    [
        (("10", "40"), ("40", "10"), ("x", "y")),
        (("10",), ("10",), ("y",)),
        (("30",), ("30",), ("x-y",)),
        (("30", "40"), ("40", "30"), ("x", "x-y")),
    ],
)
def test_each_value_of_the_answer_is_asked_as_an_expression_over_the_core(
    values: tuple[str, ...], gold: tuple[str, ...], asked: tuple[str, ...]
) -> None:
    record = settled(values)
    assert (record.verdict, record.gold_answer, record.asked) == ("confirmed", gold, asked)
    assert (record.equations, record.unknowns) == (AGES[:2], ("x", "y"))
    assert [one.value for one in record.solutions[0].assignments] == ["40", "10"]


def test_what_the_system_does_not_give_is_no_expression() -> None:
    record = settled(("10.03",), likely=(("z", "30"),))
    assert (record.verdict, record.gold_answer, record.asked) == ("undecided", ("10.03",), None)
    assert record.equations == AGES[:2]
