"""Disks that are full, and files where folders should be: one StoreError line, and nothing half done.

What is really tested: a tmpfs of 256 KiB that fills up (where the system lets us mount one), a limit on the size of
files set by the kernel (everywhere), and an fsspec filesystem whose writes fail (for object stores).
"""

import errno
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from corpus.code import ROOT
from corpus.errors import StoreError
from corpus.folders.files import Folder
from corpus.outputs import Outputs
from corpus.post_store.deposit import upsert
from corpus.post_store.store import PostStore
from corpus.records import Dropped
from corpus.versioning.versions import Versions
from tests.corpus.samples import leftovers, memory_folder, post, release, tree

FULL = "No space left on device; check the path, its permissions and free space"


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 256 KiB, nearly full; skipped where mounting is not allowed."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)]
    if os.geteuid() or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("mounting a small disk needs rights that are not given here")
    (place / "ballast").write_bytes(b"x" * 244 * 1024)
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def save_part(folder: Folder) -> None:
    rows = [Dropped(post_id=f"f:{number}", reason="not_math", detail=os.urandom(300).hex()) for number in range(50)]
    Outputs(folder).save(("clean", "k1"), Dropped, rows, rows)


ACTS: dict[str, Callable[[Folder], object]] = {
    "write": lambda folder: folder.write("a/file", os.urandom(40_000)),
    "commit": lambda folder: folder.commit("a", {"x": os.urandom(40_000), "mark": b"m"}, "mark"),
    "upsert": lambda folder: upsert(PostStore(folder), [post(str(n), os.urandom(400).hex(), 1) for n in range(60)]),
    "part": save_part,
    "publish": lambda folder: Versions(folder).publish(release()),
}


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_a_full_disk_is_one_line_and_leaves_nothing(tiny_disk: Path, act: Callable[[Folder], object]) -> None:
    with pytest.raises(StoreError) as refused:
        act(Folder.at(tiny_disk / "data"))
    message = str(refused.value)
    assert message.startswith(f"cannot write {tiny_disk}/data/")
    assert message.endswith(FULL)
    assert "\n" not in message
    assert [name for name in tree(tiny_disk) if not name.endswith("/batches.jsonl")] == ["ballast"], "but for a list"
    assert leftovers(tiny_disk) == []
    (tiny_disk / "ballast").unlink()
    act(Folder.at(tiny_disk / "data"))


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_a_full_object_store_is_one_line(act: Callable[[Folder], object], monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Any, path: str, value: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    folder = memory_folder()
    monkeypatch.setattr(type(folder.fs), "pipe_file", full)
    with pytest.raises(StoreError, match=f"^cannot write {folder}/.*: {FULL}$"):
        act(folder)


LIMITED = """
import resource, signal, sys
from corpus.errors import StoreError
from corpus.folders.files import Folder
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    Folder.at(sys.argv[1]).commit("part", {"small": b"1", "large": b"x" * 9000, "mark": b"m"}, "mark")
except StoreError as error:
    print(error)
"""


def test_a_limit_of_the_kernel_in_the_middle_of_a_file(tmp_path: Path) -> None:
    command = [sys.executable, "-c", LIMITED, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == (
        f"cannot write {tmp_path}/part: File too large; check the path, its permissions and free space\n"
    )
    assert tree(tmp_path) == {}
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_a_file_where_a_folder_should_be(tmp_path: Path, act: Callable[[Folder], object]) -> None:
    (tmp_path / "data").write_text("a file")
    with pytest.raises(StoreError) as refused:
        act(Folder.at(tmp_path / "data"))
    message = str(refused.value)
    assert message.startswith((f"cannot write {tmp_path}/data/", f"cannot list {tmp_path}/data"))
    assert message.endswith(": a file is where a folder should be; move it away or choose another path")
    assert (tmp_path / "data").read_text() == "a file"


def test_a_file_where_batches_should_be_is_not_an_empty_store(tmp_path: Path) -> None:
    (tmp_path / "batches").write_text("a file")
    with pytest.raises(StoreError, match=f"^cannot list {tmp_path}/batches: a file is where a folder should be"):
        PostStore(Folder.at(tmp_path)).posts()


def test_a_file_where_a_part_should_be(tmp_path: Path) -> None:
    (tmp_path / "clean").mkdir()
    (tmp_path / "clean" / "k1").write_text("a file")
    with pytest.raises(StoreError, match=f"^cannot write {tmp_path}/clean/k1: a file is where a folder should be"):
        save_part(Folder.at(tmp_path))


def test_a_folder_where_a_file_should_be(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()
    with pytest.raises(StoreError, match=f"^cannot write {tmp_path}/file: Is a directory"):
        Folder.at(tmp_path).write("file", b"1")
    assert leftovers(tmp_path) == []


UNPRIVILEGED = """
import os, sys
from corpus.errors import StoreError
from corpus.folders.files import Folder
os.setgid(65534); os.setuid(65534)
folder = Folder.at(sys.argv[1])
write, commit = (lambda: folder.write("f", b"1")), (lambda: folder.commit("p", {"m": b"1"}, "m"))
for act in (write, commit, lambda: folder.remove("held")):
    try:
        act()
    except StoreError as error:
        print(str(error).removeprefix("cannot ").replace(sys.argv[1], "D"))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user, which only root can")
def test_a_folder_of_somebody_else(tmp_path: Path) -> None:
    place = Path("/tmp") / f"wordquarry-test-{os.getpid()}"  # below tmp_path nobody else may even look
    place.mkdir(mode=0o755)
    try:
        (place / "held").write_text("1")
        command = [sys.executable, "-c", UNPRIVILEGED, str(place)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        hint = "Permission denied; check the path, its permissions and free space"
        assert done.stdout.splitlines() == [f"write D/f: {hint}", f"write D/p: {hint}", f"remove D/held: {hint}"]
        assert [path.name for path in place.iterdir()] == ["held"]
    finally:
        (place / "held").unlink()
        place.rmdir()
