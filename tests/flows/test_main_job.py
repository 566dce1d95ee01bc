"""The main job end to end on the bundled site: real HTTP, a real Prefect server, real parquet, killed and run again."""

import io
import json
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from audits.inspect.explain import explain
from corpus.code import ROOT
from corpus.folders.files import Folder
from corpus.schema import read_table
from corpus.versioning.verification import lost_spans
from corpus.workspace import Workspace
from crawlers.bundled_site import BundledSite, serve
from curation.building.run_rows import BuildRecord, RunRows, run_of
from curation.stages.registry import BY_NAME, STAGES, BuildConfig
from curation.stages.stage import Stage
from flows.stage_command import RecordContext, run_diversity
from models.shipped import shipped_model
from tests.flows.command import environment, interpreter, shared_server, start, with_tables, wordquarry
from tests.flows.installed import run_installed
from tests.flows.stages_alone import Row, answered, classified, decided, published, read
from tests.tiers import in_turn

pytestmark = pytest.mark.slow
README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The data folder of one undisturbed demo, and what the demo printed.

    It is run by the installed wheel in another folder; what follows is run by the checkout, and has to agree with it.
    """
    data = tmp_path_factory.mktemp("demo") / "data"
    with_tables(data)
    result = run_installed("demo", "--data", data, folder=data.parent)
    assert result.returncode == 0, result.stderr
    return data, result.stdout


@pytest.fixture(scope="module")
def run(demo: tuple[Path, str]) -> tuple[Workspace, BuildRecord]:
    """The demo's workspace and the record of its build."""
    workspace = Workspace(str(demo[0]))
    return workspace, run_of(workspace, workspace.versions.open("bundled"))


def version_of(output: str) -> str:
    """The version a command says it made."""
    found = re.search(r"version: (\S+)", output)
    assert found, output
    return found[1]


def test_demo_ends_with_all_a_newcomer_needs(demo: tuple[Path, str]) -> None:
    data, output = demo
    for stage in STAGES:
        assert re.search(rf"{stage.name}\s", output), f"no funnel row for {stage.name}"
    for part in ("answers", "equations"):
        assert re.search(rf"\n{part}\n(?:  .*\n)*?  stage read .*n=\d+", output), f"no quality of {part}"
    path = re.search(r"path: (\S+)", output)
    report = re.search(r"report: (\S+)", output)
    assert path
    assert report
    assert Path(path[1]).is_dir()
    assert Path(report[1]).is_file()
    assert Path(path[1]).is_relative_to(data)


@pytest.mark.full
def test_the_rows_of_the_readme_are_those_of_the_demo(demo: tuple[Path, str]) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8").partition("Five rows of the table")[2]
    shown = [line.strip("| ").split(" | ") for line in readme.splitlines() if line.startswith("| ")][1:]
    assert len(shown) == 5
    rows = {
        row.question.partition("\n")[2]: row for row in Workspace(str(demo[0])).versions.open("bundled").training_rows()
    }
    for question, answer, values, equations, confidence, topic in shown:
        row = rows[question]
        assert (answer, values, topic) == (row.answer, str(list(row.answer_values or ())), row.topic)
        assert (equations, confidence) == (
            f"[{', '.join(f'`{one}`' for one in row.equations)}]",
            f"{row.confidence:.3f}",
        )


def test_second_demo_downloads_nothing_and_recognises_the_version(demo: tuple[Path, str]) -> None:
    data, first = demo
    log = data.parent / "log"
    result = wordquarry("--log", log, "demo", "--data", data)
    assert result.returncode == 0, result.stderr
    assert "0 pages downloaded" in result.stdout
    assert "published before, with the same content" in result.stdout
    assert version_of(result.stdout) == version_of(first)
    parts = re.search(r"stage parts: (\d+), reused (\d+)", result.stdout)
    assert parts
    assert parts[1] == parts[2]
    said = [line.split(maxsplit=1)[1] for line in log.read_text(encoding="utf-8").splitlines()]
    assert said[0] == f"begin: wordquarry --log {log} demo --data {data}"
    assert [line.partition(":")[0] for line in said if ", reused " in line] == [stage.name for stage in STAGES]
    assert re.fullmatch(r"end: exit status 0, \d+\.\d s", said[-1])


