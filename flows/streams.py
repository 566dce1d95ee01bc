"""The three streams of a command, whatever its caller did to them: closed, full, or with nobody at the other end.

What cannot be read or written is an error like any other, told in one line. A stream that is closed keeps its number,
so that no file that is opened later is taken for it.
"""

import errno
import io
import os
import sys
from typing import Any, Final, TextIO

from corpus.errors import CorpusError

_CLOSED: Final = ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_WRONLY))
"""How the place of each closed stream is taken: what is said on standard error is lost, any other use is an error."""


class StreamError(CorpusError):
    """Standard input cannot be read, or standard output not be written."""


class _InputBytes(io.FileIO):
    def readinto(self, buffer: Any) -> int | None:
        try:
            return super().readinto(buffer)
        except OSError as error:
            raise StreamError(f"cannot read standard input: {_why(error)}; give a file, or open it") from error


class _OutputBytes(io.FileIO):
    """What comes after a failure is dropped: the failure is told once."""

    failed = False

    def write(self, content: Any) -> int:
        try:
            return len(content) if self.failed else super().write(content)
        except OSError as error:
            self.failed = True
            raise StreamError(f"cannot write standard output: {_why(error)}; what it holds is incomplete") from error


class _MessageBytes(io.FileIO):
    """Messages: the work is done whether anybody can hear of it or not."""

    def write(self, content: Any) -> int:
        try:
            return super().write(content)
        except OSError:
            return len(content)


def _why(error: OSError) -> str:
    return "it is closed" if error.errno == errno.EBADF else error.strerror or type(error).__name__


def take_streams() -> None:
    """Have ``sys.stdin``, ``sys.stdout`` and ``sys.stderr`` there, with StreamError where they cannot be used.

    A stream that was put in the place of the process's own stays.
    """
    for number, flags in _CLOSED:
        _fill(number, flags)
    if sys.stdin is sys.__stdin__:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(_InputBytes(0, "r", False)), *_encoding(sys.stdin))
    if sys.stdout is sys.__stdout__:
        sys.stdout = _text(_OutputBytes(1, "w", False), sys.stdout)
    if sys.stderr is sys.__stderr__:
        sys.stderr = _text(_MessageBytes(2, "w", False), sys.stderr)


def _encoding(own: TextIO | None) -> tuple[str, str | None]:
    return (own.encoding, own.errors) if own is not None else ("utf-8", "backslashreplace")


def _text(raw: io.FileIO, own: TextIO | None) -> io.TextIOWrapper:
    if own is not None:
        own.flush()
    at_once = raw.fileno() == 2 or raw.isatty()
    return io.TextIOWrapper(io.BufferedWriter(raw), *_encoding(own), line_buffering=at_once)


def _fill(number: int, flags: int) -> None:
    try:
        os.fstat(number)
    except OSError:
        taken = os.open(os.devnull, flags)
        if taken != number:
            os.dup2(taken, number)
            os.close(taken)
        os.set_inheritable(number, True)
