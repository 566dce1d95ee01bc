"""What a version says of where its rows come from: a row for each question, and for each answer a problem rests on."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from corpus.canonical import RETRIEVAL
from extractors.text.marks import MARKS, count_marks

PROBLEM_COLUMNS = (
    "problem_id",
    "post_id",
    "votes",
    "answer_spans.list.element.answer_id",
    "equation_spans.list.element.answer_id",
)
POST_COLUMNS = (
    "post_id",
    "url",
    "license",
    "attribution",
    *(f"answers.list.element.{name}" for name in ("answer_id", "license", "attribution")),
)
"""What is read of problems and posts, by the paths that parquet has for it."""
TEXT_COLUMNS = (*POST_COLUMNS, "question", "answers.list.element.text")
"""What is read of posts whose texts are published."""

Plain = Mapping[str, Any]
TableRow = dict[str, Any]
"""A row of a table beside the problems, as plain data: a large version has millions."""


def provenance_of(problems: Iterable[Plain], posts: Mapping[str, Plain]) -> list[TableRow]:
    """The rows of ``Provenance`` of problems, sorted by problem, the question first, then its answers in their order.

    Problems and posts are plain data with the columns named here, posts with their retrieval as well. An answer that
    has no license or attribution of its own comes under those of its thread.
    """
    rows: list[TableRow] = []
    for problem in sorted(problems, key=lambda problem: str(problem["problem_id"])):
        post, used = posts[problem["post_id"]], _answers_used(problem)
        rows.append(_row(problem, post, {}))
        rows += [_row(problem, post, answer) for answer in post["answers"] if answer["answer_id"] in used]
    return rows


def source_posts(problems: Iterable[Plain], posts: Mapping[str, Plain]) -> list[TableRow]:
    """The rows of ``SourcePost``, the questions of problems as they were posted; ``posts`` have TEXT_COLUMNS."""
    pairs = ((problem["problem_id"], posts[problem["post_id"]]) for problem in problems)
    return [{**_terms(problem, post, {}), "question": post["question"]} for problem, post in pairs]


def source_answers(problems: Iterable[Plain], posts: Mapping[str, Plain]) -> list[TableRow]:
    """The rows of ``SourceAnswer``, the answers that problems rest on, as their threads have them.

    ``posts`` have TEXT_COLUMNS.
    """
    found: list[TableRow] = []
    for problem in problems:
        post, used = posts[problem["post_id"]], _answers_used(problem)
        chosen = (answer for answer in post["answers"] if answer["answer_id"] in used)
        found += [
            {**_terms(problem["problem_id"], post, answer), "answer_id": answer["answer_id"], "text": answer["text"]}
            for answer in chosen
        ]
    return found


def _terms(problem_id: str, post: Plain, answer: Plain) -> TableRow:
    """Whose text it is and on what terms: those of the answer, or of its thread where it has none of its own."""
    return {
        "problem_id": problem_id,
        "post_id": post["post_id"],
        "url": post["url"],
        "license": answer.get("license") or post["license"],
        "attribution": answer.get("attribution") or post["attribution"],
    }


def _answers_used(problem: Plain) -> set[str]:
    """The answers that voted for the system, or in which an equation or a value of the gold answer stands."""
    spans: Sequence[Plain] = (*problem["answer_spans"], *problem["equation_spans"])
    return {*problem["votes"], *(span["answer_id"] for span in spans)}


def _row(problem: Plain, post: Plain, answer: Plain) -> TableRow:
    retrieval = {name: post.get(name) for name in RETRIEVAL}
    return {**_terms(problem["problem_id"], post, answer), "answer_id": answer.get("answer_id"), **retrieval}


def removed_from(texts: Iterable[str]) -> dict[str, int]:
    """How much personal data of each kind was taken out of texts, by the marks in its place."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(count_marks(text))
    return {kind: counts[kind] for kind in MARKS}
