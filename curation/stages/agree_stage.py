"""Stage agree: the answer and the solutions of the voted system confirm each other, differ, or cannot tell.

An answer that no system confirms may be confirmed by the question alone, where its statements were surely read.
"""

from collections.abc import Sequence
from typing import Final

from corpus.config import AgreeConfig
from corpus.reasons import Reason
from corpus.records import (
    Agreement,
    Answer,
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
from curation.stages.stage import Context, DropEvidence, Stage, Trail, each, span_of, spans_of_answers
from extractors.equations.thread_equations import core_of
from extractors.quantities.numbers import find_numbers
from extractors.text.plain import plain_maths
from models.hypotheses import what_question_confirms

MAX_EVIDENCE: Final = 200


def _decide(trail: Trail, context: Context) -> Record:
    answer, found = trail.get(PostAnswer), trail.get(PostEquations)
    verdict, detail = agree(answer.values, solution_values(found.solutions))
    if verdict is Agreement.DIFFERENT and context.config.drop_different:
        return trail.drop(Reason.ANSWER_CONTRADICTS_EQUATIONS, detail, evidence=_contradiction(answer, found))
    stated = None
    if verdict is Agreement.UNDECIDED and context.config.question_confirms:
        stated = what_question_confirms(trail.get(CleanedPost).question, answer.values, found.asked_counts)
        detail = detail if stated is None else f"{detail}; the question states {stated}"
    votes = frozenset(found.votes)
    chosen = next((one for one in trail.post.answers if one.is_best and one.answer_id not in votes), None)
    if chosen is not None and stated is None and not _allows(chosen, answer.values):
        detail = f"none of {', '.join(answer.values)} is in the best answer"
        whole = (span_of(f"answer {chosen.answer_id}", chosen.text),)
        return trail.drop(Reason.BEST_ANSWER_DIFFERS, detail, evidence=DropEvidence(chosen.text[:MAX_EVIDENCE], whole))
    doubt = _doubt(answer, context.config) if verdict is Agreement.UNDECIDED and stated is None else None
    if doubt is not None:
        return trail.drop(Reason.ANSWER_UNCONFIRMED, f"{detail}; {doubt}", score=answer.confidence)
    return _settled(trail, verdict, detail)


def _contradiction(answer: PostAnswer, found: PostEquations) -> DropEvidence:
    """The equations and where the voters wrote them, and where the answer stands."""
    voted = [span for one in found.candidates if one.answer_id in found.votes for span in one.spans]
    return DropEvidence("; ".join(found.equations or ()), spans_of_answers([*voted, *answer.spans]))


def _settled(trail: Trail, verdict: Agreement, detail: str) -> PostAgreement:
    """The verdict with the core of the system, and the answer in the order in which the system sets up its values."""
    post_id, values, found = trail.post.post_id, trail.get(PostAnswer).values, trail.get(PostEquations)
    if found.equations is None:
        return PostAgreement(post_id=post_id, verdict=verdict, detail=detail, gold_answer=values)
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


def _doubt(answer: PostAnswer, config: AgreeConfig) -> str | None:
    """Why an answer that no equation system confirms is not sure enough; None if it is."""
    wanted = config.unconfirmed_min_confidence
    if answer.confidence < wanted:
        told, limit = told_apart(answer.confidence, wanted)
        return f"confidence {told}; an unconfirmed answer needs {limit}"
    giving = len({span.answer_id for span in answer.spans})
    if giving < config.unconfirmed_min_answers:
        return f"{giving} answer gives it; an unconfirmed answer needs {config.unconfirmed_min_answers}"
    return None


STAGE = Stage("agree", PostAgreement, ("posts", "clean", "equations", "answers"), each(_decide), AgreeConfig)
