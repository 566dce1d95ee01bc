"""The one writer of files that a user names: what a command gives, and what stands beside it.

A file takes the place of another one when it is complete, and only of one that this tool wrote and nobody has changed
since, or that the user said may go (``--replace``). The digest of what was written stands with the file, as one of its
attributes; where a file system keeps none, a file counts as somebody else's. What a command reads, and the folders that
this tool keeps for itself, are never written to (corpus.folders.open_files).
"""

import contextlib
import hashlib
import os
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import IO

from corpus.errors import InputError, store_errors
from corpus.folders.local_files import atomic_text, make_folders, replaceable
from corpus.folders.open_files import STANDARD_OUTPUT, check_place, current_files, open_file, read_file, spare_inputs

MARK = "user.wordquarry.sha256"


def check_result(path: Path) -> None:
    """InputError where a file may not be written, or not without being told; StoreError where it cannot be."""
    check_place(path)
    with store_errors("write", str(path)):
        if not current_files().replace and replaceable(path) and _is_of_others(path):
            raise InputError(
                f"{path} is there, and is not as this tool wrote it; move it away or give another file "
                "(wordquarry --replace COMMAND ... writes over it)"
            )


@contextlib.contextmanager
def result_text(path: Path | None) -> Iterator[IO[str]]:
    """A text file, UTF-8, that is at ``path`` when the block ends without an error; standard output without a path.

    A pipe and a terminal are written to as they are. InputError and StoreError as ``check_result``.
    """
    if path is None:
        spare_inputs(STANDARD_OUTPUT)
        yield sys.stdout
        return
    check_result(path)
    with _opened(path) as sink:
        yield sink


def write_results(texts: Sequence[tuple[Path, str]], *, kept: Collection[Path] = ()) -> None:
    """Write several files, or none of them where one may not be written.

    What was in those that are ``kept`` is in their new texts as well: they may be as somebody changed them.
    """
    changed = [(path, text) for path, text in texts if not _holds(path, text)]
    for number, (path, _) in enumerate(texts):
        if any(os.path.realpath(path) == os.path.realpath(other) for other, _ in texts[:number]):
            raise InputError(f"{path} would hold two things at once; give a name that ends otherwise")
        check_place(path)
    for path, _ in changed:
        if path not in kept:
            check_result(path)
    for path, text in changed:
        with _opened(path) as sink:
            sink.write(text)


def _opened(path: Path) -> contextlib.AbstractContextManager[IO[str]]:
    with store_errors("write", str(path)):
        make_folders(path.parent)
    return atomic_text(path, _mark)


def _holds(path: Path, text: str) -> bool:
    """Whether a file is as it is to be."""
    with contextlib.suppress(OSError):
        return path.is_file() and read_file(path) == text.encode("utf-8")
    return False


def _is_of_others(path: Path) -> bool:
    """Whether something is in a file that this tool did not write, or that was changed since."""
    if not path.exists() or not path.stat().st_size:
        return False
    mark = _marked(path)
    return mark is None or mark != _digest(path)


def _digest(path: Path) -> bytes:
    with open_file(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest().encode()


def _marked(path: Path) -> bytes | None:
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            return os.getxattr(path, MARK)
    return None


def _mark(path: Path) -> None:
    """Write down with a file what is in it, where the file system knows such attributes."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setxattr(path, MARK, _digest(path))
