"""Prefect's database: begun anew where it is large and nobody's, left alone where somebody uses it."""

from pathlib import Path

import pytest

from flows import server


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(server, "MOST_DATABASE_BYTES", 100)
    return tmp_path


def written(home: Path, size: int) -> list[str]:
    for name in ("prefect.db", "prefect.db-wal", "server.log"):
        (home / name).write_bytes(b"x" * size)
    return names(home)


def names(home: Path) -> list[str]:
    return sorted(path.name for path in home.iterdir() if path.name != "database.lock")


def test_a_large_database_that_nobody_uses_is_begun_anew(home: Path) -> None:
    written(home, 101)
    with server._in_use(home):
        assert names(home) == ["server.log"]


def test_a_small_one_stays_and_so_does_one_in_use(home: Path) -> None:
    there = written(home, 100)
    with server._in_use(home):
        assert names(home) == there
        written(home, 101)
        with server._in_use(home):
            assert names(home) == there, "another command works with it"
    with server._in_use(home):
        assert names(home) == ["server.log"]
