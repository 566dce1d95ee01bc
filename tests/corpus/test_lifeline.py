"""Helpers end with their parent by each of their lifelines alone: the kernel, the pipe, the number of the parent."""

import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from corpus.folders.lifeline import ORPHANED, helper

ROOT = Path(__file__).resolve().parents[2]
HELPER = """
import os, time
print(os.getpid(), flush=True)
time.sleep(60)
"""
PARENT = """
import os, subprocess
from corpus.folders.lifeline import helper
reader, writer = os.pipe()
child = subprocess.Popen(helper("slow_helper"), stdin=reader)
subprocess.Popen(["sleep", "20"], pass_fds=[writer], stdout=subprocess.DEVNULL)
child.wait()
"""
SPAWNING = """
import multiprocessing, os, sys, time
from corpus.folders import lifeline

def work():
    time.sleep(60)

lifeline.end_with_parent_if_spawned()
if "--multiprocessing-fork" in sys.orig_argv:
    print(os.getpid(), flush=True)
    time.sleep(60)  # as an import that takes long

if __name__ == "__main__":
    os.environ[lifeline.COMMAND] = str(os.getpid())
    child = multiprocessing.get_context("spawn").Process(target=work)
    child.start()
    child.join()
    print(child.exitcode, flush=True)
"""


def environment(folder: Path) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(folder)])}


def written(folder: Path, script: str) -> list[str]:
    """The command line of a script that may start the slow helper."""
    (folder / "slow_helper.py").write_text(HELPER, encoding="utf-8")
    (folder / "parent.py").write_text(script, encoding="utf-8")
    return [sys.executable, str(folder / "parent.py")]


def child_of_killed(folder: Path, script: str) -> psutil.Process:
    """The child of a parent that runs a script and is killed once the child runs."""
    with subprocess.Popen(written(folder, script), stdout=subprocess.PIPE, env=environment(folder)) as parent:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
    return child


def ended(process: psutil.Process) -> bool:
    """Whether a process ends within five seconds."""
    return not psutil.wait_procs([process], timeout=5)[1]


@pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux ends a process with its parent; elsewhere the pipe does"
)
def test_a_helper_ends_with_its_killed_parent_though_its_pipe_is_open(tmp_path: Path) -> None:
    assert ended(child_of_killed(tmp_path, PARENT))


def test_a_helper_ends_with_its_pipe(tmp_path: Path) -> None:
    written(tmp_path, "")
    command = helper("slow_helper")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(tmp_path)) as child:
        assert child.stdout is not None
        assert child.stdout.readline()
        assert child.stdin is not None
        child.stdin.close()
        assert child.wait(timeout=5) == ORPHANED


def test_a_helper_gets_its_arguments_and_gives_its_exit_status(tmp_path: Path) -> None:
    (tmp_path / "shown.py").write_text("import sys\nprint(__name__, sys.argv[1:])\nsys.exit(3)\n", encoding="utf-8")
    command = helper("shown", "a", "b c")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(tmp_path)) as process:
        assert process.stdout is not None
        assert process.stdout.read() == b"__main__ ['a', 'b c']\n"
    assert process.returncode == 3


def test_what_multiprocessing_spawned_ends_while_it_still_imports(tmp_path: Path) -> None:
    living_command = SPAWNING.replace("str(os.getpid())", "str(os.getppid())")
    assert ended(child_of_killed(tmp_path, living_command))


def test_a_process_whose_command_is_gone_already_ends_at_once(tmp_path: Path) -> None:
    """Its parent was killed before it could look: what it takes for its parent is whoever took it over."""
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    command = written(tmp_path, SPAWNING.replace("str(os.getpid())", f'"{gone.pid}"'))
    done = subprocess.run(command, stdout=subprocess.PIPE, env=environment(tmp_path), timeout=20, check=True)
    assert done.stdout.split()[-1] == str(ORPHANED).encode()
