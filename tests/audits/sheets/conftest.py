"""Servers of sheets that end with their test."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.audits.sheets.sheet_files import Command


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
