"""The one way to open a file that a command reads: nothing but a regular file, and never a wait for another program.

A named pipe, a socket or a device in the place of a file would make a command wait for ever, or read without end. The
file is opened without waiting, and what was opened is looked at, so that nothing can take its place in between.

What a command reads is known here too, so that nothing which it writes takes the place of it: the command line names
what the command is given, what names further files (a corpus, a list of benchmarks) adds them as it follows them, and
whoever writes a file asks first. Files are told by what the system says they are, so that a link or another spelling
of a path is the same file.
"""

import contextlib
import errno
import os
import re
import stat
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path
from typing import Final

from corpus.errors import InputError

STREAM: Final = re.compile(r"/dev/(?:stdin|fd/\d+)|/proc/(?:self|\d+)/fd/\d+")
"""How a shell names what the command was handed open: its standard input, and the end of a pipe in ``<(...)``."""
_KINDS: Final = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_AT_ONCE: Final = getattr(os, "O_NONBLOCK", 0)


def open_file(path: str | Path, *, stream: bool = False) -> BufferedReader:
    """A regular file to be read, or with ``stream`` also a pipe that the command was handed open, once.

    OSError for anything else, as for a file that is not there.
    """

    def opener(name: str, flags: int) -> int:
        descriptor = without_waiting(name, flags)
        try:
            _check(name, os.fstat(descriptor).st_mode, stream)
        except OSError:
            os.close(descriptor)
            raise
        return descriptor

    return open(path, "rb", opener=opener)


def without_waiting(name: str, flags: int) -> int:
    """An opener, as ``open`` takes one, that does not wait for the other end of a pipe."""
    descriptor = os.open(name, flags | _AT_ONCE, 0o666)
    os.set_blocking(descriptor, True)
    return descriptor


def _check(name: str, mode: int, stream: bool) -> None:
    handed = STREAM.fullmatch(name) is not None
    if stat.S_ISREG(mode) or (stream and handed):
        return
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    kind = "a stream, which can be read only once" if handed else _KINDS.get(stat.S_IFMT(mode), "no file")
    raise OSError(errno.EINVAL, f"it is {kind}, and a regular file is needed", name)


def read_file(path: str | Path) -> bytes:
    """The bytes of a regular file; OSError as ``open_file``."""
    with open_file(path) as file:
        return file.read()


STANDARD_INPUT, STANDARD_OUTPUT, STANDARD_ERROR = (Path(f"/dev/std{name}") for name in ("in", "out", "err"))
_OF_A_VERSION = ("manifest.json", "croissant.json")


@dataclass
class CommandFiles:
    """What one command reads, the folders that nobody else writes to, and whether it was told to replace files."""

    replace: bool = False
    inputs: list[Path] = field(default_factory=list)
    rooms: list[Path] = field(default_factory=list)


_CURRENT: ContextVar[CommandFiles | None] = ContextVar("command_files", default=None)


@contextlib.contextmanager
def command_files(*, replace: bool = False) -> Iterator[CommandFiles]:
    """The files of a command for as long as it runs; with ``replace`` it may replace files that it did not write."""
    token = _CURRENT.set(CommandFiles(replace))
    try:
        yield current_files()
    finally:
        _CURRENT.reset(token)


def current_files() -> CommandFiles:
    """The files of the command that runs; outside of one, those of a command that reads nothing."""
    return _CURRENT.get() or CommandFiles()


def reads(path: Path) -> None:
    """Say that the command reads a file, or what is in a folder."""
    current_files().inputs.append(path)


def spare_inputs(target: Path) -> None:
    """InputError where ``target`` is a file that the command reads."""
    for path in current_files().inputs:
        if _is_one_file(path, target):
            name = f"{target}, which" if path == target else f"{target}: it is {path}, which"
            raise InputError(f"cannot write {name} this command reads; give another file")


def check_place(target: Path) -> None:
    """InputError where the command may write no file of its user's: where it reads, and where this tool keeps its own.

    Inside a published version, too, which never changes.
    """
    spare_inputs(target)
    place, files = Path(os.path.realpath(target)), current_files()
    within = [(path, "which this command reads") for path in files.inputs if path.is_dir()]
    within += [(room, "where wordquarry keeps its own files") for room in files.rooms]
    within += [(parent, "a published version, which never changes") for parent in place.parents if _is_version(parent)]
    for folder, what in within:
        if place.is_relative_to(os.path.realpath(folder)):
            raise InputError(f"cannot write {target}: it is in {folder}, {what}; give a file elsewhere")


def _is_one_file(first: Path, second: Path) -> bool:
    """Whether two paths lead to one regular file."""
    with contextlib.suppress(OSError):
        one, other = first.stat(), second.stat()
        return stat.S_ISREG(one.st_mode) and os.path.samestat(one, other)
    return False


def _is_version(folder: Path) -> bool:
    return all((folder / name).is_file() for name in _OF_A_VERSION)
