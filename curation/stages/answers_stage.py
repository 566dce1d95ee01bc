"""Stage answers: rank candidate number subsets and abstain below the threshold (Dolphin18K, section 3.2)."""

from collections.abc import Iterable

from corpus.config import AnswersConfig
from corpus.reasons import Reason
from corpus.records import (
    Answer,
    Assignment,
    CleanedPost,
    PostAnswer,
    PostEquations,
    RankedAnswer,
    Record,
    SystemSolution,
    TextSpan,
)
from corpus.told_apart import told_apart
from curation.stages.stage import Context, DropEvidence, Stage, Trail, each, spans_of_answers
from extractors.solve.status import WITH_SOLUTIONS
from models.answer_model import AnswerModel
from models.read_threads import Solved


def solution_values(solutions: tuple[SystemSolution, ...]) -> list[list[str]]:
    """The values of each solution, without the names of the unknowns."""
    return [[assignment.value for assignment in solution.assignments] for solution in solutions]


def own_solutions(systems: Iterable[tuple[int, str, tuple[SystemSolution, ...]]]) -> dict[int, list[list[str]]]:
    """The solutions of each answer's first solved system, by the answer's place, from (place, status, solutions).

    Answers that only state the solution of another's equations count for nothing.
    """
    found: dict[int, list[list[str]]] = {}
    for place, status, solutions in systems:
        if status in WITH_SOLUTIONS and solutions:
            found.setdefault(place, solution_values(solutions))
    return found


def asked_values(systems: Iterable[tuple[int, float, tuple[Assignment, ...]]]) -> list[tuple[list[str], float, int]]:
    """The asked values of systems with their probability and their answer, from (place, probability, asked)."""
    return [([one.value for one in asked], chance, place) for place, chance, asked in systems if asked]


def _own(found: PostEquations, answers: tuple[Answer, ...]) -> dict[int, list[list[str]]]:
    places = _places(answers)
    return own_solutions((places[one.answer_id], one.status, one.solutions) for one in found.candidates)


def _places(answers: tuple[Answer, ...]) -> dict[str, int]:
    return {answer.answer_id: place for place, answer in enumerate(answers)}


def _decide(trail: Trail, context: Context) -> Record:
    answers, found = trail.post.answers, trail.get(PostEquations)
    question = trail.get(CleanedPost).question
    model: AnswerModel = context.model
    texts = [answer.text for answer in answers]
    places = _places(answers)
    asked = asked_values((places[one.answer_id], one.probability, one.asked) for one in found.candidates)
    solved = Solved(solution_values(found.solutions), _own(found, answers), asked, found.asked_counts)
    ranking = model.rank(question, texts, solved)
    if not ranking.ranked:
        return trail.drop(Reason.NO_CANDIDATES, "no answer holds a candidate number")
    spans = tuple(
        TextSpan(
            answer_id=answers[span.answer].answer_id,
            start=span.start,
            end=span.end,
            raw=answers[span.answer].text[span.start : span.end],
        )
        for span in ranking.spans
    )
    least = context.config.min_confidence
    best = ", ".join(ranking.values)
    if not ranking.sure(least):
        told, limit = told_apart(ranking.confidence, ranking.threshold if least is None else least)
        others = " or ".join(", ".join(values) for values, _ in ranking.ranked[1:])
        detail = (
            f"confidence {told} in {best}{f', ranked before {others}' if others else ''}; at least {limit} is required"
        )
        evidence = DropEvidence(best, spans_of_answers(spans))
        return trail.drop(Reason.LOW_CONFIDENCE, detail, score=ranking.confidence, evidence=evidence)
    return PostAnswer(
        post_id=trail.post.post_id,
        values=ranking.values,
        confidence=ranking.confidence,
        ranked=tuple(RankedAnswer(values=values, score=score) for values, score in ranking.ranked),
        spans=spans,
    )


STAGE = Stage("answers", PostAnswer, ("posts", "clean", "equations"), each(_decide), AnswersConfig, model="answers")
