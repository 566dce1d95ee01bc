"""Labelled posts on their way to the stage agree: what the stages before say of each, and whether that is right."""

from collections.abc import Mapping
from dataclasses import dataclass

from corpus.canonical import sha256_text
from corpus.config import BuildConfig
from corpus.records import Agreement, Dropped, Label, Post, PostReading
from curation.consensus import agree
from curation.stages.agree_stage import facts_of
from curation.stages.read_stage import solution_values
from curation.stages.registry import BY_NAME
from curation.stages.stage import Context, Trail
from models.gold_values import gold_values, same_answer
from models.publication import Judged

BEFORE = ("clean", "classify", "read")


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
    trail = Trail(post)
    for name in BEFORE:
        stage = BY_NAME[name]
        context = Context(config.of_stage(name), models)
        assert stage.decide is not None
        record = stage.decide(trail, context)
        if isinstance(record, Dropped):
            return record
        trail = Trail(post, {**trail.records, type(record): record})
    return trail
