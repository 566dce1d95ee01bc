"""A named pipe in the place of any file that a command reads: one line at once, and never a wait for somebody.

The commands and what they take are found from the command tree, so that a new one is tried by itself.
"""

import json
import os
import shutil
import signal
import typing
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from corpus.errors import CorpusError
from extractors.extraction_errors import ExtractionError
from flows.cli import app
from tests.tiers import in_turn
from tests.worlds import build_world

SECONDS = 120
POST = {"id": "1", "question": "Rita has 12 plums and 9 more. How many in all?", "answers": [{"text": "21"}]}
GIVEN: dict[str, list[str]] = {
    "corpus": ["quarry"],
    "corpora": ["quarry"],
    "version": ["quarry"],
    "old": ["quarry"],
    "new": ["quarry"],
    "sheet": ["sheet.jsonl"],
    "sheets": ["sheet.ann.jsonl", "sheet.bob.jsonl"],
    "predictions": ["posts.jsonl"],
    "export": ["export.json"],
    "file": ["posts.jsonl"],
    "what": ["posts"],
    "name": ["numbers"],
    "post": ["site:p00"],
    "post_id": ["site:p00"],
    "answer": ["3"],
    "gold": ["3"],
    "source": ["pages"],
    "out": ["out.json"],
    "--out": ["out.json"],
    "--gold": ["quarry"],
    "--against": ["quarry"],
    "--annotators": ["ann,bob"],
    "--cron": ["0 3 * * *"],
    "--to": ["pushed"],
    "--labels": ["labels.jsonl"],
}
"""What else a command has to be given, by the name of the argument or option."""
NOT_FILES = {"answer", "gold", "post", "post_id"}
"""Arguments that are texts and name no file."""
OUTPUTS = {
    "out",
    "sink",
    "--out",
    "--picture",
    "--disagreements",
    "--audit-sheet",
    "--to",
    "--sheet",
    "--cleaned",
    "--attest",
}
"""What is written: there a pipe waits for its reader, as a shell's redirection does."""


def commands(tree: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command with the words that lead to it."""
    if getattr(tree, "commands", None):
        for name, inner in sorted(tree.commands.items()):
            yield from commands(inner, (*path, name))
    else:
        yield path, tree


def holds(hint: object, kind: type) -> bool:
    """Whether a type is this one or holds it, as a list or an optional does."""
    return hint is kind or any(holds(part, kind) for part in typing.get_args(hint))


def name_of(parameter: Any) -> str:
    return str(parameter.name if parameter.param_type_name == "argument" else parameter.opts[0])


def takers() -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    """Every command with each of its parameters that may name a file to read: all paths, and all plain arguments."""
    for words, command in commands(get_command(app)):
        hints = typing.get_type_hints(typing.cast(Any, command.callback))
        for parameter in command.params:
            hint, argument = hints.get(parameter.name), parameter.param_type_name == "argument"
            texts = (argument and parameter.name not in NOT_FILES) or name_of(parameter) in ("--gold", "--against")
            if name_of(parameter) not in OUTPUTS and (holds(hint, Path) or (texts and holds(hint, str))):
                yield words, command, parameter


TAKERS = {
    f"{' '.join(words)} {name_of(parameter)}": (words, command, parameter) for words, command, parameter in takers()
}
SPELLED = {"Path": ("pipe.jsonl",), "str": ("pipe.jsonl", "./pipe.jsonl", "gsm8k:pipe.jsonl", "named=gsm8k:pipe.jsonl")}
"""The ways to name the pipe, as a file and as a corpus."""
WHOLE_FOLDER = (
    ["export", "posts"],
    ["export", "quarry"],
    ["verify", "quarry"],
    ["explain", "site:p00"],
    ["store", "prune", "--dry-run"],
)
"""Commands that together read the files of a data folder."""


@contextmanager
def no_wait(seconds: int = SECONDS) -> Iterator[None]:
    """AssertionError where the block waits."""

    def hangs(*_: object) -> None:
        raise AssertionError("it waits")

    before = signal.signal(signal.SIGALRM, hangs)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a version, a sheet and its parts, posts, and an export of Label Studio."""
    folder = tmp_path_factory.mktemp("made")
    build_world(folder / "data")
    (folder / "posts.jsonl").write_text(json.dumps(POST) + "\n", encoding="utf-8")
    label = {"post_id": "file:1", "in_scope": True, "gold_answer": ["21"]}
    (folder / "labels.jsonl").write_text(json.dumps(label) + "\n", encoding="utf-8")
    with working_in(folder):
        run = CliRunner().invoke(app, ["sheet", "verdicts", "quarry", "--stage", "answers", "--n", "4"])
        assert run.exit_code == 0, run
        (sheet,) = (folder / "data/audits").glob("*.jsonl")
        shutil.copy(sheet, folder / "sheet.jsonl")
        for words in (["split", "sheet.jsonl", "--annotators", "ann,bob"], ["to-studio", "sheet.jsonl", "export.json"]):
            assert CliRunner().invoke(app, ["sheet", *words]).exit_code == 0
    return folder


@contextmanager
def working_in(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def line_of(command: Any, wrong: Any, pipe: str) -> list[str]:
    """The words behind a command: all that it has to have, and the pipe in one place."""
    words: list[str] = []
    for parameter in sorted(command.params, key=lambda one: one is not wrong and one.param_type_name == "option"):
        name = name_of(parameter)
        argument = parameter.param_type_name == "argument"
        wanted = parameter.required or name == "--labels" or (argument and name in GIVEN)  # labels: or posts are unread
        if parameter is not wrong and not wanted:
            continue
        values = [pipe] if parameter is wrong else GIVEN.get(name, ["unknown"])
        words += values if argument else [word for one in values for word in (name, one)]
    return words


def tried(words: list[str]) -> None:
    """Run a command, which may fail as commands do and may not wait."""
    with no_wait():
        run = CliRunner().invoke(app, words)
    expected = (SystemExit, CorpusError, ExtractionError, OSError)
    assert run.exception is None or isinstance(run.exception, expected), (words, run.exception)


@pytest.mark.parametrize("taker", in_turn(list(TAKERS), 6))
def test_no_command_waits_for_a_named_pipe(taker: str, made: Path, tmp_path: Path) -> None:
    words, command, parameter = TAKERS[taker]
    folder = Path(shutil.copytree(made, tmp_path / "made"))
    os.mkfifo(folder / "pipe.jsonl")
    kind = "str" if holds(typing.get_type_hints(command.callback).get(parameter.name), str) else "Path"
    with working_in(folder):
        for pipe in SPELLED[kind]:
            tried([*words, *line_of(command, parameter, pipe)])


def test_no_command_waits_for_a_pipe_in_the_data_folder(made: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(made, tmp_path / "made"))
    files = sorted(path.relative_to(folder) for path in (folder / "data").rglob("*") if path.is_file())
    assert len(files) > 20
    with working_in(folder):
        for path in in_turn(files, 12):
            content = path.read_bytes()
            path.unlink()
            os.mkfifo(path)
            for words in WHOLE_FOLDER:
                tried(words)
            path.unlink()
            path.write_bytes(content)
