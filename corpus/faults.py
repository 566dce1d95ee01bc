"""What is wrong with a record that was read from outside, in plain words: which field, and why."""

import difflib
from collections.abc import Iterable, Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

SHOWN = 60
"""Characters of an unknown name that a message repeats."""


def first_fault(error: ValidationError, model: type[BaseModel]) -> tuple[str, str]:
    """The place of the first fault, ``table.field`` (empty for the record itself), and what is wrong there.

    >>> from corpus.records import CleaningStep
    >>> def fault(fields):
    ...     try:
    ...         CleaningStep.model_validate(fields)
    ...     except ValidationError as error:
    ...         return first_fault(error, CleaningStep)
    >>> fault({"name": "chatter", "edits": [{"start": 0, "end": 3, "replacment": ""}]})
    ('edits.0.replacement', 'Field required')
    >>> fault({"name": "chatter", "edits": [{"start": 0, "end": 3, "replacement": "", "stop": 3}]})
    ('edits.0', "unknown field 'stop'; there are: start, end, replacement")
    >>> fault({"name": "chatter", "edits": [], "names": "x"})
    ('', "unknown field 'names'; did you mean 'name'?")
    """
    first = error.errors()[0]
    if first["type"] != "extra_forbidden":
        return _dotted(first["loc"]), first["msg"]
    *place, name = first["loc"]
    return _dotted(place), _unknown(str(name), _fields(model, place))


def fault_line(error: ValidationError, model: type[BaseModel]) -> str:
    """The same in one line: ``table.field: what is wrong``."""
    return ": ".join(filter(None, first_fault(error, model)))


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
