"""The JSON of Label Studio (https://labelstud.io/guide/task_format): tasks with ``data`` and ``annotations``.

A file of it was written elsewhere. It is checked whole before anything is made of it: what is read of a task has the
type that it is said to have, every text can be written as UTF-8, and what is not read may be anything.
"""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from corpus.errors import InputError
from corpus.jsonl import MAX_LINE
from corpus.sheet_lines import parsed
from corpus.strict_json import load_json

MOST_NUMBER: Final = 2**63 - 1
StudioText = Annotated[str, Field(max_length=MAX_LINE)]
"""A text within bounds. Of a text without bounds pydantic would not say that it holds half a character."""


class StudioPart(BaseModel):
    """Base of what is read of an export; other fields are left unread."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


PartT = TypeVar("PartT", bound=StudioPart)


class Annotator(StudioPart):
    """Who annotated: exports tell people by number, by mail address, or by both in a record."""

    id: int | None = Field(None, ge=0, le=MOST_NUMBER, strict=True)
    email: StudioText | None = None

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, given: Any) -> Any:
        """A number or an address that stands for the record."""
        names = {int: "id", str: "email"}
        return {names[type(given)]: given} if type(given) in names else given


class _ControlSaid(StudioPart):
    """What one control of the interface says, whichever it is."""

    from_name: StudioText | None = None
    value: Any = None


class _ChoicesSaid(StudioPart):
    choices: list[StudioText] | None = None


class _LinesSaid(StudioPart):
    text: list[StudioText] | None = None


class Annotation(StudioPart):
    """What somebody said of a task."""

    completed_by: Annotator | None = None
    result: list[_ControlSaid] | None = None
    was_cancelled: bool | None = Field(None, strict=True)

    def choices(self, from_name: str, allowed: Collection[str], where: str) -> list[str]:
        """What was chosen in one control; InputError for a choice that there is not."""
        found = [choice for part in self._of(from_name, _ChoicesSaid, where) for choice in part.choices or ()]
        for choice in found:
            if choice not in allowed:
                raise InputError(f"{where}: choice {choice[:40]!r}; there are: {', '.join(allowed)}")
        return found

    def text(self, from_name: str, where: str) -> str:
        """What was written into one control."""
        return "\n".join(line for part in self._of(from_name, _LinesSaid, where) for line in part.text or ())

    def _of(self, from_name: str, kind: type[PartT], where: str) -> list[PartT]:
        said = (one.value for one in self.result or () if one.from_name == from_name)
        return [checked(kind, where, value) for value in said if value is not None]


class _Task(StudioPart):
    data: dict[str, Any]
    annotations: list[Annotation] | None = None


def studio_tasks(content: bytes, path: Path, kind: type[PartT]) -> list[tuple[str, PartT, list[Annotation]]]:
    """Each task of an export: where it stands, its ``data``, and its annotations that were not skipped.

    InputError for a file that is no such export, whichever part of it.
    """
    try:
        tasks = load_json(content)
    except ValueError as error:
        raise InputError(f"{path} is neither JSON Lines nor JSON ({str(error)[:120]}); export it again") from error
    if not isinstance(tasks, list):
        raise InputError(f"{path} is no list of tasks; export tasks as JSON")
    found = []
    for number, given in enumerate(tasks, start=1):
        where = f"{path} task {number}"
        if not isinstance(given, dict) or not isinstance(given.get("data"), dict):
            raise InputError(f"{where}: no 'data'; export tasks as JSON, not as JSON-MIN or CSV")
        task = checked(_Task, where, given)
        annotations = [one for one in task.annotations or () if not one.was_cancelled]
        found.append((where, checked(kind, where, task.data), annotations))
    return found


def checked(kind: type[PartT], where: str, value: Any) -> PartT:
    """What is read of a part of an export; InputError with the place and the field."""
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        fault = error.errors()[0]
        if fault["type"] == "list_type":
            field = ".".join(map(str, fault["loc"]))
            raise InputError(f"{where}: {field!r} is not a list; export tasks as JSON") from error
    return parsed(kind, where, value, "a task of Label Studio")


def studio_result(from_name: str, to_name: str, kind: str, values: list[str]) -> Mapping[str, Any]:
    """What one control of an annotation says; ``kind`` is ``choices`` or ``text``."""
    control = {"choices": "choices", "text": "textarea"}[kind]
    return {"from_name": from_name, "to_name": to_name, "type": control, "value": {kind: values}}
