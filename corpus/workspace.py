"""Where everything rests below one data folder (``--data DIR``), and what travels with the code."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from corpus.batch_list import Source
from corpus.contents import choose_newest
from corpus.earlier import EarlierParts
from corpus.errors import ModelError
from corpus.files import Folder, store_errors
from corpus.outputs import Outputs
from corpus.records import Post
from corpus.shipped_data import shipped_data
from corpus.store import PostStore, Snapshot
from corpus.turns import Turns
from corpus.versions import Versions

BUNDLED = shipped_data()
INPUTS = "inputs"


@dataclass(frozen=True)
class Workspace:
    """One data folder. Its parts are made when first written to."""

    data: str

    @property
    def folder(self) -> Folder:
        """The data folder itself."""
        return Folder.at(self.data)

    @property
    def posts(self) -> PostStore:
        """Posts that were crawled or ingested."""
        return PostStore(self.folder / "posts")

    @property
    def outputs(self) -> Outputs:
        """Stage outputs by content address."""
        return Outputs(self.folder / "stages")

    @property
    def earlier(self) -> EarlierParts:
        """Which stage outputs earlier builds made of a shard."""
        return EarlierParts(self.folder / "earlier")

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

    def add_input(
        self, posts: Iterable[Post], source: Source | None = None, *, incomplete: bool = False
    ) -> tuple[str, Snapshot]:
        """Keep the posts of a build from files, so that it can be rebuilt; returns the store's name and snapshot.

        Of a post that comes with several contents the newest is kept; InputError if nothing says which that is. Posts
        that the post store was told to forget are left out. The same contents are one input, which keeps the retrieval
        it was first given with. ``source`` is where the posts may be
        read again, ``incomplete`` goes on where a store lacks batches.
        """
        forgotten = PostStore(self.posts.folder, incomplete=incomplete).tombstones()
        newest = choose_newest(post for post in posts if not forgotten.forbid(post))
        pairs = sorted(f"{post.post_id}\n{post.content_sha256}" for post in newest.values())
        name = f"{INPUTS}/" + hashlib.sha256("\n".join(pairs).encode()).hexdigest()[:32]
        store = PostStore(self.folder / name, source=source, incomplete=incomplete)
        held = store.posts()
        store.upsert(post for post in newest.values() if post.post_id not in held)
        return name, store.snapshot()

    def model_file(self, name: str) -> Path:
        """The file of a model: the data folder's own, else the shipped one."""
        own = Path(self.data) / "models" / f"{name}.json"
        shipped = BUNDLED / "models" / f"{name}.json"
        found = next((path for path in (own, shipped) if path.is_file()), None)
        if found is None:
            raise ModelError(f"no model {name}: neither {own} nor {shipped} exists; run wordquarry train {name}")
        return found

    def model_digest(self, name: str) -> str:
        """SHA-256 of a model's file."""
        path = self.model_file(name)
        with store_errors("read", str(path)):
            return hashlib.sha256(path.read_bytes()).hexdigest()[:32]
