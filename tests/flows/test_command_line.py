"""What stands before the command, and what every command shares: the log, JSON.

Version and completion are tested in ``tests.flows.test_wheel``."""

import json
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from corpus.code import shipped_data
from flows.cli import PANELS, main
from flows.console import Reporter
from flows.processes.command_process import LOG, note
from flows.quality import Figure, run_quality
from flows.training import store
from models.label_split import Report, ValidationRow
from models.storage import digest_of_bytes, load_model

LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (.+)")


def events(path: Path) -> list[str]:
    """The events of a log, each of which has its time."""
    found = [LINE.fullmatch(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert all(found)
    return [match[1] for match in found if match]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> Callable[..., object]:
    """Runs the command line in this process; returns the exit status."""
    monkeypatch.setenv(LOG, "")

    def run(*words: object) -> object:
        monkeypatch.setattr(sys, "argv", ["wordquarry", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code

    return run


def test_a_failure_stands_in_the_log_too(
    tmp_path: Path, command: Callable[..., object], capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log"
    log.write_text("2026-01-01T00:00:00.000Z earlier\n", encoding="utf-8")
    assert command("--log", log, "stats", "nothing", "--data", tmp_path / "data") == 1
    earlier, begun, failed, ended = events(log)
    assert (earlier, begun) == ("earlier", f"begin: wordquarry --log {log} stats nothing --data {tmp_path / 'data'}")
    assert f"{failed}\n" == capsys.readouterr().err
    assert re.fullmatch(r"end: exit status 1, \d+\.\d s", ended)


def test_a_log_that_cannot_be_written_stops_the_command(
    tmp_path: Path, command: Callable[..., object], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("--log", tmp_path, "grade", "3", "3") == 1
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert f"cannot use {tmp_path}: Is a directory" in said.err


def test_a_command_that_succeeds_notes_it(tmp_path: Path, command: Callable[..., object]) -> None:
    assert command("--log", tmp_path / "log", "grade", "3", "3") == 0
    assert events(tmp_path / "log")[-1].startswith("end: exit status 0, ")
    assert os.environ[LOG] == str(tmp_path / "log")


def test_help_shows_commands_by_what_one_does_and_no_type_behind_a_flag(
    command: Callable[..., object], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("--help") == 0
    said = capsys.readouterr().out
    assert re.findall(r"─ (\w+) ─", said) == ["Options", *PANELS]
    assert "<bool>" not in said
    assert command("train", "tags") == command("stats", "quarry", "--format", "pdf") == 2


@dataclass(frozen=True)
class Small:
    """A report with one table."""

    def markdown(self) -> str:
        return "## small\n\n| figure | value |\n|---|---|\n| precision | 92.0 % (n=87) |\n"


def test_quality_prints_its_tables_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = {"small": Figure(lambda _: Small(), shared=False, builds=False)}
    run_quality(["all"], str(tmp_path), as_json=True, figures=figures)
    table = {"title": "figure", "columns": ["figure", "value"], "rows": [["precision", "92.0 % (n=87)"]]}
    assert json.loads(capsys.readouterr().out) == {"small": [table]}


def test_training_prints_its_scores_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = load_model(str(shipped_data() / "models" / "posts.json"))
    store(
        str(tmp_path), "posts", (model, Report("A title", (ValidationRow("model", 8, 9, 10),), "seed:7")), as_json=True
    )
    said = json.loads(capsys.readouterr().out)
    assert said["rows"] == [{"name": "model", "hits": 8, "returned": 9, "n": 10}]
    assert said["model"] == str(tmp_path / "models" / "posts.json")
    assert said["digest"] == digest_of_bytes((tmp_path / "models" / "posts.json").read_bytes())


def test_what_is_for_the_terminal_alone_is_not_logged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LOG, str(tmp_path / "log"))
    Reporter().address("the sheet", "http://127.0.0.1/#key", logged=False)
    Reporter().step("clean", 1, 2)
    Reporter().step("clean", 2, 2)
    note("two\nlines \ud83d")
    assert events(tmp_path / "log") == ["clean: 2/2", r"two lines \ud83d"]
