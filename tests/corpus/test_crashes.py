"""kill -9 before every call that changes the disk: readers see whole things, and the next run mends the rest."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpus.code import ROOT
from corpus.folders.files import Folder
from corpus.folders.local_files import ABANDONED_SECONDS, TEMPORARY
from tests.corpus.samples import leftovers
from tests.tiers import in_turn, tier


@pytest.fixture
def quick_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where there is one: these tests sync thousands of files."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else tmp_path) as folder:
        yield Path(folder)


@pytest.mark.parametrize(
    ("scenario", "least"),
    [("write", 6), ("commit", 12), ("commit-over-rest", 14), ("ingest", 16), ("publish", 24)],
)
def test_a_kill_at_any_step_leaves_nothing_half_done(scenario: str, least: int, quick_disk: Path) -> None:
    first, every = tier("0", in_turn("01234567", 8)[0]), tier("1", "8")
    command = [sys.executable, "-m", "tests.corpus.crashing", scenario, str(quick_disk), first, every]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) >= least


def test_random_kills_of_what_changes_the_data_folder(quick_disk: Path) -> None:
    """A hundred are a benchmark, crawls among them."""
    command = [sys.executable, "-m", "benchmarks.store_kills", tier("10", "7"), "7"]
    environment = {**os.environ, "TMPDIR": str(quick_disk)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    once = ["publish", "forget", "prune", "recover", "fold", "ingest", "build"]
    counts = dict(kind.split(":") for kind in done.stdout.splitlines()[-1].split())
    assert counts == dict.fromkeys(once, "1") | tier(dict.fromkeys(once[:3], "2"), {})


@pytest.mark.full
def test_a_kill_of_each_command_that_publishes_or_removes(quick_disk: Path) -> None:
    """A hundred are a benchmark."""
    command = [sys.executable, "-m", "benchmarks.release_kills", "4", "3"]
    environment = {**os.environ, "TMPDIR": str(quick_disk)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines()[-1] == "push:1 prune:1 gate:1 forget:1"


def a_dead_process() -> int:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def temporary(folder: Path, host: str, writer: int, name: str = "x") -> Path:
    path = folder / f"{TEMPORARY}{host}-{writer}-0123456789ab-{name}"
    path.mkdir(parents=True)
    (path / "half").write_text("half")
    return path


def test_a_write_sweeps_what_dead_writers_left_and_nothing_else(tmp_path: Path) -> None:
    from corpus.folders.local_files import _HOST

    dead = temporary(tmp_path, _HOST, a_dead_process())
    alive = temporary(tmp_path, _HOST, os.getpid())
    elsewhere = temporary(tmp_path, "00000000", a_dead_process())
    ancient = temporary(tmp_path, "00000000", 1, "ancient")
    before = time.time() - ABANDONED_SECONDS - 60
    os.utime(ancient, (before, before))
    (tmp_path / "mine.tmp-file").write_text("kept")
    Folder.at(tmp_path).write("file", b"content")
    assert leftovers(tmp_path) == sorted([alive.name, elsewhere.name])
    assert Folder.at(tmp_path).names() == ["file", "mine.tmp-file"]
    assert not dead.exists()


def test_a_commit_that_is_complete_sweeps_too(tmp_path: Path) -> None:
    from corpus.folders.local_files import _HOST

    folder = Folder.at(tmp_path)
    folder.commit("part", {"mark": b"1"}, "mark")
    temporary(tmp_path, _HOST, a_dead_process())
    temporary(tmp_path / "part", _HOST, a_dead_process())
    folder.commit("part", {"mark": b"1"}, "mark")
    assert leftovers(tmp_path) == []
