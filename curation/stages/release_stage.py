"""Stage release: one problem per post that came through, if the release rules let it out.

A problem only puts together what stages before have said, so it is made column by column.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from corpus.canonical import sha256_text
from corpus.config import StageConfig
from corpus.reasons import ReasonCode
from corpus.record_tables import ids_of, whole_column
from corpus.records import Dropped, Problem
from corpus.schema import arrow_schema
from corpus.workspace import Workspace
from curation.stages.stage import Context, Stage
from extractors.quantities.units import currency_before, unit_after
from extractors.text.cleaning import clean_question

if TYPE_CHECKING:  # whoever asks for what a stage is need not load what reads tags
    from models.tag_model import TagModel


class ReleaseConfig(StageConfig):
    """Licenses let through, and what is said of the dataset."""

    allowed_licenses: tuple[str, ...] = Field((), strict=False)
    """allowed licenses, of threads and of the answers that a problem rests on; an empty list allows all"""
    title: str = "Math word problems quarried by wordquarry"
    """title of the dataset card"""
    tags: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")] | None = None
    """digest of the tag model in the data folder, as [`train tags`](commands.md#wordquarry-train-model) prints it.
    The model fills in [problem type, grade and difficulty](models.md#tags); without it these columns are null"""


class ReleaseReason(ReasonCode):
    """Why a post is dropped."""

    LICENSE_NOT_ALLOWED = (
        "license_not_allowed",
        "its license, or that of an answer it rests on, is not among `release.allowed_licenses`",
        "name the license in `release.allowed_licenses`, or leave that list empty",
    )


ANSWERED_FROM: Final = ("question", "answer_exact", "answer_spans", "votes", "unknowns", "solutions")
PlainRow = Mapping[str, Any]


class AnswerCells(NamedTuple):
    """The cells of one problem, by the names of its columns."""

    answer: str
    answer_values: list[float] | None
    solution: str | None
    solutions: list[list[str]]
    solution_values: list[list[float]] | None


def answer_columns(columns: Mapping[str, pa.Array], answers: pa.Array) -> dict[str, pa.Array]:
    """The columns of AnswerCells of problems, from those that ANSWERED_FROM names and the answers of their posts."""
    rows = zip(*(columns[name].to_pylist() for name in ANSWERED_FROM), answers.to_pylist(), strict=True)
    found = [_cells(dict(zip((*ANSWERED_FROM, "answers"), row, strict=True))) for row in rows]
    schema, names = arrow_schema(Problem), AnswerCells._fields
    return {name: pa.array([getattr(one, name) for one in found], schema.field(name).type) for name in names}


def _cells(row: PlainRow) -> AnswerCells:
    from extractors.answers.parsing import answer_text

    exact, spans, answers = row["answer_exact"], row["answer_spans"], row["answers"]
    used = {*row["votes"], *(span["answer_id"] for span in spans)}
    by_name = [{one["unknown"]: one["value"] for one in solution["assignments"]} for solution in row["solutions"]]
    systems = [[named[unknown] for unknown in row["unknowns"]] for named in by_name]
    values = [value for system in systems if (value := doubles(system)) is not None]
    return AnswerCells(
        answer=answer_text(row["question"], exact, sorted(set(_stated_units(spans, answers)))),
        answer_values=doubles(exact),
        solution=_solution([answer for answer in answers if answer["answer_id"] in used]),
        solutions=systems,
        solution_values=values if len(values) == len(systems) else None,
    )


def doubles(values: Sequence[str]) -> list[float] | None:
    """Exact values as doubles; None where one is too large for that.

    >>> doubles(["7/2", "1.41421356237310"]), doubles(["9" * 400])
    ([3.5, 1.4142135623731], None)
    """
    try:
        return [float(Fraction(value)) for value in values]
    except (OverflowError, ValueError):
        return None


def _stated_units(spans: Sequence[PlainRow], answers: Sequence[PlainRow]) -> Iterator[str]:
    """The units that stand beside values in answers."""
    texts = {answer["answer_id"]: answer["text"] for answer in answers}
    for span in spans:
        text = texts[span["answer_id"]]
        money = currency_before(text, span["start"]) if span["start"] else None
        unit = money[0] if money else unit_after(text, span["end"])
        if unit:
            yield unit


def _solution(rested_on: Sequence[PlainRow]) -> str | None:
    """Of the answers that a problem rests on the accepted one, else that with most votes, else the first; cleaned."""
    if not rested_on:
        return None
    best = max(rested_on, key=lambda answer: (answer["is_best"], answer["score"] or 0))
    return clean_question(best["text"]).text.strip()


def problem_id(post_id: str) -> str:
    """The id of the problem a post holds: the same in every version."""
    return f"wq-{sha256_text(post_id)[:16]}"


NAMED: Final = {
    "cleaning_steps": ("clean", "steps"),
    "answer_confidence": ("read", "confidence"),
    "answer_spans": ("read", "spans"),
    "confidence": ("agree", "probability"),
    "agreement": ("agree", "verdict"),
}
"""The columns of a problem that a stage calls otherwise; the others are those of the last stage that has one of this
name."""


@lru_cache(maxsize=2)
def tag_model(data: str, digest: str) -> "TagModel":
    """The tag model of a data folder; ModelError where it has none, or one of another digest."""
    from models.storage import load_model

    found: TagModel = load_model(str(Workspace(data).model_file("tags")), expected_digest=digest)
    return found


def _tags(columns: Mapping[str, pa.Array], context: Context[ReleaseConfig]) -> dict[str, pa.Array]:
    """What the tag model says of each problem; nothing where the configuration names none."""
    from models.tag_model import COLUMNS
    from models.tag_terms import TaggedText

    rows = len(columns["question"])
    if context.config.tags is None:
        return {name: pa.nulls(rows) for name in COLUMNS}
    model, read = tag_model(context.data, context.config.tags), ("question", "equations", "unknowns", "asked")
    found = [
        model.row(TaggedText(question, equations or (), unknowns, asked or ()))
        for question, equations, unknowns, asked in zip(*(columns[name].to_pylist() for name in read), strict=True)
    ]
    return {name: pa.array([row[name] for row in found]) for name in COLUMNS}


def _topics(posts: pa.Table, types: pa.Array) -> pa.Array:
    """What the site says a problem is about, by its first tag, else its type."""
    found = zip(posts["tags"].to_pylist(), types.to_pylist(), strict=True)
    return pa.array([tags[0] if tags else kind for tags, kind in found], pa.string())


def _equation_spans(found: pa.Table) -> pa.Array:
    """Where the voters wrote the equations; nothing for a post on whose system nobody agreed."""
    candidates = whole_column(found, "candidates")
    by_candidate = candidates.values.field("spans")
    answers = candidates.values.field("answer_id").to_pylist()
    first, within = candidates.offsets.to_pylist(), by_candidate.offsets.to_pylist()
    agreed = whole_column(found, "equations").is_valid().to_pylist()
    ends, chosen = [0], list[int]()
    for row, votes in enumerate(found["votes"].to_pylist()):
        for candidate in range(first[row], first[row + 1]) if agreed[row] else ():
            if answers[candidate] in votes:
                chosen += range(within[candidate], within[candidate + 1])
        ends.append(len(chosen))
    spans = by_candidate.values.take(pa.array(chosen, pa.int64()))
    return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), spans)


