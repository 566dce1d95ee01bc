"""Corpora by name: ``FORMAT:PATH`` (with ``@IDS`` for a part of it), or a version of ours.

Files are bounded, UTF-8 only: a JSON list or JSON Lines, ASDiv's XML or AI2's lines.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from corpus.benchmarks import asdiv
from corpus.benchmarks.asdiv import check_names
from corpus.benchmarks.format_registry import FORMATS, Format, Writer, format_named, recognised
from corpus.benchmarks.gold_problems import (
    MAX_DIGITS,
    Corpus,
    GoldProblem,
    GoldRecordError,
    RefusedRecord,
    check_whole,
    checked,
)
from corpus.benchmarks.own import gold_problem
from corpus.errors import InputError
from corpus.folders.open_files import open_file, reads
from corpus.lines.jsonl import parse_object
from corpus.reasons import Reason
from corpus.strict_json import doubled_key, load_json
from corpus.versioning.versions import PATH, Version
from corpus.workspace import Workspace
from extractors.real_numbers.values import agree, parse_value

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


_SPEC = re.compile(r"(?:(?P<name>[^=:/\\]{1,60})=)?(?P<format>[A-Za-z0-9_-]{1,20}):(?P<path>.+)", re.DOTALL)
_FLOAT = Fraction(1, 2**50)
TERMS = ("license", "url")
"""Fields that every format holds beside its own."""

Gold: TypeAlias = tuple[tuple[str, ...], ...]


def read_corpus(spec: str, workspace: Workspace | None = None, *, only_questions: bool = False) -> Corpus:
    """A corpus from its specification.

    ``[NAME=]FORMAT:PATH[@IDS]`` is a benchmark file, of which ``IDS`` (a file with one id a line, or a folder of such
    files) may choose a part; anything else is a version of the workspace. Records that cannot be read are refusals.
    Raises InputError for a file that cannot be read at all or is of another format, VersionError for a version that is
    not there.
    """
    match = _SPEC.fullmatch(spec)
    if match is None or not is_benchmark(spec):
        if workspace is None:
            raise InputError(f"{spec!r} is not a corpus; give FORMAT:PATH, with a format of: {', '.join(FORMATS)}")
        return version_corpus(workspace.versions.open(spec))
    path, ids = _parts(match["path"])
    for one in paths_of(spec):
        reads(one)
    name = match["name"] or (path.stem if ids is None else f"{path.stem}@{ids.stem}")
    return read_file(path, format_named(match["format"]), name, ids, only_questions=only_questions)


def read_questions(spec: str, workspace: Workspace | None = None) -> Corpus:
    """The same for who needs only what is asked: a record whose answer, or anything else, cannot be read is a problem
    with its question alone, and one without a question is a refusal.
    """
    return read_corpus(spec, workspace, only_questions=True)


def is_benchmark(spec: str) -> bool:
    """Whether a specification is of the form ``FORMAT:PATH`` rather than the name or address of a version."""
    match = _SPEC.fullmatch(spec)
    return match is not None and (match["format"] in FORMATS or "://" not in spec)


def paths_of(spec: str) -> tuple[Path, ...]:
    """The files and folders that a specification names; none where it is the name of a version."""
    match = _SPEC.fullmatch(spec)
    if match is not None and is_benchmark(spec):
        return tuple(path for path in _parts(match["path"]) if path is not None)
    return (Path(spec),) if PATH.match(spec) and "://" not in spec else ()


def _parts(text: str) -> tuple[Path, Path | None]:
    """A path and the id list behind the last ``@``, unless a file has that ``@`` in its name."""
    before, at, after = text.rpartition("@")
    if not at or not before or not after or Path(text).exists():
        return Path(text), None
    return Path(before), Path(after)


def version_corpus(version: Version) -> Corpus:
    """The problems of a published version."""
    problems = tuple(gold_problem(problem) for problem in version.problems())
    return Corpus(version.label, "problems", len(problems), problems)


def read_file(
    path: Path, chosen: Format, name: str, ids: Path | None = None, *, only_questions: bool = False
) -> Corpus:
    """The problems of a benchmark file, or those of them that are listed; each other record is a refusal."""
    rows = rows_of(path, chosen)
    if not (only_questions and any(_question_of(record, chosen) for _, record in rows)):
        _check_format(rows, chosen, path)
    problems: list[GoldProblem] = []
    refused: list[RefusedRecord] = []
    seen: Counter[str] = Counter()
    for number, (where, record) in enumerate(rows, 1):
        found = (_read_question if only_questions else _read)(where, record, chosen)
        if isinstance(found, RefusedRecord):
            refused.append(found)
        else:
            problems.append(_named(found, number, seen, chosen))
    corpus = Corpus(name, chosen.name, len(rows), tuple(problems), tuple(refused), chosen.license)
    return corpus if ids is None else _chosen(corpus, ids)


def _read(where: str, record: object, chosen: Format) -> GoldProblem | RefusedRecord:
    if not isinstance(record, dict):
        return RefusedRecord(where, Reason.MALFORMED_LINE, str(record).removeprefix(f"{where}: "))
    try:
        check_whole(record)
        return _with_terms(chosen.read(record), record)
    except GoldRecordError as error:
        return RefusedRecord(where, error.reason, str(error), _id_of(record))


def _question_of(record: object, chosen: Format) -> str:
    """What a record asks, empty where it cannot be read."""
    try:
        return chosen.question(record).strip() if isinstance(record, dict) else ""
    except GoldRecordError:
        return ""


def _read_question(where: str, record: object, chosen: Format) -> GoldProblem | RefusedRecord:
    """The problem, or that of the question alone where nothing else can be read."""
    found = _read(where, record, chosen)
    if isinstance(found, GoldProblem):
        return found if found.question.strip() else RefusedRecord(where, Reason.MISSING_FIELD, "no question")
    question = _question_of(record, chosen)
    native = found.record_id or ""
    return GoldProblem(problem_id="", native_id=native, origin="", question=question) if question else found


def _with_terms(problem: GoldProblem, record: dict[str, object]) -> GoldProblem:
    """The problem with its license and address, where the record has fields of these names."""
    said = {name: record.get(name) for name in TERMS if not getattr(problem, name)}
    told = {name: checked(value, name) for name, value in said.items() if value and isinstance(value, str)}
    return problem.model_copy(update=told) if told else problem


def _id_of(record: dict[str, object]) -> str | None:
    value = next((record[name] for name in ("id", "ID", "iIndex", "problem_id") if name in record), None)
    known = isinstance(value, str) or (isinstance(value, int) and abs(value) < 10**18)
    return str(value)[:80] if known else None


def _named(problem: GoldProblem, number: int, seen: Counter[str], chosen: Format) -> GoldProblem:
    """The problem with its ids: the second record of an id has ``#2`` behind it."""
    origin = problem.origin or chosen.name
    native = problem.native_id or f"{number:06d}"
    whole = problem.problem_id or f"{origin}:{native}"
    seen[whole] += 1
    suffix = f"#{seen[whole]}" if seen[whole] > 1 else ""
    return problem.model_copy(update={"problem_id": whole + suffix, "native_id": native, "origin": origin})


