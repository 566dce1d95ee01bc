"""The agree stage: one probability against the promised precision; what used to drop a post is evidence."""

from dataclasses import replace
from math import log

import numpy as np
import pytest

from corpus.errors import ConfigError
from corpus.records import (
    Answer,
    Assignment,
    CandidateSystem,
    ClassifiedPost,
    CleanedPost,
    Dropped,
    Post,
    PostAgreement,
    PostReading,
    Record,
    SystemSolution,
    TextSpan,
)
from curation.stages.agree_stage import STAGE, PublishConfig, facts_of
from curation.stages.stage import Context, Trail
from extractors.questions.question_types import QuestionType
from models.linear import Logistic
from models.publication import FEATURES, NAMES, CalibrationPost, PublicationModel
from models.shipped import shipped_model

WEIGHTS = {"answer_odds": 1.0, "system_contradicts": -2.0, "question_confirms": 3.0}
LEAST = 0.9
MODEL = PublicationModel(
    Logistic(np.array([WEIGHTS.get(name, 0.0) for name in NAMES]), 0.0),
    (
        *(CalibrationPost(LEAST, True, f"site {place}", "A") for place in range(59)),
        CalibrationPost(0.1, False, "b", "A"),
    ),
    {"source": "59 posts by hand"},
)
"""Publishes from 0.9 on where a precision of 95 % is promised."""
SCOPE = ClassifiedPost(post_id="t:1", in_scope=True, probability=0.9, outcome="ok")


def judge(found: Trail, precision: float = 0.95, model: PublicationModel = MODEL) -> Record:
    """What the stage says of one post."""
    return STAGE.decide(found, Context(PublishConfig(precision=precision), {"publication": model}))


def gives(value: str) -> SystemSolution:
    """The solution of ``x=value``."""
    return SystemSolution(assignments=(Assignment(unknown="x", value=value),))


def trail(
    confidence: float,
    question: str = "?",
    solution: str | None = None,
    counts: tuple[float, ...] = (),
    against: tuple[str, float] | None = None,
) -> Trail:
    """A post with the answer 5, and a system that gives ``solution``; ``counts`` values are likely asked for.

    ``against`` is what the likeliest system by itself gives, and how likely that is.
    """
    answers = [Answer(answer_id="a", text="5"), Answer(answer_id="b", text="it is 5")]
    post = Post(post_id="t:1", source="t", question="?", answers=tuple(answers), content_sha256="0" * 64)
    spans = tuple(TextSpan(answer_id=answer, start=0, end=1, raw="5") for answer in ("a", "b"))
    witness = (
        None
        if against is None
        else CandidateSystem(
            answer_id="b",
            equations=(f"x={against[0]}",),
            unknowns=("x",),
            solutions=(gives(against[0]),),
            status="solved",
            spans=(TextSpan(answer_id="b", start=0, end=7, raw="it is 5"),),
            probability=against[1],
        )
    )
    read = PostReading(
        post_id="t:1",
        values=("5",),
        confidence=confidence,
        ranked=(),
        spans=spans,
        equations=None if solution is None else (f"x={solution}",),
        unknowns=() if solution is None else ("x",),
        solutions=() if solution is None else (gives(solution),),
        votes=(),
        candidates=(),
        linear=None,
        asked_counts=counts,
        witness=witness,
    )
    cleaned = CleanedPost(post_id="t:1", question=question, steps=(), numbers=())
    return Trail(post, {CleanedPost: cleaned, ClassifiedPost: SCOPE, PostReading: read})


@pytest.mark.rows(
    ("found", "reason"),
    [
        (trail(0.95), None),
        (trail(0.85), "answer_unconfirmed"),
        (trail(0.85, "Half a number plus 3 is 5.5"), None),
        (trail(0.85, "Half a number plus 3 is 6"), "answer_unconfirmed"),
        (trail(0.95, solution="5"), None),
        (trail(0.95, against=("7", 0.9)), "answer_contradicts_equations"),
        (trail(0.95, against=("5", 0.9)), None),
        (trail(0.95, solution="5", against=("7", 0.9)), "answer_contradicts_equations"),
        (trail(0.999, against=("7", 0.9)), None),  # 6.9 - 2 * 2.2 are more than 2.2, the log odds of 0.9
        (trail(0.95, against=("7", 0.4)), None),
        (trail(0.85, against=("7", 0.4)), "answer_unconfirmed"),
    ],
)
def test_evidence_decides_and_the_strongest_against_a_post_is_its_reason(found: Trail, reason: str | None) -> None:
    record = judge(found)
    assert (record.reason if isinstance(record, Dropped) else None) == reason


