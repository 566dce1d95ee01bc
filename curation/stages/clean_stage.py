"""Stage clean: the question without chatter, the steps that took it away, and the textual numbers that remain."""

from fractions import Fraction

from pydantic import Field

from corpus.config import StageConfig
from corpus.reasons import ReasonCode
from corpus.records import POSTED_QUESTION, CleanedPost, CleaningEdit, CleaningStep, Record, TextualNumber
from curation.stages.stage import Context, DropEvidence, Stage, Trail, span_of
from extractors.extraction_errors import MAX_TEXT
from extractors.quantities.numbers import Number, find_numbers
from extractors.text.cleaning import clean_question


class CleanConfig(StageConfig):
    """What is too long to be one elementary problem."""

    max_characters: int = Field(4000, ge=1, le=MAX_TEXT)
    """longer questions are dropped as `question_too_long`; at most 50,000"""


class CleanReason(ReasonCode):
    """Why a post is dropped."""

    EMPTY_QUESTION = (
        "empty_question",
        "nothing but chatter and markup",
        "check that the question is in the field that is read",
    )
    QUESTION_TOO_LONG = "question_too_long", "longer than `clean.max_characters`", "raise `clean.max_characters`"
    NO_ANSWERS = (
        "no_answers",
        "it has no answers, so there is nothing to read",
        "crawl again later, or give the answers with the posts",
    )


def textual_number(number: Number) -> TextualNumber:
    """The record of a number found in a question."""
    return TextualNumber(
        value=str(number.value), start=number.start, end=number.end, raw=number.raw, kind=number.kind, unit=number.unit
    )


def number_of(found: TextualNumber) -> Number:
    """The number of such a record again."""
    return Number(Fraction(found.value), found.start, found.end, found.raw, found.kind, found.unit)


def _decide(trail: Trail, context: Context[CleanConfig]) -> Record:
    post, limit = trail.post, context.config.max_characters
    if not any(answer.text.strip() for answer in post.answers):
        return trail.drop(CleanReason.NO_ANSWERS, "it has no answers, so there is nothing to read")
    if len(post.question) > limit:
        length = len(post.question)
        return trail.drop(CleanReason.QUESTION_TOO_LONG, f"{length} characters; the limit is {limit}", score=length)
    cleaned = clean_question(post.question)
    if not cleaned.text.strip():
        evidence = DropEvidence(post.question, (span_of(POSTED_QUESTION, post.question),))
        return trail.drop(CleanReason.EMPTY_QUESTION, "nothing is left after the chatter is removed", evidence=evidence)
    steps = tuple(
        CleaningStep(
            name=step.name,
            edits=tuple(
                CleaningEdit(start=edit.start, end=edit.end, replacement=edit.replacement) for edit in step.edits
            ),
        )
        for step in cleaned.steps
    )
    numbers = tuple(textual_number(number) for number in find_numbers(cleaned.text))
    return CleanedPost(post_id=post.post_id, question=cleaned.text, steps=steps, numbers=numbers)


STAGE = Stage("clean", CleanedPost, ("posts",), CleanConfig, CleanReason, decide=_decide)
