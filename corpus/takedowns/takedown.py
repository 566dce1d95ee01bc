"""Taking posts down: out of the stores, and out of every version that holds them, down to the places it was sent to.

How far it is stands in ``takedowns/<digest of the name>.json``, which is written before anything goes: a takedown that
was cut short goes on there when it is asked for again. Until the search is done the file holds runs of the posts' words
(corpus.takedowns.absence). When nothing is left to do, a line in a log takes its place.
"""

import hashlib
import hmac
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from corpus.canonical import canonical_json, sha256_text
from corpus.delivery.push_places import RUNS, place_of
from corpus.delivery.pushing import push, sent_places
from corpus.errors import CorpusError, InputError, StoreError, VersionError, store_errors
from corpus.folders.files import Folder
from corpus.folders.locks import nobody_building
from corpus.folders.open_files import read_file
from corpus.post_store.tombstones import Tombstone, address_key
from corpus.strict_json import load_json
from corpus.takedowns.absence import Searched, Sought, runs_of, search
from corpus.takedowns.forgetting import Forgotten, Traces, forget, stone_of
from corpus.takedowns.version_takedown import PostsMeant, without_posts
from corpus.versioning.gate_verdicts import missing_stages
from corpus.versioning.manifest import MANIFEST, TABLE, sha256_bytes
from corpus.versioning.versions import Version, Versions
from corpus.workspace import Workspace

LOG: Final = "log.jsonl"
LEAST_KEY: Final = 16
_MAC, _BEFORE = "hmac_sha256", "before"


def read_key(path: Path | None) -> bytes | None:
    """The bytes of a key file, without white space at its ends; InputError for one that is too short."""
    if path is None:
        return None
    with store_errors("read", str(path)):
        key = read_file(path).strip()
    if len(key) < LEAST_KEY:
        raise InputError(f"{path} holds {len(key)} bytes, too few for a key; make one: openssl rand -hex 32 > {path}")
    return key


class TakedownLog:
    """The log in a folder: a line for each takedown, chained to the one before and signed with a key if there is one.

    A line has the SHA-256 of the line before it. With the key of its user it has an HMAC-SHA256 of itself as well:
    whoever has the key can tell that the line, and every line before it, is as the owner of a key wrote it. Without a
    key the chain shows a change only to who knows a later line. That lines at the end are missing shows neither.
    """

    def __init__(self, folder: Folder, key: bytes | None) -> None:
        self._folder, self._key = folder, key

    def check(self) -> list[Mapping[str, Any]]:
        """The lines of the log, the chain and, with the key, every signature checked.

        StoreError at the first line that is not as it was written; InputError for a key that does not fit.
        """
        found: list[Mapping[str, Any]] = []
        before = ""
        for number, line in enumerate(self._lines(), start=1):
            try:
                told = dict(load_json(line))
                chained = told.pop(_BEFORE) == before
                mac = told.pop(_MAC, None)
            except (ValueError, KeyError, TypeError) as error:
                raise self._broken(number) from error
            if not chained:
                raise self._broken(number)
            if mac is not None and self._key is not None and not hmac.compare_digest(mac, self._mac(told, before)):
                raise InputError(
                    f"line {number} of {self._folder}/{LOG} is signed with another key, or was changed; give the key "
                    "that fits (--key), or move the log away to begin another"
                )
            before = hashlib.sha256(line).hexdigest()
            found.append(told)
        return found

    def add(self, told: Mapping[str, Any]) -> int:
        """Add a line unless the last one tells the same takedown; returns its number."""
        lines = self.check()
        if lines and lines[-1]["takedown"] == told["takedown"]:
            return len(lines)
        before = hashlib.sha256(self._lines()[-1]).hexdigest() if lines else ""
        line: dict[str, Any] = {**told, "ended": datetime.now(UTC).isoformat(timespec="seconds")}
        signed = {_MAC: self._mac(line, before)} if self._key is not None else {}
        self._folder.append(LOG, canonical_json({**line, _BEFORE: before, **signed}).encode() + b"\n")
        return len(lines) + 1

    def _lines(self) -> list[bytes]:
        """The lines that are whole: what a killed command left of one is cut off by the next."""
        content = self._folder.read(LOG) if self._folder.exists(LOG) else b""
        return content[: content.rfind(b"\n") + 1].splitlines()

    def _mac(self, told: Mapping[str, Any], before: str) -> str:
        assert self._key is not None
        return hmac.new(self._key, canonical_json({**told, _BEFORE: before}).encode(), "sha256").hexdigest()

    def _broken(self, number: int) -> StoreError:
        return StoreError(
            f"line {number} of {self._folder}/{LOG} is not as it was written, or one before it is gone; restore the "
            "log, or move it away to begin another"
        )


