"""Folders through fsspec: atomic files, atomic folders, and errors a person can act on.

On a local disk a file or folder is written beside its target, synced and renamed. On object stores, which know no
rename, files are written in place and the mark file goes last: a folder counts only once its mark is there. What two
writers may change there is written on condition that it is as it was seen (corpus.object_store).
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
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import fsspec

from corpus.errors import StoreError
from corpus.object_store import Tagged, append_lines, commit_files, is_s3, put_if, store_failures, tagged

TEMPORARY = ".tmp-"
ABANDONED_SECONDS = 24 * 3600
_HERE, _EXCHANGE = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of linux/fs.h
_NO_EXCHANGE = (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP)
_HOST = hashlib.sha256(platform.node().encode()).hexdigest()[:8]


@contextlib.contextmanager
def store_errors(action: str, path: str) -> Iterator[None]:
    """Turn an OSError into one StoreError line that names the action, the path and the way out."""
    try:
        yield
    except (NotADirectoryError, FileExistsError) as error:
        raise StoreError(
            f"cannot {action} {path}: a file is where a folder should be; move it away or choose another path"
        ) from error
    except store_failures() as error:
        absent = os.strerror(errno.ENOENT) if isinstance(error, FileNotFoundError) else ""
        what = getattr(error, "strerror", "") or absent or str(error).partition("\n")[0]
        raise StoreError(f"cannot {action} {path}: {what}; check the path, its permissions and free space") from error


@dataclass(frozen=True)
class Folder:
    """A folder on any fsspec filesystem; names are relative paths with forward slashes."""

    fs: Any
    path: str

    @classmethod
    def at(cls, url: str | Path) -> "Folder":
        """The folder at a local path or an fsspec URL such as ``memory://corpus``; StoreError for an unknown kind."""
        if "://" not in str(url):  # fsspec would take "::" in a plain path for a chain of filesystems
            return cls(fsspec.filesystem("file"), Path(url).expanduser().absolute().as_posix())
        try:
            fs, path = fsspec.core.url_to_fs(str(url), use_listings_cache=False)  # another machine may have written
        except (ImportError, ValueError) as error:
            raise StoreError(f"cannot use {url}: {error}; give a local folder or install that filesystem") from error
        return cls(fs, path.rstrip("/"))

    def __truediv__(self, name: str) -> "Folder":
        return Folder(self.fs, f"{self.path}/{name}")

    def __str__(self) -> str:
        return self.path

    @property
    def local(self) -> bool:
        """Whether rename and fsync are to be had."""
        return "file" in (self.fs.protocol if isinstance(self.fs.protocol, tuple) else (self.fs.protocol,))

    def exists(self, name: str = "") -> bool:
        """Whether the folder, or a file or folder in it, is there."""
        where = f"{self.path}/{name}" if name else self.path
        with store_errors("read", where):
            return bool(self.fs.exists(where))

    def names(self) -> list[str]:
        """Names in the folder, sorted, without leftovers of interrupted writes; StoreError if it is a file."""
        if not self.exists():
            return []
        with store_errors("list", self.path):
            if self.fs.isfile(self.path):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
            found = (Path(entry).name for entry in self.fs.ls(self.path, detail=False, refresh=True))
            return sorted(name for name in found if not name.startswith(TEMPORARY))

    def size(self, name: str) -> int:
        """How many bytes a file, or all files of a folder, hold."""
        where = f"{self.path}/{name}"
        with store_errors("read", where):
            return int(self.fs.du(where))

    def read(self, name: str) -> bytes:
        """The bytes of a file; StoreError if it cannot be read."""
        where = f"{self.path}/{name}"
        with store_errors("read", where):
            return bytes(self.fs.cat_file(where))

    @contextlib.contextmanager
    def opened(self, name: str) -> Iterator[IO[bytes]]:
        """A file to be read here and there; StoreError if it cannot be opened."""
        where = f"{self.path}/{name}"
        with contextlib.ExitStack() as stack:
            with store_errors("read", where):
                file = stack.enter_context(self.fs.open(where, "rb"))
            yield file

    def write(self, name: str, content: bytes) -> None:
        """Write a file so that readers see the old bytes or the new ones, never a part."""
        where = f"{self.path}/{name}"
        with store_errors("write", where):
            if self.local:
                _write_local(Path(where), content)
            else:
                if not is_s3(self.fs):  # which has no folders, and would ask for the right to make buckets
                    self.fs.makedirs(Path(where).parent.as_posix(), exist_ok=True)
                self.fs.pipe_file(where, content)

    def tagged(self, name: str) -> Tagged | None:
        """The bytes of a file and a tag that changes with them; None if it is not there."""
        where = f"{self.path}/{name}"
        with store_errors("read", where):
            if not self.local:
                return tagged(self.fs, where)
            try:
                content = Path(where).read_bytes()
            except FileNotFoundError:
                return None
            return Tagged(content, hashlib.sha256(content).hexdigest())

    def put_if(self, name: str, content: bytes, tag: str | None) -> str | None:
        """Write a file that still has this tag, or is not there if the tag is None; the new tag, or None if it has not.

        On a local disk only whoever holds the lock that belongs to the file may ask (corpus.locks).
        """
        where = f"{self.path}/{name}"
        if not self.local:
            with store_errors("write", where):
                return put_if(self.fs, where, content, tag)
        there = self.tagged(name)
        if (there.tag if there else None) != tag:
            return None
        self.write(name, content)
        return hashlib.sha256(content).hexdigest()

    def append(self, name: str, lines: bytes) -> None:
        """Add lines to the end of a file, synced; what a killed writer left of a line is cut off before."""
        where = f"{self.path}/{name}"
        with store_errors("write", where):
            if self.local:
                _append_local(Path(where), lines)
            else:
                append_lines(self.fs, where, lines)

    def commit(
        self, name: str, files: Mapping[str, bytes], mark: str, check: Callable[[], None] = lambda: None
    ) -> None:
        """Publish ``files`` as folder ``name`` in one step; ``mark`` is the file that says it is complete.

        A folder that is already there is left as it is when complete, and replaced when it has no mark. ``check`` fails
        where another has taken over meanwhile; on object stores it is asked before anything is replaced or marked.
        """
        if mark not in files:
            raise StoreError(f"cannot publish {self.path}/{name}: no {mark} among its files")
        where = f"{self.path}/{name}"
        for folder in (self, self / name):
            folder.tidy()
        if (self / name).exists(mark):
            return
        with store_errors("write", where):
            if self.local:
                _commit_local(Path(where), files, mark)
            else:
                commit_files(self.fs, where, files, mark, check)

    def tidy(self) -> None:
        """Remove what dead writers left in the folder."""
        if self.local:
            sweep(Path(self.path))

    def remove(self, name: str) -> None:
        """Remove a file or folder, on a local disk in one step, and what dead writers left beside it."""
        where = f"{self.path}/{name}"
        self.tidy()
        if not self.exists(name):
            return
        with store_errors("remove", where), contextlib.suppress(FileNotFoundError):
            if self.local:
                aside = _temporary(Path(where))
                Path(where).rename(aside)
                _discard(aside)
            else:
                self.fs.rm(where, recursive=True)


