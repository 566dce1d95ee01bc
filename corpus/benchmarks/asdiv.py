"""ASDiv's XML: refused where it declares a document type, an entity or a foreign encoding, and beyond its bounds.

Miao et al., ACL 2020. Comments and processing instructions are dropped; other elements and attributes are kept.
"""

import re
from typing import Any

from lxml import etree

from corpus.benchmarks.asdiv_formulas import asdiv_equations
from corpus.benchmarks.gold_problems import GoldProblem, GoldRecordError, alternatives, joined, text
from corpus.benchmarks.single_answers import parts_of
from corpus.errors import InputError
from corpus.reasons import Reason
from extractors.expressions.grammar import parse_equation
from extractors.expressions.tree import Name, render
from extractors.extraction_errors import ExtractionError

FIELDS = ("ID", "Body", "Question", "Solution-Type", "Answer", "Formula")
_TAGS = FIELDS[1:]
_ENCODING = re.compile(r"\A\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._-]{1,40})[\"']")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
HEAD = '<?xml version="1.0" encoding="UTF-8" ?>\n<Machine-Reading-Corpus-File>\n\n<ProblemSet>\n'
TAIL = "</ProblemSet>\n\n</Machine-Reading-Corpus-File>\n"


def records_of(content: str, where: str) -> list[dict[str, Any]]:
    """The ``Problem`` elements of a file as records; InputError for what is no such file."""
    declared = _ENCODING.match(content)
    if declared and declared[1].upper() not in ("UTF-8", "US-ASCII", "ASCII"):
        raise InputError(f"{where} declares the encoding {declared[1]}; save it as UTF-8")
    if "<!DOCTYPE" in content or "<!ENTITY" in content:
        raise InputError(f"{where} declares a document type or entities; such files are refused")
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(content.encode(), parser)
    except etree.XMLSyntaxError as error:
        raise InputError(f"{where} is not XML: {error}") from error
    return [_record(problem) for problem in root.iter("Problem")]


def _record(problem: Any) -> dict[str, Any]:
    found: dict[str, Any] = dict(problem.attrib)
    for child in problem:
        if child.tag in found:
            found["repeated"] = str(child.tag)
        found[child.tag] = "".join(child.itertext())
        if child.attrib:
            found[f"{child.tag}@"] = dict(child.attrib)
    return found


def read(record: dict[str, Any]) -> GoldProblem:
    """A ``Problem`` element; a formula that holds no equation leaves a note."""
    if "repeated" in record:
        raise GoldRecordError(Reason.WRONG_FIELD, f"{record['repeated']} stands twice")
    body, question, formula = text(record, "Body"), text(record, "Question"), text(record, "Formula").strip()
    kind, answer = text(record, "Solution-Type").strip(), text(record, "Answer").strip()
    native = text(record, "ID").strip()
    if not native:
        raise GoldRecordError(Reason.WRONG_FIELD, "ID is empty")
    equations, unknowns, notes = _equations(formula, kind)
    gold = alternatives(answer)
    return GoldProblem(
        problem_id="",
        native_id=native,
        origin="",
        question=joined(body, question),
        parts=(body, question),
        answer=answer,
        gold=gold,
        equations=equations,
        unknowns=unknowns,
        formula=formula,
        kind=kind,
        notes=notes if gold else (*notes, "the answer holds no number"),
        url=record.get("Source"),
        details={name: value for name, value in record.items() if name not in FIELDS},
    )


def _equations(formula: str, kind: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    try:
        return *asdiv_equations(formula, kind), ()
    except ExtractionError as error:
        return (), (), (f"no equations: {error}",)


def write(problem: GoldProblem, own: bool) -> dict[str, Any]:
    """The element of a problem as a record."""
    body, question = parts_of(problem)
    answer = problem.answer or " or ".join("; ".join(values) for values in problem.gold)
    formula = problem.formula if own else _formula(problem)
    if not answer or not formula:
        raise GoldRecordError(Reason.NOT_EXPRESSIBLE, "the format needs an answer and a formula")
    details = problem.details if own else {"Grade": "", "Source": problem.url or ""}
    return {
        "ID": problem.native_id if own else problem.problem_id,
        "Body": body,
        "Question": question,
        "Solution-Type": problem.kind,
        "Answer": answer,
        "Formula": formula,
        **details,
    }


def _formula(problem: GoldProblem) -> str:
    """``expression=value`` for one arithmetic equation, else the equations as they are."""
    if len(problem.equations) == 1 and len(problem.gold) == 1 and len(problem.gold[0]) == 1:
        try:
            equation = parse_equation(problem.equations[0], problem.unknowns)[0]
        except ExtractionError:
            return problem.equations[0]
        if isinstance(equation.left, Name):
            return f"{render(equation.right)}={problem.gold[0][0]}"
    return "; ".join(problem.equations)


def file_of(records: list[dict[str, Any]]) -> str:
    """The XML file of some records; GoldRecordError is raised before, so that it always is well-formed."""
    root = etree.Element("ProblemSet")
    for record in records:
        attributes = {name: str(value) for name, value in record.items() if _is_attribute(name, value)}
        element = etree.SubElement(root, "Problem", attributes)
        for tag in _TAGS:
            child = etree.SubElement(element, tag, record.get(f"{tag}@", {}))
            child.text = record[tag]
    return HEAD + "".join(etree.tostring(child, encoding="unicode", pretty_print=True) for child in root) + TAIL


def _is_attribute(name: str, value: Any) -> bool:
    return name not in _TAGS and isinstance(value, str) and not name.endswith("@")


def check_names(record: dict[str, Any]) -> None:
    """GoldRecordError for characters and names that XML cannot hold."""
    for name, value in record.items():
        names = [name] if _is_attribute(name, value) else list(value) if isinstance(value, dict) else []
        if not all(_NAME.fullmatch(one) for one in names):
            raise GoldRecordError(Reason.NOT_EXPRESSIBLE, "the problem holds a name that XML cannot hold")
        if name.endswith("@") and not (isinstance(value, dict) and all(isinstance(one, str) for one in value.values())):
            raise GoldRecordError(Reason.NOT_EXPRESSIBLE, f"{name} is not a set of attributes")
    inner = [one for value in record.values() if isinstance(value, dict) for one in value.values()]
    for value in [*record.values(), *inner]:
        if isinstance(value, str) and _NOT_XML.search(value):
            raise GoldRecordError(Reason.NOT_EXPRESSIBLE, "the problem holds a character that XML cannot hold")