TAKEDOWNS: Final = "takedowns"


@dataclass(frozen=True)
class TakenDown:
    """What a takedown did, and what is left: pushes to be done, and what could not be done, a sentence each.

    ``line`` is the number of its line in the log, None as long as something is left.
    """

    forgotten: Forgotten
    versions: tuple[str, ...]
    searched: Searched
    sought: Sought
    pushed: tuple[str, ...]
    to_push: tuple[str, ...]
    doubtful: tuple[str, ...]
    failed: tuple[str, ...]
    line: int | None


@dataclass
class _State:
    """How far a takedown is: what it is of, and each version that was made anew, with what stands in its place."""

    folder: Folder
    name: str
    began: str
    ids: set[str] = field(default_factory=set)
    urls: set[str] = field(default_factory=set)
    runs: set[str] = field(default_factory=set)
    versions: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: Folder, stone: Tombstone) -> "_State":
        """That of a takedown of this post or address, a new one if none was begun; StoreError for a damaged one."""
        name = f"{sha256_text(address_key(stone.url) if stone.url else str(stone.post_id))[:32]}.json"
        if not folder.exists(name):
            return cls(folder, name, datetime.now(UTC).isoformat())
        try:
            told = load_json(folder.read(name))
            ids, urls, runs = (set(map(str, told[kind])) for kind in ("ids", "urls", "runs"))
            return cls(folder, name, str(told["began"]), ids, urls, runs, dict(told["versions"]))
        except (ValueError, KeyError, TypeError) as error:
            raise StoreError(f"{folder}/{name} is damaged; remove it and run the command again") from error

    def save(self) -> None:
        kinds = {"ids": self.ids, "urls": self.urls, "runs": self.runs}
        told = {"began": self.began, **{kind: sorted(some) for kind, some in kinds.items()}, "versions": self.versions}
        self.folder.write(self.name, canonical_json(told).encode())

    def before(self, label: str) -> Iterator[str]:
        """The files of versions that another takedown, which is not done, has put this one in the place of."""
        for name in self.folder.names():
            if name not in (LOG, self.name):
                for told in load_json(self.folder.read(name))["versions"].values():
                    yield from map(str, told["files"] if told["new"] == label else ())

    def learn(self, traces: Traces) -> None:
        self.ids |= traces.post_ids
        self.urls |= traces.urls
        self.runs |= runs_of(traces.texts)
        self.save()

    def sought(self) -> Sought:
        return Sought(frozenset(self.ids), frozenset(self.urls), frozenset(self.runs))


def take_down(
    workspace: Workspace, name: str, clear: Callable[[Traces], int], *, key: bytes | None = None, send: bool = False
) -> TakenDown:
    """Forget a post by its id, or every post of an address, and make every version that holds it anew without it.

    ``clear`` is as of ``forget``. With ``send`` the new versions take the place of the old ones where these were
    pushed; otherwise that is left. ``key`` signs the line in the log. Raises what ``forget`` and ``TakedownLog.check``
    raise, and StoreError while a build is under way. What cannot be done of versions and places is told, and is done
    when the command is run again.
    """
    stone, log = stone_of(name), TakedownLog(workspace.folder / TAKEDOWNS, key)
    log.check()
    state = _State.of(workspace.folder / TAKEDOWNS, stone)

    def cleared(traces: Traces) -> int:
        state.learn(traces)
        return clear(traces)

    with nobody_building(workspace.folder):
        done = forget(workspace, name, cleared)
        failed = list(_remade(workspace, state, stone))
        sought = state.sought()
        searched = search(workspace.folder, sought, (TAKEDOWNS,))
    state.runs = set()
    state.save()
    pushes = _Pushes.of(workspace, state)
    pushes.send(workspace, wanted=send)
    failed += pushes.failed
    line = None
    if not failed and not pushes.left:
        versions = {old: one["new"] for old, one in state.versions.items()}
        told = {"began": state.began, "takedown": sha256_text(state.name + state.began), "versions": versions}
        counts = {"ids": len(state.ids), "searched": searched.files, "still_there": len(searched.found)}
        line = log.add({**told, **counts, "name_sha256": sha256_text(name.strip())})
        state.folder.remove(state.name)
    lines = tuple(one["told"] for one in state.versions.values())
    left = tuple(pushes.left)
    return TakenDown(
        done, lines, searched, sought, tuple(pushes.sent), left, tuple(pushes.doubtful), tuple(failed), line
    )


