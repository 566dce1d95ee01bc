"""What a version says of where its rows come from: a row for each question, and for each answer a problem rests on."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from corpus.canonical import RETRIEVAL
from corpus.records import Provenance, SourceAnswer, SourcePost
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


def provenance_of(problems: Iterable[Plain], posts: Mapping[str, Plain]) -> list[Provenance]:
    """The provenance of problems, sorted by problem, the question first and then its answers in their order.

    Problems and posts are plain data with the columns named here, posts with their retrieval as well. An answer that
    has no license or attribution of its own comes under those of its thread.
    """
    rows: list[Provenance] = []
    for problem in sorted(problems, key=lambda problem: str(problem["problem_id"])):
        post, used = posts[problem["post_id"]], _answers_used(problem)
        rows.append(_row(problem, post, {}))
        rows += [_row(problem, post, answer) for answer in post["answers"] if answer["answer_id"] in used]
    return rows


def source_posts(problems: Iterable[Plain], posts: Mapping[str, Plain]) -> list[SourcePost]:
    """The questions of problems as they were posted; ``posts`` have TEXT_COLUMNS."""
    pairs = ((problem["problem_id"], posts[problem["post_id"]]) for problem in problems)
    return [SourcePost(question=post["question"], **_terms(problem, post, {})) for problem, post in pairs]


def source_answers(problems: Iterable[Plain], posts: Mapping[str, Plain]) -> list[SourceAnswer]:
    """The answers that problems rest on, in the order of their threads; ``posts`` have TEXT_COLUMNS."""
    found: list[SourceAnswer] = []
    for problem in problems:
        post, used = posts[problem["post_id"]], _answers_used(problem)
        chosen = (answer for answer in post["answers"] if answer["answer_id"] in used)
        found += [
            SourceAnswer(
                answer_id=answer["answer_id"], text=answer["text"], **_terms(problem["problem_id"], post, answer)
            )
            for answer in chosen
        ]
    return found


def _terms(problem_id: str, post: Plain, answer: Plain) -> dict[str, Any]:
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


def _row(problem: Plain, post: Plain, answer: Plain) -> Provenance:
    return Provenance(
        answer_id=answer.get("answer_id"),
        **_terms(problem["problem_id"], post, answer),
        **{name: post.get(name) for name in RETRIEVAL},
    )


def removed_from(texts: Iterable[str]) -> dict[str, int]:
    """How much personal data of each kind was taken out of texts, by the marks in its place."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(count_marks(text))
    return {kind: counts[kind] for kind in MARKS}
