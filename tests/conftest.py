"""Shared fixtures: the data folder beside the checkout, where it is present."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The shared data folder; tests that ask for it are skipped, by name, where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("needs the shared data folder beside the checkout (../shared/data)")
    return SHARED
