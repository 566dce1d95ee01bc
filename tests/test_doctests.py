"""The examples in the docstrings of every module."""

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FLOORS = ("extractors", "corpus", "models", "crawlers", "curation", "evaluation", "audits", "flows", "wordquarry")


def modules(floor: str) -> list[str]:
    """The modules of a floor that hold examples."""
    paths = sorted((ROOT / floor).rglob("*.py"))
    found = [path.relative_to(ROOT) for path in paths if ">>> " in path.read_text(encoding="utf-8")]
    return [".".join(path.with_suffix("").parts) for path in found]


@pytest.mark.rows("name", [name for floor in FLOORS for name in modules(floor)], ids=str)
def test_the_examples_of_a_module(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted > 0
    assert found.failed == 0, capsys.readouterr().out
