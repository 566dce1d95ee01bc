"""Problems of published corpora: one record for all formats, and what reading a corpus gives.

A ``GoldProblem`` holds what the formats have in common in the project's own terms, and beside it what its file says in
its own words, so that a file that is read and written again in its own format says the same. Fields of foreign records
are checked: one that is missing or of another type refuses its record.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pydantic import Field, JsonValue

from corpus.errors import InputError
from corpus.lines.jsonl import fields_of
from corpus.reasons import Reason
from corpus.records import Record, SlotAlignment
from extractors.answers.parsing import parse_answer
from extractors.real_numbers.values import format_value

_ENDED = re.compile(r"\W\Z")


class GoldNumber(Record):
    """A textual number: its value and its characters in the question."""

    value: str
    start: int
    end: int


class GoldProblem(Record):
    """One problem of a corpus with its gold labels. Empty texts and tuples mean: the corpus does not say.

    ``gold`` are alternatives of exact values; ``equations`` are in the notation of our grammar with numbers filled in,
    and without ``unknowns`` every name in them is one; ``formula`` and ``answer`` are as the file writes them;
    ``notes`` name the parts of the record that were not understood.
    """

    problem_id: str = Field(description="format:native id; the second record of an id has #2 behind it")
    native_id: str
    origin: str = Field(description="name of the format it was read from")
    question: str = ""
    parts: tuple[str, ...] = Field((), description="body and question as written, where the file keeps them apart")
    answer: str = ""
    gold: tuple[tuple[str, ...], ...] = ()
    equations: tuple[str, ...] = ()
    unknowns: tuple[str, ...] = ()
    formula: str = ""
    kind: str = Field("", description="solution type or category")
    options: tuple[str, ...] = ()
    correct: int | None = Field(None, description="index of the keyed option")
    rationale: str = ""
    template: tuple[str, ...] = ()
    template_id: str | None = None
    alignment: tuple[SlotAlignment, ...] = ()
    equivalent_numbers: tuple[tuple[GoldNumber, ...], ...] = ()
    ambiguous: bool | None = None
    linear: bool | None = None
    license: str | None = None
    url: str | None = None
    notes: tuple[str, ...] = ()
    details: dict[str, JsonValue] = Field({}, description="what only this format has")


@dataclass(frozen=True)
class RefusedRecord:
    """A record that gave no problem (or a problem that a format cannot hold): where it stands and why."""

    where: str
    reason: Reason
    detail: str
    record_id: str | None = None

    def __str__(self) -> str:
        return f"{self.where}: {self.detail} ({self.reason.value})"


@dataclass(frozen=True)
class Corpus:
    """A corpus that was read: ``records == len(problems) + len(refused)``; ``origin`` is its format."""

    name: str
    origin: str
    records: int
    problems: tuple[GoldProblem, ...]
    refused: tuple[RefusedRecord, ...] = ()
    license: str | None = None

    def __post_init__(self) -> None:
        assert self.records == len(self.problems) + len(self.refused), "every record is read or refused"


def joined(body: str, question: str) -> str:
    """Body and question as one text; a body that lost its last point before a new sentence gets one.

    >>> joined("Tom had 9 pens ", "How many has he?"), joined("If he eats 4,", "how many are left?")
    ('Tom had 9 pens. How many has he?', 'If he eats 4, how many are left?')
    """
    body, question = body.strip(), question.strip()
    lost = bool(body) and not _ENDED.search(body) and question[:1].isupper()
    return f"{body}{'.' * lost} {question}".strip()


MAX_TEXT = 100_000
MAX_ITEMS = 1_000
MAX_DIGITS = 400
MAX_DEPTH = 50
_SURROGATE = re.compile("[\ud800-\udfff]")


class GoldRecordError(InputError):
    """One record cannot be read or one problem not written; ``reason`` says which rule it breaks."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def checked(value: Any, name: str) -> str:
    """A text within bounds."""
    if not isinstance(value, str):
        raise GoldRecordError(Reason.WRONG_FIELD, f"{name} is a {type(value).__name__}, not a text")
    if len(value) > MAX_TEXT:
        raise GoldRecordError(
            Reason.RECORD_TOO_LARGE, f"{name} has {len(value)} characters; at most {MAX_TEXT} are read"
        )
    if _SURROGATE.search(value):
        raise GoldRecordError(Reason.WRONG_FIELD, f"{name} holds half a character (a lone surrogate)")
    return value


