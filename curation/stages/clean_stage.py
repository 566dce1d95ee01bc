"""Stage clean: the question without chatter, the steps that took it away, and the textual numbers that remain."""

from fractions import Fraction

from corpus.config import CleanConfig
from corpus.reasons import Reason
from corpus.records import POSTED_QUESTION, CleanedPost, CleaningEdit, CleaningStep, Record, TextualNumber
from curation.stages.stage import Context, DropEvidence, Stage, Trail, span_of
from extractors.quantities.numbers import Number, find_numbers
from extractors.text.cleaning import clean_question


def textual_number(number: Number) -> TextualNumber:
    """The record of a number found in a question."""
    return TextualNumber(
        value=str(number.value),
        start=number.start,
        end=number.end,
        raw=number.raw,
        kind=number.kind,
        unit=number.unit,
    )


def number_of(found: TextualNumber) -> Number:
    """The number of such a record again."""
    return Number(Fraction(found.value), found.start, found.end, found.raw, found.kind, found.unit)


def _decide(trail: Trail, context: Context[CleanConfig]) -> Record:
    post, limit = trail.post, context.config.max_characters
    if not any(answer.text.strip() for answer in post.answers):
        return trail.drop(Reason.NO_ANSWERS, "it has no answers, so there is nothing to read")
    if len(post.question) > limit:
        length = len(post.question)
        return trail.drop(Reason.QUESTION_TOO_LONG, f"{length} characters; the limit is {limit}", score=length)
    cleaned = clean_question(post.question)
    if not cleaned.text.strip():
        evidence = DropEvidence(post.question, (span_of(POSTED_QUESTION, post.question),))
        return trail.drop(Reason.EMPTY_QUESTION, "nothing is left after the chatter is removed", evidence=evidence)
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


STAGE = Stage("clean", CleanedPost, ("posts",), CleanConfig, decide=_decide)
