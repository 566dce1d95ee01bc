"""Which posts to label next: uncertain, diverse, and always the same."""

import random
from pathlib import Path

import pytest

from models.label_queue import CandidatePost, label_queue
from models.post_model import PostModel
from models.storage import load_model

MODEL = Path(__file__).resolve().parents[2] / "data" / "models" / "posts.json"
SURE = "Ann has 3 pens and buys 4 more pens. How many pens does she have now?"
ODD = "i got 12 apples and then what is this?"
OTHER = "is a 28 with 3 wins any good or do i trade the guy with 12"


@pytest.fixture(scope="module")
def model() -> PostModel:
    found = load_model(str(MODEL))
    assert isinstance(found, PostModel)
    return found


def post(name: str, text: str) -> CandidatePost:
    return CandidatePost(name, text, ())


def test_doubt_comes_first_and_twins_last(model: PostModel) -> None:
    pool = [post("a", SURE), post("b", ODD), post("c", ODD), post("d", OTHER)]
    queue = label_queue(model, pool, [], 4)
    doubt = {queued.candidate.post_id: abs(queued.scope.probability - 0.5) for queued in queue}
    assert queue[0].candidate.post_id == min(doubt, key=lambda name: (doubt[name], name)) == "b"
    assert queue[3].candidate.post_id == "c"  # b again, however doubtful
    assert queue[0].distance == 1.0
    assert queue[3].distance == 0.0


def test_what_is_labelled_is_left_out_and_keeps_its_like_back(model: PostModel) -> None:
    pool = [post("a", ODD), post("b", ODD), post("d", OTHER)]
    queue = label_queue(model, pool, [post("a", ODD)], 5)
    assert [queued.candidate.post_id for queued in queue] == ["d", "b"]
    assert queue[1].distance == 0.0


def test_order_of_the_pool_changes_nothing(model: PostModel) -> None:
    pool = [post(f"p{number}", f"{ODD} {'why ' * number}") for number in range(12)] + [post("q", OTHER)]
    shuffled = list(pool)
    random.Random(2).shuffle(shuffled)
    assert label_queue(model, pool, [], 6) == label_queue(model, shuffled, [], 6)


def test_nothing_to_choose_from(model: PostModel) -> None:
    assert label_queue(model, [], [], 3) == []
    assert label_queue(model, [post("a", "")], [], 3)[0].candidate.post_id == "a"
