"""GSM8K: a question, and a worked answer that ends in a line ``#### value``.

Cobbe et al., 2021. The files have no ids: a record without one is named by its number in the file. Calculations between
``<<`` and ``>>`` stay in the rationale; they are steps and no equation system.
"""

from collections.abc import Mapping
from typing import Any

from corpus.benchmarks.fields import GoldRecordError, alternatives, identifier, only_value, text
from corpus.benchmarks.gold_problems import GoldProblem
from corpus.reasons import Reason

FIELDS = ("question", "answer")
MARK = "####"


def read(record: Mapping[str, Any]) -> GoldProblem:
    """A record of ``train.jsonl`` or ``test.jsonl``."""
    worked = text(record, "answer")
    rationale, mark, final = worked.rpartition(MARK)
    if not mark:
        raise GoldRecordError(Reason.WRONG_FIELD, f"answer has no line {MARK} with its value")
    gold = alternatives(final.strip())
    return GoldProblem(
        problem_id="",
        native_id=identifier(record, "id") if record.get("id") is not None else "",
        origin="",
        question=text(record, "question"),
        answer=final.strip(),
        gold=gold,
        rationale=rationale.rstrip("\n"),
        notes=() if gold else ("the answer holds no number",),
        details={name: value for name, value in record.items() if name != "question"},
    )


def write(problem: GoldProblem, own: bool) -> dict[str, Any]:
    """The record of a problem with a text and one answer value."""
    if own:
        return {"question": problem.question, **problem.details}
    if not problem.question.strip():
        raise GoldRecordError(Reason.NOT_EXPRESSIBLE, "the format needs a text, the problem has none")
    rationale = problem.rationale.replace(MARK, "").rstrip("\n")
    worked = f"{rationale}\n{MARK} {only_value(problem.gold)}".lstrip("\n")
    return {"question": problem.question, "answer": worked, "id": problem.problem_id}
