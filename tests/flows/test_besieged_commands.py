"""Every command gets its Prefect server from one place, and strangers get nothing of it while a command runs."""

import ast
import shutil
import sys
import time
from pathlib import Path
from typing import NoReturn

import pytest

from corpus.errors import CorpusError
from flows import quality
from flows.cli import main
from flows.command_line import commands
from tests.flows.command import ROOT, start, wordquarry
from tests.flows.strangers import besieged, let_in
from tests.flows.test_trouble import threads

pytestmark = pytest.mark.slow

COMMANDS = {
    "build": ("build", "--posts", "{posts}", "--name", "another", "--runner", "process"),
    "rebuild": ("rebuild", "quarry", "--verify"),
    "demo": ("demo",),
    "quality": ("quality", "bundled"),
}
TO_ITS_END = {"build": True, "demo": False}
"""Commands that are really besieged, to their end or cut short; the others get their server from the same place."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("besieged")
    posts = threads(folder / "posts.jsonl")
    result = wordquarry("build", "--posts", posts, "--data", folder / "data")
    assert result.returncode == 0, result.stderr
    return posts, folder / "data"


@pytest.mark.parametrize("name", TO_ITS_END)
@pytest.mark.full
def test_the_page_during_a_command(name: str, built: tuple[Path, Path], tmp_path: Path) -> None:
    shutil.copytree(built[1], tmp_path / "data")
    words = [word.format(posts=built[0]) for word in COMMANDS[name]]
    process = start(*words, "--data", tmp_path / "data")
    with besieged(process) as answers:
        if not TO_ITS_END[name]:
            while len(answers) < 100:
                assert process.poll() is None
                time.sleep(0.1)
            process.kill()
        _, stderr = process.communicate(timeout=240)
    assert process.returncode == (0 if TO_ITS_END[name] else -9), stderr
    assert len(answers) >= 100
    assert let_in(answers) == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_gets_its_server_from_one_place(
    name: str, built: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(data: str) -> NoReturn:
        raise CorpusError(f"a server for {data} is asked for")

    for module in (commands, quality):
        monkeypatch.setattr(module, "prefect_server", refused)
    words = [word.format(posts=built[0]) for word in COMMANDS[name]]
    monkeypatch.setattr(sys, "argv", ["wordquarry", *words, "--data", str(built[1])])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    said = capsys.readouterr().err.splitlines()
    assert said[-1] == f"wordquarry: a server for {built[1]} is asked for"


def test_servers_are_started_in_one_place() -> None:
    starting = [
        path.name for path in (ROOT / "flows").rglob("*.py") if '"flows.processes.api"' in path.read_text("utf-8")
    ]
    assert starting == ["server.py"]


def test_no_command_starts_a_server_without_these_tests() -> None:
    """Every function of the flows that enters ``prefect_server`` belongs to a command that is tried above.

    ``run_build`` enters it in ``_built``, since a rank of several builds without a server. ``users_server`` enters that
    of the user alone.
    """
    starting = set()
    for path in (ROOT / "flows").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name != "prefect_server":
                called = [call.func for call in ast.walk(node) if isinstance(call, ast.Call)]
                if any(isinstance(name, ast.Name) and name.id == "prefect_server" for name in called):
                    starting.add(node.name)
    tried_above = {f"run_{name.replace(' ', '_')}" for name in COMMANDS}
    assert starting == tried_above - {"run_build"} | {"_built", "run_schedule", "users_server"}
    told = (
        (ROOT / "docs" / "security.md")
        .read_text(encoding="utf-8")
        .partition("## What listens")[2]
        .partition("\n## ")[0]
    )
    assert [name for name in (*COMMANDS, "schedule") if f"`{name}`" not in told] == []
