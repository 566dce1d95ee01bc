"""What earlier builds left for the next one: it saves work and decides nothing, and may be lost or stale at any time.

A stage that sees the corpus at once may leave a table of what it found, its memory. Beside it are pointers to the parts
that were made of a shard: small files named after it. For the last few states of the shard's posts a pointer names the
part of posts and the parts that stages made of them, by ``base``: the digest of all that made a part beside the posts.
Whoever follows one finds the parts themselves, or does not.
"""

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from corpus.canonical import canonical_json
from corpus.errors import StoreError
from corpus.folders.files import Folder
from corpus.strict_json import load_json

MEMORY = ".memory"
HELD = 4
"""States of its posts that a pointer names, the latest last."""

PartPair = tuple[str, str]
"""The keys of a part of posts and of what a stage made of it."""


@dataclass(frozen=True)
class Shard:
    """One of so many shards, see ``bucket_of``."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}-of-{self.of}"

    def relatives(self) -> Iterator[tuple["Shard", ...]]:
        """The shards that hold the same posts where there are as many shards, half as many, or twice as many."""
        yield (self,)
        if self.of % 2 == 0:
            yield (Shard(self.number // 2, self.of // 2),)
        yield (Shard(2 * self.number, 2 * self.of), Shard(2 * self.number + 1, 2 * self.of))


class Earlier:
    """The pointers and memories in one folder."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder

    def note(self, shard: Shard, posts: str, made: Mapping[str, PartPair] | None = None) -> None:
        """Note the key of a part of posts and, by stage, base and key of the parts that were made of it."""
        before = self._read(shard)
        fresh: dict[str, Any] = {"posts": posts, "stages": {}}
        entry = next((one for one in before if one["posts"] == posts), fresh)
        stages: dict[str, dict[str, str]] = {name: dict(keys) for name, keys in entry["stages"].items()}
        for stage, (base, key) in (made or {}).items():
            stages.setdefault(stage, {})[base] = key
        others = [one for one in before if one["posts"] != posts]
        after = [*others[1 - HELD :], {"posts": posts, "stages": stages}]
        if after != before:
            self.folder.write(f"{shard}.json", canonical_json(after).encode())

    def parts(self, shard: Shard, stage: str, base: str) -> Iterator[tuple[PartPair, ...]]:
        """Earlier parts of posts that cover a shard, and what a stage of this base made of each, the likeliest first.

        One or two cover a shard. ``posts`` as stage gives the parts of posts themselves.
        """
        for shards in shard.relatives():
            latest_first = [list(reversed(list(self._pairs(one, stage, base)))) for one in shards]
            yield from zip(*latest_first, strict=False)

    def keep(self, known: Collection[tuple[str, str]]) -> None:
        """Leave of the pointers what leads to known parts, (stage, key) pairs; ``posts`` is the stage of the posts."""
        for name in self.folder.names():
            shard = shard_of(name)
            if shard is None:
                continue
            before = self._read(shard)
            after = [_known(entry, known) for entry in before if ("posts", entry["posts"]) in known]
            if not after:
                self.folder.remove(name)
            elif after != before:
                self.folder.write(name, canonical_json(after).encode())

    def memory(self, stage: str, made_by: str) -> pa.Table | None:
        """What a stage of this configuration and code left when it last ran; None for a damaged table or none."""
        name = f"{stage}{MEMORY}"
        try:
            content = self.folder.read(name) if self.folder.exists(name) else b""
            digest, _, table = content.partition(b"\n")
            if not table or digest != _seal(made_by, table):
                return None
            with pa.ipc.open_stream(table) as reader:
                return reader.read_all()
        except (StoreError, pa.ArrowException, OSError, ValueError):
            return None

    def remember(self, stage: str, made_by: str, table: pa.Table) -> None:
        """Keep what a stage found for when it runs again, in place of what it left before."""
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
            writer.write_table(table)
        content = sink.getvalue().to_pybytes()
        self.folder.write(f"{stage}{MEMORY}", _seal(made_by, content) + b"\n" + content)

    def forget(self) -> None:
        """Remove all memories, since they name posts."""
        for name in self.folder.names():
            if name.endswith(MEMORY):
                self.folder.remove(name)

    def _pairs(self, shard: Shard, stage: str, base: str) -> Iterator[PartPair]:
        for entry in self._read(shard):
            key = entry["posts"] if stage == "posts" else entry["stages"].get(stage, {}).get(base)
            if key is not None:
                yield str(entry["posts"]), str(key)

    def _read(self, shard: Shard) -> list[dict[str, Any]]:
        name = f"{shard}.json"
        try:
            found = load_json(self.folder.read(name)) if self.folder.exists(name) else []
            return found if all(_is_entry(entry) for entry in found) else []
        except (StoreError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return []  # a damaged pointer costs work and nothing else


def _seal(made_by: str, content: bytes) -> bytes:
    """What a memory begins with: it says that the rest is whole, and by what it was made."""
    return hashlib.sha256(made_by.encode() + b"\n" + content).hexdigest().encode()


def shard_of(name: str) -> Shard | None:
    """The shard of a pointer by the name of its file.

    >>> shard_of("3-of-8.json"), shard_of("notes.txt")
    (Shard(number=3, of=8), None)
    """
    found = re.fullmatch(r"(\d{1,4})-of-(\d{1,4})\.json", name)
    return Shard(int(found[1]), int(found[2])) if found else None


def _known(entry: Mapping[str, Any], known: Collection[tuple[str, str]]) -> dict[str, Any]:
    """What a state of the posts has of known parts."""
    stages = {
        stage: {base: key for base, key in keys.items() if (stage, key) in known}
        for stage, keys in entry["stages"].items()
    }
    return {"posts": entry["posts"], "stages": {stage: keys for stage, keys in stages.items() if keys}}


def _is_entry(entry: Any) -> bool:
    return isinstance(entry["posts"], str) and all(isinstance(keys, dict) for keys in entry["stages"].values())