def test_a_drop_says_the_probability_the_threshold_and_where_the_evidence_stands() -> None:
    plain = judge(trail(0.85))
    assert isinstance(plain, Dropped)
    assert plain.score == pytest.approx(0.85, abs=1e-4)
    assert plain.detail == (
        "no solution to compare with; probability 0.850 that scope, answer and system are right; "
        "at least 0.9 is required"
    )
    system = judge(trail(0.95, against=("7", 0.9)))
    assert isinstance(system, Dropped)
    assert system.detail.startswith("5 is in none of the solutions 7; probability 0.")
    assert (system.evidence, [one.raw for one in system.spans]) == ("x=7", ["it is 5", "5", "5"])


def test_a_published_post_keeps_its_probability_and_what_the_question_states() -> None:
    record = judge(trail(0.85, "Half a number plus 3 is 5.5"))
    assert isinstance(record, PostAgreement)
    assert record.probability == pytest.approx(0.991, abs=1e-3)
    assert record.detail == "no solution to compare with; the question states (((1/2)*x)+3)=(11/2)"


def test_the_promise_is_the_threshold_and_none_publishes_all() -> None:
    doubtful = trail(0.2, against=("7", 0.9))
    assert isinstance(judge(doubtful, precision=0), PostAgreement)
    assert isinstance(judge(doubtful), Dropped)
    with pytest.raises(ConfigError, match="97 % needs at least 99 right of 99; you have 60"):
        judge(doubtful, precision=0.97)


@pytest.mark.rows(
    ("changed", "name", "value"),
    [
        ({"scope": 0.5}, "scope_odds", 0.0),
        ({"scope": 1.0, "answer": 0.5}, "both_odds", 0.0),
        ({"against": 0.9}, "system_contradicts", pytest.approx(log(9))),
        ({"against": 0.4}, "system_contradicts", 0.0),
        ({"clear": 1.0}, "count_is_clear", 0.0),
        ({"kind": QuestionType.PROOF}, "closed_kind", 1.0),
        ({"kind": QuestionType.MULTIPLE_CHOICE}, "closed_kind", 0.0),
    ],
)
def test_features_by_hand(changed: dict[str, object], name: str, value: float) -> None:
    facts = replace(facts_of(trail(0.85)), **changed)
    (function,) = (function for function, _ in FEATURES if function.__name__ == name)
    assert function(facts) == value


def test_facts_are_what_the_stages_before_say() -> None:
    facts = facts_of(trail(0.85, counts=(0.3, 0.6, 0.1, 0.0), against=("7", 0.7)))
    assert (facts.scope, facts.answer, facts.against, facts.stated, facts.clear) == (0.9, 0.85, 0.7, False, 0.6)
    assert facts_of(trail(0.85)).clear == 0.25, "nothing is known of the question"
    assert facts_of(trail(0.85, against=("5", 0.7))).against == 0, "it gives the answer"


def test_no_weight_of_the_model_that_ships_says_the_opposite_of_its_feature() -> None:
    weights = shipped_model("publication").head.weights
    assert [name for (_, sign), name, weight in zip(FEATURES, NAMES, weights, strict=True) if sign * weight < 0] == []


AGES = ("x=4*y", "x+5=3*(y+5)", "z=x-y")
"""An answer that sets up two ages, 40 and 10, and works out by how much they differ."""


def settled(values: tuple[str, ...], likely: tuple[tuple[str, str], ...] = ()) -> PostAgreement:
    """What the stage makes of an answer to the system AGES; ``likely`` are the values taken for asked."""
    post = Post(post_id="t:1", source="t", question="?", answers=(), content_sha256="0" * 64)
    solved = (("x", "40"), ("y", "10"), ("z", "30"))
    read = PostReading(
        post_id="t:1",
        values=values,
        confidence=0.99,
        ranked=(),
        spans=(TextSpan(answer_id="a", start=0, end=1, raw="5"),),
        equations=AGES,
        unknowns=("x", "y", "z"),
        solutions=(SystemSolution(assignments=tuple(Assignment(unknown=name, value=value) for name, value in solved)),),
        votes=("a",),
        candidates=(),
        linear=True,
        asked=tuple(Assignment(unknown=name, value=value) for name, value in likely),
    )
    cleaned = CleanedPost(post_id="t:1", question="?", steps=(), numbers=())
    found = Trail(post, {CleanedPost: cleaned, ClassifiedPost: SCOPE, PostReading: read})
    record = judge(found)
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
    assert (record.verdict, record.answer_exact, record.asked) == ("confirmed", gold, asked)
    assert (record.equations, record.unknowns) == (AGES[:2], ("x", "y"))
    assert [one.value for one in record.solutions[0].assignments] == ["40", "10"]


def test_what_the_system_does_not_give_is_no_expression() -> None:
    record = settled(("10.03",), likely=(("z", "30"),))
    assert (record.verdict, record.answer_exact, record.asked) == ("undecided", ("10.03",), None)
    assert record.equations == AGES[:2]
