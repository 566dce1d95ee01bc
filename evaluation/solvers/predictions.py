"""Predictions of a solver, read from JSON Lines: one object a problem, every line read or refused by name.

``id`` is a problem's id (or its native id in the benchmark). A solver gives what it has: ``template`` with
``alignment`` (a derivation), ``equations`` with numbers filled in, ``solutions``. An alignment entry is ``{slot, start,
end}`` in characters of the question, or ``{coeff, SentenceId, TokenId}`` as in DRAW's files.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from corpus.errors import InputError, store_errors
from corpus.folders.open_files import open_file
from corpus.lines.jsonl import numbered_lines, parse_object
from extractors.extraction_errors import ExtractionError
from extractors.real_numbers.values import approximate, parse_value

MAX_ITEMS = 64

NumberPlace = tuple[str, int, int]
"""``span`` with start and end in characters, or ``token`` with sentence and token."""


@dataclass(frozen=True)
class Prediction:
    """What a solver says of one problem; None where it says nothing."""

    template: tuple[str, ...] | None = None
    alignment: Mapping[str, NumberPlace] = field(default_factory=dict)
    equations: tuple[str, ...] | None = None
    unknowns: tuple[str, ...] | None = None
    solutions: tuple[Fraction, ...] | None = None


@dataclass(frozen=True)
class Predictions:
    """A predictions file: the predictions by id, and the lines that gave none, each with its place and reason."""

    by_id: Mapping[str, Prediction]
    refused: tuple[str, ...] = ()


def read_predictions(path: Path) -> Predictions:
    """The predictions of a file; InputError where it cannot be read. The first prediction of an id counts."""
    found: dict[str, Prediction] = {}
    refused: list[str] = []
    with store_errors("read", str(path)), open_file(path, stream=True) as source:
        for where, line in numbered_lines(source, path.name):
            try:
                name, prediction = read_prediction(parse_object(line, where))
            except InputError as error:
                message = str(error)
                refused.append(message if message.startswith(where) else f"{where}: {message}")
                continue
            if found.setdefault(name, prediction) is not prediction:
                refused.append(f"{where}: a second prediction for {name}; the first one counts")
    return Predictions(found, tuple(refused))


def read_prediction(record: Mapping[str, Any]) -> tuple[str, Prediction]:
    """The id of a problem and what is predicted of it; InputError that names the field that is wrong."""
    identifier = record.get("id")
    if isinstance(identifier, bool) or not isinstance(identifier, str | int) or identifier == "":
        raise InputError("field 'id' must be a text or a whole number")
    template, equations = _texts(record, "template"), _texts(record, "equations")
    solutions = _items(record, "solutions")
    if template is None and equations is None and solutions is None:
        raise InputError("nothing is predicted; give template and alignment, equations, or solutions")
    return str(identifier)[:200], Prediction(
        template=template,
        alignment=_alignment(record),
        equations=equations,
        unknowns=_texts(record, "unknowns"),
        solutions=None if solutions is None else tuple(_value(one) for one in solutions),
    )


def _items(record: Mapping[str, Any], field: str) -> list[Any] | None:
    value = record.get(field)
    if value is None:
        return None
    if not isinstance(value, list) or len(value) > MAX_ITEMS:
        raise InputError(f"field {field!r} must be a list of at most {MAX_ITEMS} entries")
    return value


def _texts(record: Mapping[str, Any], field: str) -> tuple[str, ...] | None:
    values = _items(record, field)
    if values is not None and not all(isinstance(value, str) for value in values):
        raise InputError(f"field {field!r} must be a list of texts")
    return None if values is None else tuple(values)


def _alignment(record: Mapping[str, Any]) -> dict[str, NumberPlace]:
    found: dict[str, NumberPlace] = {}
    for entry in _items(record, "alignment") or []:
        slot, place = _entry(entry)
        if found.setdefault(slot, place) != place:
            raise InputError(f"slot {slot[:20]} is aligned to two numbers")
    return found


def _entry(entry: Any) -> tuple[str, NumberPlace]:
    if isinstance(entry, dict):
        slot = entry.get("slot", entry.get("coeff"))
        for kind, names in (("span", ("start", "end")), ("token", ("SentenceId", "TokenId"))):
            first, second = (entry.get(name) for name in names)
            if isinstance(slot, str) and type(first) is int and type(second) is int:
                return slot, (kind, first, second)
    raise InputError("alignment entries are {slot, start, end} or {coeff, SentenceId, TokenId}")


def _value(value: Any) -> Fraction:
    """A solution as a number or as text such as ``7/2``."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InputError('solutions are one list of numbers, or of texts such as 7/2: [3, "7/2"]')
    text = value if isinstance(value, str) else json.dumps(value)
    try:
        return approximate(parse_value(text))
    except ExtractionError as error:
        raise InputError(f"solution {text[:40]!r} is not a number: {error}") from error
