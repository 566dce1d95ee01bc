"""Where Arrow takes its memory from in commands and in what they start."""

import os
import subprocess
import sys

import pytest

NAMED = "import flows, pyarrow; print(pyarrow.default_memory_pool().backend_name)"
HELD = """
import flows
import psutil
from curation.building.running import at_work
held = lambda: psutil.Process().memory_info().rss >> 20
with at_work():
    texts = [bytes(1_000) for _ in range(200_000)]
    last = texts.pop()  # behind all others: while it is there the heap does not shrink by itself
    texts.clear()
    before = held()
print(before - held())
"""


@pytest.mark.rows(("asked", "found"), [("", "system"), ("mimalloc", "mimalloc")])
def test_arrow_takes_its_memory_from_the_system_where_nobody_asks_for_more(asked: str, found: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "ARROW_DEFAULT_MEMORY_POOL"}
    environment |= {"ARROW_DEFAULT_MEMORY_POOL": asked} if asked else {}
    ended = subprocess.run(
        [sys.executable, "-c", NAMED], env=environment, capture_output=True, text=True, check=True, timeout=60
    )
    assert ended.stdout.strip() == found


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere than on Linux the system decides what is given back")
def test_what_a_build_no_longer_needs_goes_back_to_the_system() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "ARROW_DEFAULT_MEMORY_POOL"}
    ended = subprocess.run(
        [sys.executable, "-c", HELD], env=environment, capture_output=True, text=True, check=True, timeout=60
    )
    assert int(ended.stdout) > 100  # of 190 MiB
