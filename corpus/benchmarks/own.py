"""Our own formats: problems of a dataset as ``export VERSION`` writes them, and gold problems as they are."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from corpus.benchmarks.fields import RecordError
from corpus.benchmarks.records import GoldProblem, NumberSpan
from corpus.reasons import Reason
from corpus.records import Problem, Record

PROBLEM_FIELDS = ("problem_id", "post_id", "gold_answer", "stage_keys")
GOLD_FIELDS = ("problem_id", "native_id", "origin")
Kind = TypeVar("Kind", bound=Record)


def _validated(record: Mapping[str, Any], kind: type[Kind]) -> Kind:
    try:
        return kind.model_validate(record)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise RecordError(Reason.WRONG_FIELD, f"{where}: {first['msg']}") from error


def read_problem(record: Mapping[str, Any]) -> GoldProblem:
    """A row of a dataset in JSON."""
    return gold_problem(_validated(record, Problem))


def read_gold(record: Mapping[str, Any]) -> GoldProblem:
    """A gold problem in JSON."""
    return _validated(record, GoldProblem)


def write_gold(problem: GoldProblem, _own: bool) -> dict[str, Any]:
    """The problem as it is, from whatever format it came."""
    return problem.model_dump(mode="json")


def gold_problem(problem: Problem) -> GoldProblem:
    """A row of a dataset in the terms that all corpora share."""
    groups = [[problem.numbers[member] for member in group.members] for group in problem.equivalent_numbers]
    return GoldProblem(
        problem_id=problem.problem_id,
        native_id=problem.problem_id,
        origin="problems",
        question=problem.question,
        answer="; ".join(problem.gold_answer),
        gold=(problem.gold_answer,) if problem.gold_answer else (),
        equations=problem.equations or (),
        unknowns=problem.unknowns,
        template=problem.template or (),
        template_id=problem.template_id,
        alignment=problem.alignment,
        equivalent_numbers=tuple(
            tuple(NumberSpan(value=one.value, start=one.start, end=one.end) for one in group) for group in groups
        ),
        ambiguous=problem.ambiguous if problem.template else None,
        linear=problem.linear,
        license=problem.license,
        url=problem.url,
    )
