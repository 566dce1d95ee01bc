"""Stage agree: one probability that scope, answer and system are right together, against the promised precision.

That a system gives another answer, that the question alone gives the answer, and what kind of question it is, are
features of the publication model (``models/publication.py``).
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from pydantic import Field

from corpus.config import StageConfig
from corpus.reasons import ReasonCode
from corpus.records import Agreement, ClassifiedPost, CleanedPost, PostAgreement, PostReading, Record, SystemSolution
from corpus.shown_text import told_apart
from curation.stages.read_stage import solution_values
from curation.stages.stage import Context, DropEvidence, Stage, Trail, spans_of_answers

if TYPE_CHECKING:  # whoever asks for what a stage is need not load what reads threads
    from models.publication import Facts, PublicationModel


class PublishConfig(StageConfig):
    """What is promised of what is published."""

    precision: float = Field(0.9, ge=0, lt=1)
    """the promised precision of what is published, with 95 % confidence ([the promise](models.md#the-promise)). A row
    is right if it is in scope and has the right answer and, if it has a system, the right system. The publication
    model turns the promise into a threshold. If no threshold keeps it, the build stops before it begins. 0 promises
    nothing and publishes all that reaches the stage `agree`"""


class AgreeReason(ReasonCode):
    """Why a post is dropped."""

    ANSWER_CONTRADICTS_EQUATIONS = (
        "answer_contradicts_equations",
        "a likely system of an answer gives another value, so the probability is below the threshold that keeps "
        "`publish.precision`; the evidence is that system",
        "look at it: one of the two is wrong",
    )
    ANSWER_UNCONFIRMED = (
        "answer_unconfirmed",
        "the probability that scope, answer and system are right is below the threshold that keeps "
        "`publish.precision`, and nothing speaks against the answer by itself",
        "answers that write the equations out, more answers, or a lower `publish.precision`",
    )


LIKELY: Final = 0.5
"""A system that is likelier than this contradicts the answer; a less likely one is a bad reading."""


class _Seen(NamedTuple):
    """A post as this stage sees it: its facts, and what answer and system say of each other, in words as well.

    ``against`` is what a system says that gives another answer, if it is likely; ``stated`` are the statements of the
    question if they alone give the answer.
    """

    facts: "Facts"
    verdict: Agreement
    detail: str
    against: str | None
    stated: str | None


def facts_of(trail: Trail) -> "Facts":
    """What the stages before say of a post, as the publication model sees it."""
    return _seen(trail).facts


def _seen(trail: Trail) -> _Seen:
    from curation.consensus import agree
    from models.counts import UNKNOWN
    from models.publication import Facts
    from models.read_threads import what_question_confirms

    found, scope = trail.get(PostReading), trail.get(ClassifiedPost)
    verdict, detail = agree(found.values, solution_values(found.solutions))
    against, contradiction = _against(found)
    stated = what_question_confirms(trail.get(CleanedPost).question, found.values, found.asked_counts)
    facts = Facts(
        scope=scope.probability,
        answer=found.confidence,
        against=against,
        stated=stated is not None,
        clear=max(found.asked_counts or UNKNOWN),
        kind=scope.question_type,
    )
    return _Seen(facts, verdict, detail, contradiction if against > LIKELY else None, stated)


def _against(found: PostReading) -> tuple[float, str]:
    """How likely, by itself, the likeliest system is where it gives another answer, and what it says; else (0, "")."""
    from curation.consensus import agree

    verdict, detail = agree(found.values, solution_values(found.witness.solutions if found.witness else ()))
    return (found.witness.probability, detail) if found.witness and verdict is Agreement.DIFFERENT else (0.0, "")


def _decide(trail: Trail, context: Context[PublishConfig]) -> Record:
    model: PublicationModel = context.models["publication"]
    least = model.promise(context.config.precision).threshold
    seen = _seen(trail)
    probability = model.probability(seen.facts)
    stated = f"; the question states {seen.stated}" if seen.stated and seen.verdict is not Agreement.CONFIRMED else ""
    if probability >= least:
        return _settled(trail, seen.verdict, seen.detail + stated, probability)
    reason, evidence = AgreeReason.ANSWER_UNCONFIRMED, None
    if seen.against:
        reason, evidence = AgreeReason.ANSWER_CONTRADICTS_EQUATIONS, _contradiction(trail.get(PostReading))
    told, limit = told_apart(probability, least)
    detail = f"{seen.against or seen.detail}{stated}; probability {told} that scope, answer and system are right"
    return trail.drop(reason, f"{detail}; at least {limit} is required", score=probability, evidence=evidence)


def _contradiction(found: PostReading) -> DropEvidence:
    """The equations that contradict the answer and where they stand, and where the answer stands."""
    assert found.witness is not None
    return DropEvidence("; ".join(found.witness.equations), spans_of_answers([*found.witness.spans, *found.spans]))


def _settled(trail: Trail, verdict: Agreement, detail: str, probability: float) -> PostAgreement:
    """The verdict with the core of the system, and the answer in the order in which the system sets up its values."""
    from curation.consensus import asked_unknowns
    from extractors.equations.thread_equations import core_of

    found = trail.get(PostReading)
    values = found.values
    said = PostAgreement(
        post_id=trail.post.post_id,
        verdict=verdict,
        detail=detail,
        answer_exact=values,
        probability=probability,
        n_answers=len({span.answer_id for span in found.spans}),
    )
    if found.equations is None:
        return said
    likely = [one.unknown for one in found.asked]
    named = asked_unknowns(values, found.unknowns, solution_values(found.solutions), likely)
    core = core_of(found.equations, likely if named is None else [name for name, _ in named], found.unknowns)
    return said.model_copy(
        update={
            "answer_exact": values if named is None else tuple(value for _, value in named),
            "equations": core.equations,
            "unknowns": core.unknowns,
            "solutions": tuple(_over(core.unknowns, solution) for solution in found.solutions),
            "asked": None if named is None else core.asked,
        }
    )


def _over(unknowns: Sequence[str], solution: SystemSolution) -> SystemSolution:
    """A solution with some of its unknowns only."""
    return SystemSolution(assignments=tuple(one for one in solution.assignments if one.unknown in unknowns))


READS: Final = ("posts", "clean", "classify", "read")
STAGE = Stage("agree", PostAgreement, READS, PublishConfig, AgreeReason, ("publication",), _decide, table="publish")
