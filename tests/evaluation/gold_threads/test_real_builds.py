"""Whole builds of real posts: when a published post is right, and through which stages and models it goes."""

from collections.abc import Sequence

import pytest

from corpus.config import AgreeConfig, AnswersConfig, BuildConfig, EquationsConfig
from corpus.records import Answer, Label, Post
from evaluation.gold_threads.labelled_threads import real_posts, real_threads
from evaluation.gold_threads.real_builds import Fate, RealBuilds, RealPost, Teachers, joined, real_builds
from models.answer_training import FOLDS, OWN, Other, read_examples
from models.fitting import no_solutions
from models.label_split import LabelledThread
from models.shipped import shipped_model
from tests.models.samples import labelled


def real(gold: Sequence[str], *, in_scope: bool = True, site: str = "") -> RealPost:
    label = Label(post_id="real:1", in_scope=in_scope, scope_reason="ok" if in_scope else "general", author=site)
    return RealPost(
        Post(post_id="s:1", source="s", question="?", answers=()), LabelledThread("real:1", "?", (), label), gold
    )


@pytest.mark.rows(
    ("one", "values", "right"),
    [
        (real(["7"]), ("7",), True),
        (real(["7", "8"]), ("8", "7"), True),
        (real(["7", "8"]), ("7",), False),
        (real(["7"], in_scope=False), ("7",), False),
        (real([]), ("7",), False),
        (real(["7"]), None, False),
    ],
)
def test_right_is_in_scope_with_the_gold_answer(one: RealPost, values: tuple[str, ...] | None, right: bool) -> None:
    assert Fate(one, values, None).right is right


def test_the_table_has_published_and_found_apart_by_source() -> None:
    fates = [
        Fate(real(["7"], site="a.example"), ("7",), None),
        Fate(real(["7"]), ("8",), None),
        Fate(real(["7"]), None, "low_confidence"),
    ]
    text = RealBuilds({"default": fates}).markdown()
    assert "| default | all | 50.0 % [9.5, 90.5] (n=2) | 33.3 % [6.1, 79.2] (n=3) |" in text
    assert "| default | Yahoo! Answers | 0.0 %" in text
    assert "| default | pages | 100.0 %" in text


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
        {"more": Other((), 0.5)},
        [shipped_model("systems")] * FOLDS,
    )
    configs = {
        "all": BuildConfig(
            equations=EquationsConfig(min_votes=1),
            answers=AnswersConfig(min_confidence=0),
            agree=AgreeConfig(unconfirmed_min_confidence=0, unconfirmed_min_answers=1),
        ),
        "none": BuildConfig(answers=AnswersConfig(min_confidence=1)),
    }
    found = real_builds(posts, teachers, configs)
    assert sorted(fate.real.post.post_id for fate in found.fates["all"]) == sorted(one.post.post_id for one in posts)
    assert sum(fate.right for fate in found.fates["all"]) >= 25
    assert {fate.reason for fate in found.fates["none"]} <= {"low_confidence", "no_candidates", "unsure_scope"}


@pytest.mark.shared
def test_real_posts_are_joined_with_their_labels(shared_data) -> None:  # type: ignore[no-untyped-def]
    scopes, golds = real_posts(shared_data), real_threads(shared_data)
    assert (len(scopes), sum(thread.label.in_scope for thread in scopes), len(golds)) == (343, 204, 186)
    sites = {thread.label.author for thread in scopes}
    assert "" in sites
    assert len(sites) > 30
    post = Post(post_id=f"x:{scopes[0].post_id.partition(':')[2]}", source="x", question="?", answers=())
    (one,) = joined([post], scopes, {})
    assert one.scope is scopes[0]
