"""Shared fixtures: the data folder beside the checkout, where it is present; the folder of a test session."""

import contextlib
import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.rows import pytest_generate_tests, pytest_pyfunc_call
from tests.tiers import pytest_collection_modifyitems, pytest_report_header, tier

if TYPE_CHECKING:
    from corpus.versioning.versions import Version
    from corpus.workspace import Workspace

__all__ = ("pytest_collection_modifyitems", "pytest_generate_tests", "pytest_pyfunc_call", "pytest_report_header")

# The same examples on every machine, and no verdict by the clock: a busy machine is no reason to fail.
settings.register_profile(
    "wordquarry",
    max_examples=tier(100, 40),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("wordquarry")

SESSION = "WORDQUARRY_TEST_SESSION"
"""The environment variable that names the folder of a test session."""
ALIVE, RUNNING = "alive", "running"
"""In that folder: a pipe that closes with the session, and a lock of the processes that run for all of it."""
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The shared data folder; tests that ask for it are skipped, by name, where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("needs the shared data folder beside the checkout (../shared/data)")
    return SHARED


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> "tuple[Workspace, Version]":
    """A run with posts of every fate and the version it published; not to be written to."""
    from tests.worlds import build_world  # imports what publishes, which takes seconds

    return build_world(tmp_path_factory.mktemp("world"))


@pytest.hookimpl(wrapper=True)
def pytest_cmdline_main() -> Iterator[None]:
    """A folder for what all test processes of a session share, and their end with it; see ``tests.flows.command``."""
    if SESSION in os.environ:  # another process of the same session
        return (yield)
    with tempfile.TemporaryDirectory(prefix="wordquarry-tests-") as folder:
        os.environ[SESSION] = folder
        os.mkfifo(f"{folder}/{ALIVE}")
        alive = os.open(f"{folder}/{ALIVE}", os.O_RDWR)
        with Path(folder, RUNNING).open("w") as running:
            try:
                return (yield)
            finally:
                del os.environ[SESSION]
                os.close(alive)
                _wait_for_end(running)


def _wait_for_end(running: IO[str]) -> None:
    """Wait a while for the processes that hold a lock."""
    for _ in range(600):
        with contextlib.suppress(BlockingIOError):
            return fcntl.flock(running, fcntl.LOCK_EX | fcntl.LOCK_NB)
        time.sleep(0.1)
    raise RuntimeError("a process that served all tests does not end")
