"""Stage diversity: a post that adds no lexicon diversity to what is accepted is dropped (ASDiv, section 3.1).

Sure answers come first, so that of two near-duplicates the better labelled one stays; where the configuration asks for
it, days of retrieval come before, so that a later build never loses what an earlier one accepted.
"""

from collections.abc import Iterable, Sequence

from corpus.config import DiversityConfig
from corpus.reasons import Reason
from corpus.records import Agreement, CleanedPost, Dropped, PostAgreement, PostAnswer, PostDiversity, Record
from curation.diversity import Accepted, Decision, greedy_filter
from curation.stages.stage import Context, Stage, Trail

WHOLE = 4.0
"""More than any priority: the day counts first."""


def _priority(trail: Trail) -> float:
    """Smallest first: confirmed answers before others, and sure ones before doubtful ones."""
    confirmed = trail.get(PostAgreement).verdict is Agreement.CONFIRMED
    return (0.0 if confirmed else 1.0) + 1.0 - trail.get(PostAnswer).confidence


def _batches(trails: Sequence[Trail]) -> dict[str, int]:
    """The rank of the day on which each post was retrieved; posts without a day come last."""
    days = {trail.post.post_id: (trail.post.retrieved_at or "~")[:10] for trail in trails}
    ranks = {day: rank for rank, day in enumerate(sorted(set(days.values())))}
    return {post_id: ranks[day] for post_id, day in days.items()}


def _record(trail: Trail, decision: Decision, questions: dict[str, str]) -> PostDiversity | Dropped:
    diversity = decision.lexicon_diversity
    if isinstance(decision, Accepted):
        return PostDiversity(post_id=trail.post.post_id, lexicon_diversity=diversity, nearest_id=decision.nearest_id)
    reason = Reason.DUPLICATE if decision.identical else Reason.LOW_DIVERSITY
    detail = f"lexicon diversity {diversity:.3f} to {decision.witness_id}, which is accepted"
    return trail.drop(reason, detail, score=diversity, evidence=questions[decision.witness_id])


def _decide(trails: Sequence[Trail], context: Context) -> Iterable[Record]:
    questions = {trail.post.post_id: trail.get(CleanedPost).question for trail in trails}
    batches = _batches(trails) if context.config.by_day else {}
    ranks = {trail.post.post_id: _priority(trail) for trail in trails}
    items = [(name, questions[name], WHOLE * batches.get(name, 0) + rank) for name, rank in ranks.items()]
    decisions = greedy_filter(items, context.config.ld_min, profile=context.config.profile)
    return [_record(trail, decision, questions) for trail, decision in zip(trails, decisions, strict=True)]


READS = ("posts", "clean", "answers", "agree")
STAGE = Stage("diversity", PostDiversity, READS, _decide, DiversityConfig, whole=True)
