"""The JSON of Label Studio (https://labelstud.io/guide/task_format): tasks with ``data`` and ``annotations``."""

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from corpus.errors import InputError
from corpus.strict_json import load_json


def studio_tasks(content: bytes, path: Path) -> Iterator[tuple[str, dict[str, Any], list[Any]]]:
    """Each task of an export: where it stands, its ``data``, and its annotations that were not skipped."""
    try:
        tasks = load_json(content)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is neither JSON Lines nor JSON ({str(error)[:120]}); export it again") from error
    if not isinstance(tasks, list):
        raise InputError(f"{path} is no list of tasks; export tasks as JSON")
    for number, task in enumerate(tasks, start=1):
        where = f"{path} task {number}"
        data = task.get("data") if isinstance(task, dict) else None
        if not isinstance(data, dict):
            raise InputError(f"{where}: no 'data'; export tasks as JSON, not as JSON-MIN or CSV")
        given = studio_list(task, "annotations", where)
        yield where, data, [one for one in given if not (isinstance(one, dict) and one.get("was_cancelled"))]


def studio_list(record: Any, field: str, where: str) -> list[Any]:
    """A field that is a list, empty where it lacks."""
    value = record.get(field) if isinstance(record, dict) else None
    if value is None:
        return []
    if not isinstance(value, list):
        raise InputError(f"{where}: {field!r} is not a list; export tasks as JSON")
    return value


def studio_values(annotation: Any, from_name: str, kind: str, where: str) -> list[Any]:
    """What an annotation says in one control: its ``choices``, or the lines of its ``text``."""
    found = []
    for result in studio_list(annotation, "result", where):
        if isinstance(result, dict) and result.get("from_name") == from_name:
            found += studio_list(result.get("value"), kind, where)
    return found


def studio_choices(annotation: Any, from_name: str, allowed: Collection[str], where: str) -> list[str]:
    """The choices of an annotation; InputError for one that there is not."""
    found = studio_values(annotation, from_name, "choices", where)
    for choice in found:
        if choice not in allowed:
            raise InputError(f"{where}: choice {str(choice)[:40]!r}; there are: {', '.join(allowed)}")
    return found


def studio_result(from_name: str, to_name: str, kind: str, values: list[str]) -> Mapping[str, Any]:
    """What one control of an annotation says; ``kind`` is ``choices`` or ``text``."""
    control = {"choices": "choices", "text": "textarea"}[kind]
    return {"from_name": from_name, "to_name": to_name, "type": control, "value": {kind: values}}
