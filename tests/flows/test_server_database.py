"""Prefect's database: begun anew where it is large and nobody's, left alone where somebody uses it."""

from pathlib import Path

from flows.processes import server


def written(home: Path, size: int) -> list[str]:
    for name in ("prefect.db", "prefect.db-wal", "server.log"):
        (home / name).write_bytes(b"x" * size)
    return names(home)


def names(home: Path) -> list[str]:
    return sorted(path.name for path in home.iterdir() if path.name != "database.lock")


def test_a_large_database_that_nobody_uses_is_begun_anew(tmp_path: Path) -> None:
    written(tmp_path, 101)
    with server._in_use(tmp_path, 100):
        assert names(tmp_path) == ["server.log"]


def test_a_small_one_stays_and_so_does_one_in_use(tmp_path: Path) -> None:
    there = written(tmp_path, 100)
    with server._in_use(tmp_path, 100):
        assert names(tmp_path) == there
        written(tmp_path, 101)
        with server._in_use(tmp_path, 100):
            assert names(tmp_path) == there, "another command works with it"
    with server._in_use(tmp_path, 100):
        assert names(tmp_path) == ["server.log"]
