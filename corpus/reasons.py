"""Why a post was dropped: one closed list, and what each entry means (reasons.txt, as docs/reasons.md says it)."""

from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple

from corpus.folders.open_files import read_file


class Reason(StrEnum):
    """Codes are stable: they stand in manifests, ledgers and audit sheets."""

    # ingest
    MALFORMED_LINE = "malformed_line"
    NO_TEXT = "no_text"
    TOO_LARGE = "too_large"
    TRUNCATED = "truncated"
    LOST_CHARACTERS = "lost_characters"
    WRONG_COUNT = "wrong_count"
    NO_QUESTION = "no_question"
    NOT_CHOSEN = "not_chosen"
    NOT_A_THREAD = "not_a_thread"
    FORGOTTEN = "forgotten"
    # clean
    EMPTY_QUESTION = "empty_question"
    QUESTION_TOO_LONG = "question_too_long"
    NO_ANSWERS = "no_answers"
    # classify
    GENERAL_QUESTION = "general_question"
    COLLEGE_LEVEL = "college_level"
    SEVERAL_PROBLEMS = "several_problems"
    INCOMPLETE = "incomplete"
    NOT_MATH = "not_math"
    UNSURE_SCOPE = "unsure_scope"
    NON_LINEAR_WORDING = "non_linear_wording"
    NO_UNKNOWN_IN_ANSWERS = "no_unknown_in_answers"
    UNWANTED_TYPE = "unwanted_type"
    # read
    NOTHING_TO_READ = "nothing_to_read"
    NO_AGREED_SYSTEM = "no_agreed_system"
    NO_CANDIDATES = "no_candidates"
    LOW_CONFIDENCE = "low_confidence"
    # agree
    ANSWER_CONTRADICTS_EQUATIONS = "answer_contradicts_equations"
    ANSWER_UNCONFIRMED = "answer_unconfirmed"
    # diversity
    DUPLICATE = "duplicate"
    LOW_DIVERSITY = "low_diversity"
    # decontaminate
    IN_BENCHMARK = "in_benchmark"
    VARIANT_IN_BENCHMARK = "variant_in_benchmark"
    # templates
    NUMBERS_NOT_IN_TEXT = "numbers_not_in_text"
    # split
    UNSURE_FOR_EVALUATION = "unsure_for_evaluation"
    # release
    LICENSE_NOT_ALLOWED = "license_not_allowed"
    # benchmark files
    MISSING_FIELD = "missing_field"
    WRONG_FIELD = "wrong_field"
    BAD_ALIGNMENT = "bad_alignment"
    RECORD_TOO_LARGE = "record_too_large"
    NOT_EXPRESSIBLE = "not_expressible"


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