def test_every_stage_accounts_for_every_post(run: tuple[Workspace, BuildRecord]) -> None:
    workspace, record = run
    for stage in STAGES:
        parts = record.parts[stage.name]
        came = (
            {
                row.post_id
                for part in record.parts[stage.reads[-1]]
                for row in workspace.outputs.kept(part, BY_NAME[stage.reads[-1]].record)
            }
            if stage.reads[-1] in BY_NAME
            else set(workspace.store(record.store).open_snapshot(record.snapshot_id))
        )
        kept = [row.post_id for part in parts for row in workspace.outputs.kept(part, stage.record)]
        dropped = [row.post_id for part in parts for row in workspace.outputs.dropped(part)]
        assert sorted(kept + dropped) == sorted(came), stage.name


STRICT = """
[clean]
max_characters = 700
[read]
require = true
[publish]
precision = 0.5
[templates]
require_alignment = true
[release]
allowed_licenses = ["CC BY-SA 4.0"]
"""


@pytest.fixture(scope="module")
def strict_run(demo: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory) -> tuple[Workspace, BuildRecord]:
    """A build with every rule on, over the same posts, a third of them under a license that is not allowed."""
    folder = tmp_path_factory.mktemp("strict")
    exported, posts, config = folder / "exported.jsonl", folder / "posts.jsonl", folder / "strict.toml"
    assert wordquarry("export", "posts", exported, "--data", demo[0]).returncode == 0
    rows = [json.loads(line) for line in exported.read_text(encoding="utf-8").splitlines()]
    for row in rows[::3]:
        row["license"] = "all rights reserved"
    for row in rows[1::12]:
        for answer in row["answers"]:
            answer["license"] = "all rights reserved"
    posts.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    config.write_text(STRICT, encoding="utf-8")
    known = folder / "benchmark.jsonl"
    problems = Workspace(str(demo[0])).versions.open("bundled").problems()[::4]
    lines = ({"question": problem.question, "answer": f"#### {problem.answer_exact[0]}"} for problem in problems)
    known.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    arguments = ["--posts", posts, "--config", config, "--name", "strict", "--data", demo[0]]
    arguments += ["--against", f"known=gsm8k:{known}"]
    built = wordquarry("build", *arguments, "--json")
    assert built.returncode == 0, built.stderr
    workspace = Workspace(str(demo[0]))
    version = workspace.versions.open("strict")
    said = json.loads(built.stdout)
    assert (said["version"], said["rows"], said["new"]) == (version.label, version.manifest["rows"], True)
    assert [row["stage"] for row in said["funnel"]] == [stage.name for stage in STAGES]
    return workspace, run_of(workspace, version)


def way_of(workspace: Workspace, version: str, post_id: str) -> tuple[dict[str, str], str]:
    """The verdict of each stage on a post, and the explanation as text."""
    found = explain(workspace, workspace.versions.open(version), post_id)
    return {step["stage"]: step["verdict"] for step in found.as_dict()["steps"]}, found.text()


def test_no_text_is_published_whose_license_is_not_allowed(strict_run: tuple[Workspace, BuildRecord]) -> None:
    workspace, record = strict_run
    version = workspace.versions.open("strict")
    for table in ("posts.parquet", "answers.parquet", "provenance.parquet"):
        assert set(read_table(version.folder.read(table))["license"].to_pylist()) == {"CC BY-SA 4.0"}
    lost = [row for part in record.parts["release"] for row in workspace.outputs.dropped(part)]
    terms = {post.post_id: post.license for post in workspace.store(record.store).posts().values()}
    assert {terms[row.post_id] for row in lost if row.reason == "license_not_allowed"} == {
        "all rights reserved",  # of the thread
        "CC BY-SA 4.0",  # its answers have another
    }


