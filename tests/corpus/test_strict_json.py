"""JSON is read in one place, by a reader that takes no key twice."""

import ast
from collections.abc import Iterator

import pytest

from corpus.code import ROOT
from corpus.strict_json import DoubledKeyError, load_json

PACKAGES = ("audits", "corpus", "crawlers", "curation", "evaluation", "extractors", "flows", "models")
READERS = {"load", "loads", "JSONDecoder"}


def test_what_is_sound_is_read_as_ever() -> None:
    assert load_json(b'{"a": [{"a": 1}, {"a": 2}], "b": null}') == {"a": [{"a": 1}, {"a": 2}], "b": None}
    assert load_json('"a\\u0000"', strict=False) == "a\0"


@pytest.mark.rows("text", ['{"a": 1, "a": 1}', '[{"b": {"a": 1, "b": 2, "a": 3}}]', '{"a": 1, "\\u0061": 2}'])
def test_a_key_that_comes_twice_is_an_error(text: str) -> None:
    with pytest.raises(DoubledKeyError, match=r'^the key "a" comes twice in one object; keep one of the two$'):
        load_json(text)


@pytest.mark.rows("text", ["NaN", "[Infinity]", '{"a": -Infinity}', "1e999", "[-1e400]", "[" * 100_000, "9" * 9_000])
def test_what_python_reads_and_json_does_not_know_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not JSON|too large a number|nested too deeply|Exceeds the limit"):
        load_json(text)


def readers_of_their_own() -> Iterator[str]:
    """Calls of the standard reader without a hook for the pairs of an object, by file and line."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                named = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
                if named and node.value.id == "json" and node.attr in READERS:  # type: ignore[attr-defined]
                    yield f"{path.relative_to(ROOT)}:{node.lineno}"  # type: ignore[attr-defined]


def test_no_other_reader_is_used() -> None:
    files = [place.rpartition(":")[0] for place in readers_of_their_own()]
    # A list of records and a stream of them refuse the record alone, by hooks of their own.
    assert files == ["corpus/benchmarks/reading.py", "corpus/strict_json.py", "crawlers/dumps/yahoo_dump.py"]
