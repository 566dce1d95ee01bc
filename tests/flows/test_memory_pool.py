"""Where Arrow takes its memory from in commands and in what they start."""

import os
import subprocess
import sys

import pytest

NAMED = "import flows, pyarrow; print(pyarrow.default_memory_pool().backend_name)"


@pytest.mark.rows(("asked", "found"), [("", "system"), ("mimalloc", "mimalloc")])
def test_arrow_takes_its_memory_from_the_system_where_nobody_asks_for_more(asked: str, found: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "ARROW_DEFAULT_MEMORY_POOL"}
    environment |= {"ARROW_DEFAULT_MEMORY_POOL": asked} if asked else {}
    ended = subprocess.run(
        [sys.executable, "-c", NAMED], env=environment, capture_output=True, text=True, check=True, timeout=60
    )
    assert ended.stdout.strip() == found
