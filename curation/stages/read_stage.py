"""Stage read: the answer of a thread and its equation system judged beside the other.

The systems of all answers are voted for by solution (Dolphin18K, section 3.3), the number subsets are ranked (section
3.2); below a threshold the stage abstains.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pydantic import Field

from corpus.config import StageConfig
from corpus.reasons import ReasonCode
from corpus.records import (
    Answer,
    CleanedPost,
    Dropped,
    PostReading,
    Record,
    SystemSolution,
    TextSpan,
)
from corpus.shown_text import told_apart
from curation.stages.stage import Context, DropEvidence, Stage, Trail, spans_of_answers

if TYPE_CHECKING:  # whoever asks for what a stage is need not load what reads threads
    from extractors.equations.thread_equations import AnswerSystem
    from extractors.real_numbers.values import Value
    from models.answer_model import Ranking


class ReadConfig(StageConfig):
    """When an answer and an equation system are sure enough to be returned."""

    min_confidence: float | None = Field(0.3, ge=0, le=1)
    """posts whose best answer is less sure are dropped. `wordquarry stage answers` takes the model's own threshold
    unless this is set (`wordquarry train answers` prints it)"""
    min_votes: int = Field(1, ge=1, le=100)
    """answers that must agree on a solution before a system is returned, however likely it is; 2 is the rule of
    Dolphin18K"""
    min_probability: float | None = Field(None, ge=0, le=1)
    """a system that is less likely is not returned; null takes the model's own threshold"""
    require: bool = False
    """drop posts without a system"""


class ReadReason(ReasonCode):
    """Why a post is dropped."""

    NOTHING_TO_READ = "nothing_to_read", "no answer holds a number", "answers that show numbers"
    NO_AGREED_SYSTEM = (
        "no_agreed_system",
        "fewer than `read.min_votes` answers agree on a solution, or it is not likely enough (only with "
        "`read.require`)",
        "lower `read.min_votes`, or switch `read.require` off",
    )
    NO_CANDIDATES = "no_candidates", "no answer holds a candidate number", "answers that state their value"
    LOW_CONFIDENCE = (
        "low_confidence",
        "the best candidate is below the threshold: we abstain",
        "answers that show how they get the value, more answers, or a lower `read.min_confidence`",
    )


PlainRecord = dict[str, Any]
"""A record before it is checked, with the records that it holds."""


def solution_values(solutions: tuple[SystemSolution, ...]) -> list[list[str]]:
    """The values of each solution, without the names of the unknowns."""
    return [[assignment.value for assignment in solution.assignments] for solution in solutions]


def _solutions(unknowns: tuple[str, ...], solutions: "tuple[tuple[Value, ...], ...]") -> list[PlainRecord]:
    return [{"assignments": _assignments(tuple(zip(unknowns, solution, strict=True)))} for solution in solutions]


def _assignments(values: "Sequence[tuple[str, Value]]") -> list[PlainRecord]:
    from extractors.real_numbers.values import format_value

    return [{"unknown": unknown, "value": format_value(value)} for unknown, value in values]


def _span(answer: Answer, start: int, end: int) -> PlainRecord:
    return {"answer_id": answer.answer_id, "start": start, "end": end, "raw": answer.text[start:end]}


def _candidate(system: "AnswerSystem", answer: Answer) -> PlainRecord:
    return {
        "answer_id": answer.answer_id,
        "equations": system.equations,
        "unknowns": system.unknowns,
        "solutions": _solutions(system.unknowns, system.solutions),
        "status": str(system.status),
        "spans": [_span(answer, start, end) for start, end in system.spans],
        "probability": round(system.probability, 12),
        "asked": _assignments(system.asked),
    }


def _decide(trail: Trail, context: Context[ReadConfig]) -> Record:
    from extractors.quantities.numbers import find_numbers
    from extractors.text.plain import plain_maths
    from models.thread_reading import ThreadReader

    answers, config = trail.post.answers, context.config
    texts = [answer.text for answer in answers]
    if not any(find_numbers(plain_maths(text).text) for text in texts):
        return trail.drop(ReadReason.NOTHING_TO_READ, "no answer holds a number")
    reader = ThreadReader(context.models["systems"], context.models["answers"])
    question = trail.get(CleanedPost).question
    ranking, found, witness = reader.read(question, texts, config.min_votes, config.min_probability)
    if found.equations is None and config.require:
        return trail.drop(ReadReason.NO_AGREED_SYSTEM, found.note or "the answers do not agree on a system")
    if not ranking.ranked:
        return trail.drop(ReadReason.NO_CANDIDATES, "no answer holds a candidate number")
    spans = [_span(answers[one.answer], one.start, one.end) for one in ranking.spans]
    if not ranking.sure(config.min_confidence):
        shown = tuple(map(TextSpan.model_validate, spans))
        return _unsure(trail, ranking, shown, config.min_confidence)
    plain: PlainRecord = {
        "post_id": trail.post.post_id,
        "values": ranking.values,
        "confidence": ranking.confidence,
        "ranked": [{"values": values, "score": score} for values, score in ranking.ranked],
        "spans": spans,
        "equations": found.equations,
        "unknowns": found.unknowns,
        "solutions": _solutions(found.unknowns, found.solutions),
        "votes": [answers[index].answer_id for index in found.votes],
        "candidates": [_candidate(system, answers[system.answer]) for system in found.candidates],
        "linear": found.linear,
        "note": found.note,
        "asked_counts": [round(chance, 12) for chance in found.asked_counts],
        "asked": _assignments(found.asked),
        "witness": None if witness is None else _candidate(witness, answers[witness.answer]),
    }
    return PostReading.model_validate(plain)  # all that it holds at once


def _unsure(trail: Trail, ranking: "Ranking", spans: tuple[TextSpan, ...], least: float | None) -> Dropped:
    best = ", ".join(ranking.values)
    told, limit = told_apart(ranking.confidence, ranking.threshold if least is None else least)
    others = " or ".join(", ".join(values) for values, _ in ranking.ranked[1:])
    detail = f"confidence {told} in {best}{f', ranked before {others}' if others else ''}; at least {limit} is required"
    evidence = DropEvidence(best, spans_of_answers(spans))
    return trail.drop(ReadReason.LOW_CONFIDENCE, detail, score=ranking.confidence, evidence=evidence)


STAGE = Stage("read", PostReading, ("posts", "clean"), ReadConfig, ReadReason, ("systems", "answers"), _decide)
