"""Shared fixtures: the data folder beside the checkout, where it is present; the folder of a test session."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The same examples on every machine, and no verdict by the clock: a busy machine is no reason to fail.
settings.register_profile(
    "wordquarry",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("wordquarry")

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The shared data folder; tests that ask for it are skipped, by name, where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("needs the shared data folder beside the checkout (../shared/data)")
    return SHARED


@pytest.hookimpl(wrapper=True)
def pytest_cmdline_main() -> Iterator[None]:
    """A folder for what all test processes of a session share; see ``tests.flows.command``."""
    with tempfile.TemporaryDirectory(prefix="wordquarry-tests-") as folder:
        os.environ.setdefault("WORDQUARRY_TEST_SESSION", folder)
        return (yield)
