"""Why a post was dropped, or a record not read: codes, what each means, and what may help.

Those of a stage stand in its file (``curation/stages``), those of reading posts and benchmark files here.
"""

from enum import StrEnum
from typing import Self


class ReasonCode(StrEnum):
    """Codes are stable: they stand in manifests, ledgers and audit sheets. ``may_help`` may be empty."""

    meaning: str
    may_help: str

    def __new__(cls, code: str, meaning: str = "", may_help: str = "") -> Self:
        made = str.__new__(cls, code)
        made._value_, made.meaning, made.may_help = code, meaning, may_help
        return made


class Reason(ReasonCode):
    """Why a post was not taken in, or a record of a benchmark file not read."""

    # ingest
    MALFORMED_LINE = (
        "malformed_line",
        "the line is not a JSON object with the fields of a post",
        "correct the line that the message names",
    )
    NO_TEXT = (
        "no_text",
        "the question is missing or empty",
        "some sites show it only in the address or inside an answer",
    )
    TOO_LARGE = "too_large", "a text, record or page exceeds the limits of reading"
    TRUNCATED = (
        "truncated",
        "only part of a page or of an API answer is there: the archive or the server says so, the page breaks off, "
        "or a part that it names is not on it",
        "get it again, or from another archive",
    )
    LOST_CHARACTERS = (
        "lost_characters",
        "a character beside a number is lost (U+FFFD), so the number may be wrong; or nobody can tell the charset "
        "of a page",
        "save the text as UTF-8",
    )
    WRONG_COUNT = (
        "wrong_count",
        "a thread announces more or fewer answers than the dump holds",
        "get the dump again, if it was cut short",
    )
    NO_QUESTION = "no_question", "an answer whose question is not in the dump"
    NOT_CHOSEN = "not_chosen", "a thread without any of the tags asked for", "other `--tag`s"
    NOT_A_THREAD = (
        "not_a_thread",
        "a record of an archive or dump that is not a question thread: another kind of post, page, status or file",
    )
    FORGOTTEN = "forgotten", "the post was forgotten on request and is not read in again"
    # benchmark files
    MISSING_FIELD = "missing_field", "a record lacks a field its format needs", "check that the format is the right one"
    WRONG_FIELD = (
        "wrong_field",
        "a field is of another type, or contradicts another field",
        "correct the record that the message names",
    )
    BAD_ALIGNMENT = (
        "bad_alignment",
        "an alignment points outside the question",
        "correct the record that the message names",
    )
    RECORD_TOO_LARGE = "record_too_large", "a text, list or number beyond the bounds"
    NOT_EXPRESSIBLE = "not_expressible", "the format asked for cannot hold the problem", "export into another format"