def _decide_tables(tables: Mapping[str, pa.Table], context: Context[ReleaseConfig]) -> tuple[pa.Table, list[Dropped]]:
    """The problems that are released, and what the rules hold back.

    ``tables`` has what each stage, and ``posts``, says of the posts that come in, in one order.
    """
    from curation.provenance import licenses_of
    from curation.rules import license_fault

    posts = ids_of(tables["posts"])
    schema = arrow_schema(Problem)
    said = {name: (stage, name) for stage, table in tables.items() for name in table.column_names} | NAMED
    places = {name: said[name] for name in schema.names if name in said}
    columns: dict[str, Any] = {name: whole_column(tables[stage], column) for name, (stage, column) in places.items()}
    columns["problem_id"] = pa.array(map(problem_id, posts), pa.string())
    for name, listed in (("answer_dim", "answer_exact"), ("n_votes", "votes")):
        columns[name] = pc.cast(pc.list_value_length(columns[listed]), pa.int64())
    columns["equation_spans"] = _equation_spans(tables["read"])
    columns |= _tags(columns, context)
    columns["topic"] = _topics(tables["posts"], columns["problem_type"])
    columns |= answer_columns(columns, whole_column(tables["posts"], "answers"))
    problems = pa.table({name: columns[name] for name in schema.names}).cast(schema)
    if not context.config.allowed_licenses:
        return problems, []
    refusals = [
        next((told for name in names if (told := license_fault(name, context.config.allowed_licenses))), None)
        for names in licenses_of(problems, tables["posts"])
    ]
    dropped = [
        Dropped(post_id=post_id, reason=ReleaseReason.LICENSE_NOT_ALLOWED.value, detail=refused)
        for post_id, refused in zip(posts, refusals, strict=True)
        if refused is not None
    ]
    return problems.filter(pa.array([refused is None for refused in refusals])), dropped


STAGE = Stage("release", Problem, (), ReleaseConfig, ReleaseReason, decide_tables=_decide_tables)
