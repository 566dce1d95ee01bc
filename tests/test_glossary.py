"""The glossary against the code: its terms are names of ours, and the other words for the same things are not."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("extractors", "corpus", "models", "crawlers", "curation", "evaluation", "audits", "flows", "wordquarry")
ROW = re.compile(r"\| (?P<term>[a-z ]+) \| (?P<meaning>[^|]+) \| (?P<names>[^|]+) \| (?P<others>[^|]+) \|")
PAGE = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
TERMS = [row.groupdict() for row in ROW.finditer(PAGE)][1:]
BEFORE = ("ways", "views", "written", "explained", "labelling")
"""Words that mean several things by themselves."""


def words_of(name: str) -> list[str]:
    """The words of a name: ``ThreadEquations`` and ``thread_equations`` are two."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def names_in(body: list[ast.stmt]) -> Iterator[str]:
    """Names that a module or a class gives to others."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        if isinstance(node, ast.ClassDef):
            yield from names_in(node.body)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))


@cache
def public_names() -> dict[str, str]:
    """Every public name of the packages, modules included, and one file where it stands."""
    found: dict[str, str] = {}
    for path in sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        for name in (path.stem, *names_in(ast.parse(path.read_bytes()).body)):
            if not name.startswith("_"):
                found.setdefault(name, str(path.relative_to(ROOT)))
    return found


def test_the_glossary_has_its_terms() -> None:
    assert len(TERMS) >= 20
    assert len({row["term"] for row in TERMS}) == len(TERMS) == PAGE.count("\n| ") - 1


@pytest.mark.rows("row", TERMS, ids=lambda row: row["term"].replace(" ", "-"))
def test_a_term_is_used_and_no_other_word_for_it(row: dict[str, str]) -> None:
    names = re.findall(r"`(\w+)`", row["names"])
    assert names
    assert [name for name in names if name not in public_names()] == []
    stem = row["term"].split()[-1][:5]
    assert all(any(word.startswith(stem) for word in words_of(name)) for name in names), f"not {row['term']}"
    others = {tuple(words_of(other.strip())) for other in row["others"].split(",")}
    assert all(others)
    assert {f"{where}: {name}" for name, where in public_names().items() if holds(name, others)} == set()


def holds(name: str, others: set[tuple[str, ...]]) -> bool:
    """Whether one of some words stands in a name."""
    words = words_of(name)
    return any(
        tuple(words[at : at + len(other)]) == other for other in others for at in range(len(words) - len(other) + 1)
    )


def test_words_of_several_meanings_are_no_names() -> None:
    assert {name: where for name, where in public_names().items() if name.lower() in BEFORE} == {}
