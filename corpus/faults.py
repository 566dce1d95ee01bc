"""What is wrong with a record that was read from outside, in plain words: which field, and why."""

import difflib
from collections.abc import Iterable, Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

SHOWN = 60
"""Characters of an unknown name that a message repeats."""
_PLAIN = {
    "missing": "missing",
    "string_type": "must be a text",
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
    "tuple_type": "must be a list",
    "model_type": "must be a group of fields",
    "dict_type": "must be a group of fields",
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
    "greater_than": "must be more than {gt:g}",
    "greater_than_equal": "must be at least {ge:g}",
    "less_than": "must be less than {lt:g}",
    "less_than_equal": "must be at most {le:g}",
    "string_too_long": "must have at most {max_length} characters",
    "string_pattern_mismatch": "must match the pattern {pattern}",
}
"""The faults that records have most, by pydantic's name of their kind; any other is told in its words."""


def first_fault(error: ValidationError, model: type[BaseModel]) -> tuple[str, str]:
    """The place of the first fault, ``table.field`` (empty for the record itself), and what is wrong there.

    >>> from corpus.records import CleaningStep
    >>> def fault(fields):
    ...     try:
    ...         CleaningStep.model_validate(fields)
    ...     except ValidationError as error:
    ...         return first_fault(error, CleaningStep)
    >>> fault({"name": "chatter", "edits": [{"start": 0, "end": 3, "replacment": ""}]})
    ('edits.0.replacement', 'missing')
    >>> fault({"name": "chatter", "edits": [{"start": 0, "end": 3, "replacement": "", "stop": 3}]})
    ('edits.0', "unknown field 'stop'; there are: start, end, replacement")
    >>> fault({"name": "chatter", "edits": [], "names": "x"})
    ('', "unknown field 'names'; did you mean 'name'?")
    """
    first = error.errors()[0]
    if first["type"] != "extra_forbidden":
        return _dotted(first["loc"]), _plain(first)
    *place, name = first["loc"]
    return _dotted(place), _unknown(str(name), _fields(model, place))


def fault_line(error: ValidationError, model: type[BaseModel]) -> str:
    """The same in one line: ``table.field: what is wrong``."""
    return ": ".join(filter(None, first_fault(error, model)))


def _plain(fault: ErrorDetails) -> str:
    plain = _PLAIN.get(fault["type"])
    return fault["msg"] if plain is None else plain.format(**fault.get("ctx", {}))


def _dotted(place: Iterable[int | str]) -> str:
    return ".".join(map(str, place))


def _unknown(name: str, known: Sequence[str]) -> str:
    meant = difflib.get_close_matches(name[:SHOWN], known, n=1)
    hint = f"did you mean {meant[0]!r}?" if meant else f"there are: {', '.join(known)}"
    return f"unknown field {name[:SHOWN]!r}; {hint}"


def _fields(model: type[BaseModel], place: Sequence[int | str]) -> Sequence[str]:
    """The fields of the record at a place within another one; keys of mappings and indexes lead to their values."""
    for part in place:
        field = model.model_fields.get(str(part))
        model = _record_in(field.annotation) or model if field is not None else model
    return list(model.model_fields)


def _record_in(annotation: Any) -> type[BaseModel] | None:
    """The record that a field holds: itself, or the first within an optional, a tuple or a mapping."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _record_in(part))), None)
