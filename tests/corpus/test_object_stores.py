"""Object stores: what two writers may change is written on condition; leases, turns and versions on S3."""

import os
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import fsspec
import pytest

from corpus.errors import StoreError
from corpus.folders import object_store
from corpus.folders.files import Folder
from corpus.folders.locks import BUILDING, FOLD, LOCKS, BusyError, Lease, LeasePace, building, folding, nobody_building
from corpus.versioning.latest import Turns
from corpus.versioning.release import Release
from corpus.versioning.versions import Versions
from tests.corpus.samples import bare_release, memory_folder, problems
from tests.s3 import new_bucket, s3_server


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    with s3_server() as address:
        yield address


@pytest.fixture
def bucket(s3: str) -> Folder:
    return Folder.at(f"{new_bucket()}/data")


@pytest.fixture(params=["local", "memory", "s3"])
def anywhere(request: pytest.FixtureRequest, tmp_path: Path) -> Folder:
    if request.param == "s3":
        found: Folder = request.getfixturevalue("bucket")
        return found
    return Folder.at(tmp_path / "data") if request.param == "local" else memory_folder()


@pytest.fixture(params=["local", "memory"])
def nearby(request: pytest.FixtureRequest, tmp_path: Path) -> Folder:
    return Folder.at(tmp_path / "data") if request.param == "local" else memory_folder()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody pulls a plug here."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


HURRIED = LeasePace(beat=0.1, patience=0.5, look=0.05)
"""Leases beat ten times a second, and are dead after half a second without."""


def lease(folder: Folder) -> Lease:
    return Lease(folder, "x.lease", HURRIED)


def test_a_file_is_written_only_as_it_was_seen(anywhere: Folder) -> None:
    assert anywhere.tagged("a/b") is None
    first = anywhere.put_if("a/b", b"1", None)
    assert first is not None
    assert anywhere.put_if("a/b", b"2", None) is None
    second = anywhere.put_if("a/b", b"2", first)
    assert anywhere.tagged("a/b") == (b"2", second)
    assert anywhere.put_if("a/b", b"3", first) is None
    anywhere.remove("a/b")
    assert anywhere.put_if("a/b", b"4", second) is None
    assert not anywhere.exists("a/b")


