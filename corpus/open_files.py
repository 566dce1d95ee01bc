"""The one way to open a file that a command reads: nothing but a regular file, and never a wait for another program.

A named pipe, a socket or a device in the place of a file would make a command wait for ever, or read without end. The
file is opened without waiting, and what was opened is looked at, so that nothing can take its place in between.
"""

import errno
import os
import re
import stat
from io import BufferedReader
from pathlib import Path
from typing import Final

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
