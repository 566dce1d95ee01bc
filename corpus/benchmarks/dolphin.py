"""Dolphin18K: ``unkn:/equ:`` blocks and answer strings; the text is there only where it was fetched.

Huang et al., ACL 2016. Upstream publishes ids and annotations; where a record has them, ``text`` is the cleaned
question and ``original_text`` the posted one: the first is read, else the second. Dolphin1878 (Shi et al., EMNLP 2015)
has the lines of a block as a list, and the answer once more as numbers.
"""

from collections.abc import Mapping
from typing import Any

from corpus.benchmarks.gold_problems import (
    GoldProblem,
    GoldRecordError,
    alternatives,
    as_number,
    identifier,
    text,
    texts,
)
from corpus.reasons import Reason
from extractors.extraction_errors import ExtractionError
from extractors.solve.equation_systems import parse_system, read_dolphin

FIELDS = ("id", "equations", "ans")
LISTED_FIELDS = (*FIELDS, "ans_simple")
_TEXT_NAMES = ("text", "original_text")


def read(record: Mapping[str, Any]) -> GoldProblem:
    """A record of ``dev_urls.json`` or of a file with texts."""
    answer, block = text(record, "ans"), text(record, "equations")
    equations, unknowns, notes = _system(block)
    gold = alternatives(answer)
    notes += () if gold else ("the answer holds no number",)
    sources = record.get("sources")
    name = _text_name(record)
    details = {key: value for key, value in record.items() if key not in ("id", "ans", "equations", name)}
    return GoldProblem(
        problem_id="",
        native_id=identifier(record, "id"),
        origin="",
        question=text(record, name) if name else "",
        answer=answer,
        gold=gold,
        equations=equations,
        unknowns=unknowns,
        formula=block,
        url=sources[0] if isinstance(sources, list) and sources and isinstance(sources[0], str) else None,
        notes=notes,
        details=details | ({"text_name": name} if name == "original_text" else {}),
    )


def from_listed(record: Mapping[str, Any]) -> GoldProblem:
    """A record of ``number_word_std.*.json``: the lines of the block are a list."""
    return read({**record, "equations": "\r\n".join(texts(record, "equations"))})


def write_listed(problem: GoldProblem, own: bool) -> dict[str, Any]:
    """The record of a problem with the lines of its block as a list, and the first answer as numbers."""
    record = write(problem, own)
    numbers = [as_number(value, "answer") for values in problem.gold[:1] for value in values]
    return {
        "ans_simple": numbers,
        **record,
        "equations": record["equations"].split("\r\n") if record["equations"] else [],
    }


def question_of(record: Mapping[str, Any]) -> str:
    """The text of a record that has one."""
    return text(record, _text_name(record) or _TEXT_NAMES[0])


def _text_name(record: Mapping[str, Any]) -> str:
    return next((name for name in _TEXT_NAMES if record.get(name) is not None), "")


def _system(block: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    if not block:
        return (), (), ()
    try:
        return *read_dolphin(block), ()
    except ExtractionError as error:
        return (), (), (f"equations not read: {error}",)


def write(problem: GoldProblem, own: bool) -> dict[str, Any]:
    """The record of a problem; ``text`` where it has a question."""
    if not problem.answer and not problem.gold:
        raise GoldRecordError(Reason.NOT_EXPRESSIBLE, "the format needs an answer")
    answer = " or ".join("; ".join(values) for values in problem.gold)
    details = dict(problem.details) if own else {"flag": 0, **({"sources": [problem.url]} if problem.url else {})}
    name = str(details.pop("text_name", "text"))
    return {
        "id": problem.native_id if own else problem.problem_id,
        "equations": problem.formula if own else _block(problem),
        "ans": problem.answer if own else answer or problem.answer,
        **({name: problem.question} if problem.question else {}),
        **details,
    }


def _block(problem: GoldProblem) -> str:
    if not problem.equations:
        return ""
    try:
        unknowns = problem.unknowns or parse_system(problem.equations).unknowns
    except ExtractionError as error:
        raise GoldRecordError(
            Reason.NOT_EXPRESSIBLE, f"the unknowns of the equations cannot be told: {error}"
        ) from error
    lines = [f"unkn: {','.join(unknowns)}", *(f"equ: {equation}" for equation in problem.equations)]
    return "\r\n".join(lines)
