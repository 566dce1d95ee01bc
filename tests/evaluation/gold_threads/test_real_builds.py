"""Whole builds of real posts: when a published post is right, and through which stages and models it goes."""

from collections.abc import Sequence

import pytest

from corpus.records import (
    Answer,
    Assignment,
    ClassifiedPost,
    CleanedPost,
    Label,
    Post,
    PostReading,
    Record,
    SystemSolution,
)
from curation.stages.read_stage import ReadConfig
from curation.stages.registry import BuildConfig
from curation.stages.stage import Trail
from evaluation.gold_threads.labelled_threads import real_posts, real_threads
from evaluation.gold_threads.real_builds import (
    Fate,
    Reached,
    RealBuilds,
    RealPost,
    Teachers,
    joined,
    reach_real,
    real_builds,
)
from models.answer_training import FOLDS, OWN, no_solutions, read_examples
from models.shipped import shipped_model
from tests.models.samples import labelled


def reached(
    values: Sequence[str], gold: Sequence[str], *, in_scope: bool = True, system: Sequence[str] = (), family: str = "A"
) -> Reached:
    """A real post with an answer, and perhaps a system that gives some values, at the stage agree."""
    label = Label(
        post_id="real:1",
        in_scope=in_scope,
        scope_reason="ok" if in_scope else "general",
        gold_answer=tuple(gold) or None,
        family=family,
    )
    solution = SystemSolution(assignments=tuple(Assignment(unknown=f"x{n}", value=v) for n, v in enumerate(system)))
    records: dict[type[Record], Record] = {
        PostReading: PostReading(
            post_id="s:1",
            values=tuple(values),
            confidence=0.9,
            ranked=(),
            spans=(),
            equations=("x0=1",) if system else None,
            unknowns=(),
            solutions=(solution,) if system else (),
            votes=(),
            candidates=(),
            linear=None,
        ),
    }
    post = Post(post_id="s:1", source="s", question="?", answers=())
    return Reached(post, label, 0, Trail(post, records))


@pytest.mark.rows(
    ("one", "right"),
    [
        (reached(["7"], ["7"]), True),
        (reached(["8", "7"], ["7", "8"]), True),
        (reached(["7"], ["7", "8"]), False),
        (reached(["7"], ["7"], in_scope=False), False),
        (reached(["7"], []), False),
        (reached(["7"], ["7"], system=["7", "3"]), True),
        (reached(["7"], ["7"], system=["4"]), False),
        (reached(["7"], ["7"], system=["7.04"]), False),
        (reached(["3.33"], ["3.33"], system=["10/3"]), True),
    ],
)
def test_right_is_in_scope_with_the_gold_answer_which_the_system_gives(one: Reached, right: bool) -> None:
    assert one.right is right
    assert not Fate(one, False, "low_confidence").right


def test_the_table_has_published_and_found_apart_by_set() -> None:
    fates = [
        Fate(reached(["7"], ["7"], family="B"), True, None),
        Fate(reached(["8"], ["7"]), True, None),
        Fate(reached(["7"], ["7"]), False, "low_confidence"),
    ]
    text = RealBuilds({"90 %": fates}).markdown()
    assert "| 90 % | all | 50.0 % [9.5, 90.5] (n=2) | 33.3 % [6.1, 79.2] (n=3) |" in text
    assert "| 90 % | A | 0.0 %" in text
    assert "| 90 % | B | 100.0 %" in text


def test_posts_go_through_all_stages_under_models_of_other_folds() -> None:
    threads = labelled(30)
    posts = [
        RealPost(
            Post(
                post_id=f"s:{place}",
                source="s",
                question=thread.question,
                answers=tuple(Answer(answer_id=f"s:{place}:{n}", text=text) for n, text in enumerate(thread.answers)),
            ),
            thread,
            thread.label.gold_answer or (),
        )
        for place, thread in enumerate(threads)
    ]
    teachers = Teachers(
        labelled(20, in_scope=False),
        {OWN: read_examples(threads, no_solutions), "more": read_examples(labelled(40)[30:], no_solutions)},
        [shipped_model("systems")] * FOLDS,
        0.5,
    )
    found = reach_real(posts, teachers, BuildConfig(read=ReadConfig(min_confidence=0)))
    assert sorted(one.post.post_id for one in found) == sorted(one.post.post_id for one in posts)
    assert sum(one.right for one in found) >= 25
    none = reach_real(posts, teachers, BuildConfig(read=ReadConfig(min_confidence=1)))
    assert {one.reason for one in none} <= {"low_confidence", "no_candidates", "unsure_scope"}


def many(count: int) -> list[Reached]:
    """So many posts at the stage agree, half of them right, of which the confidence tells most."""
    found = []
    for place in range(count):
        right = place % 2 == 0
        one = reached(["7"], ["7" if right else "9"])
        assert one.trail is not None
        confidence = 0.99 if right and place % 10 else 0.3
        post = one.post.model_copy(update={"post_id": f"s:{place}"})
        read = one.trail.get(PostReading).model_copy(update={"post_id": post.post_id, "confidence": confidence})
        records: dict[type[Record], Record] = {
            PostReading: read,
            CleanedPost: CleanedPost(post_id=post.post_id, question="?", steps=(), numbers=()),
            ClassifiedPost: ClassifiedPost(post_id=post.post_id, in_scope=True, probability=0.9, outcome="ok"),
        }
        found.append(Reached(post, one.label, place % FOLDS, Trail(post, records)))
    return found


def test_a_promise_is_kept_out_of_fold_and_one_that_is_too_high_publishes_nothing() -> None:
    found = real_builds(many(400), promises=(0.88, 0.999))
    kept = [fate for fate in found.fates["promise of 88 %"] if fate.published]
    assert len(kept) == 160
    assert all(fate.right for fate in kept)
    assert not any(fate.published for fate in found.fates["promise of 99.9 %"])
    (first, second) = found.resplits
    assert (first.sites, first.drawn, first.broken, first.below) == (400, 1_000, 0, 0)
    assert first.kept > 700
    assert (second.kept, second.drawn) == (0, 0)
    assert "broken in 0.0 %" in found.markdown()


@pytest.mark.shared
def test_real_posts_are_joined_with_their_labels(shared_data) -> None:  # type: ignore[no-untyped-def]
    scopes, golds = real_posts(shared_data), real_threads(shared_data)
    assert (len(scopes), len(golds)) == (1572, 1045)
    assert {thread.label.family for thread in scopes} == {"A", "B", "D"}
    sites = {thread.label.author for thread in scopes}
    assert "" in sites
    assert len(sites) > 30
    post = Post(post_id=f"x:{scopes[0].post_id.partition(':')[2]}", source="x", question="?", answers=())
    (one,) = joined([post], scopes, {})
    assert one.scope is scopes[0]
