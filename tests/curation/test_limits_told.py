"""No stage says of a figure that it misses a limit in the same digits: each is asked for the next float above it."""

import math
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from corpus.records import Answer, Dropped, Post, PostReading, Record
from curation.stages.agree_stage import PublishConfig, facts_of
from curation.stages.registry import BY_NAME, BuildConfig
from curation.stages.stage import Context, Trail
from models.publication import CalibrationPost, PublicationModel
from models.shipped import shipped_model

POST = Post(
    post_id="site:1",
    source="site",
    question="Tom has 3 pears and gets 4 more. How many pears does he have?",
    answers=(
        Answer(answer_id="1", text="3 + 4 = 7\nHe has 7 pears."),
        Answer(answer_id="2", text="3 * 4 = 12\nHe has 12 pears."),
    ),
)
NOTHING = BuildConfig.model_validate(
    {
        "classify": {"min_probability": 0.0},
        "read": {"min_probability": 0.0, "min_confidence": 0.0},
    }
)
STAGES = ("clean", "classify", "read", "agree")


def run(trail: Trail, name: str, **changed: float) -> Record:
    """What one stage says of the post, of which the fields ``changed`` are asked."""
    stage = BY_NAME[name]
    config = NOTHING.of_stage(name).model_copy(update=changed)
    models = {kind: shipped_model(kind) for kind in stage.models}
    assert stage.decide is not None
    return stage.decide(trail, Context(config, models))


def one_post(model: PublicationModel, post: CalibrationPost) -> PublicationModel:
    """The model calibrated on one post."""
    return replace(model, calibration=(post,))


def trail_before(name: str) -> Trail:
    """What the stages before one say of the post, where nothing is asked of it."""
    trail = Trail(POST)
    for stage in STAGES[: STAGES.index(name)]:
        found = run(trail, stage)
        trail = Trail(POST, {**trail.records, BY_NAME[stage].record: found})
    return trail


def figures(detail: str) -> Sequence[str]:
    """The figures of a sentence with a point in them."""
    return re.findall(r"\d+\.\d+", detail)


@pytest.mark.rows(("name", "field"), [("classify", "min_probability"), ("read", "min_confidence")])
def test_a_stage_tells_a_figure_and_its_limit_apart(name: str, field: str) -> None:
    trail = trail_before(name)
    refused = run(trail, name, **{field: 1.0})
    assert isinstance(refused, Dropped)
    assert refused.score is not None
    just = run(trail, name, **{field: math.nextafter(refused.score, 1)})
    assert isinstance(just, Dropped)
    told, limit = map(float, figures(just.detail)[:2])
    assert told < limit


def test_a_refused_answer_is_told_with_those_that_come_next() -> None:
    refused = run(trail_before("read"), "read", min_confidence=1.0)
    assert isinstance(refused, Dropped)
    assert re.fullmatch(r"confidence 0\.\d+ in \d+, ranked before .*; at least 1 is required", refused.detail)
    assert {"7", "12"} <= set(re.findall(r"\d+", refused.detail))


def test_a_system_is_told_apart_from_what_is_wanted() -> None:
    trail = trail_before("read")
    whole = run(trail, "read", min_probability=0.0)
    assert isinstance(whole, PostReading)
    note = run(trail, "read", min_probability=1.0).model_dump()["note"]
    chance = max(one.probability for one in whole.candidates)
    (least, _) = figures(note + " 1.0")
    assert float(least) < 1
    for limit in (chance + 1e-9, chance + 1e-5):
        note = run(trail, "read", min_probability=limit).model_dump()["note"]
        told, wanted = map(float, figures(note))
        assert told < wanted


def test_a_refused_post_is_told_apart_from_what_the_promise_asks() -> None:
    trail = trail_before("agree")
    model = shipped_model("publication")
    probability = model.probability(facts_of(trail))
    just = CalibrationPost(math.nextafter(probability, 1), True, "site", "set")
    context = Context(PublishConfig(precision=0.01), {"publication": one_post(model, just)})
    found = BY_NAME["agree"].decide(trail, context)
    assert isinstance(found, Dropped)
    told, limit = map(float, figures(found.detail)[-2:])
    assert told < limit
