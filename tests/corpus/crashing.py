"""Kills a scenario before each of its file system calls in turn, by SIGKILL in a process of its own, and looks.

Run as ``python -m tests.corpus.crashing SCENARIO FOLDER FIRST EVERY``, which kills before the first call and each so
many behind it; prints how many calls there are, or fails with what it saw.
Before a file is synced it loses half of what was written since, as an unsynced file does when the power fails.
"""

import os
import pathlib
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from corpus.folders.files import Folder
from corpus.post_store.deposit import upsert
from corpus.post_store.store import PostStore
from corpus.records import Post
from corpus.versioning.versions import Versions
from tests.corpus.samples import leftovers, parquet_bytes, post, problems, release, tree

OLD, NEW = b"old " * 500, b"new " * 900
FILES = {"data/a.bin": OLD, "data/deep/b.bin": NEW, "part.json": b"{}"}


def countdown(steps: int, folder: Path) -> list[int]:
    """Let so many calls that change the disk happen, and die before the next; the list holds how many are left.

    What lay in ``folder`` before, and what was synced, is safe.
    """
    left = [steps]
    safe = {found.st_ino: found.st_size for path in folder.rglob("*") if (found := path.stat())}

    def dying(call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*arguments: Any, **options: Any) -> Any:
            if not left[0]:
                if call is real_sync and not pathlib.Path(f"/proc/self/fd/{arguments[0]}").is_dir():
                    found = os.fstat(arguments[0])
                    kept = min(safe.get(found.st_ino, 0), found.st_size)
                    os.ftruncate(arguments[0], kept + (found.st_size - kept) // 2)
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
            done = call(*arguments, **options)
            if call is real_sync:
                found = os.fstat(arguments[0])
                safe[found.st_ino] = found.st_size
            return done

        return wrapped

    real_sync = os.fsync
    for name in ("fsync", "rename", "replace", "mkdir", "unlink", "rmdir"):
        setattr(os, name, dying(getattr(os, name)))
    return left


def _write(folder: Path) -> None:
    Folder.at(folder).write("sub/file", OLD)
    Folder.at(folder).write("sub/file", NEW)


def _see_write(folder: Path) -> None:
    names = Folder.at(folder / "sub").names()
    assert names in ([], ["file"]), names
    assert not names or (folder / "sub/file").read_bytes() in (OLD, NEW)


def _commit(folder: Path) -> None:
    Folder.at(folder).commit("part", FILES, "part.json")


def _see_commit(folder: Path) -> None:
    names = Folder.at(folder).names()
    assert names in ([], ["part"]), names
    assert not names or {name: (folder / "part" / name).read_bytes() for name in FILES} == FILES


def _commit_over_rest(folder: Path) -> None:
    """Over what another program left half done: files, and no mark."""
    if not (folder / "part/part.json").exists():
        (folder / "part").mkdir(parents=True, exist_ok=True)
        (folder / "part/rest.bin").write_bytes(b"rest")
    _commit(folder)


def _see_commit_over_rest(folder: Path) -> None:
    if (folder / "part/part.json").exists():
        _see_commit(folder)


def _ingest(folder: Path) -> None:
    store = PostStore(Folder.at(folder))
    upsert(store, [post("1", "A", 1), post("2", "B", 1)])
    upsert(store, [post("1", "A2", 2), post("2", "B", 3)])
    store.snapshot()


def _see_ingest(folder: Path) -> None:
    seen = [(entry.question, entry.retrieved_at) for entry in PostStore(Folder.at(folder)).posts().values()]
    times = [f"2024-05-01T10:00:0{second}Z" for second in range(4)]
    states = [[], [("A", times[1]), ("B", times[1])], [("A2", times[2]), ("B", times[1])]]
    assert seen in [*states, [("A2", times[2]), ("B", times[3])]], seen


def _publish(folder: Path) -> None:
    versions = Versions(Folder.at(folder))
    version, _ = versions.publish(release())
    versions.attach_audit(version, {"sheet_id": "s1", "precision": 0.5})


def _see_publish(folder: Path) -> None:
    versions = Versions(Folder.at(folder))
    for identifier in versions.ids("demo"):
        assert len(versions.open(f"demo/{identifier}").problems()) == len(problems())
    if versions.names():
        assert versions.open("demo").manifest["rows"] == len(problems())


Step = Callable[[Path], None]
SCENARIOS: dict[str, tuple[Step, Step]] = {
    "write": (_write, _see_write),
    "commit": (_commit, _see_commit),
    "commit-over-rest": (_commit_over_rest, _see_commit_over_rest),
    "ingest": (_ingest, _see_ingest),
    "publish": (_publish, _see_publish),
}


def in_child(act: Callable[[], None]) -> int:
    """The wait status of a child that does one thing."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    try:
        act()
    except BaseException as error:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        raise
    else:
        os._exit(0)
    finally:
        os._exit(3)


def _killed_at(run: Step, folder: Path, steps: int) -> bool:
    def act() -> None:
        countdown(steps, folder)
        run(folder)

    status = in_child(act)
    assert status == 0 or os.WTERMSIG(status) == signal.SIGKILL, status
    return status != 0


def survive(scenario: str, root: Path, first: int, every: int) -> int:
    """Kill at these steps; what is there must be whole each time, and a second run must end like an undisturbed one."""
    run, see = SCENARIOS[scenario]
    parquet_bytes([post("1")], Post)  # what pyarrow imports at first use is then there for every child
    assert in_child(lambda: run(root / "undisturbed")) == 0
    expected, step = tree(root / "undisturbed"), first
    assert expected
    while _killed_at(run, folder := root / f"killed-{step}", step):
        assert in_child(lambda: see(folder)) == 0, f"not whole after a kill before step {step}"
        assert in_child(lambda: run(folder)) == 0, f"no second run after a kill before step {step}"
        assert tree(folder) == expected, f"another result after a kill before step {step}"
        assert leftovers(folder) == [], f"leftovers after a kill before step {step}: {leftovers(folder)}"
        shutil.rmtree(folder)
        step += every
    return step


if __name__ == "__main__":
    sys.stdout.write(f"{survive(sys.argv[1], Path(sys.argv[2]), *map(int, sys.argv[3:5]))}\n")
