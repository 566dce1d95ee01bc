"""Locks that go with their process, and who may write to stage outputs: builds side by side, or who removes some."""

import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from corpus.errors import StoreError
from corpus.files import Folder, store_errors

LOCK, FOLD_LOCK = "build.lock", "fold.lock"


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


@contextlib.contextmanager
def folding(folder: Folder, *, wait: bool) -> Iterator[bool]:
    """Held while batches of a store are folded or what was forgotten is taken out; whether it is held.

    Without ``wait`` it is not where another command has it. Nothing is held on object stores, nor where no store is.
    """
    if not folder.local or not folder.exists():
        yield True
        return
    with contextlib.ExitStack() as stack:
        with store_errors("write", f"{folder.path}/{FOLD_LOCK}"):
            try:
                stack.enter_context(held(Path(folder.path) / FOLD_LOCK, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB)))
                free = True
            except BlockingIOError:
                free = False
        yield free
