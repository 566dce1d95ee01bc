"""Stage agree: one probability that scope, answer and system are right together, against the promised precision.

That answer and system differ, that the question alone gives the answer, and what kind of question it is, are features
of the publication model (``models/publication.py``).
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from corpus.config import PublishConfig
from corpus.reasons import Reason
from corpus.records import (
    Agreement,
    ClassifiedPost,
    CleanedPost,
    PostAgreement,
    PostAnswer,
    PostEquations,
    Record,
    SystemSolution,
)
from corpus.told_apart import told_apart
from curation.consensus import agree, asked_unknowns
from curation.stages.answers_stage import solution_values
from curation.stages.stage import Context, DropEvidence, Stage, Trail, spans_of_answers
from extractors.equations.thread_equations import core_of
from models.counts import UNKNOWN
from models.publication import Facts, PublicationModel
from models.question_says import what_question_confirms


class _Seen(NamedTuple):
    """A post as this stage sees it: its facts, what answer and system say of each other in words, and the statements of
    the question if they alone give the answer."""

    facts: Facts
    detail: str
    stated: str | None


def facts_of(trail: Trail) -> Facts:
    """What the stages before say of a post, as the publication model sees it."""
    return _seen(trail).facts


def _seen(trail: Trail) -> _Seen:
    answer, found, scope = trail.get(PostAnswer), trail.get(PostEquations), trail.get(ClassifiedPost)
    verdict, detail = agree(answer.values, solution_values(found.solutions))
    stated = what_question_confirms(trail.get(CleanedPost).question, answer.values, found.asked_counts)
    facts = Facts(
        scope=scope.probability,
        answer=answer.confidence,
        verdict=verdict,
        stated=stated is not None,
        clear=max(found.asked_counts or UNKNOWN),
        kind=scope.question_type,
    )
    return _Seen(facts, detail, stated)


def _decide(trails: Sequence[Trail], context: Context) -> Iterable[Record]:
    model: PublicationModel = context.model
    least = model.promise(context.config.precision).threshold
    return [_judge(trail, model, least) for trail in trails]


def _judge(trail: Trail, model: PublicationModel, least: float) -> Record:
    seen = _seen(trail)
    probability, detail = model.probability(seen.facts), seen.detail
    if seen.stated and seen.facts.verdict is not Agreement.CONFIRMED:
        detail += f"; the question states {seen.stated}"
    if probability >= least:
        return _settled(trail, seen.facts.verdict, detail, probability)
    reason, evidence = Reason.ANSWER_UNCONFIRMED, None
    if seen.facts.verdict is Agreement.DIFFERENT:
        reason = Reason.ANSWER_CONTRADICTS_EQUATIONS
        evidence = _contradiction(trail.get(PostAnswer), trail.get(PostEquations))
    told, limit = told_apart(probability, least)
    detail += f"; probability {told} that scope, answer and system are right; at least {limit} is required"
    return trail.drop(reason, detail, score=probability, evidence=evidence)


def _contradiction(answer: PostAnswer, found: PostEquations) -> DropEvidence:
    """The equations and where the voters wrote them, and where the answer stands."""
    voted = [span for one in found.candidates if one.answer_id in found.votes for span in one.spans]
    return DropEvidence("; ".join(found.equations or ()), spans_of_answers([*voted, *answer.spans]))


def _settled(trail: Trail, verdict: Agreement, detail: str, probability: float) -> PostAgreement:
    """The verdict with the core of the system, and the answer in the order in which the system sets up its values."""
    post_id, values, found = trail.post.post_id, trail.get(PostAnswer).values, trail.get(PostEquations)
    if found.equations is None:
        return PostAgreement(
            post_id=post_id, verdict=verdict, detail=detail, gold_answer=values, probability=probability
        )
    likely = [one.unknown for one in found.asked]
    named = asked_unknowns(values, found.unknowns, solution_values(found.solutions), likely)
    core = core_of(found.equations, likely if named is None else [name for name, _ in named], found.unknowns)
    return PostAgreement(
        post_id=post_id,
        verdict=verdict,
        detail=detail,
        gold_answer=values if named is None else tuple(value for _, value in named),
        equations=core.equations,
        unknowns=core.unknowns,
        solutions=tuple(_over(core.unknowns, solution) for solution in found.solutions),
        asked=None if named is None else core.asked,
        probability=probability,
    )


def _over(unknowns: Sequence[str], solution: SystemSolution) -> SystemSolution:
    """A solution with some of its unknowns only."""
    return SystemSolution(assignments=tuple(one for one in solution.assignments if one.unknown in unknowns))


READS: Final = ("posts", "clean", "classify", "equations", "answers")
STAGE = Stage("agree", PostAgreement, READS, _decide, PublishConfig, model="publication")
