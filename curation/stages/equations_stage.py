"""Stage equations: one system per answer, voted by solution (Dolphin18K, section 3.3)."""

from collections.abc import Sequence

from corpus.config import EquationsConfig
from corpus.reasons import Reason
from corpus.records import (
    Answer,
    Assignment,
    CandidateSystem,
    CleanedPost,
    PostEquations,
    Record,
    SystemSolution,
    TextSpan,
)
from curation.stages.stage import Context, Stage, Trail, each
from extractors.equations.thread_equations import AnswerSystem
from extractors.equations.votes import read_systems
from extractors.quantities.numbers import find_numbers
from extractors.real_numbers.values import Value, format_value
from models.system_model import SystemModel


def solution_records(unknowns: tuple[str, ...], solutions: tuple[tuple[Value, ...], ...]) -> tuple[SystemSolution, ...]:
    """Solutions as records: each value beside the unknown it is for."""
    return tuple(
        SystemSolution(assignments=assignments(tuple(zip(unknowns, solution, strict=True)))) for solution in solutions
    )


def assignments(values: Sequence[tuple[str, Value]]) -> tuple[Assignment, ...]:
    """Unknowns with a value as records."""
    return tuple(Assignment(unknown=unknown, value=format_value(value)) for unknown, value in values)


def _candidate(system: AnswerSystem, answer: Answer) -> CandidateSystem:
    spans = tuple(
        TextSpan(answer_id=answer.answer_id, start=start, end=end, raw=answer.text[start:end])
        for start, end in system.spans
    )
    return CandidateSystem(
        answer_id=answer.answer_id,
        equations=system.equations,
        unknowns=system.unknowns,
        solutions=solution_records(system.unknowns, system.solutions),
        status=str(system.status),
        spans=spans,
        probability=round(system.probability, 12),
        asked=assignments(system.asked),
    )


def _decide(trail: Trail, context: Context) -> Record:
    answers = trail.post.answers
    texts = [answer.text for answer in answers]
    if not any(find_numbers(text) for text in texts):
        return trail.drop(Reason.NOTHING_TO_READ, "no answer holds a number")
    model: SystemModel = context.model
    systems = read_systems(trail.get(CleanedPost).question, texts)
    thread = model.choose(systems, context.config.min_votes, context.config.min_probability)
    if thread.equations is None and context.config.require:
        return trail.drop(Reason.NO_AGREED_SYSTEM, thread.note or "the answers do not agree on a system")
    return PostEquations(
        post_id=trail.post.post_id,
        equations=thread.equations,
        unknowns=thread.unknowns,
        solutions=solution_records(thread.unknowns, thread.solutions),
        votes=tuple(answers[index].answer_id for index in thread.votes),
        candidates=tuple(_candidate(system, answers[system.answer]) for system in thread.candidates),
        linear=thread.linear,
        note=thread.note,
        asked_counts=tuple(round(chance, 12) for chance in thread.asked_counts),
        asked=assignments(thread.asked),
    )


STAGE = Stage(
    "equations", PostEquations, ("posts", "clean", "classify"), each(_decide), EquationsConfig, model="systems"
)