def test_the_command_explain(run: tuple[Workspace, BuildRecord]) -> None:
    workspace, record = run
    post_id = workspace.outputs.dropped(record.parts["classify"][0])[0].post_id
    arguments = ["explain", post_id, "--version", "bundled", "--data", workspace.data]
    plain, text = wordquarry(*arguments, "--json"), wordquarry(*arguments)
    assert plain.returncode == text.returncode == 0, plain.stderr
    verdicts, way = way_of(workspace, "bundled", post_id)
    assert {step["stage"]: step["verdict"] for step in json.loads(plain.stdout)["steps"]} == verdicts
    assert text.stdout.strip() == way.strip()


ALONE = [classified, read, answered, published, decided]


@pytest.mark.rows("stage_rows", in_turn(ALONE, 5), ids=lambda rows: rows.__name__)
def test_a_stage_run_alone_gives_what_the_build_gave(
    stage_rows: Callable[[RunRows, RecordContext], Iterator[Row]], run: tuple[Workspace, BuildRecord]
) -> None:
    # with the gates of the build named: else a stage alone abstains below its model's own threshold
    gates = BuildConfig().model_dump(include={"classify", "read"})
    rows = list(stage_rows(RunRows(*run), RecordContext(shipped_model, BuildConfig.model_validate(gates))))
    assert len(rows) > 150
    assert [row for row in rows if row[1] != row[2]] == []


def test_diversity_run_alone_gives_the_figure_of_the_published_corpus(run: tuple[Workspace, BuildRecord]) -> None:
    workspace, _ = run
    stats = wordquarry("stats", "bundled", "--no-probes", "--json", "--data", workspace.data)
    figure, problems = json.loads(stats.stdout)["diversity"], workspace.versions.open("bundled").problems()
    lines = b"".join(json.dumps({"text": one.question}).encode() + b"\n" for one in problems)
    report = io.StringIO()
    run_diversity(io.BytesIO(lines), io.StringIO(), report)
    whole, histogram = report.getvalue().splitlines()
    assert whole == f"CLD {figure['cld']:.4f} (N={figure['n']}), identical 0.0000, {figure['signature']}"
    assert histogram.endswith(f": {' '.join(map(str, figure['histogram']))}")


def test_the_readme_shows_what_explain_prints(run: tuple[Workspace, BuildRecord]) -> None:
    """Every line in order; ``…`` stands for what differs between runs, or for lines that are left out."""
    shown = re.findall(r"^\$ wordquarry explain (\S+) .*\n((?:.+\n|\n(?!```))+)```", README, re.MULTILINE)
    assert len(shown) == 2
    workspace, _ = run
    for post_id, lines in shown:
        _, printed = way_of(workspace, "bundled", post_id)
        pattern = re.escape(lines.strip()).replace("…", r"[\s\S]*?")
        assert re.fullmatch(pattern, printed.strip()), f"README shows of {post_id}:\n{lines}\nand it is:\n{printed}"


def tour() -> tuple[list[str], list[str]]:
    """The commands of the README's tour in their order, and its programs."""
    section = README.partition("\n## A tour\n")[2].partition("\n## ")[0]
    lines = re.findall(r"^(?: {4}|\$ )((?:wordquarry|export) .+)", section, re.MULTILINE)
    return lines, re.findall(r"```python\n(.*?)```", section, re.DOTALL)


@pytest.mark.full
def test_the_tour_runs_as_it_is_printed(demo: tuple[Path, str], tmp_path: Path) -> None:
    """Its lines as a shell takes them, one after the other, in a folder with what the demo left and nothing else."""
    shutil.copytree(demo[0], tmp_path / "demo")
    program = tmp_path / "bin" / "wordquarry"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.join(interpreter({}))} "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    env = environment(shared_server()) | {"PATH": f"{program.parent}:{os.environ['PATH']}"}
    commands, programs = tour()
    assert [line.split()[0] for line in commands] == ["export", *["wordquarry"] * (len(commands) - 1)]
    said = {line: _as_printed(line, tmp_path, env) for line in commands}
    reports = [text for line, text in said.items() if " diff " in line or " leaks " in line]
    assert [("asdiv:sample-3" in text, "asdiv:sample-4" in text) for text in reports] == [(True, True)] * 2
    for code in programs:
        subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=env | {"HF_HUB_OFFLINE": "1"}, check=True)


