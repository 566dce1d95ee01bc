"""No command writes over what it reads, or over what others wrote: a walk over every output of the command line.

The outputs are found in the tree of commands. A command with one that ``RECIPES`` does not have fails here, and so does
a parameter whose type does not say what the file that it names is to the command.
"""

import ast
import inspect
import json
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
import typer.main
import typer.testing

from audits.sheets.audit_sheets import read_sheet
from corpus.benchmarks.format_registry import format_named
from corpus.benchmarks.gold_problems import GoldProblem
from corpus.benchmarks.reading import paths_of, write_corpus
from corpus.errors import CorpusError, InputError
from corpus.workspace import ROOMS, Workspace
from flows.cli import app
from flows.command_line.judge_commands import sheet_split, sheet_to_studio
from flows.command_line.options import OUTPUTS, FileRole, roles
from tests.audits.sheets.test_annotators import judge, whole_sheet
from tests.corpus.benchmarks.test_reading import FILES
from tests.test_docs import COMMANDS, ROOT
from tests.tiers import in_turn
from tests.worlds import build_world

Given = dict[str, Any]
POST = "Two numbers add up to {} and differ by 2. What are they?"
PIZZA = "Two pizzas and one cake cost 30 . One pizza and two cakes cost 27 ."
RECIPES: dict[tuple[str, str], Callable[[Path], Given]] = {
    ("wordquarry", "log"): lambda at: {"log": at / "log", "": ["stats", f"draw:{at}/draw.json", "--no-probes"]},
    ("wordquarry stats", "out"): lambda at: {
        "corpora": [f"draw:{at}/draw.json@{at}/ids.txt", f"made=gold:{at}/gold.jsonl"], "probes": False,
        "out": at / "page.html", "file_format": "html",
    },
    ("wordquarry leaks", "out"): lambda at: {
        "corpus": f"gold:{at}/gold.jsonl", "against": [f"asdiv:{at}/asdiv.xml"], "out": at / "leaks.txt"
    },
    ("wordquarry doctor", "out"): lambda at: {"corpus": f"gold:{at}/gold.jsonl", "out": at / "found.txt"},
    ("wordquarry doctor", "sheet"): lambda at: {"corpus": f"gold:{at}/gold.jsonl", "sheet": at / "found.csv"},
    ("wordquarry doctor", "cleaned"): lambda at: {"corpus": f"gold:{at}/gold.jsonl", "cleaned": at / "clean.jsonl"},
    ("wordquarry export", "out"): lambda at: {
        "what": f"gold:{at}/gold.jsonl", "file_format": "gold", "out": at / "out.jsonl"
    },
    ("wordquarry vary", "out"): lambda at: {"corpus": f"gold:{at}/gold.jsonl", "out": at / "varied.jsonl"},
    ("wordquarry vary", "sheet"): lambda at: {
        "corpus": f"gold:{at}/gold.jsonl", "out": at / "varied.jsonl", "sheet": at / "natural.csv"
    },
    ("wordquarry stage", "sink"): lambda at: {
        "name": "numbers", "source": at / "texts.jsonl", "sink": at / "out.jsonl"
    },
    ("wordquarry verify", "attest"): lambda at: {
        "version": f"{at}/version", "attest": at / "statement.json", "data": f"{at}-data"
    },
    ("wordquarry push", "to"): lambda at: {
        "version": f"{at}/version", "to": f"{at}/there", "yes": True, "data": f"{at}-data"
    },
    ("wordquarry sheet labels", "out"): lambda at: {
        "posts": [at / "posts.jsonl"], "labels": [at / "labels.jsonl"], "n": 2, "out": at / "label.jsonl"
    },
    ("wordquarry sheet import", "out"): lambda at: {"sheet": at / "labelled.jsonl", "out": at / "made.jsonl"},
    ("wordquarry sheet slots", "sheet"): lambda at: {"corpus": f"gold:{at}/gold.jsonl", "sheet": at / "slots.jsonl"},
    ("wordquarry sheet apply", "out"): lambda at: {
        "corpus": f"gold:{at}/gold.jsonl", "sheet": at / "asked.jsonl", "out": at / "decided.jsonl"
    },
    ("wordquarry score", "disagreements"): lambda at: {
        "predictions": at / "predictions.jsonl", "gold": f"draw:{at}/draw.json", "disagreements": at / "wrong.jsonl"
    },
    ("wordquarry diversity", "picture"): lambda at: {
        "corpus": f"draw:{at}/draw.json", "against": f"gold:{at}/gold.jsonl", "picture": at / "bins.svg"
    },
    ("wordquarry sheet split", "sheet"): lambda at: {"sheet": at / "other.jsonl", "annotators": "ann,bob"},
    ("wordquarry sheet disagreements", "sheet"): lambda at: {
        "sheet": at / "sheet.jsonl", "sheets": [at / "sheet.ann.jsonl", at / "sheet.bob.jsonl"]
    },
    ("wordquarry sheet merge", "sheet"): lambda at: {
        "sheet": at / "sheet.jsonl", "sheets": [at / "sheet.ann.jsonl", at / "sheet.bob.jsonl"]
    },
    ("wordquarry sheet to-studio", "out"): lambda at: {"sheet": at / "sheet.jsonl", "out": at / "tasks.json"},
    ("wordquarry sheet from-studio", "sheet"): lambda at: {"sheet": at / "sheet.jsonl", "export": at / "export.json"},
    ("wordquarry sheet serve", "sheet"): lambda at: {"sheet": at / "sheet.jsonl"},
}  # fmt: skip
"""For every output a command that works, in a folder ``at`` that holds what it reads."""
TREE = dict([("wordquarry", typer.main.get_command(app)), *COMMANDS])
SERVES = ("wordquarry sheet serve", "sheet")
"""It goes on until it is stopped, and writes as ``sheet merge`` does."""
WRITING = sorted(set(RECIPES) - {SERVES})
PLAIN = {
    "annotators", "answer", "as_json", "columns", "cron", "file_format", "gold", "kinds", "name",
    "post", "post_id", "profile", "retrieved_at", "runner", "solver", "source", "tag", "tolerance", "url", "what",
}  # fmt: skip
"""Parameters that are texts and name no file."""


