"""Stage release: one problem per post that came through, if the release rules let it out."""

from corpus.canonical import sha256_text
from corpus.config import ReleaseConfig
from corpus.records import (
    CleanedPost,
    PostAgreement,
    PostAnswer,
    PostDiversity,
    PostEquations,
    PostSplit,
    PostTemplate,
    Problem,
    Record,
    StageKey,
    TextSpan,
)
from curation.rules import release_reason
from curation.stages.stage import Context, Stage, Trail, each


def problem_id(post_id: str) -> str:
    """The id of the problem a post holds: the same in every version."""
    return f"wq-{sha256_text(post_id)[:16]}"


def _equation_spans(found: PostEquations) -> tuple[TextSpan, ...]:
    """Where the voters wrote the equations; nothing if no system was agreed on."""
    if found.equations is None:
        return ()
    votes = frozenset(found.votes)
    return tuple(span for system in found.candidates if system.answer_id in votes for span in system.spans)


def _decide(trail: Trail, context: Context) -> Record:
    post, cleaned, found = trail.post, trail.get(CleanedPost), trail.get(PostEquations)
    answer, agreed = trail.get(PostAnswer), trail.get(PostAgreement)
    template, diversity = trail.get(PostTemplate), trail.get(PostDiversity)
    problem = Problem(
        problem_id=problem_id(post.post_id),
        post_id=post.post_id,
        url=post.url,
        license=post.license,
        attribution=post.attribution,
        question=cleaned.question,
        cleaning_steps=cleaned.steps,
        numbers=cleaned.numbers,
        gold_answer=agreed.gold_answer,
        answer_dim=len(agreed.gold_answer),
        answer_confidence=answer.confidence,
        answer_spans=answer.spans,
        equations=agreed.equations,
        unknowns=agreed.unknowns,
        asked=agreed.asked,
        solutions=agreed.solutions,
        votes=found.votes,
        equation_spans=_equation_spans(found),
        agreement=agreed.verdict,
        template=template.template,
        template_id=template.template_id,
        alignment=template.alignment,
        equivalent_numbers=template.equivalent_numbers,
        ambiguous=template.ambiguous,
        linear=found.linear,
        lexicon_diversity=diversity.lexicon_diversity,
        nearest_id=diversity.nearest_id,
        split=trail.get(PostSplit).split,
        stage_keys=tuple(StageKey(stage=stage, key=key) for stage, key in context.stage_keys.items()),
    )
    refused = release_reason(problem, context.config)
    return problem if refused is None else trail.drop(*refused)


READS = ("posts", "clean", "classify", "equations", "answers", "agree", "diversity", "templates", "split")
STAGE = Stage("release", Problem, READS, each(_decide), ReleaseConfig, bound=True)
