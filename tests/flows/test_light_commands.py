"""What commands must not import, and what they say before anything is started."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

import pytest
from prefect.task_runners import ThreadPoolTaskRunner

from corpus.errors import ConfigError, InputError, VersionError
from corpus.versioning.versions import Version
from corpus.workspace import Workspace
from curation.stages.read_stage import ReadConfig
from curation.stages.registry import BuildConfig
from flows.command_line import commands
from flows.command_line.judge_commands import sheet_verdicts
from flows.pipelines.build_steps import little_to_do
from flows.pipelines.prefect_flows import THREADS, build
from flows.pipelines.requests import HERE, PROCESS, BuildRequest
from flows.pipelines.taking import take_posts
from flows.processes.server import ADDRESS
from tests.flows.command import ROOT

EVERYTHING = BuildConfig.model_validate(
    {"classify": {"min_probability": 0}, "read": {"min_confidence": 0}, "publish": {"precision": 0}}
)
"""Publishes whatever can be read."""
HEAVY = {"pandas", "prefect", "scipy.sparse", "scipy.special", "scrapy", "sklearn", "textblob", "twisted"}
IMPORTS = """
import sys
def heavy(*modules):
    for module in modules:
        __import__(module)
    print(" ".join(sorted(sys.modules.keys() & set(HEAVY))))
heavy("flows.cli")
heavy("audits.inspect.explain", "audits.inspect.differences", "flows.command_line.commands", "flows.pipelines.runs")
heavy("audits.sheets.drawing", "flows.pipelines.taking")
heavy("curation.building.standing", "flows.stage_command")
"""


def test_light_commands_import_nothing_heavy() -> None:
    code = IMPORTS.replace("HEAVY", repr({*HEAVY, "numpy", "pyarrow", "pydantic", "rich.console"}))
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    first, looking, reading, working = (set(line.split()) for line in result.stdout.splitlines())
    assert first == set()
    assert (looking | reading | working) & HEAVY == set()


@pytest.fixture
def no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """No command may ask for a Prefect server."""

    def refused(data: str) -> NoReturn:
        raise AssertionError(data)

    monkeypatch.setattr(commands, "prefect_server", refused)


@pytest.mark.usefixtures("no_server")
def test_what_cannot_be_built_is_refused_without_a_server(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    with pytest.raises(InputError, match=f"no posts in {data}/posts; crawl or ingest some, or give a file"):
        commands.run_build(data, "quarry", ([], None), {})
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    with pytest.raises(InputError, match="holds no records; expected JSON Lines"):
        commands.run_build(data, "quarry", ([empty], None), {})
    config = tmp_path / "config.toml"
    config.write_text("[read]\nvotes = 1\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="unknown field 'votes'"):
        commands.run_build(data, "quarry", ([], config), {})


@pytest.mark.usefixtures("no_server")
def test_a_sheet_is_drawn_without_a_server(
    world: tuple[Workspace, Version], capsys: pytest.CaptureFixture[str]
) -> None:
    workspace, version = world
    with pytest.raises(InputError, match="cannot audit stage 'nosuch'; there are: answers, equations, in_scope"):
        sheet_verdicts(version.label, "nosuch", 5, 7, workspace.data)
    sheet_verdicts(version.label, "in_scope", 5, 7, workspace.data)
    assert "in_scope-n5-seed7.jsonl (5 rows, 0 with a verdict)" in capsys.readouterr().out


@pytest.mark.usefixtures("no_server")
def test_a_rebuild_without_its_run_is_refused_without_a_server(
    world: tuple[Workspace, Version], tmp_path: Path
) -> None:
    shutil.copytree(world[0].data, tmp_path / "data")
    shutil.rmtree(tmp_path / "data" / "runs")
    with pytest.raises(VersionError, match="has no record of the run behind"):
        commands.run_rebuild(str(tmp_path / "data"), world[1].label, ([], []), None, True)


def test_every_build_flow_has_its_limit_of_threads() -> None:
    """Also where another flow calls it, as ``rebuild`` and a schedule do; Prefect's own runner has none."""
    assert build.task_runner == ThreadPoolTaskRunner(max_workers=THREADS)
    assert build.task_runner != ThreadPoolTaskRunner()


@pytest.mark.usefixtures("no_server")
def test_what_is_soon_done_is_done_without_a_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of three posts at most, or a part of all, counted without those that an earlier build took through the stages."""
    monkeypatch.delenv(ADDRESS, raising=False)
    data = str(tmp_path / "data")
    everything = tmp_path / "everything.toml"
    everything.write_text("[classify]\nmin_probability = 0\n[read]\nmin_confidence = 0\n[publish]\nprecision = 0\n")

    def posts(count: int) -> Path:
        rows = [
            {
                "id": str(n),
                "question": f"I think of {n} apples and 4 more.",
                "answers": [{"text": f"{n} + 4 = {n + 4}"}],
            }
            for n in range(count)
        ]
        path = tmp_path / f"{count}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return path

    def soon(count: int, few_of: int = 64, **asked: Any) -> bool:
        request = BuildRequest(data=data, name="quarry", posts=(str(posts(count)),), **{"config": EVERYTHING, **asked})
        return little_to_do(request, *take_posts(request), few=3, few_of=few_of)

    for count in (3, 5):
        assert soon(count)
        commands.run_build(data, "quarry", ([posts(count)], everything), {})
        assert "version: quarry/" in capsys.readouterr().out
    assert not soon(8)
    with pytest.raises(AssertionError, match=data):
        commands.run_build(data, "quarry", ([posts(6)], everything), {"runner": PROCESS})
    assert not soon(5, config=EVERYTHING.model_copy(update={"read": ReadConfig(min_votes=2)}))
    commands.run_build(data, "quarry", ([posts(8)], everything), {"runner": HERE})
    assert not soon(12)
    assert soon(12, few_of=2)
    monkeypatch.setenv(ADDRESS, "http://127.0.0.1:9/api")
    with pytest.raises(AssertionError, match=data):
        commands.run_build(data, "quarry", ([posts(9)], everything), {})
