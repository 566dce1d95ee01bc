"""Stage classify: keep the posts that are one elementary problem (Dolphin18K, section 3.1), and say of what type.

Filters by keywords and by type may be switched on.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from corpus.config import ClassifyConfig
from corpus.reasons import Reason
from corpus.records import CLEANED_QUESTION, ClassifiedPost, CleanedPost, Record, ScopeOutcome
from corpus.shown_text import told_apart
from curation.stages.stage import Context, DropEvidence, Stage, Trail, span_of
from extractors.questions.question_types import MAX_EVIDENCE, type_of
from models.post_model import PostModel, ScopePrediction

REASONS = {
    ScopeOutcome.GENERAL: Reason.GENERAL_QUESTION,
    ScopeOutcome.COLLEGE: Reason.COLLEGE_LEVEL,
    ScopeOutcome.MULTIPLE: Reason.SEVERAL_PROBLEMS,
    ScopeOutcome.INCOMPLETE: Reason.INCOMPLETE,
    ScopeOutcome.NOT_MATH: Reason.NOT_MATH,
    ScopeOutcome.OK: Reason.UNSURE_SCOPE,
}


_NON_LINEAR: Final = re.compile(
    r"\b(?:squares?\s+of|squared|cubed|cubes?\s+of|square\s+roots?|cube\s+roots?|product|area|volume|hypotenuse|"
    r"quadratic|parabola|exponent(?:s|ial)?|logarithms?|reciprocals?|compounded|compound\s+interest|radius|diameter|"
    r"circle|factorial|sin|cos|tan|log)\b|\^\s?[2-9][0-9]*+|[a-z]\s?[²³]",
    re.I,
)
_UNKNOWN: Final = re.compile(r"(?<![A-Za-z\\])[xX](?![A-Za-z'])")
_TIMES: Final = re.compile(r"[0-9)]\s?[xX]\s?[0-9(]")


@dataclass(frozen=True)
class Refusal:
    """Why a filter refuses a question; ``span`` are the characters it rests on, None where something is absent."""

    reason: Reason
    detail: str
    span: tuple[int, int] | None = None


def non_linear_keyword(question: str) -> str | None:
    """The first keyword of a question that speaks of products, powers, roots or areas; None without any.

    >>> non_linear_keyword("The product of two numbers is 24."), non_linear_keyword("Their sum is 24.")
    ('product', None)
    """
    span = _non_linear(question)
    return None if span is None else question[slice(*span)]


def _non_linear(question: str) -> tuple[int, int] | None:
    found = _NON_LINEAR.search(question)
    return found.span() if found else None


def uses_unknown(answer: str) -> bool:
    """Whether an explanation uses x as an unknown; an x between two numbers is a times sign.

    >>> uses_unknown("2x + 3 = 7"), uses_unknown("4 x 5 = 20")
    (True, False)
    """
    return _UNKNOWN.search(_TIMES.sub(" ", answer)) is not None


def keyword_refusal(question: str, answers: Sequence[str], config: ClassifyConfig) -> Refusal | None:
    """What the keyword filters of DRAW that are switched on say of a post; None if they let it through.

    They make a corpus of linear problems that are solved with an unknown (Upadhyay and Chang 2015, section 3). They
    look for words, not for meaning, and so drop good problems too; ``wordquarry quality models-posts`` prints how many.
    """
    keyword = _non_linear(question) if config.drop_non_linear_wording else None
    if keyword is not None:
        return Refusal(Reason.NON_LINEAR_WORDING, "the wording speaks of a non-linear relation", keyword)
    if config.require_unknown_in_answers and not any(map(uses_unknown, answers)):
        return Refusal(Reason.NO_UNKNOWN_IN_ANSWERS, "no answer uses x as an unknown")
    return None


def refusal(question: str, answers: Sequence[str], scope: ScopePrediction, config: ClassifyConfig) -> Refusal | None:
    """Why a post is dropped whose scope is ``scope``; None if it is kept."""
    if not scope.sure(config.min_probability):
        least = scope.threshold if config.min_probability is None else config.min_probability
        told, limit = told_apart(scope.probability, least)
        detail = f"probability {told} of one elementary problem; at least {limit} is required"
        return Refusal(REASONS[scope.outcome], detail)
    refused = keyword_refusal(question, answers, config)
    if refused is None and config.drop_types and (typed := type_of(question)).type in config.drop_types:
        detail = f"the question is of the type {typed.type}, which classify.drop_types leaves out"
        refused = Refusal(Reason.UNWANTED_TYPE, detail, typed.span)
    return refused


def _characters(question: str, span: tuple[int, int] | None) -> DropEvidence:
    """Characters of the cleaned question as evidence."""
    if span is None:
        return DropEvidence(None)
    shown = span_of(CLEANED_QUESTION, question, *span)
    return DropEvidence(shown.raw[:MAX_EVIDENCE], (shown,))


def _decide(trail: Trail, context: Context[ClassifyConfig]) -> Record:
    answers = [answer.text for answer in trail.post.answers]
    question = trail.get(CleanedPost).question
    model: PostModel = context.models["posts"]
    scope = model.scope(question, answers)
    refused = refusal(question, answers, scope, context.config)
    if refused is not None:
        detail = refused.detail
        if not scope.sure(context.config.min_probability):
            detail += f"; what weighs most: {', '.join(model.reasons(question, answers, scope.against))}"
        return trail.drop(refused.reason, detail, score=scope.probability, evidence=_characters(question, refused.span))
    return ClassifiedPost(
        post_id=trail.post.post_id,
        in_scope=True,
        probability=scope.probability,
        outcome=scope.outcome,
        question_type=type_of(question).type,
    )


STAGE = Stage("classify", ClassifiedPost, ("posts", "clean"), ClassifyConfig, ("posts",), _decide)
