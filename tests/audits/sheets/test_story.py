"""The story of docs/audits.md: two annotators, one of them careless, a gate that refuses, a mended build, `latest`."""

from pathlib import Path

import pytest

from audits.sheets.agreement_report import agreement_of
from audits.sheets.annotators import read_annotated
from audits.sheets.audit_sheets import Sheet, Verdict, read_sheet, save_sheet
from corpus.versioning.versions import Version
from corpus.workspace import Workspace
from curation.config_file import GateConfig
from flows.command_line.judge_commands import sheet_disagreements, sheet_merge, sheet_split
from flows.gating import PlanWish, run_gate_check, run_gate_plan
from tests.worlds import Plan, build_world

GATE = GateConfig.model_validate({"answers": {"min_precision": 0.9, "expected": 0.99}})
WRONG = frozenset(f"site:p{number:02d}" for number in range(2, 42, 4))
"""Ten posts of 44 whose answers the first build reads wrongly."""


def judge(path: Path, wrong: frozenset[str]) -> Sheet:
    """Judge every row of a sheet: these are wrong, the others right."""
    sheet = read_sheet(path)
    for row in sheet.rows:
        sheet = sheet.with_verdict(row.post_id, Verdict.WRONG if row.post_id in wrong else Verdict.RIGHT, "")
    save_sheet(sheet, path)
    return sheet


def planned(workspace: Workspace, version: Version) -> Path:
    """The sheet of a version's plan."""
    run_gate_plan(workspace.data, version.label, PlanWish())
    (sheet,) = (Path(workspace.data) / "audits").glob(f"quarry-{version.version_id}-answers-gate-1.jsonl")
    return sheet


def judged_by_two(sheet: Path, wrong: frozenset[str]) -> list[Path]:
    """Ann looks at every row, Bob calls all of them right."""
    sheet_split(sheet, "ann,bob", 1.0)
    ann, bob = (sheet.with_name(f"{sheet.stem}.{name}.jsonl") for name in ("ann", "bob"))
    judge(ann, wrong)
    judge(bob, frozenset())
    return [ann, bob]


def test_two_annotators_and_a_gate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spoilt = Plan(posts=44, fates={}, gate=GATE, answers=dict.fromkeys(WRONG, ("7",)))
    workspace, bad = build_world(tmp_path, spoilt)
    assert workspace.versions.latest_id("quarry") is None
    sheet = planned(workspace, bad)
    both = judged_by_two(sheet, WRONG)
    on_sheet = {row.post_id for row in read_sheet(sheet).rows}
    report = agreement_of(read_annotated(both))
    assert report.open == len(WRONG & on_sheet) >= 5
    assert report.groups[0].alpha.value is not None
    assert report.groups[0].alpha.value < 0.2, "who calls everything right agrees with nobody beyond chance"

    sheet_disagreements(sheet, both)
    third = sheet.with_name(f"{sheet.stem}.adjudicated.jsonl")
    assert {row.post_id for row in judge(third, WRONG).rows} == WRONG & on_sheet
    sheet_merge(sheet, [*both, third])
    (verdict,) = run_gate_check(workspace.data, bad.label, [], as_json=False)
    assert "refused" in verdict.sentence
    assert workspace.versions.latest_id("quarry") is None

    _, good = build_world(tmp_path, Plan(posts=44, fates={}, gate=GATE))
    assert good.label != bad.label
    sheet = planned(workspace, good)
    both = judged_by_two(sheet, frozenset())
    sheet_merge(sheet, both)
    (verdict,) = run_gate_check(workspace.data, good.label, [], as_json=False)
    assert verdict.accepted
    assert workspace.versions.open("quarry").label == good.label
    assert f"{good.label} is latest now" in capsys.readouterr().out
    card = good.folder.read("README.md").decode().partition("\n## Precision\n")[2]
    assert "| answers | gate | accepted at 90 %: precision at least 9" in card
