"""Where everything rests below one data folder (``--data DIR``), and what travels with the code."""

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from corpus.code import shipped_data
from corpus.earlier import Earlier
from corpus.errors import ModelError, StoreError, store_errors
from corpus.folders.files import Folder
from corpus.folders.open_files import read_file
from corpus.outputs import Outputs
from corpus.post_store.batch_files import Source
from corpus.post_store.deposit import Deposit
from corpus.post_store.store import PostStore, Snapshot
from corpus.records import Post
from corpus.versioning.latest import Turns
from corpus.versioning.versions import Versions

BUNDLED = shipped_data()
INPUTS, MODELS = "inputs", "models"
ROOMS = (
    *("benchmarks", "crawls", "earlier", INPUTS, MODELS, "posts", "prefect", "runs", "stages", "takedowns", "turns"),
    "versions",
)
"""Folders of a data folder in which only programs write; those of ``audits`` and ``reports`` are for people."""


@dataclass(frozen=True)
class Workspace:
    """One data folder. Its parts are made when first written to."""

    data: str

    @property
    def folder(self) -> Folder:
        """The data folder itself."""
        return Folder.at(self.data)

    @property
    def whole_address(self) -> str:
        """The data folder for a process that works in another folder."""
        return str(Path(self.folder.path).resolve()) if self.folder.local else self.data

    @property
    def posts(self) -> PostStore:
        """Posts that were crawled or ingested."""
        return PostStore(self.folder / "posts")

    @property
    def outputs(self) -> Outputs:
        """Stage outputs by content address."""
        return Outputs(self.folder / "stages")

    @property
    def earlier(self) -> Earlier:
        """What earlier builds left for the next."""
        return Earlier(self.folder / "earlier")

    @property
    def benchmarks(self) -> Folder:
        """Benchmarks that builds were held against, by digest (curation.near_texts.benchmark_texts)."""
        return self.folder / "benchmarks"

    @property
    def versions(self) -> Versions:
        """Published versions."""
        return Versions(self.folder / "versions", Turns(self.folder / "turns"))

    def store(self, name: str) -> PostStore:
        """The post store ``posts``, or the one of a build from files, ``inputs/<digest>``."""
        return PostStore(self.folder / name)

    def stores(self) -> dict[str, PostStore]:
        """The post store and those of builds from files, by name."""
        names = ["posts", *(f"{INPUTS}/{name}" for name in (self.folder / INPUTS).names())]
        return {name: self.store(name) for name in names}

    def check_stores(self) -> None:
        """DamageError where a store has lost a post, which stage outputs may still hold: nothing of them may go.

        Every batch is read.
        """
        for store in self.stores().values():
            store.check()

    def add_input(
        self, posts: Iterable[Post], source: Source | None = None, *, incomplete: bool = False
    ) -> tuple[str, Snapshot]:
        """Keep posts as ``keep_input`` keeps those of a deposit."""
        with self.input_deposit(incomplete=incomplete) as deposit:
            for post in posts:
                deposit.add({**post.model_dump(), "content_sha256": ""})
            return self.keep_input(deposit, source, incomplete=incomplete)

    def input_deposit(self, *, incomplete: bool = False) -> Deposit:
        """Where the posts of a build from files are put; what the post store was told to forget is left out."""
        return Deposit(PostStore(self.posts.folder, incomplete=incomplete), self.folder / INPUTS)

    def keep_input(
        self, deposit: Deposit, source: Source | None = None, *, incomplete: bool = False
    ) -> tuple[str, Snapshot]:
        """Keep the posts of a build from files, so that it can be rebuilt; returns the store's name and snapshot.

        Of a post that comes with several contents the newest is kept; InputError if nothing says which that is. The
        same contents are one input, which keeps the retrieval it was first given with. ``source`` is where the posts
        may be read again, ``incomplete`` goes on where a store lacks batches.
        """
        name = f"{INPUTS}/{deposit.newest_digest()[:32]}"
        store = PostStore(self.folder / name, source=source, incomplete=incomplete)
        deposit.commit(store, newest_only=True)
        return name, store.snapshot()

    def local_folder(self, name: str, what: str) -> Path:
        """A folder below the data folder that programs write to directly; StoreError where that is on no local disk."""
        if not self.folder.local:
            raise StoreError(f"cannot keep {what} in {self.data}; they need a local disk: give a folder for --data")
        return self._path / name

    def rooms(self) -> tuple[Path, ...]:
        """The folders in which only programs write, as far as they are on a local disk."""
        return tuple(self._path / name for name in ROOMS) if self.folder.local else ()

    @property
    def _path(self) -> Path:
        """The data folder on a local disk, as it was given."""
        return Path(self.folder.path if "://" in self.data else self.data)

    def model_file(self, name: str) -> Path:
        """The file of a model: the data folder's own, else the shipped one. One that lies elsewhere is copied here."""
        place, shipped = self.folder / MODELS, BUNDLED / "models" / f"{name}.json"
        if place.exists(f"{name}.json"):
            return (
                self._path / MODELS / f"{name}.json" if place.local else _local_copy(place.read(f"{name}.json"), name)
            )
        if not shipped.is_file():
            raise ModelError(
                f"no model {name}: neither {place}/{name}.json nor {shipped} exists; run wordquarry train {name}"
            )
        return shipped

    def model_digest(self, name: str) -> str:
        """SHA-256 of a model's file."""
        path = self.model_file(name)
        with store_errors("read", str(path)):
            return hashlib.sha256(read_file(path)).hexdigest()[:32]


def _local_copy(content: bytes, name: str) -> Path:
    """A local file with these bytes, in a folder that is named after them."""
    digest = hashlib.sha256(content).hexdigest()[:32]
    folder = Folder.at(user_cache() / MODELS / digest)
    if not folder.exists(f"{name}.json"):
        folder.write(f"{name}.json", content)
    return Path(folder.path) / f"{name}.json"


def user_cache() -> Path:
    """Where a user's programs keep what they can make again: ``XDG_CACHE_HOME`` or ``~/.cache``."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "wordquarry"
