"""Folders through fsspec: atomic files, atomic folders, and errors a person can act on.

On a local disk a folder is written beside its target, synced and renamed. On object stores, which know no
rename, files are written in place and the mark file goes last: a folder counts only once its mark is there.
"""

import contextlib
import os
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fsspec

from corpus.errors import StoreError

TEMPORARY = ".tmp-"


@contextlib.contextmanager
def explained(action: str, path: str) -> Iterator[None]:
    """Turn an OSError into one StoreError line that names the action, the path and the way out."""
    try:
        yield
    except OSError as error:
        what = error.strerror or str(error)
        raise StoreError(f"cannot {action} {path}: {what}; check the path, its permissions and free space") from error


@dataclass(frozen=True)
class Folder:
    """A folder on any fsspec filesystem; names are relative paths with forward slashes."""

    fs: Any
    path: str

    @classmethod
    def at(cls, url: str | Path) -> "Folder":
        """The folder at a local path or an fsspec URL such as ``memory://corpus``."""
        fs, path = fsspec.core.url_to_fs(str(url))
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
        return bool(self.fs.exists(f"{self.path}/{name}" if name else self.path))

    def names(self) -> list[str]:
        """Names in the folder, sorted, without leftovers of interrupted writes."""
        if not self.exists():
            return []
        with explained("list", self.path):
            found = (Path(entry).name for entry in self.fs.ls(self.path, detail=False, refresh=True))
            return sorted(name for name in found if not name.startswith(TEMPORARY))

    def read(self, name: str) -> bytes:
        """The bytes of a file; StoreError if it cannot be read."""
        where = f"{self.path}/{name}"
        with explained("read", where):
            return bytes(self.fs.cat_file(where))

    def write(self, name: str, content: bytes) -> None:
        """Write a file so that readers see the old bytes or the new ones, never a part."""
        where = f"{self.path}/{name}"
        with explained("write", where):
            self.fs.makedirs(Path(where).parent.as_posix(), exist_ok=True)
            if not self.local:
                self.fs.pipe_file(where, content)
                return
            target = Path(where)
            temporary = target.with_name(f"{TEMPORARY}{secrets.token_hex(6)}-{target.name}")
            try:
                _write_synced(temporary, content)
                temporary.replace(target)
            finally:
                temporary.unlink(missing_ok=True)
            _sync_folder(target.parent)

    def commit(self, name: str, files: Mapping[str, bytes], mark: str) -> None:
        """Publish ``files`` as folder ``name`` in one step; ``mark`` is the file that says it is complete.

        A folder that is already there is left as it is when complete, and replaced when it has no mark.
        """
        if mark not in files:
            raise StoreError(f"cannot publish {self.path}/{name}: no {mark} among its files")
        if (self / name).exists(mark):
            return
        where = f"{self.path}/{name}"
        with explained("write", where):
            if self.local:
                self._commit_local(Path(where), files)
            else:
                for file in sorted(files, key=lambda file: (file == mark, file)):
                    self.fs.pipe_file(f"{where}/{file}", files[file])

    def _commit_local(self, target: Path, files: Mapping[str, bytes]) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f"{TEMPORARY}{secrets.token_hex(6)}-{target.name}")
        try:
            for file in sorted(files):
                _write_synced(temporary / file, files[file])
            for folder in sorted({(temporary / file).parent for file in files}):
                _sync_folder(folder)
            self._remove_local(target)
            temporary.rename(target)
        finally:
            self._remove_local(temporary)
        _sync_folder(target.parent)

    def _remove_local(self, target: Path) -> None:
        if target.exists():
            self.fs.rm(target.as_posix(), recursive=True)

    def remove(self, name: str) -> None:
        """Remove a file or folder; nothing happens where there is none."""
        if self.exists(name):
            with explained("remove", f"{self.path}/{name}"):
                self.fs.rm(f"{self.path}/{name}", recursive=True)

    def sweep(self) -> int:
        """Remove what interrupted writes left behind; returns how many leftovers there were."""
        if not self.exists():
            return 0
        leftovers = [entry for entry in self.fs.find(self.path, withdirs=True) if TEMPORARY in Path(entry).name]
        for entry in sorted(leftovers):
            if self.fs.exists(entry):
                self.fs.rm(entry, recursive=True)
        return len(leftovers)


def _write_synced(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