def _remade(workspace: Workspace, state: _State, stone: Tombstone) -> Iterator[str]:
    """Put a new version in the place of each that holds one of the posts; gives what could not be done."""
    versions = workspace.versions
    for old, told in state.versions.items():
        _withdraw(workspace, old, told["new"])
    for label in [f"{name}/{one}" for name in versions.folder.names() for one in versions.ids(name)]:
        (versions.folder / label.partition("/")[0]).tidy()
        urls = frozenset([address_key(stone.url)] if stone.url else [])
        try:
            old_version = versions.open(label)
            found = without_posts(old_version, PostsMeant(frozenset(state.ids), urls))
        except VersionError as error:
            yield str(error)
            continue
        if found is None:
            continue
        new = versions.supersede(old_version, *found.made) if found.made else None
        state.ids |= found.ids
        state.versions[label] = {
            "new": new.label if new else None,
            "files": sorted(_digests(old_version).union(state.before(label)) - (_digests(new) if new else set())),
            "told": f"{label} -> {new.label if new else 'nothing, no problem is left'}: {found.problems} of "
            f"{old_version.manifest['rows']} problems taken out, {found.rows} rows in all",
        }
        state.save()
        _withdraw(workspace, label, state.versions[label]["new"])


def _digests(version: Version) -> set[str]:
    """Those of all files of a version."""
    return {facts["sha256"] for facts in version.manifest["files"].values()} | {
        sha256_bytes(version.folder.read(MANIFEST))
    }


def _withdraw(workspace: Workspace, old: str, new: str | None) -> None:
    """Remove a version, and let the record of its run be that of the new one."""
    runs = workspace.folder / RUNS
    if runs.exists(f"{old}.json"):
        if new is not None:
            runs.write(f"{new}.json", runs.read(f"{old}.json"))
        runs.remove(f"{old}.json")
    workspace.versions.withdraw(*old.split("/"))


@dataclass
class _Pushes:
    """Places that hold versions which were made anew: the dataset, the address and the new version of each.

    ``doubtful`` are places with a version that is not in the data folder any more.
    """

    places: list[tuple[str, str, str | None]]
    doubtful: list[str]
    sent: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, workspace: Workspace, state: _State) -> "_Pushes":
        found = cls([], [])
        for dataset, place, files in sent_places(workspace.folder):
            there = {digest for _, digest in files}
            shared = {old: len(there.intersection(told["files"])) for old, told in state.versions.items()}
            old = max(shared, key=lambda one: shared[one], default=None)
            if old is not None and shared[old]:
                found.places.append((dataset, place, state.versions[old]["new"]))
            elif not {one for one in files if one[0].endswith(TABLE)} <= workspace.versions.held_files(dataset):
                found.doubtful.append(f"{place} has a version of {dataset} that is not here any more")
        return found

    def send(self, workspace: Workspace, *, wanted: bool) -> None:
        """Send the new versions, or say how that is done."""
        for dataset, place, new in self.places:
            if new is None:
                self.left.append(f"{place} holds it: take {dataset} away there, and its note in pushes/ here")
                continue
            try:
                version = _standing(workspace.versions, new)
                candidate = bool(missing_stages(version.manifest))
                if wanted:
                    push(workspace, version, place_of(place, workspace, version), candidate=candidate)
                    self.sent.append(f"{version.label} sent to {place}")
                else:
                    flag = " --candidate" if candidate else ""
                    self.left.append(f"{place} holds it: wordquarry push {version.label} --to {place} --yes{flag}")
            except CorpusError as error:
                self.failed.append(f"{place} still holds it: {error}")


def _standing(versions: Versions, label: str) -> Version:
    """The version, or the latest of its dataset where another takedown has made that one anew by now."""
    name, _, version_id = label.partition("/")
    return versions.open(label if version_id in versions.ids(name) else name)
