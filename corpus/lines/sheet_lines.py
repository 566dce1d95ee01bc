"""What the sheets that people fill in have in common: JSON Lines of checked records, with notes of bounded length."""

import io
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from corpus.errors import InputError, store_errors
from corpus.faults import first_fault
from corpus.folders.open_files import read_file
from corpus.lines.jsonl import numbered_lines, parse_object

LineT = TypeVar("LineT", bound=BaseModel)
MAX_NOTE: Final = 2000
"""Characters of a note, by code points; pages cut at the same length."""


def content_of(path: Path) -> bytes:
    """The bytes of a sheet; StoreError if it cannot be read."""
    with store_errors("read", str(path)):
        return read_file(path)


def object_lines(content: bytes, path: Path) -> list[tuple[str, dict[str, Any]]]:
    """Each line of a sheet as ``path:line`` and its object; InputError for a line that is none."""
    return [(where, parse_object(line, where)) for where, line in numbered_lines(io.BytesIO(content), str(path))]


def parsed(kind: type[LineT], where: str, fields: Any, what: str) -> LineT:
    """A record from its fields; InputError with the place, the field and ``what`` a line there has to be."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        field, message = first_fault(error, kind)
        field = field or "record"
        if error.errors()[0]["type"] == "string_unicode":
            raise InputError(
                f"{where}: {field} holds half a character (a lone surrogate such as \\ud83d); delete it"
            ) from error
        raise InputError(f"{where}: {field}: {message}; this is not {what}") from error
