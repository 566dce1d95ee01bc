"""Stage classify: keep the posts that are one elementary problem (Dolphin18K, section 3.1), and say of what type.

Filters by keywords and by type may be switched on.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from pydantic import Field

from corpus.config import StageConfig
from corpus.reasons import ReasonCode
from corpus.records import CLEANED_QUESTION, ClassifiedPost, CleanedPost, Record, ScopeOutcome
from corpus.shown_text import told_apart
from curation.stages.stage import Context, DropEvidence, Stage, Trail, span_of
from extractors.questions.question_types import MAX_EVIDENCE, QuestionType, type_of
from models.post_model import PostModel, ScopePrediction


class ClassifyConfig(StageConfig):
    """What is left out: unlikely posts, and, where a filter of DRAW or a type is named, what these say."""

    min_probability: float | None = Field(0.5, ge=0, le=1)
    """posts with a lower probability of being one elementary problem are dropped at once; `publish.precision` decides
    about the others. `wordquarry stage classify` takes the model's own threshold unless this is set"""
    drop_non_linear_wording: bool = False
    """drop posts that mention products, powers, roots or areas: a keyword filter of DRAW"""
    require_unknown_in_answers: bool = False
    """drop posts none of whose answers uses x as an unknown: the other keyword filter of DRAW"""
    drop_types: tuple[Annotated[QuestionType, Field(strict=False)], ...] = Field((), strict=False)
    """[types of questions](pipeline.md#types-of-questions) to leave out, such as `["proof", "needs_figure"]`; every
    problem names its type"""


class ClassifyReason(ReasonCode):
    """Why a post is dropped."""

    GENERAL_QUESTION = (
        "general_question",
        "about a method or a concept, not one problem",
        "look at it; where it is a problem, train posts on labels of your site",
    )
    COLLEGE_LEVEL = (
        "college_level",
        "beyond elementary mathematics",
        "look at it; where it is elementary, train posts on labels of your site",
    )
    SEVERAL_PROBLEMS = "several_problems", "more than one problem in the post", "give each problem as a post of its own"
    INCOMPLETE = (
        "incomplete",
        "data, figure or question is missing",
        "give the whole question; where it is whole, train posts on labels of your site",
    )
    NOT_MATH = (
        "not_math",
        "not a mathematical question",
        "check that the question is in the field that is read; else train posts on labels of your site",
    )
    UNSURE_SCOPE = (
        "unsure_scope",
        "probably one problem, but below `classify.min_probability`",
        "lower `classify.min_probability`, or train posts on labels of your site",
    )
    NON_LINEAR_WORDING = (
        "non_linear_wording",
        "the wording speaks of products, powers, roots or areas (only with `classify.drop_non_linear_wording`); the"
        " evidence is the keyword",
        "switch the filter off: it drops good problems too",
    )
    NO_UNKNOWN_IN_ANSWERS = (
        "no_unknown_in_answers",
        "no answer uses x as an unknown (only with `classify.require_unknown_in_answers`)",
        "switch the filter off",
    )
    UNWANTED_TYPE = (
        "unwanted_type",
        "the question is of a type that `classify.drop_types` names; the evidence are the characters that show it",
        "name fewer types",
    )


REASONS = {
    ScopeOutcome.GENERAL: ClassifyReason.GENERAL_QUESTION,
    ScopeOutcome.COLLEGE: ClassifyReason.COLLEGE_LEVEL,
    ScopeOutcome.MULTIPLE: ClassifyReason.SEVERAL_PROBLEMS,
    ScopeOutcome.INCOMPLETE: ClassifyReason.INCOMPLETE,
    ScopeOutcome.NOT_MATH: ClassifyReason.NOT_MATH,
    ScopeOutcome.OK: ClassifyReason.UNSURE_SCOPE,
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

    reason: ClassifyReason
    detail: str
    span: tuple[int, int] | None = None


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
    keyword = _NON_LINEAR.search(question) if config.drop_non_linear_wording else None
    if keyword is not None:
        told = "the wording speaks of a non-linear relation"
        return Refusal(ClassifyReason.NON_LINEAR_WORDING, told, keyword.span())
    if config.require_unknown_in_answers and not any(map(uses_unknown, answers)):
        return Refusal(ClassifyReason.NO_UNKNOWN_IN_ANSWERS, "no answer uses x as an unknown")
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
        refused = Refusal(ClassifyReason.UNWANTED_TYPE, detail, typed.span)
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
    row = model.row(question, answers)
    scope = model.scope_of(row)
    refused = refusal(question, answers, scope, context.config)
    if refused is not None:
        detail = refused.detail
        if not scope.sure(context.config.min_probability):
            detail += f"; what weighs most: {', '.join(model.reasons(row, scope.against))}"
        return trail.drop(refused.reason, detail, score=scope.probability, evidence=_characters(question, refused.span))
    return ClassifiedPost(
        post_id=trail.post.post_id,
        in_scope=True,
        probability=scope.probability,
        outcome=scope.outcome,
        question_type=type_of(question).type,
    )


STAGE = Stage("classify", ClassifiedPost, ("posts", "clean"), ClassifyConfig, ClassifyReason, ("posts",), _decide)
