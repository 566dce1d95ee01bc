"""The command ``calibrate``: the threshold that keeps a promised precision, chosen on labels of one's own."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from scipy.stats import ks_2samp

from corpus.errors import ConfigError, InputError
from corpus.lines.labels import read_labels
from corpus.records import Label, Post
from corpus.workspace import MODELS, Workspace
from crawlers.ingest import read_posts
from curation.building.running import stage_models
from curation.stages.agree_stage import PublishConfig, facts_of
from curation.stages.registry import BY_NAME, BuildConfig
from curation.stages.stage import Trail
from evaluation.gold_threads.real_builds import Reached, reach, way_to_agree
from flows.console import Reporter
from models.publication import CalibrationPost, PublicationModel
from models.shipped import shipped_model
from models.storage import save_model

DEFAULT: Final = PublishConfig().precision
UNLIKE: Final = 0.01
"""Below this chance of as different scores from posts of one kind we warn."""
LIKELY: Final = 0.5
"""Labels of less likely posts would teach nothing: no promise publishes them."""


class Judges:
    """The models in use, which say how likely a build publishes a post rightly."""

    def __init__(self, workspace: Workspace) -> None:
        """Load them; ModelError for a missing or damaged one."""
        stages = (BY_NAME[name] for name in (*BY_NAME["agree"].reads[1:], "agree"))
        self.by_kind = {kind: found for one in stages for kind, found in stage_models(one, workspace).items()}
        self.publication: PublicationModel = self.by_kind["publication"]

    def is_likely(self, post: Post) -> bool:
        """Whether a post comes as far as stage agree and is likelier right than not."""
        came = way_to_agree(post, BuildConfig(), self.by_kind)
        return isinstance(came, Trail) and self.publication.probability(facts_of(came)) >= LIKELY


def run_calibrate(
    data: str, labels: Sequence[Path], posts: Sequence[Path], precision: float | None, as_json: bool
) -> None:
    """Choose the threshold on labelled posts, of files or of the post store, and write the publication model.

    The weights stay as they are. Every post goes through the stages before under the models in use, which must not have
    been fitted on it. Without a ``precision`` that of the default build is promised.
    """
    workspace, precision = Workspace(data), DEFAULT if precision is None else precision
    judges = Judges(workspace)
    model = judges.publication
    labelled = _labelled(read_labels(labels), posts_given(workspace, posts))
    reached = [reach(post, label, BuildConfig(), judges.by_kind) for post, label in labelled]
    calibration = tuple(found for one in reached if (found := _calibration(one, model)))
    notes = {"source": f"{len(reached)} labels given", "weights": model.notes.get("weights", model.notes["source"])}
    fitted = replace(model, calibration=calibration, notes=notes)
    try:
        promise = fitted.promise(precision)
    except ConfigError as error:
        raise ConfigError(f"{error}{_threshold_in_use(model, precision, calibration)}") from error
    digest = save_model(fitted, "publication.json", workspace.folder / MODELS)
    unlike = _chance_of_one_kind([post.score for post in calibration])
    reporter = Reporter()
    if as_json:
        told = {"labelled": len(reached), **fitted.told(precision), "p_unlike": unlike, "digest": digest}
        reporter.data(told)
        return
    reporter.text(
        f"precision {100 * precision:g} % from probability {promise.threshold:.4f} on: of {len(reached)} labelled "
        f"posts {len(calibration)} reach the judgement, {promise.posts} would be published, {promise.right} of them "
        f"right (at least {100 * promise.bound:.1f} % with 95 % confidence)"
    )
    if unlike < UNLIKE:
        reporter.line(
            f"warning: the probabilities of these posts look unlike those of ours (Kolmogorov-Smirnov, p = "
            f"{unlike:.2g}): without calibrate our threshold would promise nothing here"
        )
    reporter.text(f"model: {workspace.folder / MODELS}/publication.json (digest {digest})")
    if precision != DEFAULT:
        reporter.text(f"build with [publish] precision = {precision:g} in the configuration")


def _threshold_in_use(model: PublicationModel, precision: float, own: Sequence[CalibrationPost]) -> str:
    """What the threshold that stays makes of these posts; nothing where the model in use keeps no such promise."""
    try:
        least = model.promise(precision).threshold
    except ConfigError:
        return ""
    kept = [post.right for post in own if post.score >= least]
    return f"; the threshold in use, {least:.4f}, stays: it publishes {len(kept)} of these posts, {sum(kept)} right"


def _chance_of_one_kind(scores: Sequence[float]) -> float:
    """How likely scores as different come from posts like ours, of which none below the lowest one count."""
    ours = [post.score for post in shipped_model("publication").calibration if scores and post.score >= min(scores)]
    return float(ks_2samp(ours, scores).pvalue) if ours else 0.0


def posts_given(workspace: Workspace, files: Sequence[Path]) -> dict[str, Post]:
    """The posts of files, or of the post store where there are none, by id."""
    if files:
        return {post.post_id: post for path in files for post in read_posts(path).posts}
    return dict(workspace.posts.posts())


def _labelled(labels: Sequence[Label], posts: dict[str, Post]) -> list[tuple[Post, Label]]:
    """Labels with their posts; InputError where they cannot say what is right."""
    missing = [label.post_id for label in labels if label.post_id not in posts]
    if missing:
        raise InputError(f"{len(missing)} labels are of posts that are not there; the first is {missing[0]}")
    if not any(label.in_scope for label in labels):
        raise InputError(
            f"all {len(labels)} labels are out of scope, so none can be right; draw posts that a build may publish: "
            "wordquarry sheet labels --drawn"
        )
    bare = [label.post_id for label in labels if label.in_scope and not label.gold_answer]
    if bare:
        raise InputError(f"{len(bare)} labels in scope have no gold_answer; the first is {bare[0]}: fill it in")
    return [(posts[label.post_id], label) for label in labels]


def _calibration(one: Reached, model: PublicationModel) -> CalibrationPost | None:
    judged = one.judged
    if judged is None:
        return None
    return CalibrationPost(model.probability(judged.facts), judged.right, judged.group, one.post.source)