def role_of(name: str, parameter: str) -> FileRole | None:
    """What the file that a parameter names is to its command."""
    return roles(inspect.unwrap(TREE[name].callback)).get(parameter)


def test_the_walk_knows_every_output() -> None:
    found = {
        (name, one.name) for name, command in TREE.items() for one in command.params
        if role_of(name, one.name) in OUTPUTS
    }  # fmt: skip
    assert found == set(RECIPES), "an output has no recipe here, or a recipe no output"


@pytest.mark.rows("name", TREE)
def test_every_parameter_that_may_name_a_file_has_a_role(name: str) -> None:
    function = inspect.unwrap(TREE[name].callback)
    assert name == "wordquarry" or TREE[name].callback.__wrapped__ is not function, "made without a guard"
    for one in inspect.signature(function).parameters.values():
        kind = str((*get_args(one.annotation), one.annotation)[0])
        if "Path" in kind or ("str" in kind and one.name not in PLAIN):
            assert role_of(name, one.name), f"{one.name} of {name}: is it a file? Give it a role, or say here that not"


WRITERS = {"write_text", "write_bytes", "touch", "rename", "atomic_text", "write_file", "copyfile", "copy", "move"}
OWN_WRITERS = {
    "flows/processes/command_process.py",  # its lines
    "flows/pipelines/prefect_flows.py",  # models, in a folder of its own
    "flows/processes/server.py",  # what its server says, in the data folder
    "audits/sheets/serving.py",  # the key of a sheet, never over another file
    "audits/sheets/keeping.py",  # the sheet that is kept
    "audits/sheets/verdict_log.py", "audits/sheets/audit_sheets.py", "audits/sheets/drawing.py",
    "audits/acceptance/plans.py", "audits/report/report_page.py",  # files of the data folder
    "evaluation/recorded_figures.py",  # records of the checkout
}  # fmt: skip