def _temporary(target: Path) -> Path:
    """A fresh name beside the target that tells which process of which host made it."""
    return target.with_name(f"{TEMPORARY}{_HOST}-{os.getpid()}-{secrets.token_hex(6)}-{target.name}")


def aside(folder: Folder) -> Path:
    """A new local folder for what waits to be written into ``folder``: beside it where that is local.

    Whoever writes there next removes what dead writers left.
    """
    if not folder.local:
        return Path(tempfile.mkdtemp(prefix="wordquarry-"))
    place = Path(folder.path)
    with store_errors("write", f"{place}/waiting"):
        _make_folders(place)
        sweep(place)
        path = _temporary(place / "waiting")
        path.mkdir()
    return path


def _discard(path: Path) -> None:
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
                    _discard(folder / name)


def _make_folders(path: Path) -> None:
    """Make a folder and its parents so that they, too, outlive a power failure."""
    missing = []
    while not path.exists():
        missing.append(path)
        path = path.parent
    for folder in reversed(missing):
        folder.mkdir(exist_ok=True)
        _sync_folder(folder.parent)


def _append_local(target: Path, lines: bytes) -> None:
    _make_folders(target.parent)
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


def _write_local(target: Path, content: bytes) -> None:
    _make_folders(target.parent)
    sweep(target.parent)
    temporary = _temporary(target)
    try:
        _write_synced(temporary, content)
        temporary.replace(target)
    finally:
        _discard(temporary)
    _sync_folder(target.parent)


@contextlib.contextmanager
def atomic_text(path: Path) -> Iterator[IO[str]]:
    """A text file, UTF-8, that takes the place of ``path`` when the block ends without an error.

    Until then, and after an error or a kill, what stood there stays. A link still leads where it led. What is no file
    (a pipe, a terminal, anything below /dev) is written to directly. StoreError where nothing can be written.
    """
    target = Path(os.path.realpath(path))
    with store_errors("write", str(path)):
        direct = not _replaceable(path, target)
        temporary = path if direct else _temporary(target)
        sink = temporary.open("w", encoding="utf-8", newline="")
    try:
        with sink:
            yield sink
            with store_errors("write", str(path)):
                sink.flush()
                if not direct:
                    _take_place(temporary, target, sink.fileno())
    finally:
        if not direct:
            _discard(temporary)


def _replaceable(path: Path, target: Path) -> bool:
    """Whether a path is a file, or none yet, that another may take the place of; OSError for a protected one."""
    if path.as_posix().startswith(("/dev/", "/proc/")) or (target.exists() and not target.is_file()):
        return False
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    sweep(target.parent)
    return True


def _take_place(temporary: Path, target: Path, descriptor: int) -> None:
    if target.exists():
        temporary.chmod(target.stat().st_mode & 0o7777)
    os.fsync(descriptor)
    temporary.replace(target)
    _sync_folder(target.parent)


def replace_file(target: Path, content: bytes, usable: Callable[[bytes], bool]) -> bytes | None:
    """Write a local file in place of another one; gives what stood there at that instant.

    None, and the file as it is, where that is not ``usable``. The two files change places in one step and the old one
    is looked at afterwards, so that nothing is lost of what another program saves meanwhile. Where the system knows no
    such step, the look comes first.
    """
    sweep(target.parent)
    temporary = _temporary(target)
    try:
        _write_synced(temporary, content)
        exchanged = _exchanged(temporary, target)
        old = (temporary if exchanged else target).read_bytes()
        if not usable(old):
            if exchanged:
                _exchanged(temporary, target)
            return None
        if not exchanged:
            temporary.replace(target)
    finally:
        _discard(temporary)
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


def _commit_local(target: Path, files: Mapping[str, bytes], mark: str) -> None:
    _make_folders(target.parent)
    temporary = _temporary(target)
    try:
        for file in sorted(files):
            _write_synced(temporary / file, files[file])
        for folder in (*(entry for entry in temporary.rglob("*") if entry.is_dir()), temporary):
            _sync_folder(folder)
        _rename_into_place(temporary, target, mark)
    finally:
        _discard(temporary)
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
        aside = _temporary(target)
        target.rename(aside)
        try:
            temporary.rename(target)
        finally:
            _discard(aside)


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
