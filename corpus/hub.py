"""A dataset repository of a hub (``hf://datasets/OWNER/NAME``) as a place for versions; a push is one commit."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from corpus.errors import StoreError
from corpus.schema import first_line

HUB = re.compile(r"hf://datasets/([\w.-]{1,96}/[\w.-]{1,96})(?:@([\w./-]{1,200}))?/?")

REACH_SECONDS = 10


class HubTarget:
    """A repository, whole or to be made, and a branch of it; StoreError where the hub refuses or is not to be had."""

    def __init__(self, address: str, *, private: bool = True) -> None:
        found = HUB.fullmatch(address)
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
