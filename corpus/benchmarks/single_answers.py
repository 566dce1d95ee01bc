"""SVAMP, MAWPS and GSM8K: one question, one number as the answer, and one equation or a worked answer.

Patel et al., NAACL 2021; Koncel-Kedziorski et al., NAACL 2016 in the form of LYH-YF/MWPToolkit; Cobbe et al., 2021.
GSM8K's worked answers end in a line ``#### value``; the files have no ids, so a record without one is named by its
number in the file. Calculations between ``<<`` and ``>>`` stay in the rationale; they are steps and no equation system.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from corpus.benchmarks.gold_problems import (
    GoldProblem,
    GoldRecordError,
    alternatives,
    as_number,
    exact,
    identifier,
    joined,
    only_value,
    required,
    text,
)
from corpus.reasons import Reason
from extractors.expressions.grammar import parse_equation
from extractors.expressions.tree import Binary, Name, Node, Num, Unary, names_of
from extractors.extraction_errors import ExtractionError

SVAMP_FIELDS = ("ID", "Body", "Question", "Equation", "Answer")
MAWPS_FIELDS = ("id", "original_text", "equation", "ans")
GSM8K_FIELDS = ("question", "answer")
_MARK = "####"
_TYPES = {"+": "Addition", "-": "Subtraction", "*": "Multiplication", "/": "Common-Division"}


def read_svamp(record: Mapping[str, Any]) -> GoldProblem:
    """A record of ``SVAMP.json``; its ``Equation`` is an expression whose value is the answer."""
    body, question, formula = text(record, "Body"), text(record, "Question"), text(record, "Equation")
    value = exact(required(record, "Answer"), "Answer")
    return GoldProblem(
        problem_id="",
        native_id=identifier(record, "ID"),
        origin="",
        question=joined(body, question),
        parts=(body, question),
        answer=value,
        gold=((value,),),
        equations=(f"x={formula.strip()}",) if formula.strip() else (),
        unknowns=("x",) if formula.strip() else (),
        formula=formula,
        kind=text(record, "Type", ""),
        details={name: value for name, value in record.items() if name not in (*SVAMP_FIELDS, "Type")},
    )


def write_svamp(problem: GoldProblem, own: bool) -> dict[str, Any]:
    """The record of a problem with one arithmetic expression and one answer."""
    body, question = parts_of(problem)
    return {
        "ID": problem.native_id if own else problem.problem_id,
        "Body": body,
        "Question": question,
        "Equation": problem.formula if own else _spaced(expression_of(problem)),
        "Answer": float(as_number(only_value(problem.gold), "Answer")),
        "Type": problem.kind if own else problem.kind or _type_of(problem),
        **(problem.details if own else {}),
    }


def read_mawps(record: Mapping[str, Any]) -> GoldProblem:
    """A record of ``MAWPS.json``: the unknown stands in the equation, ``ans`` is a number or a text."""
    formula, answer = text(record, "equation"), required(record, "ans")
    gold = alternatives(answer) if isinstance(answer, str) else ((exact(answer, "ans"),),)
    return GoldProblem(
        problem_id="",
        native_id=identifier(record, "id"),
        origin="",
        question=text(record, "original_text"),
        answer=text(record, "ans") if isinstance(answer, str) else gold[0][0],
        gold=gold,
        equations=tuple(part.strip() for part in formula.split(";") if part.strip()),
        formula=formula,
        notes=() if gold else ("the answer holds no number",),
        details={n: v for n, v in record.items() if n not in ("original_text", "equation", "ans")}
        | ({"ans_is_text": True} if isinstance(answer, str) else {}),
    )


def write_mawps(problem: GoldProblem, own: bool) -> dict[str, Any]:
    """The record of a problem with one equation and one answer."""
    if not own and (len(problem.equations) != 1 or not problem.question):
        raise GoldRecordError(Reason.NOT_EXPRESSIBLE, "the format holds one text and one equation")
    details = dict(problem.details) if own else {}
    as_text = details.pop("ans_is_text", False)
    return {
        "id": problem.native_id if own else problem.problem_id,
        "original_text": problem.question,
        "segmented_text": problem.question,
        "equation": problem.formula if own else problem.equations[0],
        "ans": problem.answer if as_text else as_number(only_value(problem.gold), "ans"),
        **details,
    }


def parts_of(problem: GoldProblem) -> tuple[str, str]:
    """Body and question: as its file kept them apart, else the last sentence is the question."""
    if len(problem.parts) == 2:
        return problem.parts[0], problem.parts[1]
    if not problem.question.strip():
        raise GoldRecordError(Reason.NOT_EXPRESSIBLE, "the format needs a text, the problem has none")
    ends = [place for place in range(len(problem.question) - 2) if _ends_sentence(problem.question, place)]
    cut = ends[-1] + 1 if ends else 0
    return problem.question[:cut].strip(), problem.question[cut:].strip()


def _ends_sentence(question: str, place: int) -> bool:
    return question[place] in ".?!" and question[place + 1].isspace() and bool(question[place + 1 :].strip())


def expression_of(problem: GoldProblem) -> Node:
    """The expression of a problem whose only equation is ``unknown = expression``; GoldRecordError for any other."""
    if len(problem.equations) != 1:
        raise GoldRecordError(
            Reason.NOT_EXPRESSIBLE, f"the format holds one equation, the problem has {len(problem.equations)}"
        )
    try:
        equations = parse_equation(problem.equations[0], problem.unknowns)
    except ExtractionError as error:
        raise GoldRecordError(Reason.NOT_EXPRESSIBLE, f"the equation is not read: {error}") from error
    sides = (equations[0].left, equations[0].right)
    for unknown, other in (sides, sides[::-1]):
        if len(equations) == 1 and isinstance(unknown, Name) and not names_of(other):
            return other
    raise GoldRecordError(Reason.NOT_EXPRESSIBLE, "the format holds an arithmetic expression, the problem an equation")


def _spaced(node: Node) -> str:
    """An expression as SVAMP writes it: brackets round each operation, spaces, numbers with a point."""
    if isinstance(node, Num):
        return repr(float(as_number(str(node.value), "number")))
    if isinstance(node, Unary) and node.op == "-" and isinstance(node.operand, Num):
        return _spaced(Num(Fraction(-node.operand.value)))
    if isinstance(node, Binary) and node.op in _TYPES:
        return f"( {_spaced(node.left)} {node.op} {_spaced(node.right)} )"
    raise GoldRecordError(Reason.NOT_EXPRESSIBLE, "the format knows the four operations only")


def _type_of(problem: GoldProblem) -> str:
    node = expression_of(problem)
    return _TYPES.get(node.op, "") if isinstance(node, Binary) else ""


def read_gsm8k(record: Mapping[str, Any]) -> GoldProblem:
    """A record of ``train.jsonl`` or ``test.jsonl``."""
    worked = text(record, "answer")
    rationale, mark, final = worked.rpartition(_MARK)
    if not mark:
        raise GoldRecordError(Reason.WRONG_FIELD, f"answer has no line {_MARK} with its value")
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


def write_gsm8k(problem: GoldProblem, own: bool) -> dict[str, Any]:
    """The record of a problem with a text and one answer value."""
    if own:
        return {"question": problem.question, **problem.details}
    if not problem.question.strip():
        raise GoldRecordError(Reason.NOT_EXPRESSIBLE, "the format needs a text, the problem has none")
    rationale = problem.rationale.replace(_MARK, "").rstrip("\n")
    worked = f"{rationale}\n{_MARK} {only_value(problem.gold)}".lstrip("\n")
    return {"question": problem.question, "answer": worked, "id": problem.problem_id}