def check_whole(record: Mapping[str, Any]) -> None:
    """GoldRecordError for what no field may hold, also an unknown one: deep nests and half characters."""
    layer: list[Any] = [record]
    for _ in range(MAX_DEPTH):
        layer = [inner for one in layer for inner in _inside(one)]
    if layer:
        raise GoldRecordError(Reason.RECORD_TOO_LARGE, f"a field is nested more than {MAX_DEPTH} deep")
    try:
        json.dumps(record, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise GoldRecordError(Reason.WRONG_FIELD, "a field holds half a character (a lone surrogate)") from error


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list) else ()


def required(record: Mapping[str, Any], name: str) -> Any:
    """A field that has to be there."""
    if record.get(name) is None:
        raise GoldRecordError(Reason.MISSING_FIELD, f"no {name}; {fields_of(record)}")
    return record[name]


def text(record: Mapping[str, Any], name: str, default: str | None = None) -> str:
    """A field that is a text; it has to be there unless a default is given."""
    if default is not None and record.get(name) is None:
        return default
    return checked(required(record, name), name)


def asked(record: Mapping[str, Any], *names: str) -> str:
    """What a record asks: its one text, or body and question as one; the body may be missing."""
    *body, question = names
    return joined(" ".join(text(record, name, "") for name in body), text(record, question))


def items(record: Mapping[str, Any], name: str) -> list[Any]:
    """A field that is a list."""
    value = required(record, name)
    if not isinstance(value, list):
        raise GoldRecordError(Reason.WRONG_FIELD, f"{name} is a {type(value).__name__}, not a list")
    if len(value) > MAX_ITEMS:
        raise GoldRecordError(Reason.RECORD_TOO_LARGE, f"{name} has {len(value)} items; at most {MAX_ITEMS} are read")
    return value


def texts(record: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """A field that is a list of texts."""
    return tuple(checked(item, f"{name}[{place}]") for place, item in enumerate(items(record, name)))


def exact(value: Any, name: str) -> str:
    """A JSON number as an exact value: the decimal that it prints."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise GoldRecordError(Reason.WRONG_FIELD, f"{name} is a {type(value).__name__}, not a number")
    try:
        digits = repr(value)
    except ValueError:  # a whole number of more digits than the interpreter prints
        digits = ""
    if not digits or len(digits) > MAX_DIGITS:
        raise GoldRecordError(Reason.RECORD_TOO_LARGE, f"{name} has more than {MAX_DIGITS} digits")
    return format_value(Fraction(digits))


def index(value: Any, name: str) -> int:
    """A whole number from 0 on."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_TEXT:
        raise GoldRecordError(Reason.WRONG_FIELD, f"{name} is not a place in a text")
    return value


def identifier(record: Mapping[str, Any], name: str) -> str:
    """An id: a text or a whole number."""
    value = required(record, name)
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise GoldRecordError(Reason.WRONG_FIELD, f"{name} is a {type(value).__name__}, not an id")
    if isinstance(value, int):
        return exact(value, name)
    if not value.strip() or len(value) > MAX_DIGITS:
        raise GoldRecordError(Reason.WRONG_FIELD, f"{name} is empty or longer than {MAX_DIGITS} characters")
    return checked(value, name)


def alternatives(answer: str) -> tuple[tuple[str, ...], ...]:
    """The alternatives of an answer string, values in text form."""
    return tuple(tuple(format_value(value) for value in values) for values in parse_answer(answer))


def as_number(value: str, name: str) -> int | float:
    """A value as a JSON number, whole or the nearest floating-point one; GoldRecordError for one beyond those."""
    try:
        whole = Fraction(value)
        return int(whole) if whole.denominator == 1 else float(whole)
    except (ValueError, OverflowError) as error:
        raise GoldRecordError(
            Reason.NOT_EXPRESSIBLE, f"{name} {value[:40]} is not a number that the format can hold"
        ) from error


def only_value(gold: tuple[tuple[str, ...], ...]) -> str:
    """The one value of a gold answer; GoldRecordError where there are several or none."""
    if len(gold) != 1 or len(gold[0]) != 1:
        raise GoldRecordError(Reason.NOT_EXPRESSIBLE, "the format needs exactly one answer value")
    return gold[0][0]
