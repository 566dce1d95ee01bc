"""The two tiers of the tests: ``make test`` takes a part of what is alike, ``make test-full`` all of it.

Both run the same code. Of many cases that are alike the commit decides which ones ``make test`` takes, so that all come
round; docs/tests.md says what each tier proves.
"""

import hashlib
import os
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TypeVar

import pytest

FULL = os.environ.get("WORDQUARRY_TESTS") == "full"
"""Whether this is ``make test-full``."""
Case = TypeVar("Case")


def tier(full: Case, few: Case) -> Case:
    """How many of something: all that ``make test-full`` takes, or what ``make test`` does."""
    return full if FULL else few


def in_turn(cases: Sequence[Case], one_in: int) -> Sequence[Case]:
    """All cases, or one in so many of them, at least one: which ones the commit says."""
    return cases if FULL else cases[_turn() % min(one_in, len(cases)) :: one_in]


@cache
def _turn() -> int:
    """A number that each commit has another of; 0 where there is no repository."""
    command = ["git", "rev-parse", "HEAD"]
    found = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, encoding="ascii", check=False)
    return int(hashlib.sha256(found.stdout.encode()).hexdigest(), 16) if found.returncode == 0 else 0


def pytest_report_header() -> str:
    """Which tier runs."""
    return "tier: all cases (make test-full)" if FULL else "tier: make test; make test-full takes all cases"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what runs in ``make test-full`` alone; what takes long comes first, so that no process is left with it.

    Within a file nothing changes. Those that start servers come before all others.
    """
    if not FULL and (left := [item for item in items if item.get_closest_marker("full")]):
        items[:] = [item for item in items if not item.get_closest_marker("full")]
        config.hook.pytest_deselected(items=left)
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: (item.path not in slow, item.path.parent.name != "flows"))
