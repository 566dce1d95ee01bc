"""Stage read: the answer of a thread and its equation system judged beside the other.

The systems of all answers are voted for by solution (Dolphin18K, section 3.3), the number subsets are ranked (section
3.2); below a threshold the stage abstains.
"""

from collections.abc import Sequence

from corpus.config import ReadConfig
from corpus.reasons import Reason
from corpus.records import (
    Answer,
    Assignment,
    CandidateSystem,
    CleanedPost,
    Dropped,
    PostReading,
    RankedAnswer,
    Record,
    SystemSolution,
    TextSpan,
)
from corpus.shown_text import told_apart
from curation.stages.stage import Context, DropEvidence, Stage, Trail, spans_of_answers
from extractors.equations.thread_equations import AnswerSystem
from extractors.quantities.numbers import find_numbers
from extractors.real_numbers.values import Value, format_value
from models.answer_model import Ranking
from models.thread_reading import ThreadReader


def solution_values(solutions: tuple[SystemSolution, ...]) -> list[list[str]]:
    """The values of each solution, without the names of the unknowns."""
    return [[assignment.value for assignment in solution.assignments] for solution in solutions]


def _solutions(unknowns: tuple[str, ...], solutions: tuple[tuple[Value, ...], ...]) -> tuple[SystemSolution, ...]:
    return tuple(
        SystemSolution(assignments=_assignments(tuple(zip(unknowns, solution, strict=True)))) for solution in solutions
    )


def _assignments(values: Sequence[tuple[str, Value]]) -> tuple[Assignment, ...]:
    return tuple(Assignment(unknown=unknown, value=format_value(value)) for unknown, value in values)


def _span(answer: Answer, start: int, end: int) -> TextSpan:
    return TextSpan(answer_id=answer.answer_id, start=start, end=end, raw=answer.text[start:end])


def _candidate(system: AnswerSystem, answer: Answer) -> CandidateSystem:
    return CandidateSystem(
        answer_id=answer.answer_id,
        equations=system.equations,
        unknowns=system.unknowns,
        solutions=_solutions(system.unknowns, system.solutions),
        status=str(system.status),
        spans=tuple(_span(answer, start, end) for start, end in system.spans),
        probability=round(system.probability, 12),
        asked=_assignments(system.asked),
    )


def _decide(trail: Trail, context: Context[ReadConfig]) -> Record:
    answers, config = trail.post.answers, context.config
    texts = [answer.text for answer in answers]
    if not any(find_numbers(text) for text in texts):
        return trail.drop(Reason.NOTHING_TO_READ, "no answer holds a number")
    reader = ThreadReader(context.models["systems"], context.models["answers"])
    question = trail.get(CleanedPost).question
    ranking, found, witness = reader.read(question, texts, config.min_votes, config.min_probability)
    if found.equations is None and config.require:
        return trail.drop(Reason.NO_AGREED_SYSTEM, found.note or "the answers do not agree on a system")
    if not ranking.ranked:
        return trail.drop(Reason.NO_CANDIDATES, "no answer holds a candidate number")
    spans = tuple(_span(answers[one.answer], one.start, one.end) for one in ranking.spans)
    if not ranking.sure(config.min_confidence):
        return _unsure(trail, ranking, spans, config.min_confidence)
    return PostReading(
        post_id=trail.post.post_id,
        values=ranking.values,
        confidence=ranking.confidence,
        ranked=tuple(RankedAnswer(values=values, score=score) for values, score in ranking.ranked),
        spans=spans,
        equations=found.equations,
        unknowns=found.unknowns,
        solutions=_solutions(found.unknowns, found.solutions),
        votes=tuple(answers[index].answer_id for index in found.votes),
        candidates=tuple(_candidate(system, answers[system.answer]) for system in found.candidates),
        linear=found.linear,
        note=found.note,
        asked_counts=tuple(round(chance, 12) for chance in found.asked_counts),
        asked=_assignments(found.asked),
        witness=None if witness is None else _candidate(witness, answers[witness.answer]),
    )


def _unsure(trail: Trail, ranking: Ranking, spans: tuple[TextSpan, ...], least: float | None) -> Dropped:
    best = ", ".join(ranking.values)
    told, limit = told_apart(ranking.confidence, ranking.threshold if least is None else least)
    others = " or ".join(", ".join(values) for values, _ in ranking.ranked[1:])
    detail = f"confidence {told} in {best}{f', ranked before {others}' if others else ''}; at least {limit} is required"
    evidence = DropEvidence(best, spans_of_answers(spans))
    return trail.drop(Reason.LOW_CONFIDENCE, detail, score=ranking.confidence, evidence=evidence)


STAGE = Stage("read", PostReading, ("posts", "clean", "classify"), ReadConfig, ("systems", "answers"), _decide)
