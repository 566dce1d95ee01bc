"""Plans, verdicts and decisions over a version: what is written, what is refused, and what moves ``latest``."""

import json
import math
import shutil
from pathlib import Path

import pytest

from audits.acceptance.plans import GatePlan, plan_path, read_plan
from audits.sheets.audit_sheets import Verdict, read_sheet, save_sheet
from corpus.errors import CorpusError, InputError, VersionError
from corpus.versioning.versions import Version
from corpus.workspace import Workspace
from flows.command_line.judge_commands import gate_check
from flows.gating import PlanWish, run_gate_check, run_gate_plan
from tests.audits.acceptance.filling import fill
from tests.worlds import Plan, build_world

WISH = PlanWish("answers", 0.9, None, 0.99)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of a version of 90 problems."""
    folder = tmp_path_factory.mktemp("gate")
    build_world(folder, Plan(posts=90, fates={}))
    return folder


@pytest.fixture
def world(built: Path, tmp_path: Path) -> tuple[Workspace, Version]:
    """A copy of that version to judge."""
    workspace = Workspace(str(shutil.copytree(built, tmp_path / "data")))
    return workspace, workspace.versions.open("quarry")


def planned(world: tuple[Workspace, Version], wish: PlanWish = WISH) -> tuple[GatePlan, Path]:
    """A plan of the version, and its first sheet."""
    workspace, version = world
    run_gate_plan(workspace.data, version.label, wish)
    folder = Path(workspace.data) / "audits"
    plan = read_plan(plan_path(folder, version, wish.stage or "answers"))
    return plan, folder / plan.sheets[-1].file


def test_a_plan_is_stratified_and_grows_with_its_rounds(
    world: tuple[Workspace, Version], capsys: pytest.CaptureFixture[str]
) -> None:
    plan, path = planned(world)
    sheet = read_sheet(path)
    assert [row.post_id for row in sheet.rows] != sorted(row.post_id for row in sheet.rows)
    assert sum(one.population for one in sheet.header.strata) == plan.population == 90
    assert "confidence" in sheet.header.strata[0].stratum
    assert plan.rows == len(sheet.rows) == 60
    fill(path, Verdict.WRONG, 6)
    run_gate_plan(world[0].data, world[1].label, PlanWish("answers"))
    grown = read_plan(plan_path(path.parent, world[1], "answers"))
    assert grown.rounds[: len(plan.rounds)] == plan.rounds
    assert len(grown.sheets) == 2
    assert grown.plan_id == plan.plan_id
    assert not {r.post_id for r in read_sheet(path.with_name(grown.sheets[1].file)).rows} & {
        r.post_id for r in sheet.rows
    }
    assert "-gate-2.jsonl (" in capsys.readouterr().out


def test_open_rows_come_before_more_rows(world: tuple[Workspace, Version], capsys: pytest.CaptureFixture[str]) -> None:
    plan, path = planned(world)
    fill(path, rows=25)
    (report,) = run_gate_check(world[0].data, world[1].label, [], as_json=False)
    assert (report.verdict, report.counted, report.open) == ("more", 20, plan.rows - 25)
    run_gate_plan(world[0].data, world[1].label, PlanWish("answers"))
    assert "35 rows of" in capsys.readouterr().out
    assert len(read_plan(plan_path(path.parent, world[1], "answers")).sheets) == 1
    with pytest.raises(CorpusError, match=r"not decided: .*35 rows of .* have no verdict; judge them with"):
        gate_check(world[1].label, None, False, world[0].data)


def test_verdicts_behind_an_open_round_wait(world: tuple[Workspace, Version]) -> None:
    plan, path = planned(world)
    fill(path)
    sheet = read_sheet(path)
    save_sheet(sheet.with_verdict(sheet.rows[3].post_id, None, ""), path)
    (report,) = run_gate_check(world[0].data, world[1].label, [], as_json=False)
    assert (report.verdict, report.counted, report.open) == ("more", 0, 1)
    assert plan.rows == 60


def test_unsure_counts_as_wrong_and_a_verdict_stands_in_the_manifest(world: tuple[Workspace, Version]) -> None:
    _, path = planned(world)
    fill(path)
    sheet = read_sheet(path)
    save_sheet(sheet.with_verdict(sheet.rows[0].post_id, Verdict.UNSURE, ""), path)
    (report,) = run_gate_check(world[0].data, world[1].label, [], as_json=True)
    assert (report.verdict, report.right, report.unsure) == ("accepted", 59, 1)
    (entry,) = world[0].versions.open(world[1].label).manifest["audits"]
    assert (entry["kind"], entry["verdict"], entry["precision"]["low"]) == (
        "gate",
        "accepted",
        math.floor(report.low * 1e6) / 1e6,
    )
    gate_check(world[1].label, None, False, world[0].data)


def test_a_bad_version_is_refused(world: tuple[Workspace, Version]) -> None:
    _, path = planned(world)
    fill(path, Verdict.WRONG, 20)
    with pytest.raises(CorpusError, match=r"refused: .* has a precision below 90 % after 60 rows; mend the stage"):
        gate_check(world[1].label, None, False, world[0].data)


def test_bad_input_is_one_line_with_place_and_remedy(world: tuple[Workspace, Version], tmp_path: Path) -> None:
    workspace, version = world
    label = version.label
    with pytest.raises(VersionError, match=f"{label} has no plan for stage answers .* write one with wordquarry gate"):
        run_gate_check(workspace.data, label, [], as_json=False)
    with pytest.raises(CorpusError, match="names no bound for stage answers; give --min-precision"):
        run_gate_plan(workspace.data, label, PlanWish("answers"))
    _, path = planned(world)
    with pytest.raises(InputError, match=r"has min_precision 0\.9, not 0\.8; leave --min-precision out"):
        run_gate_plan(workspace.data, label, PlanWish("answers", 0.8))
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    copy = tmp_path / "copy.jsonl"

    def refused(content: list[str], message: str) -> None:
        copy.write_text("".join(content), encoding="utf-8")
        with pytest.raises(InputError, match=message):
            run_gate_check(workspace.data, label, [copy], as_json=False)

    refused([lines[0].replace(label, "quarry/other"), *lines[1:]], "is a sheet of quarry/other, stage answers, not of")
    refused([*lines, lines[-1].replace("site:p", "site:x")], r"copy.jsonl:62: row site:x\d+ is not in the plan of")
    refused([*lines, lines[-1]], "copy.jsonl:62: row .* comes twice, so it has two verdicts; delete one")
    refused([lines[0].replace('"answers"', '"equations"'), *lines[1:]], "judges stage equations, for which .* no plan")
    refused([], "copy.jsonl is empty; give a sheet")
    fill(path, rows=1)
    refused([lines[0], lines[1].replace('"verdict":null', '"verdict":"wrong"'), *lines[2:]], "two verdicts of one row")
    changed = plan_path(path.parent, version, "answers")
    changed.write_text(changed.read_text(encoding="utf-8").replace('"error":0.05', '"error":0.5'), encoding="utf-8")
    with pytest.raises(InputError, match="its content does not match its digest; put back a copy"):
        run_gate_check(workspace.data, label, [], as_json=False)


def test_a_copy_that_was_filled_in_elsewhere_counts(world: tuple[Workspace, Version], tmp_path: Path) -> None:
    _, path = planned(world)
    copy = tmp_path / "annotator.jsonl"
    copy.write_bytes(path.read_bytes())
    fill(copy)
    (report,) = run_gate_check(world[0].data, world[1].label, [copy], as_json=False)
    assert report.verdict == "accepted"
    assert json.loads(path.read_text(encoding="utf-8").splitlines()[1])["verdict"] is None