def _writes(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        called = getattr(node.func, "attr", getattr(node.func, "id", ""))
        texts = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        opens = called in ("open", "fdopen") and any(set("wax+") & set(mode) and len(mode) < 4 for mode in texts)
        into = called == "write" and ast.unparse(node.func).startswith("Folder.at")
        if opens or into or called in WRITERS:
            yield ast.unparse(node)


def test_above_the_corpus_nothing_else_writes_files() -> None:
    modules = [path for floor in ("flows", "audits", "evaluation") for path in (ROOT / floor).rglob("*.py")]
    found = {path.relative_to(ROOT).as_posix(): list(_writes(path)) for path in modules}
    others = {name: calls for name, calls in found.items() if calls and name not in OWN_WRITERS}
    assert others == {}, "write with corpus.folders.result_files what a user names"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything that the recipes read."""
    at = tmp_path_factory.mktemp("read")
    for name in ("draw.json", "asdiv.xml"):
        shutil.copyfile(FILES / name, at / name)
    (at / "ids.txt").write_text("7001\n7002\n", encoding="utf-8")
    gold = GoldProblem(
        problem_id="g:1", native_id="1", origin="gold", question=PIZZA, equations=("2*x + y*1 = 30", "x*1 + 2*y = 27")
    )
    (at / "gold.jsonl").write_text(write_corpus([gold], format_named("gold"))[0], encoding="utf-8")
    texts = [{"id": number, "question": POST.format(number), "answers": [], "text": "7"} for number in range(10, 15)]
    for name in ("texts", "posts"):
        (at / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in texts), encoding="utf-8")
    label = {"post_id": "posts:10", "in_scope": True, "scope_reason": "ok"}
    (at / "labels.jsonl").write_text(json.dumps(label) + "\n", encoding="utf-8")
    row = {"post_id": "posts:11", "question": POST, "scope_reason": "ok"}
    (at / "labelled.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    (at / "predictions.jsonl").write_text('{"id": "7001", "solutions": ["1"]}\n', encoding="utf-8")
    whole_sheet(at).rename(at / "other.jsonl")
    sheet_split(whole_sheet(at), "ann,bob", 1.0)
    judge(at / "sheet.ann.jsonl")
    judge(at / "sheet.bob.jsonl", site_3="wrong")
    sheet_to_studio(at / "sheet.jsonl", at / "sent.json")
    tasks = json.loads((at / "sent.json").read_text(encoding="utf-8"))
    said = {"from_name": "verdict", "to_name": "row", "type": "choices", "value": {"choices": ["right"]}}
    tasks[0]["annotations"] = [{"completed_by": 12, "result": [said], "was_cancelled": False}]
    (at / "export.json").write_text(json.dumps(tasks), encoding="utf-8")
    assert (
        run("wordquarry sheet slots", "sheet", {"corpus": f"gold:{at}/gold.jsonl", "sheet": at / "asked.jsonl"}) is None
    )
    _, version = build_world(at / "world")
    shutil.copytree(version.folder.path, at / "version")
    return at


@pytest.fixture
def fresh(world: Path, tmp_path: Path) -> Callable[[], Path]:
    """Makes folders with everything that the recipes read."""
    made: list[Path] = []

    def another() -> Path:
        made.append(tmp_path / str(len(made)))
        return Path(shutil.copytree(world, made[-1], ignore=shutil.ignore_patterns("world")))

    return another


def run(name: str, output: str, given: Given, *before: str) -> str | None:
    """Run a command in this process; None, or why it failed."""
    del output
    words = [*before, *name.split()[1:]]
    for one in TREE[name].params:
        values = given.get(one.name)
        for value in values if isinstance(values, list) else [] if values is None else [values]:
            if one.param_type_name == "argument":
                words.append(str(value))
            elif isinstance(value, bool):
                words.append(one.opts[0] if value else one.secondary_opts[0])
            else:
                words += [one.opts[0], str(value)]
    found = typer.testing.CliRunner().invoke(app, [*words, *given.get("", [])])
    if isinstance(found.exception, CorpusError):
        return str(found.exception)
    assert found.exception is None, (words, found.exception, found.output)
    return None


def files_in(at: Path) -> dict[str, bytes | str]:
    """Every file of a folder: what is in it, or where it leads."""
    found = [path for path in at.rglob("*") if path.is_file() or path.is_symlink()]
    return {str(one.relative_to(at)): str(one.readlink()) if one.is_symlink() else one.read_bytes() for one in found}


def harmed(at: Path, before: dict[str, bytes | str]) -> set[str]:
    """The files that are not as they were."""
    now = files_in(at)
    return {name for name, content in before.items() if now.get(name) != content}


def read_by(name: str, given: Given) -> list[Path]:
    """The files and folders that a command reads."""
    found: list[Path] = []
    for parameter, values in given.items():
        role = role_of(name, parameter)
        for value in values if isinstance(values, list) else [values]:
            if role in (FileRole.READ, FileRole.BESIDE):
                found.append(value)
            elif role is FileRole.CORPUS:
                found += paths_of(value)
    return found


def made_by(key: tuple[str, str], at: Path) -> list[str]:
    """The files that a command makes."""
    before = set(files_in(at))
    assert run(*key, RECIPES[key](at)) is None
    made = sorted(set(files_in(at)) - before)
    assert made
    return made


ALIASES: dict[str, Callable[[Path, Path], object]] = {
    "a hard link": lambda target, source: target.hardlink_to(source),
    "a symbolic link": lambda target, source: target.symlink_to(source),
}


@pytest.mark.parametrize("key", in_turn(WRITING, 4), ids=lambda key: " ".join(key))
def test_no_output_takes_the_place_of_an_input(key: tuple[str, str], fresh: Callable[[], Path]) -> None:
    """Neither what the user names nor what is written beside it, by any name that the input has."""
    made = made_by(key, fresh())
    at = fresh()
    sources = [path for path in read_by(key[0], RECIPES[key](at)) or [at / "draw.json"] if path.is_file()]
    before = files_in(at)
    for source in sources:
        for place in (source, source.parent / "version" / ".." / source.name):
            if role_of(*key) in (FileRole.MADE, FileRole.KEPT, FileRole.LOG):
                assert run(*key, RECIPES[key](at) | {key[1]: place}), f"{key} wrote over {place}"
                assert harmed(at, before) == set()
        for name in made:
            for how, alias in ALIASES.items():
                target = at / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.unlink(missing_ok=True)
                alias(target, source)
                run(*key, RECIPES[key](at))
                target.unlink()
                assert harmed(at, before) <= kept_by(key), f"{key}: {how} to {source.name} as {name}"


def kept_by(key: tuple[str, str]) -> set[str]:
    """The sheet that a command is told to change."""
    return {"sheet.jsonl"} if key[0].endswith("merge") else set()


@pytest.mark.parametrize("key", in_turn(WRITING, 4), ids=lambda key: " ".join(key))
def test_what_others_wrote_stays_unless_the_command_is_told(key: tuple[str, str], fresh: Callable[[], Path]) -> None:
    at = fresh()
    made = made_by(key, at)
    assert run(*key, RECIPES[key](at)) is None, "written again, over what it wrote itself"
    named = role_of(*key) in (FileRole.MADE, FileRole.BESIDE)
    for name in [one for one in made if not one.endswith(".lock")]:
        other = fresh()
        (other / name).parent.mkdir(parents=True, exist_ok=True)
        (other / name).write_text("mine\n", encoding="utf-8")
        before = files_in(other)
        assert run(*key, RECIPES[key](other)), f"{key} wrote over {name}"
        assert harmed(other, before) == set()
        if role_of(*key) is FileRole.MADE:
            assert run(*key, RECIPES[key](other), "--replace") is None
            assert (other / name).read_bytes() != b"mine\n"
        if named:
            with (at / name).open("a", encoding="utf-8") as file:
                file.write("and a line of mine\n")
            changed = files_in(at)
            assert run(*key, RECIPES[key](at)), f"{key} wrote over {name}, which was changed"
            assert harmed(at, changed) == set()
            (at / name).unlink()


@pytest.mark.parametrize(
    "key", in_turn([key for key in WRITING if role_of(*key) in {FileRole.MADE, FileRole.KEPT, FileRole.SENT}], 4)
)
def test_no_output_goes_where_the_tool_keeps_its_own(key: tuple[str, str], fresh: Callable[[], Path]) -> None:
    """Into a folder that the command reads, the stores of its data folder, or a published version."""
    at = fresh()
    given = RECIPES[key](at)
    closed = [at / "version/data", *(path for path in read_by(key[0], given) if path.is_dir())]
    if any(role_of(key[0], one.name) is FileRole.DATA for one in TREE[key[0]].params):
        given["data"] = at / "data"
        closed += [at / "data" / room for room in ROOMS]
    for folder in closed:
        folder.mkdir(parents=True, exist_ok=True)
        before = files_in(at)
        for place in (folder / "new.json", f"file://{folder}/new.json")[: 1 + (role_of(*key) is FileRole.SENT)]:
            assert run(*key, given | {key[1]: place}), f"{key} wrote to {place}"
        assert files_in(at) == before


def test_the_rooms_of_a_data_folder_are_all_that_a_build_makes(world: Path) -> None:
    made = {path.name for path in (world / "world").iterdir() if path.is_dir()}
    assert made - set(ROOMS) == set()


def test_what_a_list_in_the_data_folder_names_is_read_too(fresh: Callable[[], Path]) -> None:
    at = fresh()
    (at / "benchmarks.txt").write_text(f"asdiv:{at}/asdiv.xml\n", encoding="utf-8")
    before = files_in(at)
    given = {"corpus": f"gold:{at}/gold.jsonl", "data": at}
    for name in ("benchmarks.txt", "asdiv.xml"):
        said = run("wordquarry leaks", "out", given | {"out": at / name}, "--replace")
        assert said
        assert "which this command reads" in said
        assert files_in(at) == before


def test_standard_input_and_output_are_files_too(world: Path, fresh: Callable[[], Path]) -> None:
    at = fresh()
    before = files_in(at)
    for name, arguments in (("texts.jsonl", ["stage", "numbers"]), ("draw.json", ["stats", f"draw:{at}/draw.json"])):
        pid = os.fork()
        if not pid:
            for number, flags in ((0, os.O_RDONLY), (1, os.O_WRONLY | os.O_APPEND)):
                os.dup2(os.open(at / name, flags), number)
            with pytest.raises(InputError, match="cannot write /dev/stdout"):
                app(arguments, standalone_mode=False)
            os._exit(0)
        assert os.waitpid(pid, 0)[1] == 0
        assert files_in(at) == before


def test_a_pipe_is_written_to(fresh: Callable[[], Path]) -> None:
    at = fresh()
    os.mkfifo(at / "out.jsonl")
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append((at / "out.jsonl").read_text(encoding="utf-8")))
    reader.start()
    key = ("wordquarry stage", "sink")
    assert run(*key, RECIPES[key](at)) is None
    reader.join(10)
    assert read[0].count('"numbers"') == 5
    assert (at / "out.jsonl").is_fifo()


def test_a_log_is_added_to_and_nothing_else_is(fresh: Callable[[], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    at = fresh()
    monkeypatch.setenv("WORDQUARRY_LOG", "")
    key = ("wordquarry", "log")
    assert run(*key, RECIPES[key](at)) is None
    assert run(*key, RECIPES[key](at)) is None
    assert (at / "log").read_text(encoding="utf-8").count(" begin: ") == 2


def test_a_sheet_is_served_and_merged_with_its_verdicts(fresh: Callable[[], Path]) -> None:
    at = fresh()
    key = ("wordquarry sheet merge", "sheet")
    assert run(*key, RECIPES[key](at)) is None
    assert sum(row.verdict is not None for row in read_sheet(at / "sheet.jsonl").rows) == 19
    assert Workspace(str(at)).rooms()[0].parent == at
