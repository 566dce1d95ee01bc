"""Locks that go with their process, and who may write to stage outputs: builds side by side, or who removes some."""

import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from corpus.errors import StoreError
from corpus.files import Folder, store_errors

LOCK = "build.lock"


@contextlib.contextmanager
def held(path: Path, how: int) -> Iterator[IO[str]]:
    """Hold a lock file as ``fcntl.flock`` says; BlockingIOError where another has it and ``how`` is not to wait.

    What stands in the file stays: who holds it may write there who it is.
    """
    with path.open("a+", encoding="utf-8") as file:
        fcntl.flock(file, how)
        yield file


@contextlib.contextmanager
def building(folder: Folder) -> Iterator[None]:
    """Held while stage outputs are made and read; waits for whoever removes some. Nothing is held on object stores."""
    with _locked(folder, fcntl.LOCK_SH):
        yield


@contextlib.contextmanager
def nobody_building(folder: Folder) -> Iterator[None]:
    """Held while stage outputs are removed; StoreError if a build is under way. The lock goes with its process."""
    with _locked(folder, fcntl.LOCK_EX | fcntl.LOCK_NB):
        yield


@contextlib.contextmanager
def _locked(folder: Folder, how: int) -> Iterator[None]:
    if not folder.local:
        yield
        return
    path = Path(folder.path) / LOCK
    with contextlib.ExitStack() as stack:
        with store_errors("write", str(path)):
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                stack.enter_context(held(path, how))
            except BlockingIOError as error:
                raise StoreError(f"a build is running in {folder}; wait for it; nothing was removed") from error
        yield
