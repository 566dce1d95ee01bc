"""Benchmark files as records: bounded, UTF-8 only, a JSON list or JSON Lines, ASDiv's XML or AI2's lines."""

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from corpus.benchmarks import asdiv
from corpus.benchmarks.fields import MAX_DIGITS
from corpus.benchmarks.format_registry import Format
from corpus.errors import InputError
from corpus.jsonl import parse_object
from corpus.open_files import open_file
from corpus.strict_json import doubled_key, load_json

MAX_FILE = 256 * 1024 * 1024
_OTHER_ENCODINGS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16", b"\x1f\x8b": "gzip", b"PK": "zip"}

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,40})(?:\.[0-9]{1,40})?")

BenchmarkRow = tuple[str, dict[str, Any] | InputError]
"""Where a record stands, and the record or what is wrong with it."""


def read_text(path: Path) -> str:
    """A file's text; InputError for one that cannot be read, is too large, or is not UTF-8."""
    try:
        with open_file(path) as file:
            content = file.read(MAX_FILE + 1)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}; check the path") from error
    if len(content) > MAX_FILE:
        raise InputError(f"{path} has more than {MAX_FILE} bytes; split it")
    for mark, kind in _OTHER_ENCODINGS.items():
        if content.startswith(mark):
            raise InputError(f"{path} is {kind}, not UTF-8 text; convert or unpack it")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not UTF-8: byte {error.start} is {content[error.start]:#04x}; save it as UTF-8"
        ) from error


def rows_of(path: Path, chosen: Format) -> list[BenchmarkRow]:
    """The records of a file with their places; InputError where the file as a whole cannot be one of that format."""
    content = read_text(path)
    start = content.lstrip()[:1]
    if not start:
        raise InputError(f"{path} is empty; expected {chosen.title} records")
    if chosen.container == "xml":
        if start != "<":
            raise InputError(f"{path} is not an XML file, so it is not {chosen.title}; give another format")
        records: Sequence[Any] = asdiv.records_of(content, str(path))
        return [(f"{path}: Problem {number}", record) for number, record in enumerate(records, 1)]
    if start == "<":
        raise InputError(f"{path} is XML, so it is not {chosen.title}; is it asdiv?")
    if chosen.container == "triples" and start not in "[{":
        return _triples(content, path)
    return _listed(content, path) if start == "[" else _lines(content, path)


def _triples(content: str, path: Path) -> list[BenchmarkRow]:
    """Records of three lines: question, answer and equation (AI2, Hosseini et al., EMNLP 2014)."""
    lines = [(number, line.strip()) for number, line in enumerate(content.split("\n"), 1) if line.strip()]
    rows: list[BenchmarkRow] = []
    for place in range(0, len(lines), 3):
        (number, question), *rest = lines[place : place + 3]
        where = f"{path}:{number}"
        answer, equation = [text for _, text in rest] if len(rest) == 2 else ("", "")
        if _NUMBER.fullmatch(answer):
            record = {"iIndex": place // 3 + 1, "sQuestion": question, "lEquations": [equation]}
            rows.append((where, {**record, "lSolutions": [load_json(answer)]}))
        else:
            rows.append((where, InputError("not three lines: question, answer as a number, equation")))
    return rows


def _listed(content: str, path: Path) -> list[BenchmarkRow]:
    try:
        records = json.loads(content, parse_int=_whole, object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise InputError(f"{path} is not a JSON list of records: {reason}") from error
    return [_row(f"{path}: record {number}", record) for number, record in enumerate(records, 1)]


@dataclass(frozen=True)
class _Doubled:
    """In place of an object that holds a key twice: it refuses its record, not the file."""

    key: str


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | _Doubled:
    key = doubled_key(pairs)
    return _Doubled(key) if key else dict(pairs)


def _refuse_doubled(value: _Doubled) -> NoReturn:
    raise InputError(f"the key {value.key} comes twice in one object; keep one of the two")


def _whole(digits: str) -> int | float:
    """A whole number; one that the interpreter would not print again is infinite, so that its record is refused."""
    return int(digits) if len(digits) <= MAX_DIGITS else math.inf


def _row(where: str, record: Any) -> BenchmarkRow:
    """A record of a list; NaN, infinities and numbers beyond the range refuse the record, not the file."""
    try:
        json.dumps(record, allow_nan=False, default=_refuse_doubled)
    except InputError as error:
        return where, error
    except RecursionError:
        return where, InputError("nested too deeply")
    except ValueError:
        return where, InputError("a number that is not finite, or beyond the range")
    if not isinstance(record, dict):
        return where, InputError(f"a JSON {type(record).__name__}, not an object")
    return where, record


def _lines(content: str, path: Path) -> list[BenchmarkRow]:
    rows: list[BenchmarkRow] = []
    for number, line in enumerate(content.split("\n"), 1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            rows.append((where, parse_object(line, where)))
        except InputError as error:
            rows.append((where, error))
    return rows


def corpus_text(records: Sequence[dict[str, Any]], chosen: Format) -> str:
    """The file of some records, in the container of the format, one record a line or element."""
    if chosen.container == "xml":
        return asdiv.file_of(list(records))
    lines = [json.dumps(record, ensure_ascii=False, allow_nan=False) for record in records]
    if chosen.container == "lines":
        return "".join(line + "\n" for line in lines)
    return "[\n" + ",\n".join(lines) + "\n]\n"