def test_lines_of_many_writers_all_arrive(bucket: Folder) -> None:
    writers = [threading.Thread(target=bucket.append, args=("list", f"{n}\n".encode())) for n in range(6)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert sorted(bucket.read("list").split()) == [b"%d" % n for n in range(6)]


def test_folders_of_a_bucket_are_as_those_of_a_disk(bucket: Folder) -> None:
    assert (bucket.names(), bucket.exists()) == ([], False)
    bucket.write("b/c.bin", b"1")
    bucket.write("a.bin", b"22")
    assert bucket.names() == ["a.bin", "b"]
    bucket.write("rest/old", b"half done by something else")
    bucket.commit("rest", {"new": b"2", "mark": b"m"}, "mark")
    assert (bucket / "rest").names() == ["mark", "new"]
    bucket.remove("b")
    bucket.remove("b")
    assert bucket.names() == ["a.bin", "rest"]


def test_a_write_that_is_answered_twice_is_one_write(bucket: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer to a write is lost and the client writes again: the store refuses what is its own."""
    real = object_store._put_s3

    async def twice(*asked: Any) -> str | None:
        await real(*asked)
        return await real(*asked)

    monkeypatch.setattr(object_store, "_put_s3", twice)
    tag = bucket.put_if("one", b"1", None)
    assert tag is not None
    assert bucket.put_if("one", b"2", tag) is not None
    bucket.commit("part", {"x": b"1", "mark": b"m"}, "mark")
    assert (bucket / "part").names() == ["mark", "x"]
    turns = Turns(bucket / "turns")
    assert [turns.take("demo"), turns.take("demo")] == [1, 2]


def demo(rows: int) -> Release:
    """A release of so many problems."""
    return bare_release(problems()[:rows])


def versions_in(folder: Folder) -> Versions:
    return Versions(folder / "versions", Turns(folder / "turns", HURRIED))


def test_latest_is_not_lost_to_a_slower_writer(nearby: Folder) -> None:
    slow, fast = versions_in(nearby), versions_in(nearby)
    early, late = slow.turn("demo"), fast.turn("demo")
    newer, _ = fast.publish(demo(10), turn=late)
    older, new = slow.publish(demo(11), turn=early)
    assert new
    assert older.version_id != newer.version_id
    assert versions_in(nearby).open("demo").version_id == newer.version_id
    assert sorted(versions_in(nearby).ids("demo")) == sorted([older.version_id, newer.version_id])
    again, _ = slow.publish(demo(11), turn=slow.turn("demo"))
    assert slow.open("demo").version_id == again.version_id == older.version_id


@pytest.mark.full
def test_writers_at_once_publish_whole_versions_and_the_last_turn_is_latest(bucket: Folder) -> None:
    rows = [11, 10, 11]
    turns = [versions_in(bucket).turn("demo") for _ in rows]
    assert turns == [1, 2, 3]
    writers = [
        threading.Thread(target=versions_in(bucket).publish, args=[demo(some)], kwargs={"turn": turn})
        for some, turn in zip(rows, turns, strict=True)
    ]
    for writer in reversed(writers):
        writer.start()
    for writer in writers:
        writer.join()
    there = versions_in(bucket)
    assert len(there.ids("demo")) == 2
    for version_id in there.ids("demo"):
        there.open(f"demo/{version_id}").check()
    assert len(there.open("demo").problems()) == rows[-1]


def test_a_pointer_that_a_killed_writer_left_behind_is_put_right(nearby: Folder) -> None:
    versions = versions_in(nearby)
    first, _ = versions.publish(demo(11))
    second, _ = versions.publish(demo(10))
    nearby.write("versions/demo/latest", first.version_id.encode())
    versions.publish(demo(11), turn=1)
    assert versions.open("demo").version_id == second.version_id


def test_a_living_holder_is_waited_for_and_a_dead_one_is_not(bucket: Folder) -> None:
    with lease(bucket).held():
        begun = time.monotonic()
        with pytest.raises(StoreError, match=r"another command holds .*/data/x\.lease and is alive; wait for it"):
            lease(bucket)._take(1.0)
        assert time.monotonic() - begun > HURRIED.patience
    dead = lease(bucket)
    dead._take(0)
    with lease(bucket).held() as taken:
        taken.check()


def test_a_holder_that_slept_learns_that_it_has_lost() -> None:
    folder = memory_folder()
    awake = threading.Event()

    class Sleeping(Folder):
        def put_if(self, *asked: Any) -> str | None:
            awake.wait()
            return super().put_if(*asked)

    slow = lease(Sleeping(folder.fs, folder.path))
    awake.set()
    slow._take(0)
    awake.clear()
    keeping = threading.Thread(target=slow._keep)
    keeping.start()
    with lease(folder).held():
        slow.check()
        awake.set()
        keeping.join()
        with pytest.raises(StoreError, match=r"^lost .*/x\.lease: this command stood still.*nothing more was written"):
            slow.check()


def test_a_clock_that_jumps_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = memory_folder()
    days = iter(range(10**6))
    monkeypatch.setattr(time, "time", lambda: next(days) * 86400.0 * (-1) ** next(days))
    with lease(folder).held() as held:
        with pytest.raises(StoreError, match="is alive"):
            lease(folder)._take(0.7)
        held.check()


def test_nothing_is_removed_during_a_build_and_builds_wait_for_whoever_removes() -> None:
    folder = memory_folder()
    refused = pytest.raises(StoreError, match=r"^a build is running in .*; wait for it; nothing was removed$")
    with building(folder, HURRIED), building(folder, HURRIED), refused:
        nobody_building(folder, HURRIED).__enter__()
    dead = Lease(folder / LOCKS / BUILDING, "killed")
    dead._take(0)
    order: list[str] = []

    def build() -> None:
        with building(folder, HURRIED):
            order.append("build")

    with nobody_building(folder, HURRIED):
        waiting = threading.Thread(target=build)
        waiting.start()
        time.sleep(0.6)
        order.append("removed")
    waiting.join()
    assert order == ["removed", "build"]
    assert (folder / LOCKS / BUILDING).names() == []


def test_a_publisher_that_lost_its_lease_replaces_and_marks_nothing(bucket: Folder) -> None:
    def lost() -> None:
        raise StoreError("lost")

    bucket.write("part/x", b"of whoever took over")
    with pytest.raises(StoreError, match=r"^lost$"):
        bucket.commit("part", {"x": b"1", "mark": b"m"}, "mark", lost)
    assert bucket.read("part/x") == b"of whoever took over"
    with pytest.raises(StoreError, match=r"^lost$"):
        bucket.commit("other", {"x": b"1", "mark": b"m"}, "mark", lost)
    assert not bucket.exists("part/mark")
    assert not bucket.exists("other/mark")


def test_stores_that_know_no_condition_and_ones_that_are_not_there_are_one_line(s3: str, tmp_path: Path) -> None:
    class Other(fsspec.AbstractFileSystem):  # type: ignore[misc]
        protocol = ("ftp",)

    with pytest.raises(StoreError, match=r"^cannot write x/y safely: of ftp:// no write on condition is known"):
        Folder(Other(), "x").put_if("y", b"", None)
    with pytest.raises(StoreError, match=r"^cannot write s3://nowhere-at-all/x/y: .+; check the path"):
        Folder.at("s3://nowhere-at-all/x").write("y", b"1")


@pytest.mark.parametrize("place", ["bucket", "memory"])
def test_one_command_folds_at_a_time(place: str, request: pytest.FixtureRequest) -> None:
    """A living holder is left alone, a dead one replaced; whoever lost the lease to another is told."""
    folder: Folder = request.getfixturevalue("bucket") if place == "bucket" else memory_folder()
    folder.write("list", b"")
    fold = partial(folding, folder, wait=False, pace=HURRIED)
    with fold(), pytest.raises(BusyError, match="is alive; wait for it"):
        fold().__enter__()
    Lease(folder, f"{FOLD}.lease", HURRIED)._take(0)
    with fold() as after:
        after()


def test_a_fold_that_lost_its_lease_writes_nothing(bucket: Folder) -> None:
    bucket.write("list", b"")
    with folding(bucket, wait=True, pace=HURRIED) as check:
        bucket.write(f"{FOLD}.lease", b'{"beat":1,"owner":"another"}')
        time.sleep(5 * HURRIED.beat)
        with pytest.raises(StoreError, match=r"lost .+fold\.lease: this command stood still"):
            check()
