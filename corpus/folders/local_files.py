"""Files on a local disk: written beside their target, synced and renamed.

A temporary names its writer; every write removes what dead writers left beside it.
"""

import contextlib
import ctypes
import errno
import fcntl
import hashlib
import os
import platform
import secrets
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, NamedTuple

from corpus.errors import store_errors
from corpus.folders.open_files import read_file, spare_inputs

TEMPORARY = ".tmp-"
ABANDONED_SECONDS = 24 * 3600
_HERE, _EXCHANGE = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of linux/fs.h
_NO_EXCHANGE = (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP)
_OPEN_FILES = ("/dev/std", "/dev/fd/", "/proc/")
_WHILE_SECONDS = 0.05
"""How long a program that is writing a file is given to finish."""
_HOST = hashlib.sha256(platform.node().encode()).hexdigest()[:8]


class HeldBytes(NamedTuple):
    """Bytes that are to be written, a file that holds them already and is never written to again, and their digest."""

    content: bytes
    path: str
    sha256: str


def temporary_beside(target: Path) -> Path:
    """A fresh name beside the target that tells which process of which host made it."""
    return target.with_name(f"{TEMPORARY}{_HOST}-{os.getpid()}-{secrets.token_hex(6)}-{target.name}")


def discard(path: Path) -> None:
    """Remove a file, a link or a whole folder; nothing there is no error."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _abandoned(path: Path) -> bool:
    """Whether nobody will rename this temporary any more: its writer is dead, or it has not moved for a day."""
    host, _, rest = path.name.removeprefix(TEMPORARY).partition("-")
    writer = rest.partition("-")[0]
    if host == _HOST and writer.isascii() and writer.isdigit() and len(writer) < 10:
        try:
            os.kill(int(writer), 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            return False
    return time.time() - path.lstat().st_mtime > ABANDONED_SECONDS


def sweep(folder: Path) -> None:
    """Remove what dead writers left in a folder; what cannot be removed is harmless, since no reader looks at it."""
    with contextlib.suppress(OSError):
        for name in sorted(name for name in os.listdir(folder) if name.startswith(TEMPORARY)):  # noqa: PTH208 - names
            with contextlib.suppress(OSError):
                if _abandoned(folder / name):
                    discard(folder / name)


def make_folders(path: Path) -> None:
    """Make a folder and its parents so that they, too, outlive a power failure."""
    missing = []
    while not path.exists():
        missing.append(path)
        path = path.parent
    for folder in reversed(missing):
        folder.mkdir(exist_ok=True)
        _sync_folder(folder.parent)


def append_synced(target: Path, lines: bytes) -> None:
    """Add lines to the end of a file, after cutting off what a killed writer left of a line; OSError."""
    spare_inputs(target)
    make_folders(target.parent)
    fresh = not target.exists()
    with target.open("a+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 1))
        if file.read(1) not in (b"", b"\n"):
            file.seek(0)
            file.truncate(file.read().rfind(b"\n") + 1)
        _write_through(file, lines)
    if fresh:
        _sync_folder(target.parent)


def write_file(target: Path, content: bytes) -> None:
    """Write a file in place of what stood there, in one step; OSError."""
    spare_inputs(target)
    make_folders(target.parent)
    sweep(target.parent)
    temporary = temporary_beside(target)
    try:
        _write_synced(temporary, content)
        temporary.replace(target)
    finally:
        discard(temporary)
    _sync_folder(target.parent)


@contextlib.contextmanager
def atomic_text(path: Path, finish: Callable[[Path], object] = lambda _: None) -> Iterator[IO[str]]:
    """A text file, UTF-8, that takes the place of ``path`` when the block ends without an error.

    Until then, and after an error or a kill, what stood there stays. A link still leads where it led. What is no file
    (a pipe, a terminal, an open file by its number) is written to directly. ``finish`` is called with a file that is
    complete, before it takes its place. StoreError where nothing can be written.
    """
    target = Path(os.path.realpath(path))
    with store_errors("write", str(path)):
        direct = not replaceable(path)
        temporary = path if direct else temporary_beside(target)
        sink = temporary.open("w", encoding="utf-8", newline="")
    try:
        with sink:
            yield sink
            with store_errors("write", str(path)):
                sink.flush()
                if not direct:
                    finish(temporary)
                    _take_place(temporary, target, sink.fileno())
    finally:
        if not direct:
            discard(temporary)


def replaceable(path: Path) -> bool:
    """Whether a path is a file, or none yet, that another may take the place of; OSError for a protected one."""
    spare_inputs(path)
    target = Path(os.path.realpath(path))
    if path.as_posix().startswith(_OPEN_FILES) or (target.exists() and not target.is_file()):
        return False
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    sweep(target.parent)
    return True


def _take_place(temporary: Path, target: Path, descriptor: int) -> None:
    spare_inputs(target)
    if target.exists():
        temporary.chmod(target.stat().st_mode & 0o7777)
    os.fsync(descriptor)
    temporary.replace(target)
    _sync_folder(target.parent)


def replace_file(target: Path, content: bytes, usable: Callable[[bytes], bool]) -> bytes | None:
    """Write a local file in place of another one; gives what stood there at that instant.

    None, and the file as it is, where that is not ``usable``. The two files change places in one step and the old one
    is looked at afterwards, so that nothing is lost of what another program saves meanwhile: one in the midst of
    writing the old file is given a moment to finish, and what it saved over the new one goes before the old one. Where
    the system knows no such step, the look comes first.
    """
    spare_inputs(target)
    sweep(target.parent)
    temporary = temporary_beside(target)
    try:
        _write_synced(temporary, content)
        exchanged = _exchanged(temporary, target)
        old = read_file(temporary if exchanged else target)
        if exchanged and not usable(old):
            time.sleep(_WHILE_SECONDS)
            old = read_file(temporary)
        if not usable(old):
            if exchanged:
                _exchanged(temporary, target)
                if read_file(temporary) != content:
                    _exchanged(temporary, target)
            return None
        if not exchanged:
            temporary.replace(target)
    finally:
        discard(temporary)
    _sync_folder(target.parent)
    return old


def _exchanged(first: Path, second: Path) -> bool:
    """Let two files change places in one step; False where the system or the file system cannot."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    if rename(_HERE, os.fsencode(first), _HERE, os.fsencode(second), _EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in _NO_EXCHANGE:
        return False
    raise OSError(code, os.strerror(code), str(second))


