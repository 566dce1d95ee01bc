"""The stages as functions of one JSON record: what ``wordquarry stage NAME`` computes for each line.

A function takes the record as read and returns the fields of the answer. It raises InputError where the record lacks
what the stage needs, and ExtractionError where that is there but malformed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from corpus.config import BuildConfig, StageConfig
from corpus.errors import InputError
from corpus.jsonl import fields_of
from curation.reconciliation import template_id
from curation.stages.classify_stage import refusal
from curation.stages.templates_stage import template_record
from extractors.answers.parsing import parse_answer
from extractors.equations.thread_equations import AnswerSystem
from extractors.extraction_errors import MAX_TEXT
from extractors.quantities.numbers import find_numbers
from extractors.questions.question_types import type_of
from extractors.real_numbers.values import Value, format_value
from extractors.solve.solving import solve_texts
from extractors.text.cleaning import clean_question
from models.counts import likeliest
from models.tag_terms import TaggedText
from models.thread_reading import ThreadReader, ThreadReading

JsonRecord = Mapping[str, Any]
MAX_ANSWERS = 500
ConfigT = TypeVar("ConfigT", bound=StageConfig)


@dataclass(frozen=True)
class RecordContext:
    """What a line function may need besides the record: models by name, and the configuration of the build in which it
    is a stage."""

    model: Callable[[str], Any]
    config: BuildConfig = field(default_factory=BuildConfig)


RecordFunction = Callable[[JsonRecord, RecordContext], dict[str, Any]]


def text_of(record: JsonRecord, field: str) -> str:
    """A text field; InputError if it is missing, not a string, or beyond the bound."""
    value = record.get(field)
    if not isinstance(value, str):
        raise InputError(f"field {field!r} must be a string; it is {_kind(value, record)}")
    if len(value) > MAX_TEXT:
        raise InputError(f"field {field!r} has {len(value)} characters; the limit is {MAX_TEXT}")
    return value


def _kind(value: object, record: JsonRecord) -> str:
    return f"missing ({fields_of(record)})" if value is None else f"a {type(value).__name__}"


def strings_of(record: JsonRecord, field: str) -> list[str]:
    """A list-of-strings field; InputError otherwise."""
    value = record.get(field)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InputError(f"field {field!r} must be a list of strings; it is {_kind(value, record)}")
    return value


def answers_of(record: JsonRecord) -> list[str]:
    """The texts of ``answers[{text}]``; InputError naming the answer that has none."""
    value = record.get("answers")
    if not isinstance(value, list) or len(value) > MAX_ANSWERS:
        what = f"it is {_kind(value, record)}" if not isinstance(value, list) else f"it has {len(value)}"
        raise InputError(f"field 'answers' must be a list of at most {MAX_ANSWERS} objects with a text; {what}")
    texts = [answer.get("text") if isinstance(answer, dict) else None for answer in value]
    for number, text in enumerate(texts):
        if not isinstance(text, str) or len(text) > MAX_TEXT:
            raise InputError(f"answers[{number}] needs a text of at most {MAX_TEXT} characters")
    return [str(text) for text in texts]


def numbers(record: JsonRecord, _context: RecordContext) -> dict[str, Any]:
    """``text`` -> ``numbers`` [{value, start, end, raw, kind, unit}]."""
    found = find_numbers(text_of(record, "text"))
    return {
        "numbers": [
            {
                "value": format_value(number.value),
                "start": number.start,
                "end": number.end,
                "raw": number.raw,
                "kind": number.kind,
                "unit": number.unit,
            }
            for number in found
        ]
    }


def parse_answer_line(record: JsonRecord, _context: RecordContext) -> dict[str, Any]:
    """``text``, an answer string -> ``alternatives`` [[value]]."""
    alternatives = parse_answer(text_of(record, "text"))
    return {"alternatives": [[format_value(value) for value in values] for values in alternatives]}


def _solutions(unknowns: Sequence[str], solutions: Sequence[Sequence[Value]]) -> list[dict[str, str]]:
    return [
        {unknown: format_value(value) for unknown, value in zip(unknowns, values, strict=True)} for values in solutions
    ]


def solve_line(record: JsonRecord, _context: RecordContext) -> dict[str, Any]:
    """``equations``, ``unknowns``? -> ``status``, ``unknowns``, ``solutions`` [{unknown: value}]."""
    wanted = strings_of(record, "unknowns") if record.get("unknowns") is not None else None
    result = solve_texts(strings_of(record, "equations"), wanted)
    return {
        "status": str(result.status),
        "unknowns": list(result.unknowns),
        "solutions": _solutions(result.unknowns, result.solutions),
        "detail": result.detail or None,
    }


def _candidate(system: AnswerSystem, texts: Sequence[str]) -> dict[str, Any]:
    text = texts[system.answer]
    return {
        "answer": system.answer,
        "equations": list(system.equations),
        "unknowns": list(system.unknowns),
        "solutions": _solutions(system.unknowns, system.solutions),
        "status": str(system.status),
        "spans": [{"start": start, "end": end, "raw": text[start:end]} for start, end in system.spans],
    }


def _thread(record: JsonRecord, context: RecordContext) -> tuple[list[str], ThreadReading]:
    texts, config = answers_of(record), context.config.read
    question = clean_question(text_of(record, "question")).text
    reader = ThreadReader(context.model("systems"), context.model("answers"))
    return texts, reader.read(question, texts, config.min_votes, config.min_probability)


def equations(record: JsonRecord, context: RecordContext) -> dict[str, Any]:
    """``question``, ``answers`` -> the core of the likeliest system, what is asked as expressions over its unknowns,
    its solutions with the values of what the answer derives, its probability and votes, and every answer's candidate.
    """
    texts, (_, found, _) = _thread(record, context)
    core = found.core
    return {
        "equations": None if found.equations is None else list(core.equations),
        "unknowns": list(core.unknowns),
        "asked": list(core.asked),
        "solutions": [
            {name: format_value(value) for name, value in solution.items()}
            for solution in core.solutions(found.unknowns, found.solutions)
        ],
        "probability": round(found.probability, 12),
        "votes": list(found.votes),
        "candidates": [_candidate(system, texts) for system in found.candidates],
        "note": found.note,
    }


def _alone(config: ConfigT, gate: str) -> ConfigT:
    """The table of a stage that is run alone: no publication model decides behind it, so that its gate is the model's
    own threshold unless a configuration names another."""
    return config if gate in config.model_fields_set else config.model_copy(update={gate: None})


def classify(record: JsonRecord, context: RecordContext) -> dict[str, Any]:
    """``question``, ``answers`` -> ``in_scope``, ``probability`` (0..1), likeliest outcome, and the question's type."""
    question, texts = clean_question(text_of(record, "question")).text, answers_of(record)
    scope = context.model("posts").scope(question, texts)
    return {
        "in_scope": refusal(question, texts, scope, _alone(context.config.classify, "min_probability")) is None,
        "probability": round(scope.probability, 12),
        "outcome": scope.outcome,
        "question_type": type_of(question).type,
    }


