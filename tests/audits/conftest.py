"""One small world for the tests that only read it, and servers of sheets that end with their test."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from corpus.versions import Version
from corpus.workspace import Workspace
from tests.audits.sheet_files import Command
from tests.audits.worlds import build_world


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> tuple[Workspace, Version]:
    """A run with posts of every fate and the version it published; not to be written to."""
    return build_world(tmp_path_factory.mktemp("world"))


@pytest.fixture
def serve() -> Iterator[Callable[..., Command]]:
    """Starts ``audit serve`` of a sheet, with more options perhaps."""
    servers: list[Command] = []

    def started(path: Path, *options: object) -> Command:
        servers.append(Command(path, *options))
        return servers[-1]

    yield started
    for server in servers:
        server.kill()
