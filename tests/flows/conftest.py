"""What a test that fails leaves running is ended with it, and does not slow down or fail the others."""

from collections.abc import Iterator

import pytest

from tests.flows.command import left_running


@pytest.fixture(autouse=True)
def _nothing_left_running() -> Iterator[None]:
    with left_running():
        yield
