"""Which parts earlier builds made of a shard: pointers that save work and decide nothing.

A pointer is a small file named after its shard. For the last few states of the shard's posts it names the part of posts
and the parts that stages made of them, by ``base``: the digest of all that made a part beside the posts. A pointer may
be lost or stale at any time: whoever follows it finds the parts themselves, or does not.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from corpus.canonical import canonical_json
from corpus.errors import StoreError
from corpus.files import Folder
from corpus.strict_json import load_json

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


class EarlierParts:
    """The pointers in one folder."""

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

    def posts(self, shard: Shard) -> Iterator[tuple[str, ...]]:
        """The keys of earlier parts of posts that cover a shard, one or two a time, the likeliest first."""
        for shards in shard.relatives():
            latest_first = [[str(entry["posts"]) for entry in reversed(self._read(one))] for one in shards]
            yield from zip(*latest_first, strict=False)

    def parts(self, shard: Shard, stage: str, base: str) -> Iterator[tuple[PartPair, ...]]:
        """Earlier parts of posts that cover a shard, and what a stage of this base made of each."""
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

    def _pairs(self, shard: Shard, stage: str, base: str) -> Iterator[PartPair]:
        for entry in self._read(shard):
            key = entry["stages"].get(stage, {}).get(base)
            if key is not None:
                yield str(entry["posts"]), str(key)

    def _read(self, shard: Shard) -> list[dict[str, Any]]:
        name = f"{shard}.json"
        try:
            found = load_json(self.folder.read(name)) if self.folder.exists(name) else []
            return found if all(_is_entry(entry) for entry in found) else []
        except (StoreError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return []  # a damaged pointer costs work and nothing else


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