def answers(record: JsonRecord, context: RecordContext) -> dict[str, Any]:
    """``question``, ``answers`` -> ``answer`` [value] or null, ``asked_count``, ``confidence``, the best five."""
    _, (ranking, found, _) = _thread(record, context)
    config = _alone(context.config.read, "min_confidence")
    return {
        "answer": list(ranking.values) if ranking.sure(config.min_confidence) else None,
        "asked_count": likeliest(found.asked_counts),
        "confidence": round(ranking.confidence, 12),
        "ranked": [{"answer": list(values), "score": round(score, 12)} for values, score in ranking.ranked[:5]],
    }


def templates(record: JsonRecord, context: RecordContext) -> dict[str, Any]:
    """``question`` and ``equations``, or ``template`` alone -> template, alignment, ambiguity and template id."""
    if record.get("template") is not None:
        template = strings_of(record, "template")
        key = template_id(template, context.config.templates.semantics)
        return {"template": template, "alignment": [], "ambiguous": False, "template_id": key}
    question = text_of(record, "question")
    unknowns = strings_of(record, "unknowns") if record.get("unknowns") is not None else None
    system = (strings_of(record, "equations"), unknowns)
    found = template_record("", question, find_numbers(question), system, context.config.templates.semantics)
    return {
        "template": None if found.template is None else list(found.template),
        "alignment": [slot.model_dump() for slot in found.alignment],
        "ambiguous": found.ambiguous,
        "template_id": found.template_id,
        "equivalent_numbers": [list(group) for group in found.equivalent_numbers],
        "note": found.note,
    }


def tags(record: JsonRecord, context: RecordContext) -> dict[str, Any]:
    """``question``, ``equations``?, ``unknowns``?, ``solved``? -> problem type and grade with probabilities, and
    difficulty; ``solved`` says of each solver whether it solves the problem, and becomes the share of those that do.
    """
    solved = record.get("solved") or []
    if not isinstance(solved, list) or not all(isinstance(one, bool) for one in solved):
        raise InputError(f"field 'solved' must be a list of true and false; it is {_kind(solved, record)}")
    given = [strings_of(record, name) if record.get(name) is not None else () for name in ("equations", "unknowns")]
    found = context.model("tags").row(TaggedText(text_of(record, "question"), *given))
    return {**found, "difficulty_solved": round(sum(solved) / len(solved), 12) if solved else None}


RECORD_FUNCTIONS: dict[str, RecordFunction] = {
    "classify": classify,
    "equations": equations,
    "answers": answers,
    "solve": solve_line,
    "parse-answer": parse_answer_line,
    "numbers": numbers,
    "templates": templates,
    "tags": tags,
}
