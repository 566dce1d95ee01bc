"""Kills a keeper of a sheet before each of its calls that change the disk, and looks: ``python -m ... FOLDER``.

What was not synced when it died loses its second half, in every file, as when the power fails. Prints how often it
killed.
"""

import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import corpus.folders.local_files
from audits.sheets.audit_sheets import read_sheet, sheet_of
from audits.sheets.keeping import Keeper
from audits.sheets.verdict_log import GivenVerdict
from tests.audits.sheets.sheet_files import edit, log_lines, sheet_file, verdicts

SYNCED: dict[int, int] = {}
"""How much of each file, by its inode, no power failure takes away."""
SAID = ("right", "wrong", "unsure", "right")


def _act(path: Path, saved: Path) -> None:
    """Three verdicts and an edit by hand; what is answered is noted in ``saved``, without any call that is counted."""
    keeper = Keeper(path, lambda _: None)
    for row in range(3):
        keeper.take(GivenVerdict(row_id=f"site:{row}", verdict=SAID[row], by="page", key=f"k{row}"))
        with saved.open("a", encoding="ascii") as file:
            file.write(f"{row}\n")
        if row == 1 and read_sheet(path).rows[3].verdict is None:
            edit(path, site_3=SAID[3])
            _note(path)
    keeper.close()


def _note(path: Path | int) -> None:
    found = os.stat(path)  # noqa: PTH116 - also of a descriptor
    SYNCED[found.st_ino] = found.st_size


def _die(folder: Path) -> None:
    for path in folder.iterdir():
        found = path.stat()
        safe = min(SYNCED.get(found.st_ino, 0), found.st_size)
        os.truncate(path, safe + (found.st_size - safe) // 2)
    os.kill(os.getpid(), signal.SIGKILL)


def _countdown(steps: int, folder: Path) -> None:
    """Let so many calls that change the disk happen, and die before the next."""
    left, real_sync = [steps], os.fsync
    for path in folder.iterdir():
        _note(path)

    def dying(call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*arguments: Any, **options: Any) -> Any:
            if not left[0]:
                _die(folder)
            left[0] -= 1
            done = call(*arguments, **options)
            if call is real_sync:
                _note(arguments[0])
            return done

        return wrapped

    for name in ("fsync", "rename", "replace", "mkdir", "unlink", "rmdir"):
        setattr(os, name, dying(getattr(os, name)))
    corpus.folders.local_files._exchanged = dying(corpus.folders.local_files._exchanged)


def _killed_at(steps: int, path: Path, saved: Path) -> bool:
    child = os.fork()
    if not child:
        _countdown(steps, path.parent)
        _act(path, saved)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    assert status == 0 or os.WTERMSIG(status) == signal.SIGKILL, status
    return status != 0


def _look(path: Path, saved: Path) -> None:
    """Everything that was answered is there; nothing of it is lost by what comes after."""
    answered = [int(line) for line in saved.read_text(encoding="ascii").splitlines()] if saved.exists() else []
    found = verdicts(read_sheet(path))
    for row in answered:
        assert found[f"site:{row}"] == SAID[row], f"verdict {row} was answered and is lost"
    sheet_of(path.read_bytes(), path)
    _act(path, saved)
    assert list(verdicts(read_sheet(path)).values()) == list(SAID)
    assert list(verdicts(sheet_of(path.read_bytes(), path)).values()) == list(SAID)
    assert sorted(line["row_id"] for line in log_lines(path)) == [f"site:{row}" for row in range(4)], "each once"
    assert not [
        entry.name for entry in path.parent.iterdir() if entry.name.startswith(corpus.folders.local_files.TEMPORARY)
    ]


def survive(root: Path) -> int:
    """Kill at every step; how many there are."""
    kills = 0
    while True:
        folder = root / f"killed-{kills}"
        folder.mkdir()
        path, saved = sheet_file(folder, 4), root / f"saved-{kills}"
        if not _killed_at(kills, path, saved):
            return kills
        _look(path, saved)
        shutil.rmtree(folder)
        kills += 1


if __name__ == "__main__":
    sys.stdout.write(f"{survive(Path(sys.argv[1]))}\n")
