"""What a row says of its answer: as one would write it, as doubles, and the text of the answer it came from."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, NamedTuple

import pyarrow as pa

from corpus.records import Problem
from corpus.schema import arrow_schema
from extractors.answers.parsing import answer_text
from extractors.quantities.units import currency_before, unit_after
from extractors.text.cleaning import clean_question

READ: Final = ("question", "answer_exact", "answer_spans", "votes", "unknowns", "solutions")
PlainRow = Mapping[str, Any]


class AnswerCells(NamedTuple):
    """The cells of one problem, by the names of its columns."""

    answer: str
    answer_values: list[float] | None
    solution: str | None
    solutions: list[list[str]]
    solution_values: list[list[float]] | None


def answer_columns(columns: Mapping[str, pa.Array], answers: pa.Array) -> dict[str, pa.Array]:
    """The columns of AnswerCells of problems, from those that READ names and the answers of their posts."""
    rows = zip(*(columns[name].to_pylist() for name in READ), answers.to_pylist(), strict=True)
    found = [_cells(dict(zip((*READ, "answers"), row, strict=True))) for row in rows]
    schema, names = arrow_schema(Problem), AnswerCells._fields
    return {name: pa.array([getattr(one, name) for one in found], schema.field(name).type) for name in names}


def _cells(row: PlainRow) -> AnswerCells:
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
