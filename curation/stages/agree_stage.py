"""Stage agree: one probability that scope, answer and system are right together, against the promised precision.

That answer and system confirm each other or differ, that the question alone gives the answer, and that the best answer
has none of its values, are features of the publication model (``models/publication.py``).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

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


class _Seen(NamedTuple):
    """A post as this stage sees it: its facts, what answer and system say of each other in words, the statements of the
    question if they alone give the answer, and the best answer if it speaks against it."""

    facts: Facts
    detail: str
    stated: str | None
    differing: Answer | None


def facts_of(trail: Trail) -> Facts:
    """What the stages before say of a post, as the publication model sees it."""
    return _seen(trail).facts


def _seen(trail: Trail) -> _Seen:
    answer, found, scope = trail.get(PostAnswer), trail.get(PostEquations), trail.get(ClassifiedPost)
    verdict, detail = agree(answer.values, solution_values(found.solutions))
    stated = what_question_confirms(trail.get(CleanedPost).question, answer.values, found.asked_counts)
    differing = _differing(trail)
    voted = [one.probability for one in found.candidates if one.answer_id in found.votes]
    facts = Facts(
        scope=scope.probability,
        answer=answer.confidence,
        system=max(voted, default=0.0) if found.equations is not None else None,
        verdict=verdict,
        stated=stated is not None,
        differs=differing is not None,
        giving=len({span.answer_id for span in answer.spans}),
        answers=len(trail.post.answers),
        values=len(answer.values),
        kind=scope.question_type,
    )
    return _Seen(facts, detail, stated, differing)


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
    seen = _seen(trail)
    probability, detail = model.probability(seen.facts), seen.detail
    if seen.stated and seen.facts.verdict is not Agreement.CONFIRMED:
        detail += f"; the question states {seen.stated}"
    if probability >= least:
        return _settled(trail, seen.facts.verdict, detail, probability)
    reason, evidence = _against(trail, seen, model.evidence(seen.facts))
    if reason is Reason.BEST_ANSWER_DIFFERS:
        detail = f"none of {', '.join(trail.get(PostAnswer).values)} is in the best answer"
    told, limit = told_apart(probability, least)
    detail += f"; probability {told} that scope, answer and system are right; at least {limit} is required"
    return trail.drop(reason, detail, score=probability, evidence=evidence)


def _against(trail: Trail, seen: _Seen, evidence: Mapping[str, float]) -> tuple[Reason, DropEvidence | None]:
    """The reason that names the strongest evidence against a post, and what it rests on."""
    contradicts, differs = evidence["system_contradicts"], evidence["best_answer_differs"]
    if contradicts < 0 and contradicts <= differs:
        return Reason.ANSWER_CONTRADICTS_EQUATIONS, _contradiction(trail.get(PostAnswer), trail.get(PostEquations))
    if differs < 0 and seen.differing is not None:
        whole = (span_of(f"answer {seen.differing.answer_id}", seen.differing.text),)
        return Reason.BEST_ANSWER_DIFFERS, DropEvidence(seen.differing.text[:MAX_EVIDENCE], whole)
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