def commit_folder(target: Path, files: Mapping[str, bytes | HeldBytes], mark: str) -> None:
    """Write files as a folder in one step; one that another process completed meanwhile stays; OSError.

    What another file holds already becomes a second name of it where the disk knows such, which writes nothing.
    """
    make_folders(target.parent)
    temporary = temporary_beside(target)
    try:
        for file in sorted(files):
            _write_or_link(temporary / file, files[file])
        for folder in (*(entry for entry in temporary.rglob("*") if entry.is_dir()), temporary):
            _sync_folder(folder)
        _rename_into_place(temporary, target, mark)
    finally:
        discard(temporary)
    _sync_folder(target.parent)


def _rename_into_place(temporary: Path, target: Path, mark: str) -> None:
    """Rename, moving an incomplete folder out of the way; one that another process completed meanwhile stays."""
    try:
        temporary.rename(target)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        if (target / mark).exists():
            return
        aside = temporary_beside(target)
        target.rename(aside)
        try:
            temporary.rename(target)
        finally:
            discard(aside)


def _write_or_link(path: Path, content: bytes | HeldBytes) -> None:
    if isinstance(content, HeldBytes):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            path.hardlink_to(content.path)
        except OSError:  # no such links here, too many of them, or the file is gone
            _write_synced(path, content.content)
    else:
        _write_synced(path, content)


def _write_synced(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        _write_through(file, content)


def _write_through(file: IO[bytes], content: bytes) -> None:
    file.write(content)
    file.flush()
    os.fsync(file.fileno())


def _sync_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