def _check_format(rows: Sequence[BenchmarkRow], chosen: Format, path: Path) -> None:
    """InputError where no record of a file has the fields of the format."""
    records = [record for _, record in rows if isinstance(record, dict)]
    if any(all(name in record for name in chosen.fields) for record in records):
        return
    if not records:
        why = f" (of {len(rows)}, the first: {rows[0][1]})" if rows else ""
        raise InputError(f"{path} holds no records{why}; expected {chosen.title}, {_expected(chosen)}")
    others = recognised(records[0])
    hint = f"; it looks like {others[0]}" if others else ""
    has = ", ".join(sorted(map(str, records[0]))[:8]) or "none"
    raise InputError(f"{path} is not {chosen.title}: its records have {has}; expected {_expected(chosen)}{hint}")


def _expected(chosen: Format) -> str:
    return "the fields " + ", ".join(chosen.fields)


def _chosen(corpus: Corpus, ids: Path) -> Corpus:
    """The part of a corpus that id lists name; InputError for ids that it does not have."""
    files = sorted(ids.glob("*.txt")) if ids.is_dir() else [ids]
    wanted = {line.strip() for file in files for line in read_text(file).splitlines() if line.strip()}
    known = {problem.native_id for problem in corpus.problems} | {refusal.record_id for refusal in corpus.refused}
    missing = sorted(wanted - known)
    if missing or not wanted:
        what = (
            f"{len(missing)} ids that {corpus.name} does not have, for instance {missing[:1]}" if missing else "no ids"
        )
        raise InputError(f"{ids} names {what}; check that the list belongs to the file")
    problems = tuple(problem for problem in corpus.problems if problem.native_id in wanted)
    refused = tuple(refusal for refusal in corpus.refused if refusal.record_id in wanted)
    return Corpus(corpus.name, corpus.origin, len(problems) + len(refused), problems, refused, corpus.license)


def write_corpus(problems: Iterable[GoldProblem], chosen: Format) -> tuple[str, tuple[RefusedRecord, ...]]:
    """The file of some problems in a format, and the problems that it cannot hold with the reason for each."""
    if chosen.write is None:
        raise InputError(f"{chosen.title} are written by builds only; choose another format")
    records, refused = [], []
    for problem in problems:
        try:
            records.append(_written(problem, chosen, chosen.write))
        except GoldRecordError as error:
            refused.append(RefusedRecord(problem.problem_id, error.reason, str(error), problem.native_id))
    return corpus_text(records, chosen), tuple(refused)


def _written(problem: GoldProblem, chosen: Format, write: Writer) -> dict[str, Any]:
    """The record of a problem, read again: a format that would say another answer cannot hold the problem."""
    own = problem.origin == chosen.name
    record = write(problem, own)
    if not own:
        record |= {name: said for name in TERMS if (said := getattr(problem, name)) and not _holds(record, said)}
    if chosen.container == "xml":
        check_names(record)
    if not _same_gold(chosen.read(record).gold, problem.gold):
        raise GoldRecordError(Reason.NOT_EXPRESSIBLE, f"the format would change the answer {problem.answer[:60]!r}")
    return record


def _holds(record: dict[str, Any], said: str) -> bool:
    """Whether a field of the format's own says it already, as ``Source`` does in ASDiv."""
    return any(value in (said, [said]) for value in record.values())


def _same_gold(first: Gold, second: Gold) -> bool:
    """Whether two gold answers have the same alternatives, up to what a floating-point number holds."""
    if [len(values) for values in first] != [len(values) for values in second]:
        return False
    pairs = [pair for left, right in zip(first, second, strict=True) for pair in zip(left, right, strict=True)]
    return all(a == b or agree(parse_value(a), parse_value(b), _FLOAT) for a, b in pairs)
