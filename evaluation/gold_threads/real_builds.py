"""What a whole build publishes of the real posts: nested five-fold, by models that have not seen the site of a post."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from corpus.canonical import sha256_text
from corpus.errors import ConfigError
from corpus.records import Agreement, Dropped, Label, Post, PostAgreement, PostReading
from curation.consensus import agree
from curation.splits import SplitConfig
from curation.stages.agree_stage import PublishConfig, facts_of
from curation.stages.read_stage import solution_values
from curation.stages.registry import BY_NAME, BuildConfig, way_to
from curation.stages.split_stage import is_sure, least_probability
from curation.stages.stage import Context, Trail
from evaluation.metrics.proportions import Proportion
from evaluation.table_text import markdown_frame
from models.answer_training import FOLDS, Example, fit_parts
from models.gold_values import gold_values, same_answer
from models.label_split import LabelledThread, fold_of
from models.post_training import train_posts
from models.publication import CalibrationPost, Judged, promised, upper_bound
from models.publication_training import fit_publication
from models.system_model import SystemModel


@dataclass(frozen=True)
class Reached:
    """A labelled post and its trail up to the stage agree, or the reason why a stage before dropped it.

    ``label`` has the scope, the gold answer, its site as ``author`` and its set as ``family``.
    """

    post: Post
    label: Label
    fold: int
    trail: Trail | None
    reason: str | None = None

    @property
    def counts(self) -> bool:
        """Whether a build should publish it: in scope, with a numeric gold answer."""
        return self.label.in_scope and gold_values(self.label.gold_answer or ()) is not None

    @property
    def right(self) -> bool:
        """Whether it is in scope and its answer is the gold answer, which the system gives where there is one."""
        return self.trail is not None and self.counts and _holds(self.trail, self.label.gold_answer or ())

    @property
    def judged(self) -> Judged | None:
        """What the publication model learns from it; None where a stage before dropped it.

        Posts of one site are a group; a post without a site is one by itself.
        """
        if self.trail is None:
            return None
        group = sha256_text(f"site:{self.label.author or self.post.post_id}")[:12]
        return Judged(facts_of(self.trail), self.right, group, self.fold, self.label.family)


def _holds(trail: Trail, gold: tuple[str, ...]) -> bool:
    """Whether answer and system of a post are right."""
    read = trail.get(PostReading)
    found, wanted = gold_values(read.values), gold_values(gold)
    if found is None or wanted is None or not same_answer(found, wanted):
        return False
    return read.equations is None or system_gives(read, gold)


def system_gives(read: PostReading, gold: tuple[str, ...]) -> bool:
    """Whether the solutions of the system hold the gold answer, up to rounding."""
    exact = [str(value) for value in gold_values(gold) or ()]
    return agree(exact, solution_values(read.solutions))[0] is Agreement.CONFIRMED


def reach(post: Post, label: Label, config: BuildConfig, models: Mapping[str, object], fold: int = 0) -> Reached:
    """Send a labelled post through the stages before agree, under models by name."""
    came = way_to_agree(post, config, models)
    if isinstance(came, Dropped):
        return Reached(post, label, fold, None, came.reason)
    return Reached(post, label, fold, came)


def way_to_agree(post: Post, config: BuildConfig, models: Mapping[str, object]) -> Trail | Dropped:
    """What the stages before agree say of a post, under models by name, or the record of the one that drops it."""
    return way_to("agree", post, lambda stage: Context(config.of_stage(stage.name), models))


DEFAULT = PublishConfig().precision
PROMISES = (DEFAULT, *(precision for precision in (0.95, 0.9, 0.85, 0.0) if precision != DEFAULT))
HELD_OUT = "default, sure enough for validation and test"
RESPLITS = 1_000
SEED = 7


@dataclass(frozen=True)
class RealPost:
    """A real post with its scope, which decides its fold, and its gold answer where that is numeric."""

    post: Post
    scope: LabelledThread
    gold: Sequence[str]


@dataclass(frozen=True)
class Fate:
    """What a build made of a real post: whether it was published, else the reason why not."""

    real: Reached
    published: bool
    reason: str | None
    sure: bool = False
    """Whether validation and test take it."""

    @property
    def right(self) -> bool:
        """Whether it was published, is in scope, and has the gold answer and no wrong system."""
        return self.published and self.real.right


@dataclass(frozen=True)
class Resplits:
    """How often a promise was broken on posts of other sites than those that the threshold was chosen on.

    Of ``kept`` resplits with a threshold, in ``below`` the share of right ones among the published posts of the other
    half is below the promise, in ``surely`` even its upper bound. ``drawn`` and ``broken`` are of as many samples of
    sites, drawn with replacement, against the precision of all posts, which is then known: the promise itself.
    """

    precision: float
    times: int
    posts: int
    sites: int
    kept: int
    below: int
    surely: int
    drawn: int
    broken: int

    def text(self) -> str:
        """The figures as a sentence."""
        return (
            f"A promise of {100 * self.precision:g} %, {self.times} times, over {self.posts} posts of {self.sites} "
            f"sites that reach the judgement. Sites drawn with replacement, the threshold held against all posts: "
            f"{self.drawn} have one, broken in {Proportion(self.broken, self.times)}. Halves by site, the threshold of "
            f"one held against the other: {self.kept} have one, the other half is below the promise in "
            f"{Proportion(self.below, self.times)}, significantly in {Proportion(self.surely, self.times)}."
        )


@dataclass(frozen=True)
class RealBuilds:
    """The fates of all real posts under some promises, by name, and how often these were broken."""

    fates: Mapping[str, Sequence[Fate]]
    resplits: Sequence[Resplits] = ()

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
            for source, part in _by_set(fates).items()
        ]
        lines = [
            "## realposts: whole builds",
            "",
            "Every post goes through the stages clean to agree under models fitted on the other folds: a fold holds "
            "whole sites, and the posts of Yahoo! Answers by their ids; head and threshold are of the other folds, "
            f"too. The default promises {100 * DEFAULT:g} %. Right: in scope, with the gold "
            "answer, and the system, where there is one, gives it.",
            "",
            markdown_frame(pd.DataFrame(rows)),
            *(one.text() for one in self.resplits),
        ]
        return "\n".join(lines)


def _by_set(fates: Sequence[Fate]) -> dict[str, list[Fate]]:
    found = {"all": list(fates)}
    for fate in sorted(fates, key=lambda one: one.real.label.family):
        found.setdefault(fate.real.label.family, []).append(fate)
    return found


def _precision(fates: Sequence[Fate]) -> Proportion:
    return Proportion.of(fate.right for fate in fates if fate.published)


def _coverage(fates: Sequence[Fate]) -> Proportion:
    return Proportion.of(fate.right for fate in fates if fate.real.counts)


@dataclass(frozen=True)
class Teachers:
    """What the models of every fold are fitted on beside the real posts of the other folds."""

    scope: Sequence[LabelledThread]
    answers: Mapping[str, Sequence[Example]]
    systems: Sequence[SystemModel]
    """For each fold a system model fitted without it."""
    system_threshold: float
    """The probability from which on a system is returned."""


def reach_real(posts: Sequence[RealPost], teachers: Teachers, config: BuildConfig) -> list[Reached]:
    """The real posts on their way to the stage agree under models of the other folds.

    The answers of ``teachers`` hold the real threads as well.
    """
    found = []
    for place in range(FOLDS):
        models = _models([real.scope for real in posts], teachers, place)
        for real in posts:
            if fold_of(real.scope, FOLDS) == place:
                label = real.scope.label.model_copy(update={"gold_answer": tuple(real.gold) or None})
                found.append(reach(real.post, label, config, models, place))
    return found


def _models(real: Sequence[LabelledThread], teachers: Teachers, place: int) -> dict[str, object]:
    """The models ``posts``, ``systems`` and ``answers`` of one fold: fitted on everything but it."""
    seen = [thread for thread in real if fold_of(thread, FOLDS) != place]
    decisive = frozenset(thread.post_id for thread in seen)
    posts = train_posts([*teachers.scope, *seen], decisive=decisive).model
    rest = [item for examples in teachers.answers.values() for item in examples if item.fold != place]
    answers = fit_parts(rest).model(0.0, teachers.system_threshold, {})
    return {"posts": posts, "systems": teachers.systems[place], "answers": answers}


def judged_of(reached: Sequence[Reached]) -> list[Judged]:
    """What the publication model learns from: the posts that reach it."""
    return [judged for one in reached if (judged := one.judged) is not None]


def real_builds(reached: Sequence[Reached], promises: Sequence[float] = PROMISES) -> RealBuilds:
    """The fates of the real posts under some promises; head and threshold of a fold learn from the others.

    Where no threshold keeps a promise, nothing is published.
    """
    fates: dict[str, list[Fate]] = {_name(precision): [] for precision in promises}
    judged = judged_of(reached)
    for place in range(FOLDS):
        model = fit_publication([one for one in judged if one.fold != place], {})
        for precision in promises:
            held = [one for one in reached if one.fold == place]
            fates[_name(precision)] += _fates(held, Context(PublishConfig(precision=precision), {"publication": model}))
    if DEFAULT in promises:
        fates[HELD_OUT] = [replace(fate, published=fate.published and fate.sure) for fate in fates[_name(DEFAULT)]]
    posts = fit_publication(judged, {}).calibration
    return RealBuilds(fates, [resplits(posts, precision) for precision in promises if precision])


def _name(precision: float) -> str:
    if precision == DEFAULT:
        return "default"
    return f"promise of {100 * precision:g} %" if precision else "no promise"


def _fates(held: Sequence[Reached], context: Context[PublishConfig]) -> list[Fate]:
    """What stage agree makes of posts; those that do not come so far have their reason already."""
    trails, agree_stage = [one.trail for one in held if one.trail is not None], BY_NAME["agree"].decide
    assert agree_stage is not None
    try:
        said = iter([agree_stage(trail, context) for trail in trails])
    except ConfigError as error:
        return [Fate(one, False, one.reason or str(error)) for one in held]
    found = []
    least = least_probability(context.models["publication"].calibration, SplitConfig().held_out_precision)
    for one in held:
        record = None if one.trail is None else next(said)
        published = record is not None and not isinstance(record, Dropped)
        reason = record.reason if isinstance(record, Dropped) else one.reason
        found.append(Fate(one, published, reason, isinstance(record, PostAgreement) and _sure(record, least)))
    return found


def _sure(record: PostAgreement, least: float) -> bool:
    return is_sure(record.verdict, record.n_answers, record.probability, least)


def resplits(posts: Sequence[CalibrationPost], precision: float, times: int = RESPLITS) -> Resplits:
    """Choose the threshold on some sites and hold it against others, ``times`` times, see ``Resplits``."""
    chance = np.random.default_rng(SEED)
    by_site: dict[str, list[CalibrationPost]] = {}
    for post in posts:
        by_site.setdefault(post.group, []).append(post)
    sites = sorted(by_site)
    kept = below = surely = drawn = broken = 0
    for _ in range(times):
        order = chance.permutation(len(sites))
        half, other = ([post for place in part for post in by_site[sites[place]]] for part in np.array_split(order, 2))
        threshold = _threshold(half, precision)
        found = [post.right for post in other if threshold is not None and post.score >= threshold]
        kept += threshold is not None
        below += bool(found) and sum(found) < precision * len(found)
        surely += bool(found) and upper_bound(sum(found), len(found)) < precision
        sample = [
            post._replace(group=f"{number}")
            for number, place in enumerate(chance.integers(len(sites), size=len(sites)))
            for post in by_site[sites[place]]
        ]
        threshold = _threshold(sample, precision)
        every = [post.right for post in posts if threshold is not None and post.score >= threshold]
        drawn += threshold is not None
        broken += bool(every) and sum(every) < precision * len(every)
    return Resplits(precision, times, len(posts), len(sites), kept, below, surely, drawn, broken)


def _threshold(posts: Sequence[CalibrationPost], precision: float) -> float | None:
    try:
        return promised(posts, precision).threshold
    except ConfigError:
        return None


def joined(
    posts: Sequence[Post], scopes: Sequence[LabelledThread], golds: Mapping[str, Sequence[str]]
) -> Iterator[RealPost]:
    """Posts with their labels; ``scopes`` and ``golds`` are known by ids that end like those of the posts."""
    by_native = {thread.post_id.partition(":")[2]: thread for thread in scopes}
    for post in posts:
        native = post.post_id.partition(":")[2]
        if native in by_native:
            yield RealPost(post, by_native[native], golds.get(native, ()))
