"""What a version says of where its rows come from: a row for each question, and for each answer a problem rests on.

Tables are made column by column out of the problems of a shard and their posts, which stand in the same order.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from corpus.canonical import RETRIEVAL
from corpus.record_tables import RowPlaces, whole_column
from corpus.records import Provenance, Record, SourceAnswer, SourcePost
from corpus.schema import arrow_schema
from extractors.text.edits import count_marks

PROBLEM_COLUMNS = (
    "problem_id",
    "post_id",
    "votes",
    "answer_spans.list.element.answer_id",
    "equation_spans.list.element.answer_id",
)
TERMS = ("url", "license", "attribution")
_OWN = ("answer_id", "text", "is_best", "score")
POST_COLUMNS = (
    "post_id",
    *TERMS,
    "question",
    *(f"answers.list.element.{name}" for name in ("answer_id", *TERMS[1:], *_OWN[1:])),
)
"""What is read of problems and posts, by the paths that parquet has for it."""


class _Used(NamedTuple):
    """Answers that problems rest on, in the order of problems and threads: the place of each one's problem, and it."""

    places: RowPlaces
    answers: pa.StructArray


def provenance_of(problems: pa.Table, posts: pa.Table) -> pa.Table:
    """The rows of ``Provenance`` of problems, for each the question first, then its answers in their order.

    Problems and posts have the columns named here, posts those of their retrieval as well. An answer that has no
    license or attribution of its own comes under those of its thread.
    """
    used = _answers_used(problems, posts)
    places = np.concatenate([np.arange(len(problems)), used.places])
    nothing = used.answers.slice(0, 0).take(pa.nulls(len(problems), pa.int64()))
    order = pa.array(np.argsort(places, kind="stable"))
    both = _Used(places, pa.concat_arrays([nothing, used.answers]))
    retrieval = {name: whole_column(posts, name).take(pa.array(places)) for name in RETRIEVAL}
    columns = {**_terms(problems, posts, both), "answer_id": both.answers.field("answer_id"), **retrieval}
    return _table(columns, Provenance).take(order)


def source_posts(problems: pa.Table, posts: pa.Table) -> pa.Table:
    """The rows of ``SourcePost``, the questions of problems as they were posted."""
    columns = {name: whole_column(posts, name) for name in (*TERMS, "question")}
    return _table({"problem_id": problems["problem_id"], "post_id": problems["post_id"], **columns}, SourcePost)


def source_answers(problems: pa.Table, posts: pa.Table) -> pa.Table:
    """The rows of ``SourceAnswer``, the answers that problems rest on, as their threads have them."""
    used = _answers_used(problems, posts)
    own = {name: used.answers.field(name) for name in _OWN}
    return _table({**_terms(problems, posts, used), **own}, SourceAnswer)


def _table(columns: dict[str, pa.Array], kind: type[Record]) -> pa.Table:
    schema = arrow_schema(kind)
    return pa.table({name: columns[name] for name in schema.names}).cast(schema)


def _terms(problems: pa.Table, posts: pa.Table, used: _Used) -> dict[str, pa.Array]:
    """Whose text it is and on what terms: those of the answer, or of its thread where it has none of its own."""
    places = pa.array(used.places)
    found = {name: whole_column(problems, name).take(places) for name in ("problem_id", "post_id")}
    found |= {name: whole_column(posts, name).take(places) for name in TERMS}
    for name in TERMS[1:]:
        own = used.answers.field(name)
        found[name] = pc.if_else(pc.fill_null(pc.not_equal(own, ""), fill_value=False), own, found[name])
    return found


def _answers_used(problems: pa.Table, posts: pa.Table) -> _Used:
    """The answers that voted for the system, or in which an equation or a value of the gold answer stands."""
    answers, votes = whole_column(posts, "answers"), whole_column(problems, "votes")
    spans = [whole_column(problems, name) for name in ("answer_spans", "equation_spans")]
    named = [votes.flatten(), *(one.flatten().field("answer_id") for one in spans)]
    held = answers.flatten()
    names = pa.concat_arrays([held.field("answer_id"), *named]).dictionary_encode()
    parents = [one.value_parent_indices().to_numpy() for one in (answers, votes, *spans)]
    places = np.concatenate(parents).astype(np.int64)
    pairs = places * len(names.dictionary) + names.indices.to_numpy()
    used = np.isin(pairs[: len(held)], pairs[len(held) :])
    return _Used(places[: len(held)][used], held.filter(pa.array(used)))


def licenses_of(problems: pa.Table, posts: pa.Table) -> list[list[str | None]]:
    """The licenses of each problem: that of its thread, and those that the answers it rests on have of their own."""
    found = [[name] for name in whole_column(problems, "license").to_pylist()]
    used = _answers_used(problems, posts)
    for place, name in zip(used.places.tolist(), used.answers.field("license").to_pylist(), strict=True):
        found[place] += [name] if name else []
    return found


def removed_from(texts: Iterable[str]) -> dict[str, int]:
    """How much personal data of each kind was taken out of texts, by the marks in its place."""
    return count_marks("\n".join(texts))


def texts_of(posts: pa.Table) -> list[str]:
    """Every question and answer of posts."""
    answers = pc.struct_field(pc.list_flatten(posts["answers"]), "text")
    return [*posts["question"].to_pylist(), *answers.to_pylist()]
