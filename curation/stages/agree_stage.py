"""Stage agree: one probability that scope, answer and system are right together, against the promised precision.

That answer and system confirm each other or differ, that the question alone gives the answer, and that the best answer
has none of its values, are features of the publication model (``models/publication.py``).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from corpus.config import PublishConfig
from corpus.reasons import Reason
from corpus.records import (
    Agreement,
    Answer,
    ClassifiedPost,
    CleanedPost,
    PostAgreement,
    PostAnswer,
    PostEquations,
    Record,
    SystemSolution,
)
from corpus.told_apart import told_apart
from curation.consensus import agree, asked_unknowns, compare, read_number
from curation.stages.answers_stage import solution_values
from curation.stages.stage import Context, DropEvidence, Stage, Trail, span_of, spans_of_answers
from extractors.equations.thread_equations import core_of
from extractors.quantities.numbers import find_numbers
from extractors.text.plain import plain_maths
from models.publication import Facts, PublicationModel
from models.question_says import what_question_confirms

MAX_EVIDENCE: Final = 200


def facts_of(trail: Trail) -> Facts:
    """What the stages before say of a post, as the publication model sees it."""
    answer, found = trail.get(PostAnswer), trail.get(PostEquations)
    scope = trail.get(ClassifiedPost)
    voted = [one.probability for one in found.candidates if one.answer_id in found.votes]
    return Facts(
        scope=scope.probability,
        answer=answer.confidence,
        system=max(voted, default=0.0) if found.equations is not None else None,
        verdict=agree(answer.values, solution_values(found.solutions))[0],
        stated=_stated(trail) is not None,
        differs=_differing(trail) is not None,
        giving=len({span.answer_id for span in answer.spans}),
        answers=len(trail.post.answers),
        values=len(answer.values),
        kind=scope.question_type,
    )


def _stated(trail: Trail) -> str | None:
    """The statements of the question, if they alone give the answer."""
    values, asked = trail.get(PostAnswer).values, trail.get(PostEquations).asked_counts
    return what_question_confirms(trail.get(CleanedPost).question, values, asked)


def _differing(trail: Trail) -> Answer | None:
    """The answer chosen as the best, where it is no voter and has numbers, but none of the values."""
    votes, values = trail.get(PostEquations).votes, trail.get(PostAnswer).values
    chosen = next((one for one in trail.post.answers if one.is_best and one.answer_id not in votes), None)
    return None if chosen is None or _allows(chosen, values) else chosen


def _decide(trails: Sequence[Trail], context: Context) -> Iterable[Record]:
    model: PublicationModel = context.model
    least = model.promise(context.config.precision).threshold
    return [_judge(trail, model, least) for trail in trails]


def _judge(trail: Trail, model: PublicationModel, least: float) -> Record:
    facts = facts_of(trail)
    probability = model.probability(facts)
    _, detail = agree(trail.get(PostAnswer).values, solution_values(trail.get(PostEquations).solutions))
    if facts.stated and facts.verdict is not Agreement.CONFIRMED:
        detail += f"; the question states {_stated(trail)}"
    if probability >= least:
        return _settled(trail, facts.verdict, detail, probability)
    reason, evidence = _against(trail, model.evidence(facts))
    if reason is Reason.BEST_ANSWER_DIFFERS:
        detail = f"none of {', '.join(trail.get(PostAnswer).values)} is in the best answer"
    told, limit = told_apart(probability, least)
    detail += f"; probability {told} that scope, answer and system are right; at least {limit} is required"
    return trail.drop(reason, detail, score=probability, evidence=evidence)


def _against(trail: Trail, evidence: Mapping[str, float]) -> tuple[Reason, DropEvidence | None]:
    """The reason that names the strongest evidence against a post, and what it rests on."""
    named = {
        Reason.ANSWER_CONTRADICTS_EQUATIONS: evidence["system_contradicts"],
        Reason.BEST_ANSWER_DIFFERS: evidence["best_answer_differs"],
        Reason.ANSWER_UNCONFIRMED: 0.0,
    }
    reason = min(named, key=lambda one: named[one])
    if reason is Reason.ANSWER_CONTRADICTS_EQUATIONS and named[reason]:
        return reason, _contradiction(trail.get(PostAnswer), trail.get(PostEquations))
    chosen = _differing(trail)
    if reason is Reason.BEST_ANSWER_DIFFERS and chosen is not None:
        whole = (span_of(f"answer {chosen.answer_id}", chosen.text),)
        return reason, DropEvidence(chosen.text[:MAX_EVIDENCE], whole)
    return Reason.ANSWER_UNCONFIRMED, None


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


def _allows(chosen: Answer, values: Sequence[str]) -> bool:
    """Whether the answer chosen as the best holds one of the values, or no number at all.

    Rounded and rescaled values count: only what is another number altogether speaks against a label.
    """
    found = [number.value for number in find_numbers(plain_maths(chosen.text).text)]
    wanted = [value for text in values if (value := read_number(text)) is not None]
    return not (found and wanted) or any(compare(one, other) for one in wanted for other in found)


READS: Final = ("posts", "clean", "classify", "equations", "answers")
STAGE = Stage("agree", PostAgreement, READS, _decide, PublishConfig, model="publication")
