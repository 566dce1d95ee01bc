"""What a whole build publishes of the real posts: nested five-fold, by models that have not seen the site of a post."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from corpus.config import BuildConfig
from corpus.records import Dropped, Post, PostAnswer
from curation.stages.registry import BY_NAME
from curation.stages.stage import Context, Trail
from evaluation.metrics.proportions import Proportion
from evaluation.table_text import markdown_frame
from models.answer_training import FOLDS, OWN, WANTED_PRECISION, Learned, Other, calibrate, learn_read, model_of
from models.fitting import Example
from models.gold_values import gold_values, same_answer
from models.label_split import LabelledThread
from models.post_training import train_posts
from models.system_model import SystemModel
from models.validation import fold_of

STAGES = ("clean", "classify", "equations", "answers", "agree")


@dataclass(frozen=True)
class RealPost:
    """A real post with its scope, which decides its fold, and its gold answer where that is numeric."""

    post: Post
    scope: LabelledThread
    gold: Sequence[str]

    @property
    def counts(self) -> bool:
        """Whether a build should publish it."""
        return self.scope.label.in_scope and gold_values(self.gold or ()) is not None


@dataclass(frozen=True)
class Fate:
    """What a build made of a real post: its answer where it was published, else the reason why not."""

    real: RealPost
    values: tuple[str, ...] | None
    reason: str | None

    @property
    def right(self) -> bool:
        """Whether it was published, is in scope, and has the gold answer."""
        found, gold = gold_values(self.values or ()), gold_values(self.real.gold or ())
        return self.real.counts and found is not None and gold is not None and same_answer(found, gold)


@dataclass(frozen=True)
class RealBuilds:
    """The fates of all real posts under some configurations, by name."""

    fates: Mapping[str, Sequence[Fate]]

    def markdown(self) -> str:
        """The table in Markdown."""
        rows = [
            {
                "configuration": name,
                "posts": source,
                "published and right": _precision(part),
                "share of the posts in scope with numeric gold": _coverage(part),
            }
            for name, fates in self.fates.items()
            for source, part in _by_source(fates).items()
        ]
        lines = [
            "## realposts: whole builds",
            "",
            "Every post goes through the stages clean to agree under models fitted on the other folds: a fold holds "
            "whole sites, and the posts of Yahoo! Answers by their ids. Right: in scope, with the gold answer.",
            "",
            markdown_frame(pd.DataFrame(rows)),
        ]
        return "\n".join(lines)


def _by_source(fates: Sequence[Fate]) -> dict[str, list[Fate]]:
    yahoo = [fate for fate in fates if not fate.real.scope.label.author]
    return {"all": list(fates), "Yahoo! Answers": yahoo, "pages": [fate for fate in fates if fate not in yahoo]}


def _precision(fates: Sequence[Fate]) -> Proportion:
    published = [fate for fate in fates if fate.values is not None]
    return Proportion(sum(fate.right for fate in published), len(published))


def _coverage(fates: Sequence[Fate]) -> Proportion:
    wanted = [fate for fate in fates if fate.real.counts]
    return Proportion(sum(fate.right for fate in wanted), len(wanted))


@dataclass(frozen=True)
class Teachers:
    """What the models of every fold are fitted on beside the real posts of the other folds."""

    scope: Sequence[LabelledThread]
    answers: Mapping[str, Sequence[Example]]
    others: Mapping[str, Other]
    systems: Sequence[SystemModel]
    """For each fold a system model fitted without it."""


def real_builds(posts: Sequence[RealPost], teachers: Teachers, configs: Mapping[str, BuildConfig]) -> RealBuilds:
    """The fates of the real posts; the answers of ``teachers`` hold the real threads under ``OWN``."""
    fates: dict[str, list[Fate]] = {name: [] for name in configs}
    for place in range(FOLDS):
        models = _models([real.scope for real in posts], teachers, place)
        held = [real for real in posts if fold_of(real.scope, FOLDS) == place]
        for name, config in configs.items():
            fates[name] += [_fate(real, config, models) for real in held]
    return RealBuilds(fates)


def _models(real: Sequence[LabelledThread], teachers: Teachers, place: int) -> dict[str, object]:
    seen = [thread for thread in real if fold_of(thread, FOLDS) != place]
    decisive = frozenset(thread.post_id for thread in seen)
    posts = train_posts([*teachers.scope, *seen], decisive=decisive).model
    rest = {
        name: [item for item in examples if name != OWN or fold_of(item.thread, FOLDS) != place]
        for name, examples in teachers.answers.items()
    }
    learned: Learned = learn_read(rest, teachers.others, WANTED_PRECISION, f"fold:{place}")
    answers = model_of(learned.weights, calibrate(learned.seen.rows(), WANTED_PRECISION), {})
    return {"posts": posts, "systems": teachers.systems[place], "answers": answers}


def _fate(real: RealPost, config: BuildConfig, models: Mapping[str, object]) -> Fate:
    trail = Trail(real.post)
    for name in STAGES:
        stage = BY_NAME[name]
        context = Context(getattr(config, name), models.get(stage.model or ""))
        record = next(iter(stage.decide([trail], context)))
        if isinstance(record, Dropped):
            return Fate(real, None, record.reason)
        trail = Trail(real.post, {**trail.records, type(record): record})
    return Fate(real, trail.get(PostAnswer).values, None)


def joined(
    posts: Sequence[Post], scopes: Sequence[LabelledThread], golds: Mapping[str, Sequence[str]]
) -> Iterator[RealPost]:
    """Posts with their labels; ``scopes`` and ``golds`` are known by ids that end like those of the posts."""
    by_native = {thread.post_id.partition(":")[2]: thread for thread in scopes}
    for post in posts:
        native = post.post_id.partition(":")[2]
        if native in by_native:
            yield RealPost(post, by_native[native], golds.get(native, ()))
