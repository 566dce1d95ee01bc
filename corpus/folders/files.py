"""Folders through fsspec: atomic files, atomic folders, and errors a person can act on.

On a local disk a file or folder is written beside its target, synced and renamed. On object stores, which know no
rename, files are written in place and the mark file goes last: a folder counts only once its mark is there. What two
writers may change there is written on condition that it is as it was seen (corpus.folders.object_store).
"""

import contextlib
import errno
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import fsspec

from corpus.errors import StoreError, store_errors
from corpus.folders.local_files import (
    TEMPORARY,
    HeldBytes,
    append_synced,
    commit_folder,
    discard,
    make_folders,
    sweep,
    temporary_beside,
    write_file,
)
from corpus.folders.object_store import Tagged, append_lines, commit_files, is_s3, put_if, tagged
from corpus.folders.open_files import open_file, read_file


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
        return self.path if self.local else str(self.fs.unstrip_protocol(self.path))

    @property
    def local(self) -> bool:
        """Whether rename and fsync are to be had."""
        return "file" in (self.fs.protocol if isinstance(self.fs.protocol, tuple) else (self.fs.protocol,))

    def exists(self, name: str = "") -> bool:
        """Whether the folder, or a file or folder in it, is there."""
        where = f"{self.path}/{name}" if name else self.path
        with store_errors("read", f"{self}/{name}".rstrip("/")):
            return bool(self.fs.exists(where))

    def names(self) -> list[str]:
        """Names in the folder, sorted, without leftovers of interrupted writes; StoreError if it is a file."""
        if not self.exists():
            return []
        with store_errors("list", str(self)):
            if self.fs.isfile(self.path):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
            found = (Path(entry).name for entry in self.fs.ls(self.path, detail=False, refresh=True))
            return sorted(name for name in found if not name.startswith(TEMPORARY))

    def files_below(self, name: str) -> list[str]:
        """The paths of all files below a folder of this one, sorted, without leftovers of interrupted writes."""
        if not self.exists(name):
            return []
        with store_errors("list", f"{self}/{name}"):
            found = [f"{name}/{path[len(f'{self.path}/{name}/') :]}" for path in self.fs.find(f"{self.path}/{name}")]
        return sorted(path for path in found if not Path(path).name.startswith(TEMPORARY))

    def size(self, name: str) -> int:
        """How many bytes a file holds."""
        with store_errors("read", f"{self}/{name}"):
            return int(self.fs.size(f"{self.path}/{name}"))

    def sizes(self, name: str) -> dict[object, int]:
        """The bytes of each file in a folder; where a disk has links, files with several names are told by number."""
        with store_errors("read", f"{self}/{name}"):
            found = self.fs.find(f"{self.path}/{name}", detail=True)
        return {one.get("ino", path): int(one["size"]) for path, one in found.items()}

    def read(self, name: str) -> bytes:
        """The bytes of a file; StoreError if it cannot be read."""
        where = f"{self.path}/{name}"
        with store_errors("read", f"{self}/{name}"):
            return read_file(where) if self.local else bytes(self.fs.cat_file(where))

    @contextlib.contextmanager
    def opened(self, name: str) -> Iterator[IO[bytes]]:
        """A file to be read here and there; StoreError if it cannot be opened."""
        where = f"{self.path}/{name}"
        with contextlib.ExitStack() as stack:
            with store_errors("read", f"{self}/{name}"):
                file = stack.enter_context(open_file(where) if self.local else self.fs.open(where, "rb"))
            yield file

    def write(self, name: str, content: bytes) -> None:
        """Write a file so that readers see the old bytes or the new ones, never a part."""
        where = f"{self.path}/{name}"
        with store_errors("write", f"{self}/{name}"):
            if self.local:
                write_file(Path(where), content)
            else:
                if not is_s3(self.fs):  # which has no folders, and would ask for the right to make buckets
                    self.fs.makedirs(Path(where).parent.as_posix(), exist_ok=True)
                self.fs.pipe_file(where, content)

    def tagged(self, name: str) -> Tagged | None:
        """The bytes of a file and a tag that changes with them; None if it is not there."""
        where = f"{self.path}/{name}"
        with store_errors("read", f"{self}/{name}"):
            if not self.local:
                return tagged(self.fs, where)
            try:
                content = read_file(where)
            except FileNotFoundError:
                return None
            return Tagged(content, hashlib.sha256(content).hexdigest())

    def put_if(self, name: str, content: bytes, tag: str | None) -> str | None:
        """Write a file that still has this tag, or is not there if the tag is None; the new tag, or None if it has not.

        On a local disk only whoever holds the lock that belongs to the file may ask (corpus.folders.locks).
        """
        where = f"{self.path}/{name}"
        if not self.local:
            with store_errors("write", f"{self}/{name}"):
                return put_if(self.fs, where, content, tag)
        there = self.tagged(name)
        if (there.tag if there else None) != tag:
            return None
        self.write(name, content)
        return hashlib.sha256(content).hexdigest()

    def append(self, name: str, lines: bytes) -> None:
        """Add lines to the end of a file, synced; what a killed writer left of a line is cut off before."""
        where = f"{self.path}/{name}"
        with store_errors("write", f"{self}/{name}"):
            if self.local:
                append_synced(Path(where), lines)
            else:
                append_lines(self.fs, where, lines)

    def commit(
        self, name: str, files: Mapping[str, bytes | HeldBytes], mark: str, check: Callable[[], None] = lambda: None
    ) -> None:
        """Publish ``files`` as folder ``name`` in one step; ``mark`` is the file that says it is complete.

        A folder that is already there is left as it is when complete, and replaced when it has no mark. ``check`` fails
        where another has taken over meanwhile; on object stores it is asked before anything is replaced or marked.
        """
        if mark not in files:
            raise StoreError(f"cannot publish {self}/{name}: no {mark} among its files")
        where = f"{self.path}/{name}"
        for folder in (self, self / name):
            folder.tidy()
        if (self / name).exists(mark):
            return
        with store_errors("write", f"{self}/{name}"):
            if self.local:
                commit_folder(Path(where), files, mark)
            else:
                whole = {path: one.content if isinstance(one, HeldBytes) else one for path, one in files.items()}
                commit_files(self.fs, where, whole, mark, check)

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
        with store_errors("remove", f"{self}/{name}"), contextlib.suppress(FileNotFoundError):
            if self.local:
                aside = temporary_beside(Path(where))
                Path(where).rename(aside)
                discard(aside)
            else:
                self.fs.rm(where, recursive=True)


def aside(folder: Folder) -> Path:
    """A new local folder for what waits to be written into ``folder``: beside it where that is local.

    Whoever writes there next removes what dead writers left.
    """
    if not folder.local:
        return Path(tempfile.mkdtemp(prefix="wordquarry-"))
    place = Path(folder.path)
    with store_errors("write", f"{place}/waiting"):
        make_folders(place)
        sweep(place)
        path = temporary_beside(place / "waiting")
        path.mkdir()
    return path
