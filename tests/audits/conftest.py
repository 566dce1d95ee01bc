"""One small world for the tests that only read it."""

import pytest

from corpus.versions import Version
from corpus.workspace import Workspace
from tests.audits.worlds import build_world


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> tuple[Workspace, Version]:
    """A run with posts of every fate and the version it published; not to be written to."""
    return build_world(tmp_path_factory.mktemp("world"))
