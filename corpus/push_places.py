"""The places that a version can be sent to, by their addresses; none that lies in a store."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from corpus.batch_list import LIST
from corpus.errors import StoreError
from corpus.files import Folder
from corpus.hub import HubTarget
from corpus.manifest import MANIFEST, sha256_bytes
from corpus.pushing import UNDER_WAY, PushTarget, under_way
from corpus.version_tables import PROBLEMS
from corpus.versions import Version
from corpus.workspace import Workspace

HUB = "hf://"
RUNS = "runs"


def place_of(to: str, workspace: Workspace, version: Version, *, private: bool = True) -> PushTarget:
    """The place at a folder's path, a URL that fsspec knows, or ``hf://datasets/OWNER/NAME``.

    StoreError for an address that names none, or that leads into the store of the data folder or of the version.
    """
    _check_address(to)
    if to.startswith(HUB):
        return HubTarget(to, private=private)
    folder = Folder.at(to)
    _check_apart(folder, to, [workspace.folder, *_store_of(version)])
    return FolderTarget(folder)


def _check_address(to: str) -> None:
    """StoreError for an address without a place, or one whose steps a store may read as another place."""
    scheme, url, rest = to.partition("://")
    parts = unquote(rest).rstrip("/").split("/")
    begin = 1 if url and not parts[0] and scheme in ("file", "local", "memory") else 0  # these have no host
    if not to.strip() or (url and (":" in scheme or "::" in rest or {"", ".", ".."}.intersection(parts[begin:]))):
        raise StoreError(
            f"{to!r} is no place to send a version to; give a folder, s3://BUCKET/PREFIX or hf://datasets/OWNER/NAME, "
            "without empty steps, . and .."
        )


def _store_of(version: Version) -> list[Folder]:
    """The folder of a version, and the store that it lies in, if it lies in one."""
    place = PurePosixPath(version.folder.path)
    is_stored = place.parts[-3:] == ("versions", version.name, version.version_id)
    stores = [version.folder]
    return [*stores, Folder(version.folder.fs, place.parents[2].as_posix())] if is_stored else stores


def _check_apart(place: Folder, to: str, stores: Iterable[Folder]) -> None:
    """StoreError where the files of a push would lie in a store, or a store among them."""
    path = PurePosixPath(os.path.realpath(place.path))
    above = [Folder(place.fs, one.as_posix()) for one in (path, *path.parents)] if place.local else []
    for store in (*stores, *filter(_is_store, above)):
        own = [place / folder for folder in PROBLEMS]
        if any(_within(one, store) for one in (place, *own)) or any(_within(store, one) for one in own):
            raise StoreError(f"{to} leads into the store {store}, which a push must not touch; give another place")


def _is_store(folder: Folder) -> bool:
    """Whether a folder is the data folder of anybody's store."""
    return folder.exists(f"posts/{LIST}") or (folder.exists(RUNS) and folder.exists("versions"))


def _within(inner: Folder, outer: Folder) -> bool:
    """Whether a folder is another one or lies below it, whatever links lead there."""
    if inner.local != outer.local:
        return False
    if not inner.local:
        one, other = (PurePosixPath("/", folder.path.strip("/")) for folder in (inner, outer))
        return type(inner.fs) is type(outer.fs) and one.is_relative_to(other)
    path, store = Path(os.path.realpath(inner.path)), Path(os.path.realpath(outer.path))
    above = (path, *path.parents)
    return store in above or (store.exists() and any(one.exists() and one.samefile(store) for one in above))


@dataclass(frozen=True)
class FolderTarget:
    """A folder on any filesystem that fsspec knows. Files go there one by one, the manifest last."""

    folder: Folder

    @property
    def address(self) -> str:
        """Its real path, or its URL."""
        return os.path.realpath(self.folder.path) if self.folder.local else str(self.folder)

    def names(self) -> list[str]:
        """The relative paths of the files at the top and in the folders of problems."""
        top = [name for name in self.folder.names() if name not in PROBLEMS]
        return top + [path for folder in PROBLEMS for path in self.folder.files_below(folder)]

    def digest(self, path: str) -> str:
        """The SHA-256 of a file there."""
        return sha256_bytes(self.read(path))

    def read(self, path: str) -> bytes:
        """The bytes of a file there."""
        return self.folder.read(path)

    def send(self, files: Mapping[str, bytes], gone: Iterable[str], label: str) -> str:
        """Write the files between two steps of the mark, without a manifest as long as they are not those it names."""
        self.folder.tidy()
        for folder in PROBLEMS:
            (self.folder / folder).tidy()
        self.folder.write(UNDER_WAY, under_way(label))
        if MANIFEST in files:
            self.folder.remove(MANIFEST)
        for path in sorted(set(files) - {MANIFEST}):
            self.folder.write(path, files[path])
        for path in sorted(set(gone) - {UNDER_WAY}):
            self.folder.remove(path)
        if MANIFEST in files:
            self.folder.write(MANIFEST, files[MANIFEST])
        self.folder.remove(UNDER_WAY)
        return str(self.folder)