def _as_printed(line: str, folder: Path, env: dict[str, str]) -> str:
    """What a line of the tour says; one that goes on until Ctrl-C is given that once it has said that it serves."""
    if line.startswith("export "):
        name, _, value = shlex.split(line, comments=True)[1].partition("=")
        env[name] = value
        return ""
    fresh = (
        {"PATH": f"{Path(sys.executable).parent}:{env['PATH']}"} if "Ctrl-C" in line else {}
    )  # a fork would be killed
    process = subprocess.Popen(
        ["bash", "-c", f"exec {line}"],
        cwd=folder,
        env=env | fresh,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    if "Ctrl-C" in line:
        assert process.stderr is not None
        ready = "http://" if " serve " in line else "scheduled "
        assert any(said.startswith(ready) for said in iter(process.stderr.readline, "")), line
        for sheet in (folder / "demo" / "audits").glob("*.jsonl") if " serve " in line else ():
            rows = sheet.read_text(encoding="utf-8")
            sheet.write_text(rows.replace('"verdict":null', '"verdict":"right"', 20), encoding="utf-8")
        process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=240)
    assert process.returncode == 0, f"{line}\n{err}"
    return out


DROPPING = {"clean", "classify", "read", "agree", "diversity", "decontaminate", "templates", "release"}
"""Stages that drop a post of one of the runs, at least."""


@pytest.mark.rows("stage", STAGES, ids=lambda stage: stage.name)
@pytest.mark.full
def test_explain_one_kept_and_one_dropped_post(
    stage: Stage, run: tuple[Workspace, BuildRecord], strict_run: tuple[Workspace, BuildRecord]
) -> None:
    workspace, record = strict_run
    kept = [row for part in record.parts[stage.name] for row in workspace.outputs.kept(part, stage.record)]
    verdicts, _ = way_of(workspace, "strict", kept[0].post_id)
    assert verdicts[stage.name] == "kept"
    dropped = [(row, name) for (_, made), name in ((strict_run, "strict"), (run, "bundled"))
               for part in made.parts[stage.name] for row in workspace.outputs.dropped(part)]  # fmt: skip
    if not dropped:
        assert stage.name not in DROPPING
        return
    row, version = dropped[0]
    verdicts, text = way_of(workspace, version, row.post_id)
    assert verdicts[stage.name] == "dropped"
    assert row.reason in text
    assert set(list(verdicts.values())[list(verdicts).index(stage.name) + 1 :]) <= {"not reached"}


@pytest.mark.full
def test_rebuild_gives_the_same_bytes(demo: tuple[Path, str], tmp_path: Path) -> None:
    """Whatever the order of the posts, the number of shards and the seed of hashes."""
    data, _ = demo
    exported = tmp_path / "posts.jsonl"
    assert wordquarry("export", "posts", exported, "--data", data).returncode == 0
    lines = exported.read_text(encoding="utf-8").splitlines(keepends=True)
    random.Random(5).shuffle(lines)
    shuffled = tmp_path / "shuffled.jsonl"
    shuffled.write_text("".join(lines), encoding="utf-8")
    arguments = ["--posts", shuffled, "--shards", 7, "--data", data]
    again = wordquarry("rebuild", "bundled", "--verify", *arguments, env={"PYTHONHASHSEED": "9"})
    assert again.returncode == 0, again.stderr
    assert "identical" in again.stdout


