"""Our own formats: problems of a dataset as ``export VERSION`` writes them, and gold problems as they are."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, TypeVar

from pydantic import ValidationError

from corpus.benchmarks.gold_problems import MAX_ITEMS, GoldNumber, GoldProblem, GoldRecordError, checked
from corpus.faults import fault_line
from corpus.reasons import Reason
from corpus.records import Problem, Record, SlotAlignment
from extractors.extraction_errors import ExtractionError
from extractors.real_numbers.values import parse_value

PROBLEM_FIELDS = ("problem_id", "post_id", "agreement", "cleaning_steps")
GOLD_FIELDS = ("problem_id", "native_id", "origin")
OwnRecord = TypeVar("OwnRecord", bound=Record)


def _validated(record: Mapping[str, Any], kind: type[OwnRecord]) -> OwnRecord:
    try:
        return kind.model_validate(record)
    except ValidationError as error:
        raise GoldRecordError(Reason.WRONG_FIELD, fault_line(error, kind)) from error


def read_problem(record: Mapping[str, Any]) -> GoldProblem:
    """A row of a dataset in JSON; GoldRecordError for one that was exported under the names of before."""
    if "gold_answer" in record and "answer_exact" not in record:
        told = "it was exported before gold_answer was called answer_exact; build the version again and export it"
        raise GoldRecordError(Reason.WRONG_FIELD, told)
    problem = _validated(record, Problem)
    members = [member for group in problem.equivalent_numbers for member in group]
    if any(not 0 <= member < len(problem.numbers) for member in members):
        raise GoldRecordError(Reason.BAD_ALIGNMENT, "equivalent_numbers names a number that does not exist")
    return _sound(gold_problem(problem))


def read_gold(record: Mapping[str, Any]) -> GoldProblem:
    """A gold problem in JSON; GoldRecordError where a value is none, or a place is not in the question."""
    return _sound(_validated(record, GoldProblem))


def _sound(problem: GoldProblem) -> GoldProblem:
    """The problem, if every text is within bounds, every value one, and every place in the question."""
    for name in ("question", "answer", "formula", "rationale"):
        checked(getattr(problem, name), name)
    for name in ("parts", "equations", "unknowns", "options", "template", "gold", "alignment", "equivalent_numbers"):
        _bounded(getattr(problem, name), name)
    for values in problem.gold:
        for value in _bounded(values, "gold"):
            _value(value, "gold")
    for slot in problem.alignment:
        _placed(slot, problem.question)
    for one in (one for group in problem.equivalent_numbers for one in group):
        _placed(one, problem.question)
    if problem.correct is not None and not 0 <= problem.correct < len(problem.options):
        raise GoldRecordError(Reason.WRONG_FIELD, "correct names no option")
    return problem


def _bounded(parts: tuple[Any, ...], name: str) -> tuple[Any, ...]:
    if len(parts) > MAX_ITEMS:
        raise GoldRecordError(Reason.RECORD_TOO_LARGE, f"{name} has {len(parts)} items; at most {MAX_ITEMS} are read")
    for part in parts:
        if isinstance(part, str):
            checked(part, name)
    return parts


def _value(text: str, name: str) -> Any:
    try:
        return parse_value(text)
    except ExtractionError as error:
        raise GoldRecordError(Reason.WRONG_FIELD, f"{name}: {error}") from error


def _placed(one: SlotAlignment | GoldNumber, question: str) -> None:
    if not isinstance(_value(one.value, "alignment"), Fraction):
        raise GoldRecordError(Reason.WRONG_FIELD, f"alignment: {one.value[:40]!r} is not a rational number")
    if not 0 <= one.start < one.end <= len(question):
        raise GoldRecordError(Reason.BAD_ALIGNMENT, f"no characters {one.start} to {one.end} in the question")


def write_gold(problem: GoldProblem, _own: bool) -> dict[str, Any]:
    """The problem as it is, from whatever format it came."""
    return problem.model_dump(mode="json")


def gold_problem(problem: Problem) -> GoldProblem:
    """A row of a dataset in the terms that all corpora share."""
    groups = [[problem.numbers[member] for member in group] for group in problem.equivalent_numbers]
    return GoldProblem(
        problem_id=problem.problem_id,
        native_id=problem.problem_id,
        origin="problems",
        question=problem.question,
        answer=problem.answer,
        gold=(problem.answer_exact,) if problem.answer_exact else (),
        equations=problem.equations or (),
        unknowns=problem.unknowns,
        rationale=problem.solution or "",
        template=problem.template or (),
        template_id=problem.template_id,
        alignment=problem.alignment,
        equivalent_numbers=tuple(
            tuple(GoldNumber(value=one.value, start=one.start, end=one.end) for one in group) for group in groups
        ),
        ambiguous=problem.ambiguous if problem.template else None,
        linear=problem.linear,
        license=problem.license,
        url=problem.url,
    )
