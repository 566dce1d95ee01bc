"""Label files: JSON Lines of ``corpus.records.Label``, read and checked in one place."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from corpus.canonical import canonical_json
from corpus.errors import InputError
from corpus.faults import first_fault
from corpus.lines.jsonl import file_objects
from corpus.records import Label, ScopeOutcome


def read_labels(paths: Sequence[Path]) -> list[Label]:
    """Labels from JSON Lines, sorted by post id; a folder stands for its ``*.jsonl``.

    Raises InputError that names the file, and the line of a label that is malformed or contradicts another one of the
    same post; and where there are no labels at all.
    """
    found: dict[str, tuple[str, Label]] = {}
    files = [file for path in paths for file in (sorted(path.glob("*.jsonl")) if path.is_dir() else [path])]
    for path in files:
        for where, record in file_objects(path, "labels"):
            label = label_from(record, where)
            place, held = found.setdefault(label.post_id, (where, label))
            if held != label:
                raise InputError(f"{where}: {label.post_id} has another label at {place}; keep one of the two")
    if not found:
        names = ", ".join(map(str, paths)) or "no file"
        raise InputError(f"no labels in {names}; expected JSON Lines with post_id, in_scope and gold_answer")
    return [found[post_id][1] for post_id in sorted(found)]


def label_from(record: Mapping[str, Any], where: str) -> Label:
    """A label from one JSON record; InputError with ``where`` in front if a field is missing or contradicts another.

    Either of ``in_scope`` and ``scope_reason`` may be left out: out of scope without a reason is ``not_math``.

    >>> label_from({"post_id": "a:1", "in_scope": True, "gold_answer": ["7/2"]}, "labels.jsonl:1").scope_reason
    'ok'
    """
    fields = dict(record)
    if fields.get("in_scope") is None and fields.get("scope_reason") is None:
        raise InputError(f"{where}: label field in_scope: required where there is no scope_reason; add one of them")
    if fields.get("scope_reason") is None:
        fields["scope_reason"] = ScopeOutcome.OK if fields["in_scope"] else ScopeOutcome.NOT_MATH
    if fields.get("in_scope") is None:
        fields["in_scope"] = fields["scope_reason"] == ScopeOutcome.OK
    label = _checked(fields, where)
    if not label.post_id:
        raise InputError(f"{where}: label field post_id: empty; name the post")
    if label.in_scope != (label.scope_reason is ScopeOutcome.OK):
        raise InputError(
            f"{where}: {label.post_id} says in_scope {label.in_scope}, scope_reason '{label.scope_reason}'; correct one"
        )
    return label


def _checked(fields: Mapping[str, Any], where: str) -> Label:
    try:
        return Label.model_validate(fields)
    except ValidationError as error:
        field, message = first_fault(error, Label)
        raise InputError(f"{where}: label {f'field {field}: ' if field else ''}{message}") from error


def unique_labels(labels: Iterable[Label]) -> dict[str, Label]:
    """Labels by post id; InputError where two labels of one post contradict each other."""
    found: dict[str, Label] = {}
    for label in labels:
        if found.setdefault(label.post_id, label) != label:
            raise InputError(f"two labels of {label.post_id} contradict each other; keep one")
    return found


def label_lines(labels: Iterable[Label]) -> str:
    """The text of a labels file: one canonical JSON object a line, by post id."""
    ordered = sorted(labels, key=lambda label: label.post_id)
    return "".join(canonical_json(label.model_dump(mode="json")) + "\n" for label in ordered)
