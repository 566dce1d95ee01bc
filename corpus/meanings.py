"""What each field of a published table holds, and what each reason means (docs/records.md and docs/reasons.md)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from corpus.open_files import read_file
from corpus.reasons import Reason
from corpus.records import Problem, Provenance, Record, SourceAnswer, SourcePost, TrainingRow

_TERMS: Final = {
    "problem_id": "the problem, the same in every version",
    "post_id": "the question thread, as source:id",
    "url": "where the thread stands",
    "license": "the terms of the text",
    "attribution": "whom to name",
}

_SHARED: Final = {
    "question": "the problem's text, cleaned",
    "answer": "the answer as one would write it, with the unit that is asked for where that is sure",
    "answer_values": "its values as doubles, in the order asked; null where one is too large for that",
    "solution": "the answer text it came from, cleaned: the accepted one, or the one with most votes",
    "topic": "the site's first tag, else the type that a tag model names, or null",
    "confidence": "probability that problem, answer and equation system are right, 0 to 1",
}

MEANINGS: Final[Mapping[type[Record], Mapping[str, str]]] = {
    TrainingRow: {
        "id": _TERMS["problem_id"],
        **_SHARED,
        "equations": "the equation system, an equation each; empty where there is none",
        "messages": "question and solution as a chat, which closes with a line Answer: and the answer",
        "source": "the site",
        "posted_at": "when the question was posted, or null where the source does not tell",
        **{name: _TERMS[name] for name in ("url", "license")},
    },
    Problem: {
        **_TERMS,
        **_SHARED,
        "title": "the headline of the thread by itself, or null",
        "posted_at": "when the question was posted, UTC, or null where the source does not tell",
        "question_type": "open, or multiple_choice, yes_or_no, proof, several_parts, needs_figure, answer_in_question",
        "cleaning_steps": "what was taken out of the posted question, as edits in order",
        "numbers": "textual numbers: exact value, characters in the question, kind, unit",
        "answer_exact": "the same values exactly, as rationals or decimals in strings",
        "answer_dim": "how many values the answer has",
        "answer_confidence": "calibrated probability that the answer alone is right, 0 to 1",
        "answer_spans": "where answers state the values",
        "equations": "the equation system, or null",
        "unknowns": "the unknowns of the system",
        "asked": "for each value of the answer an expression over the unknowns, or null",
        "solutions": "all solutions of the system, exactly, a value for each of unknowns",
        "solution_values": "the same as doubles; null where one is too large for that",
        "votes": "the answers whose systems have these solutions",
        "n_votes": "how many these are",
        "equation_spans": "where the voters wrote their equations",
        "agreement": "whether answer and solutions agree: confirmed, different or undecided",
        "template": "the system with slots in place of the question's numbers, or null",
        "template_id": "equal for equivalent templates",
        "alignment": "each slot and the number of the question it stands for",
        "equivalent_numbers": "numbers of the question that restate one quantity, as indexes into numbers",
        "ambiguous": "whether a person has to decide what a slot stands for",
        "linear": "whether every equation is linear",
        "lexicon_diversity": "how far the wording is from what was accepted before, 0 to 1",
        "nearest_id": "the accepted post with the nearest wording",
        "variant_of": "the benchmark problem with the same words and other numbers or names, or null",
        "problem_type": "the type as the corpus of the tag model names it, or null without such a model",
        "problem_type_probability": "probability of that type, 0 to 1",
        "grade": "the school grade, or null without a tag model",
        "grade_probability": "probability of that grade, 0 to 1",
        "difficulty_unknowns": "unknowns that the equations still have when earlier results are put in",
        "difficulty_steps": "operations of these equations; a sum or product of several numbers is one",
        "split": "train, validation or test; development or evaluation in the other scheme",
    },
    SourcePost: {**_TERMS, "question": "the question as it was posted"},
    SourceAnswer: {
        **_TERMS,
        "answer_id": "the answer within its thread, as votes and spans name it",
        "text": "the whole answer",
        "is_best": "whether the asker or the site accepted it",
        "score": "its votes at the site, or null",
    },
    Provenance: {
        **_TERMS,
        "answer_id": "the answer within its thread; null for the question",
        "retrieved_at": "when it was fetched, UTC",
        "response_sha256": "digest of the response or file it was read from",
        "parser": "what read it, as name@digest of its code",
    },
}


class Meaning(NamedTuple):
    """Which stage gives a reason, what it means, and what may help; that is empty where nothing does."""

    stage: str
    meaning: str
    may_help: str


def _reasons() -> dict[Reason, Meaning]:
    lines = read_file(Path(__file__).with_name("reasons.txt")).decode().splitlines()
    rows = ([part.strip() for part in line.split("|")] for line in lines if "|" in line)
    return {Reason(reason): Meaning(stage, meaning, may_help) for stage, reason, meaning, may_help in rows}


REASONS: Final = _reasons()


def meaning_of(reason: str) -> Meaning | None:
    """What a reason means; None for one that this code does not know."""
    return REASONS.get(Reason(reason)) if reason in set(Reason) else None
