"""What a version says of where its rows come from: a row for each question, and for each answer a problem rests on."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from corpus.records import Answer, Post, Problem, Provenance
from extractors.text.marks import MARKS, count_marks


def provenance_of(problems: Sequence[Problem], posts: Mapping[str, Post]) -> list[Provenance]:
    """The provenance of problems, sorted by problem, the question first and then its answers in their order.

    An answer that has no license or attribution of its own comes under those of its thread.
    """
    rows: list[Provenance] = []
    for problem in sorted(problems, key=lambda problem: problem.problem_id):
        post, used = posts[problem.post_id], _answers_used(problem)
        rows.append(_row(problem, post, None))
        rows += [_row(problem, post, answer) for answer in post.answers if answer.answer_id in used]
    return rows


def _answers_used(problem: Problem) -> set[str]:
    """The answers that voted for the system, or in which an equation or a value of the gold answer stands."""
    return {*problem.votes, *(span.answer_id for span in (*problem.answer_spans, *problem.equation_spans))}


def _row(problem: Problem, post: Post, answer: Answer | None) -> Provenance:
    return Provenance(
        problem_id=problem.problem_id,
        post_id=post.post_id,
        answer_id=answer.answer_id if answer else None,
        url=post.url,
        license=(answer.license if answer else None) or post.license,
        attribution=(answer.attribution if answer else None) or post.attribution,
        retrieved_at=post.retrieved_at,
        response_sha256=post.response_sha256,
        parser=post.parser,
    )


def removed_from(texts: Iterable[str]) -> dict[str, int]:
    """How much personal data of each kind was taken out of texts, by the marks in its place."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(count_marks(text))
    return {kind: counts[kind] for kind in MARKS}
