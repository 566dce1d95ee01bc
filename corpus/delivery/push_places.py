"""The places that a version can be sent to, by their addresses; none that lies in a store.

They are folders on any file system, and dataset repositories of a hub (``hf://datasets/OWNER/NAME``), where a push is
one commit.
"""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

from corpus.delivery.pushing import UNDER_WAY, PushTarget, under_way
from corpus.errors import StoreError
from corpus.folders.files import Folder
from corpus.post_store.batch_files import LIST
from corpus.schema import first_line
from corpus.versioning.manifest import MANIFEST, sha256_bytes
from corpus.versioning.version_tables import PROBLEMS
from corpus.versioning.versions import Version
from corpus.workspace import Workspace

_REPOSITORY = re.compile(r"hf://datasets/([\w.-]{1,96}/[\w.-]{1,96})(?:@([\w./-]{1,200}))?/?")

REACH_SECONDS = 10


class HubTarget:
    """A repository, whole or to be made, and a branch of it; StoreError where the hub refuses or is not to be had."""

    def __init__(self, address: str, *, private: bool = True) -> None:
        found = _REPOSITORY.fullmatch(address)
        if found is None:
            raise StoreError(f"{address} is no dataset repository; give hf://datasets/OWNER/NAME, or NAME@BRANCH")
        from huggingface_hub import HfApi

        self._repository, self._revision = found[1], found[2] or "main"
        self.address = f"hf://datasets/{self._repository}@{self._revision}"
        self._given, self._private = address, private
        self._digests: dict[str, str] = {}
        self._api: Any = HfApi()
        self._where = {"repo_id": self._repository, "repo_type": "dataset"}

    def names(self) -> list[str]:
        """The paths of all files of the branch; none where the repository is still to be made."""
        from huggingface_hub.errors import RepositoryNotFoundError, RevisionNotFoundError

        with self._told("list"):
            try:
                self._reach()
                tree = self._api.list_repo_tree(**self._where, revision=self._revision, recursive=True)
                found = {one.path: one for one in tree if hasattr(one, "blob_id") and one.path != ".gitattributes"}
            except (RepositoryNotFoundError, RevisionNotFoundError):
                return []
        self._digests = {path: one.lfs.sha256 for path, one in found.items() if one.lfs is not None}
        return sorted(found)

    def digest(self, path: str) -> str:
        """The SHA-256 of a file there: as the hub keeps it of large files, of its bytes otherwise."""
        return self._digests.get(path) or hashlib.sha256(self.read(path)).hexdigest()

    def _reach(self) -> None:
        """Ask for the branch once. Listing goes on trying for half a minute where a hub is not to be had."""
        self._api.dataset_info(self._repository, revision=self._revision, timeout=REACH_SECONDS)

    def read(self, path: str) -> bytes:
        """The bytes of a file there."""
        from huggingface_hub import get_session, hf_hub_url
        from huggingface_hub.utils._headers import build_hf_headers
        from huggingface_hub.utils._http import hf_raise_for_status

        address = hf_hub_url(**self._where, filename=path, revision=self._revision, endpoint=self._api.endpoint)
        with self._told("read"):
            found = get_session().get(address, headers=build_hf_headers(), follow_redirects=True)
            hf_raise_for_status(found)
        return bytes(found.content)

    def send(self, files: Mapping[str, bytes], gone: Iterable[str], label: str) -> str:
        """Make the repository if need be, and put all files there in one commit; returns the commit's address."""
        from huggingface_hub import CommitOperationAdd, CommitOperationDelete

        operations: list[Any] = [CommitOperationDelete(path_in_repo=path) for path in gone]
        operations += [CommitOperationAdd(path_in_repo=path, path_or_fileobj=files[path]) for path in sorted(files)]
        if not operations:
            return self._given
        with self._told("write"):
            self._api.create_repo(**self._where, private=self._private, exist_ok=True)
            if self._revision != "main":
                self._api.create_branch(**self._where, branch=self._revision, exist_ok=True)
            done = self._api.create_commit(
                **self._where, operations=operations, commit_message=label, revision=self._revision
            )
        return str(done.commit_url)

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        """Errors of the hub and of the way there, as one line."""
        from huggingface_hub.errors import HfHubHTTPError, HFValidationError

        of_its_client: Any = HfHubHTTPError.__bases__[
            0
        ]  # the HTTPError of the client that this huggingface_hub rests on

        try:
            yield
        except (OSError, of_its_client, HFValidationError) as error:
            raise StoreError(
                f"cannot {what} {self._given}: {first_line(error)}; check the name, the network and the token "
                "(hf auth login, or HF_TOKEN)"
            ) from error


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
