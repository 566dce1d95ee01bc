"""Benchmarks that builds are held against: kept in the data folder under the digest of what they hold.

A file is JSON Lines, a problem a line: ``id``, ``text``, and the values of the ``answer`` where they are known. So a
build, and a rebuild years later, needs no file from outside, and the digest in its configuration says what it was held
against.
"""

import functools
import io
from collections.abc import Iterable, Mapping, Sequence

from corpus.benchmarks.gold_problems import GoldProblem
from corpus.canonical import canonical_json
from corpus.errors import DamageError, InputError
from corpus.folders.files import Folder
from corpus.lines.jsonl import numbered_lines, parse_object
from corpus.lines.sheet_lines import parsed
from corpus.records import Record
from corpus.versioning.manifest import sha256_bytes
from corpus.workspace import Workspace
from curation.near_texts.contamination import Item, LeakSearch
from extractors.real_numbers.values import approximate, parse_value

_DIGITS = 300
"""Longer values are beyond floating-point numbers."""


def items_of(problems: Sequence[GoldProblem]) -> list[Item]:
    """Problems as items to compare."""
    return [Item(one.problem_id, one.question, _answer(one)) for one in problems]


def _answer(problem: GoldProblem) -> tuple[float, ...]:
    """The values of all alternatives as floating-point numbers, those that have one."""
    values = {value for alternative in problem.gold for value in alternative}
    return tuple(sorted(float(approximate(parse_value(value))) for value in values if len(value) < _DIGITS))


class BenchmarkText(Record):
    """One problem of a benchmark."""

    id: str
    text: str
    answer: tuple[float, ...] = ()


def _file(digest: str) -> str:
    return f"{digest}.jsonl"


def keep_benchmark(folder: Folder, items: Iterable[Item]) -> str:
    """Keep a benchmark in ``DATA/benchmarks``; returns its digest. InputError for one without problems."""
    rows = sorted({item.item_id: item for item in items}.values())
    if not rows:
        raise InputError("a benchmark without problems says nothing; give another one")
    lines = (BenchmarkText(id=one.item_id, text=one.text, answer=one.answer).model_dump(mode="json") for one in rows)
    content = "".join(canonical_json(line) + "\n" for line in lines).encode()
    digest = sha256_bytes(content)
    if not folder.exists(_file(digest)):
        folder.write(_file(digest), content)
    return digest


def read_benchmark(folder: Folder, name: str, digest: str) -> list[Item]:
    """The problems of a kept benchmark; InputError where it is not there, DamageError where it is not as it was."""
    where = f"{folder}/{_file(digest)}"
    if not folder.exists(_file(digest)):
        raise InputError(f"benchmark {name} is not in {where}; give it again: wordquarry build --against {name}=...")
    content = folder.read(_file(digest))
    if sha256_bytes(content) != digest:
        raise DamageError(f"{where} is not benchmark {name} as it was kept; remove it and give the benchmark again")
    rows = (
        parsed(BenchmarkText, place, parse_object(line, place), "a problem of a benchmark")
        for place, line in numbered_lines(io.BytesIO(content), where)
    )
    return [Item(row.id, row.text, row.answer) for row in rows]


@functools.lru_cache(maxsize=2)
def _search(data: str, benchmarks: tuple[tuple[str, str], ...], share: float) -> LeakSearch:
    folder = Workspace(data).benchmarks
    return LeakSearch({name: read_benchmark(folder, name, digest) for name, digest in benchmarks}, share)


def search_of(data: str, benchmarks: Mapping[str, str], share: float) -> LeakSearch:
    """Kept benchmarks, by name and digest, to look problems up in; made once a process."""
    return _search(data, tuple(sorted(benchmarks.items())), share)


def copy_benchmarks(source: Folder, target: Folder, benchmarks: Mapping[str, str]) -> None:
    """Copy kept benchmarks into another data folder; InputError and DamageError as of ``read_benchmark``."""
    for name, digest in benchmarks.items():
        read_benchmark(source, name, digest)
        target.write(_file(digest), source.read(_file(digest)))
