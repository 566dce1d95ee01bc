"""What each reason means and what may help, for whoever looks at a post that was dropped (docs/reasons.md)."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from corpus.reasons import Reason


class Meaning(NamedTuple):
    """Which stage gives a reason, what it means, and what may help; that is empty where nothing does."""

    stage: str
    meaning: str
    may_help: str


MEANINGS: Final[Mapping[Reason, Meaning]] = {
    Reason.MALFORMED_LINE: Meaning(
        "ingest",
        "the line is not a JSON object with the fields of a post",
        "correct the line that the message names",
    ),
    Reason.NO_TEXT: Meaning(
        "ingest",
        "the question is missing or empty",
        "some sites show it only in the address or inside an answer",
    ),
    Reason.TOO_LARGE: Meaning(
        "ingest",
        "a text, record or page exceeds the limits of reading",
        "",
    ),
    Reason.TRUNCATED: Meaning(
        "ingest",
        "a page or an answer of an API is there in part only: the archive or the server says so, the page breaks off, "
        "or a part that it names is not on it",
        "get it again, or from another archive",
    ),
    Reason.LOST_CHARACTERS: Meaning(
        "ingest",
        "a character beside a number is lost (U+FFFD), so that the number may be another; or nobody can tell the "
        "charset of a page",
        "save the text as UTF-8",
    ),
    Reason.WRONG_COUNT: Meaning(
        "ingest",
        "a thread announces more or fewer answers than the dump holds",
        "get the dump again, if it was cut short",
    ),
    Reason.NO_QUESTION: Meaning(
        "ingest",
        "an answer whose question is not in the dump",
        "",
    ),
    Reason.NOT_CHOSEN: Meaning(
        "ingest",
        "a thread without any of the tags asked for",
        "other `--tag`s",
    ),
    Reason.NOT_A_THREAD: Meaning(
        "ingest",
        "a record of an archive or dump that is not a question thread: another kind of post, page, status or file",
        "",
    ),
    Reason.FORGOTTEN: Meaning(
        "ingest",
        "the post was forgotten on request and is not read in again",
        "",
    ),
    Reason.EMPTY_QUESTION: Meaning(
        "clean",
        "nothing but chatter and markup",
        "check that the question is in the field that is read",
    ),
    Reason.QUESTION_TOO_LONG: Meaning(
        "clean",
        "longer than `clean.max_characters`",
        "raise `clean.max_characters`",
    ),
    Reason.NO_ANSWERS: Meaning(
        "clean",
        "it has no answers, so there is nothing to read",
        "crawl again later, or give the answers with the posts",
    ),
    Reason.GENERAL_QUESTION: Meaning(
        "classify",
        "about a method or a concept, not one problem",
        "look at it; where it is a problem, train posts on labels of your site",
    ),
    Reason.COLLEGE_LEVEL: Meaning(
        "classify",
        "beyond elementary mathematics",
        "look at it; where it is elementary, train posts on labels of your site",
    ),
    Reason.SEVERAL_PROBLEMS: Meaning(
        "classify",
        "more than one problem in the post",
        "give each problem as a post of its own",
    ),
    Reason.INCOMPLETE: Meaning(
        "classify",
        "data, figure or question is missing",
        "give the whole question; where it is whole, train posts on labels of your site",
    ),
    Reason.NOT_MATH: Meaning(
        "classify",
        "not a mathematical question",
        "check that the question is in the field that is read; else train posts on labels of your site",
    ),
    Reason.UNSURE_SCOPE: Meaning(
        "classify",
        "probably one problem, but below `classify.min_probability`",
        "lower `classify.min_probability`, or train posts on labels of your site",
    ),
    Reason.NON_LINEAR_WORDING: Meaning(
        "classify",
        "the wording speaks of products, powers, roots or areas (only with "
        "`classify.drop_non_linear_wording`); the evidence is the keyword",
        "switch the filter off: it drops good problems too",
    ),
    Reason.NO_UNKNOWN_IN_ANSWERS: Meaning(
        "classify",
        "no answer uses x as an unknown (only with `classify.require_unknown_in_answers`)",
        "switch the filter off",
    ),
    Reason.UNWANTED_TYPE: Meaning(
        "classify",
        "the question is of a type that `classify.drop_types` names; the evidence are the characters that show it",
        "name fewer types",
    ),
    Reason.NOTHING_TO_READ: Meaning(
        "read",
        "no answer holds a number",
        "answers that show numbers",
    ),
    Reason.NO_AGREED_SYSTEM: Meaning(
        "read",
        "fewer than `read.min_votes` answers agree on a solution, or it is not likely enough (only with "
        "`read.require`)",
        "lower `read.min_votes`, or switch `read.require` off",
    ),
    Reason.NO_CANDIDATES: Meaning(
        "read",
        "no answer holds a candidate number",
        "answers that state their value",
    ),
    Reason.LOW_CONFIDENCE: Meaning(
        "read",
        "the best candidate is below the threshold: we abstain",
        "answers that show how they get the value, more answers, or a lower `read.min_confidence`",
    ),
    Reason.ANSWER_CONTRADICTS_EQUATIONS: Meaning(
        "agree",
        "the probability is below the threshold that keeps `publish.precision`, above all since a likely system of "
        "an answer gives another value; the evidence is that system",
        "look at it: one of the two is wrong",
    ),
    Reason.ANSWER_UNCONFIRMED: Meaning(
        "agree",
        "the probability that scope, answer and system are right is below the threshold that keeps "
        "`publish.precision`, and nothing speaks against the answer by itself",
        "answers that write the equations out, more answers, or a lower `publish.precision`",
    ),
    Reason.DUPLICATE: Meaning(
        "diversity",
        "the same words as an accepted problem; the evidence is that problem",
        "",
    ),
    Reason.LOW_DIVERSITY: Meaning(
        "diversity",
        "lexicon diversity to an accepted problem below `diversity.ld_min`",
        "lower `diversity.ld_min`",
    ),
    Reason.IN_BENCHMARK: Meaning(
        "decontaminate",
        "the problem stands in a benchmark that the build is held against, word for word or nearly",
        "words that differ",
    ),
    Reason.VARIANT_IN_BENCHMARK: Meaning(
        "decontaminate",
        "it has the words of a benchmark problem, with other numbers or names (only with "
        '`decontaminate.variants = "drop"`)',
        "flag variants in place of dropping them (`decontaminate.variants`)",
    ),
    Reason.NUMBERS_NOT_IN_TEXT: Meaning(
        "templates",
        "no number of the equations is in the question (only with `templates.require_alignment`)",
        "switch `templates.require_alignment` off",
    ),
    Reason.UNSURE_FOR_EVALUATION: Meaning(
        "split",
        "its template or near-duplicates are in validation or test, and it is not sure enough for these: fewer than "
        "two answers state the answer that the system confirms, and the probability is below the one from which on "
        "`split.held_out_precision` of the calibration posts are right",
        "more answers that write the equations out, or a lower `split.held_out_precision`",
    ),
    Reason.LICENSE_NOT_ALLOWED: Meaning(
        "release",
        "the license is not among `release.allowed_licenses`",
        "name the license in `release.allowed_licenses`, or none at all",
    ),
    Reason.MISSING_FIELD: Meaning(
        "benchmark files",
        "a record lacks a field its format needs",
        "check that the format is the right one",
    ),
    Reason.WRONG_FIELD: Meaning(
        "benchmark files",
        "a field is of another type, or contradicts another field",
        "correct the record that the message names",
    ),
    Reason.BAD_ALIGNMENT: Meaning(
        "benchmark files",
        "an alignment points outside the question",
        "correct the record that the message names",
    ),
    Reason.RECORD_TOO_LARGE: Meaning(
        "benchmark files",
        "a text, list or number beyond the bounds",
        "",
    ),
    Reason.NOT_EXPRESSIBLE: Meaning(
        "benchmark files",
        "the format asked for cannot hold the problem",
        "export into another format",
    ),
}


def meaning_of(reason: str) -> Meaning | None:
    """What a reason means; None for one that this code does not know."""
    return MEANINGS.get(Reason(reason)) if reason in set(Reason) else None