@pytest.mark.full
def test_rebuild_says_what_differs(demo: tuple[Path, str], tmp_path: Path) -> None:
    exported = tmp_path / "posts.jsonl"
    wordquarry("export", "posts", exported, "--data", demo[0])
    lines = exported.read_text(encoding="utf-8").splitlines(keepends=True)
    fewer = tmp_path / "fewer.jsonl"
    fewer.write_text("".join(lines[: len(lines) // 2]), encoding="utf-8")
    result = wordquarry("rebuild", "bundled", "--verify", "--posts", fewer, "--data", demo[0])
    assert result.returncode == 1
    assert "first different stage: clean" in result.stderr
    assert "the posts are not the same" in result.stderr


@pytest.fixture
def clean_site() -> Iterator[BundledSite]:
    """The bundled site, served by a process of its own for as long as a test needs it."""
    from flows.pipelines.runs import THREADS

    with serve(THREADS) as site:
        yield site


def _kill_when(there: Callable[["subprocess.Popen[str]"], object], *arguments: Any) -> None:
    """Start a command, kill it when it has come somewhere, and wait until nothing writes to its streams."""
    process = start(*arguments, env=shared_server(), fresh=False)
    try:
        there(process)
        assert process.poll() is None, "it ended before"
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def _pages(site: BundledSite, count: int, process: "subprocess.Popen[str]") -> None:
    """Wait until a site has given so many pages."""
    while len(site.bodies()) < count:
        assert process.poll() is None, "it ended before"
        time.sleep(0.01)


def _told(process: "subprocess.Popen[str]", stage: str) -> None:
    """Read what a build says until a stage is done."""
    assert process.stderr is not None
    assert any(line.startswith(f"{stage}:") for line in iter(process.stderr.readline, ""))


def test_killed_crawls_and_builds_end_in_the_undisturbed_version(
    demo: tuple[Path, str], clean_site: BundledSite, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    crawl = ["crawl", "bundled", "--url", clean_site.base_url, "--data", data]
    build = ["build", "--name", "bundled", "--data", data]
    clean_site.delay = 0.05
    for count in in_turn((10, 40), 2):
        _kill_when(lambda process, count=count: _pages(clean_site, count, process), *crawl)  # type: ignore[misc]
    clean_site.delay = 0
    assert wordquarry(*crawl).returncode == 0
    for stage in in_turn(("clean", "agree"), 2):
        _kill_when(lambda process, stage=stage: _told(process, stage), *build)  # type: ignore[misc]
    result = wordquarry(*build)
    assert result.returncode == 0, result.stderr
    assert version_of(result.stdout) == version_of(demo[1])
    assert not list(data.rglob(".tmp-*"))


def test_nothing_is_left_running(demo: tuple[Path, str]) -> None:
    commands = [" ".join(process.info["cmdline"] or ()) for process in psutil.process_iter(["cmdline"])]
    assert commands
    assert [command for command in commands if str(demo[0]) in command] == []


FOUR_READERS = """
import re, sys, datasets, duckdb, mlcroissant, pandas, polars
version = sys.argv[1]
(code,) = re.findall("```python\\n(.*?)```", open(f"{version}/README.md").read(), re.DOTALL)
exec(code.replace('"path/to/this/folder"', "sys.argv[1]"))
splits = datasets.load_dataset(version)
texts = len(set(answers.df()["problem_id"]))
rows = lazy.select(polars.len()).collect().item()
issues = mlcroissant.Dataset(jsonld=f"{version}/croissant.json").metadata.ctx.issues
print(sum(split.num_rows for split in splits.values()), len(posts), len(frame), rows, texts)
print(len(problems) == splits["train"].num_rows, len(issues.errors), len(issues.warnings))
"""
"""The card's own example is run, and then what it read is counted."""


def test_a_version_reads_with_four_readers_and_validates_with_mlcroissant(
    demo: tuple[Path, str], tmp_path: Path
) -> None:
    folder = re.search(r"path: (\S+)", demo[1])
    assert folder
    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "hf")}
    result = subprocess.run(
        [sys.executable, "-c", FOUR_READERS, folder[1]],
        capture_output=True,
        text=True,
        env=environment(offline),
        check=False,
    )
    assert result.returncode == 0, result.stderr[-2000:]
    *rows, same, errors, warnings = result.stdout.split()
    manifest = json.loads((Path(folder[1]) / "manifest.json").read_text(encoding="utf-8"))
    assert rows == [str(manifest["rows"])] * 5
    assert (same, errors, warnings) == ("True", "0", "0")
    assert list(lost_spans(Folder.at(folder[1]), manifest)) == []
