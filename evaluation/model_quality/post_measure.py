"""Gathering the figures of the post classifier: every set is judged by a model that was not fitted on its source."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.gold_threads.labelled_threads import real_posts
from evaluation.model_quality.post_quality import JudgedPost, PostQuality, judge
from evaluation.model_quality.post_sources import SOURCES, labelled, without_answers
from models.label_split import LabelledThread
from models.post_model import PostModel
from models.post_training import TrainedPosts, train_posts

OUT_OF_SCOPE = "StackMathQA"
REAL = "real posts"
"""Five-fold by site: a fold holds no site that its model was fitted on."""


@dataclass(frozen=True)
class Bundled:
    """The labelled posts that come with the checkout: the site's two parts, and the posts of ``data/own``."""

    training: Sequence[LabelledThread]
    evaluation: Sequence[LabelledThread]
    own: Sequence[LabelledThread]


def post_quality(model: PostModel, bundled: Bundled, shared: Path) -> PostQuality:
    """The figures of the shipped model; the models that lack a source are fitted here.

    InputError where the shared data cannot be read.
    """
    real = real_posts(shared)
    ids = frozenset(thread.post_id for thread in real)
    held_out = _held_out(train_posts([*bundled.training, *bundled.own, *real], decisive=ids))
    site = [*bundled.training, *bundled.evaluation]
    sets = {
        "bundled evaluation part": judge(model, bundled.evaluation),
        "posts of our own, five-fold": [row for row in held_out if row.thread.post_id not in ids],
        "the bundled site, fitted on data/own alone": judge(train_posts(bundled.own).model, site),
        "data/own, fitted on the bundled site alone": judge(train_posts(bundled.training).model, bundled.own),
        REAL: [row for row in held_out if row.thread.post_id in ids],
    }
    one_sided = {}
    for name in (name for name in SOURCES if name not in (OUT_OF_SCOPE, REAL)):
        threads = labelled(name, shared)
        one_sided[name] = judge(model, threads)
        if any(thread.answers for thread in threads):
            one_sided[f"{name}, questions only"] = judge(model, without_answers(threads))
    against = judge(model, labelled(OUT_OF_SCOPE, shared))
    return PostQuality(sets, one_sided, against, model.notes["signature"], model)


def _held_out(trained: TrainedPosts) -> list[JudgedPost]:
    return [JudgedPost(row.thread, row.probability, row.outcome) for row in trained.held_out]
