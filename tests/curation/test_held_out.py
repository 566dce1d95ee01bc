"""Who may stand in validation and test, and what becomes of the others."""

from math import inf

import pytest

from corpus.canonical import sha256_text
from curation.splits import SplitConfig
from curation.stages.split_stage import STAGE, is_sure, least_probability
from curation.stages.stage import Context
from models.publication import CalibrationPost
from models.shipped import shipped_model


def posts(wrong: int, size: int) -> list[CalibrationPost]:
    """So many posts from 0.999 down, of which one is wrong."""
    return [CalibrationPost(0.999 - place / 1000, place != wrong, "g", "s") for place in range(size)]


def test_the_threshold_is_the_lowest_from_which_on_the_share_is_right() -> None:
    assert least_probability(posts(60, 100), 0.99) == pytest.approx(0.999 - 99 / 1000)
    assert least_probability(posts(60, 99), 0.99) == pytest.approx(0.999 - 59 / 1000)
    assert least_probability(posts(40, 99), 0.99) == inf
    assert least_probability(posts(99, 49), 0.99) == inf, "too few say nothing"
    assert least_probability([], 0.0) == 0.0


@pytest.mark.rows(
    ("verdict", "answers", "probability", "sure"),
    [
        ("confirmed", 2, 0.5, True),
        ("confirmed", 1, 0.5, False),
        ("undecided", 3, 0.5, False),
        ("different", 1, 0.97, True),
        ("confirmed", 1, None, False),
    ],
)
def test_two_answers_with_the_system_or_the_probability_decide(
    verdict: str, answers: int, probability: float | None, sure: bool
) -> None:
    assert is_sure(verdict, answers, probability, 0.97) is sure


def test_the_unsure_are_left_out_of_held_out_splits_alone_and_nobody_moves() -> None:
    names = [f"s:{number}" for number in range(60)]
    columns = {
        "post_id": names,
        "question": [f"Problem {sha256_text(name)}" for name in names],
        "template_id": names,
        "verdict": ["confirmed"] * 60,
        "probability": [0.9] * 60,
        "n_answers": [1 + number % 2 for number in range(60)],
    }
    models = {"publication": shipped_model("publication")}
    assert STAGE.decide_columns is not None
    every, none = STAGE.decide_columns(columns, Context(SplitConfig(held_out_precision=0.0), models))
    kept, dropped = STAGE.decide_columns(columns, Context(SplitConfig(), models))
    before = {row["post_id"]: row["split"] for row in every.to_pylist()}
    assert len(none) == 0
    assert {row["post_id"]: row["split"] for row in kept.to_pylist()}.items() <= before.items()
    gone = {row["post_id"] for row in dropped.to_pylist()}
    assert gone == {name for place, name in enumerate(names) if place % 2 == 0 and before[name] != "train"}
    assert gone
    assert {row["reason"] for row in dropped.to_pylist()} == {"unsure_for_evaluation"}
