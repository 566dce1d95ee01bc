"""Folders: writes and commits in one step, in an order that survives a power failure, on disk and in memory."""

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from corpus.code import ROOT
from corpus.errors import StoreError
from corpus.folders import files
from corpus.folders.files import Folder
from corpus.folders.local_files import commit_folder
from tests.corpus.samples import leftovers, memory_folder, tree


@pytest.fixture(params=["local", "memory"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Folder:
    return Folder.at(tmp_path / "data") if request.param == "local" else memory_folder()


def test_write_read_names_remove(folder: Folder) -> None:
    assert folder.names() == []
    assert not folder.exists()
    folder.write("b/c.bin", b"1")
    folder.write("a.bin", b"22")
    folder.write("a.bin", b"333")
    assert folder.names() == ["a.bin", "b"]
    assert (folder / "b").names() == ["c.bin"]
    assert (folder.read("a.bin"), folder.read("b/c.bin")) == (b"333", b"1")
    folder.remove("b")
    folder.remove("b")
    assert folder.names() == ["a.bin"]


def test_commit_of_a_new_a_complete_and_an_incomplete_folder(folder: Folder) -> None:
    folder.commit("part", {"x/one": b"1", "mark": b"m"}, "mark")
    assert (folder / "part").names() == ["mark", "x"]
    folder.commit("part", {"x/one": b"other", "two": b"2", "mark": b"n"}, "mark")
    assert (folder / "part").names() == ["mark", "x"]
    assert folder.read("part/x/one") == b"1"
    folder.write("rest/old", b"half done by something else")
    folder.commit("rest", {"new": b"2", "mark": b"m"}, "mark")
    assert (folder / "rest").names() == ["mark", "new"]
    with pytest.raises(StoreError, match=r"no mark among its files$"):
        folder.commit("other", {"new": b"2"}, "mark")
    assert not folder.exists("other")


def test_on_an_object_store_the_mark_goes_last(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = memory_folder()
    written: list[str] = []
    real = type(folder.fs).pipe_file

    def noting(self: Any, path: str, value: bytes) -> None:
        written.append(path)
        real(self, path, value)

    monkeypatch.setattr(type(folder.fs), "pipe_file", noting)
    folder.commit("part", {"z": b"1", "a": b"2", "m": b"mark", "data/x": b"3"}, "m")
    assert [path.removeprefix(f"{folder.path}/part/") for path in written] == ["a", "data/x", "z", "m"]


def events_of(monkeypatch: pytest.MonkeyPatch, root: Path) -> list[str]:
    """Records syncs and renames below ``root`` by name; a temporary is called ``tmp``."""
    events: list[str] = []

    def short(path: object) -> str:
        parts = Path(str(path)).relative_to(root).parts
        return "/".join("tmp" if part.startswith(files.TEMPORARY) else part for part in parts) or "."

    real_sync, real_rename, real_replace = os.fsync, os.rename, os.replace

    def sync(descriptor: int) -> None:
        events.append(f"sync {short(Path(f'/proc/self/fd/{descriptor}').readlink())}")
        real_sync(descriptor)

    def moving(real: Any) -> Any:
        def move(source: Any, target: Any, **options: Any) -> None:
            events.append(f"rename {short(source)} {short(target)}")
            real(source, target, **options)

        return move

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(os, "rename", moving(real_rename))
    monkeypatch.setattr(os, "replace", moving(real_replace))
    return events


def test_a_file_is_synced_before_its_rename_and_its_folder_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Folder.at(tmp_path)
    events = events_of(monkeypatch, tmp_path)
    folder.write("new/file", b"1")
    assert events == ["sync .", "sync new/tmp", "rename new/tmp new/file", "sync new"]


def test_a_folder_is_synced_whole_before_its_rename_and_its_parent_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Folder.at(tmp_path)
    events = events_of(monkeypatch, tmp_path)
    folder.commit("part", {"data/x": b"1", "mark": b"2"}, "mark")
    assert events[-2:] == ["rename tmp part", "sync ."]
    assert sorted(events[:-2]) == ["sync tmp", "sync tmp/data", "sync tmp/data/x", "sync tmp/mark"]


def test_a_reader_never_sees_a_part(tmp_path: Path) -> None:
    folder, stop, seen = Folder.at(tmp_path), threading.Event(), set()
    contents = [bytes([digit]) * 200_000 for digit in b"abc"]
    folder.write("file", contents[0])

    def write() -> None:
        for turn in range(60):
            folder.write("file", contents[turn % 3])
        stop.set()

    writer = threading.Thread(target=write)
    writer.start()
    while not stop.is_set():
        content = folder.read("file")
        seen.add((content[:1], len(content), len(set(content))))
    writer.join()
    assert {entry[1:] for entry in seen} == {(200_000, 1)}


RACER = """
import sys, corpus.folders.files as files
folder = files.Folder.at(sys.argv[1])
sys.stdin.readline()
for number in range(40):
    folder.commit(f"part-{number}", {"rows": b"r" * 5000, "mark": b"m"}, "mark")
"""


def test_two_processes_may_commit_the_same_folders(tmp_path: Path) -> None:
    command = [sys.executable, "-c", RACER, str(tmp_path)]
    racers = [subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(3)]
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write(b"go\n")
        racer.stdin.flush()
    errors = [racer.communicate(timeout=60)[1].decode() for racer in racers]
    assert errors == ["", "", ""]
    assert len(tree(tmp_path)) == 80
    assert leftovers(tmp_path) == []


def test_a_folder_completed_by_another_process_meanwhile_stays(tmp_path: Path) -> None:
    folder = Folder.at(tmp_path)
    folder.commit("part", {"rows": b"first", "mark": b"m"}, "mark")
    place = (tmp_path / "part").stat().st_ino
    commit_folder(tmp_path / "part", {"rows": b"second", "mark": b"m"}, "mark")  # by one that looked before
    assert (tmp_path / "part").stat().st_ino == place
    assert (tmp_path / "part/rows").read_bytes() == b"first"
    assert leftovers(tmp_path) == []


def test_names_of_local_folders_are_taken_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Folder.at(tmp_path / "a::b [1]* ümlaut?")
    folder.commit("part", {"mark": b"m"}, "mark")
    folder.write("part/file", b"1")
    folder.remove("part/file")
    assert (folder / "part").names() == ["mark"]
    monkeypatch.chdir(tmp_path)
    assert Folder.at("a::b [1]* ümlaut?").names() == ["part"]
    assert str(Folder.at("x")) == f"{tmp_path}/x"


def test_unknown_filesystems_are_refused_in_one_line() -> None:
    with pytest.raises(
        StoreError, match=r"^cannot use nosuch://x: .*; give a local folder or install that filesystem$"
    ):
        Folder.at("nosuch://x")


def test_what_is_not_there(folder: Folder) -> None:
    with pytest.raises(StoreError) as refused:
        folder.read("nothing")
    expected = (
        f"cannot read {folder}/nothing: No such file or directory; check the path, its permissions and free space"
    )
    assert str(refused.value) == expected
