"""Stage classify: keep the posts that are one elementary problem (Dolphin18K, section 3.1)."""

from corpus.config import ClassifyConfig
from corpus.reasons import Reason
from corpus.records import ClassifiedPost, CleanedPost, Record, ScopeOutcome
from curation.keyword_filters import keyword_refusal
from curation.stages.stage import Context, Stage, Trail, each
from models.post_model import PostModel

REASONS = {
    ScopeOutcome.GENERAL: Reason.GENERAL_QUESTION,
    ScopeOutcome.COLLEGE: Reason.COLLEGE_LEVEL,
    ScopeOutcome.MULTIPLE: Reason.SEVERAL_PROBLEMS,
    ScopeOutcome.INCOMPLETE: Reason.INCOMPLETE,
    ScopeOutcome.NOT_MATH: Reason.NOT_MATH,
    ScopeOutcome.OK: Reason.UNSURE_SCOPE,
}


def _decide(trail: Trail, context: Context) -> Record:
    answers = [answer.text for answer in trail.post.answers]
    question = trail.get(CleanedPost).question
    model: PostModel = context.model
    scope = model.scope(question, answers)
    wanted = context.config.min_probability
    limit = model.threshold if wanted is None else wanted
    if scope.probability < limit:
        detail = f"probability {scope.probability:.3f} of one elementary problem; at least {limit:g} is required"
        return trail.drop(REASONS[scope.outcome], detail, score=scope.probability)
    refusal = keyword_refusal(question, answers, context.config)
    if refusal is not None:
        return trail.drop(refusal.reason, refusal.detail, score=scope.probability, evidence=refusal.evidence)
    return ClassifiedPost(
        post_id=trail.post.post_id, in_scope=True, probability=scope.probability, outcome=scope.outcome
    )


STAGE = Stage("classify", ClassifiedPost, ("posts", "clean"), each(_decide), ClassifyConfig, model="posts")
