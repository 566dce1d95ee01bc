"""A build with a gate is a candidate until the gate accepts; ``latest`` moves only then."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from audits.inspect.rebuilding import compare_rebuild
from audits.sheets.audit_sheets import Verdict
from corpus.errors import ConfigError, InputError, VersionError
from corpus.versioning.gate_verdicts import audit_lines
from corpus.versioning.versions import Version
from corpus.workspace import Workspace
from curation.config_file import GateConfig, load_config, load_gate, load_gate_file
from flows.console import candidate_line
from flows.gating import PlanWish, run_gate_check, run_gate_plan
from tests.audits.acceptance.filling import fill
from tests.worlds import Plan, build_world

GATE = GateConfig.model_validate({"answers": {"min_precision": 0.9, "expected": 0.99}})


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> tuple[Workspace, Version]:
    """A data folder with a candidate."""
    return build_world(tmp_path_factory.mktemp("candidates"), Plan(posts=45, fates={}, gate=GATE))


def test_the_story_of_a_candidate(first: tuple[Workspace, Version], capsys: pytest.CaptureFixture[str]) -> None:
    workspace, bad = first
    versions, folder = workspace.versions, Path(workspace.data) / "audits"
    assert versions.latest_id("quarry") is None
    with pytest.raises(VersionError, match=f"no version of quarry is accepted; give a candidate .*: {bad.label}"):
        versions.open("quarry")
    run_gate_plan(workspace.data, bad.label, PlanWish())
    sheet = next(folder.glob(f"{bad.name}-{bad.version_id}-*.jsonl"))
    fill(sheet, Verdict.WRONG, 20)
    (report,) = run_gate_check(workspace.data, bad.label, [], as_json=False)
    assert "refused" in report.sentence
    assert versions.latest_id("quarry") is None

    _, good = build_world(Path(workspace.data), Plan(posts=44, fates={}, gate=GATE))
    run_gate_plan(workspace.data, good.label, PlanWish())
    sheet = next(folder.glob(f"{good.name}-{good.version_id}-*.jsonl"))
    fill(sheet, Verdict.RIGHT, rows=20)
    (report,) = run_gate_check(workspace.data, good.label, [], as_json=False)
    assert "rows of" in report.sentence
    assert f"{good.label} is a candidate (answers not accepted); there is no latest" in capsys.readouterr().out
    fill(sheet, Verdict.RIGHT)
    run_gate_check(workspace.data, good.label, [], as_json=False)
    assert versions.open("quarry").label == good.label
    assert f"{good.label} is latest now; before: none" in capsys.readouterr().out

    card = good.folder.read("README.md").decode()
    assert card.endswith("| answers | gate | accepted at 90 %: precision at least 90.9 % (n=40, error at most 5 %) |\n")
    assert ("answers", "gate", "accepted at 90 %: precision at least 90.9 % (n=40, error at most 5 %)") in audit_lines(
        versions.open("quarry").manifest
    )
    good.folder.write("README.md", card.partition("\n## Precision")[0].encode())  # a kill between the two files
    with pytest.raises(VersionError, match=r"README\.md is not the file that was published"):
        versions.open("quarry").check()
    run_gate_check(workspace.data, good.label, [], as_json=False)
    versions.open("quarry").check()
    assert good.folder.read("README.md").decode() == card

    _, later = build_world(Path(workspace.data), Plan(posts=4, fates={}, gate=GATE))
    assert versions.open("quarry").label == good.label
    built = {"version": later.label, "not_accepted": ["answers"], "latest": good.label}
    assert candidate_line(built).startswith(
        f"{later.label} is a candidate (answers not accepted); latest is {good.label}; judge it:"
    )
    _, again = build_world(Path(workspace.data), Plan(posts=44, fates={}))  # the same rows, without a gate
    assert (again.version_id, again.manifest["gate"]) == (good.version_id, GATE.as_dict())


@pytest.fixture
def world(tmp_path: Path) -> Workspace:
    return Workspace(str(tmp_path / "data"))


def candidate(workspace: Workspace, posts: int, gate: GateConfig = GATE) -> Version:
    return build_world(Path(workspace.data), Plan(posts=posts, fates={}, gate=gate))[1]


def judged(workspace: Workspace, version: Version, wrong: int = 0, wish: PlanWish = PlanWish()) -> str | None:  # noqa: B008 - frozen
    """Judge all rows of a version, so many of them wrong, and ask its gate; gives what is the latest then."""
    run_gate_plan(workspace.data, version.label, wish)
    for sheet in sorted((Path(workspace.data) / "audits").glob(f"{version.name}-{version.version_id}-*.jsonl")):
        fill(sheet, Verdict.WRONG, wrong)
    run_gate_check(workspace.data, version.label, [], as_json=False)
    return workspace.versions.latest_id(version.name)


@pytest.mark.full
def test_an_older_version_that_is_accepted_later_does_not_become_the_latest(
    world: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = candidate(world, 44), candidate(world, 45)
    assert judged(world, new) == new.version_id
    assert judged(world, old) == new.version_id
    assert f"{old.label} is accepted; latest is {new.version_id}" in capsys.readouterr().out
    assert judged(world, old) == new.version_id
    assert world.versions.open("quarry").label == new.label


def test_a_version_that_is_refused_later_is_not_the_latest_any_more(
    world: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = candidate(world, 44), candidate(world, 45)
    assert (judged(world, old), judged(world, new)) == (old.version_id, new.version_id)
    assert judged(world, new, wrong=20) == old.version_id
    told = f"{new.label} is a candidate (answers not accepted); latest is {old.version_id} now"
    assert told in capsys.readouterr().out
    assert judged(world, old, wrong=20) is None
    with pytest.raises(VersionError, match="no version of quarry is accepted; give a candidate by its id"):
        world.versions.open("quarry")
    assert judged(world, old) == old.version_id
    assert judged(world, new) == new.version_id


def test_what_a_gate_refused_is_not_the_latest_though_its_build_asked_for_nothing(world: Workspace) -> None:
    old, new = candidate(world, 44, GateConfig()), candidate(world, 45, GateConfig())
    assert world.versions.latest_id("quarry") == new.version_id
    assert judged(world, new, 20, PlanWish("answers", 0.9, None, 0.99)) == old.version_id
    assert candidate(world, 45, GateConfig()).label == new.label
    assert world.versions.latest_id("quarry") == old.version_id, "the same rows are as wrong as before"
    assert judged(world, new, 0, PlanWish("answers")) == new.version_id


@pytest.mark.full
def test_a_stricter_gate_is_judged_by_the_rows_so_far_and_more(
    world: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    old, version = candidate(world, 44), candidate(world, 90)
    assert (judged(world, old), judged(world, version)) == (old.version_id, version.version_id)
    sheets = sorted(path.name for path in (Path(world.data) / "audits").glob(f"*{version.version_id}*.jsonl"))
    stricter = GateConfig.model_validate({"answers": {"min_precision": 0.97}})
    assert candidate(world, 90, stricter).label == version.label
    assert world.versions.latest_id("quarry") == old.version_id
    capsys.readouterr()
    (report,) = run_gate_check(world.data, version.label, [], as_json=False)
    assert (report.plan.min_precision, report.verdict, report.open) == (0.97, "more", 0)
    said = capsys.readouterr().out
    assert "more rows are needed if it goes on like this; write them with wordquarry gate plan" in said
    assert f"{version.label} is a candidate (answers not accepted); latest stays {old.version_id}" in said
    assert judged(world, version) == version.version_id
    there = sorted(path.name for path in (Path(world.data) / "audits").glob(f"*{version.version_id}*.jsonl"))
    assert there[: len(sheets)] == sheets
    assert len(there) == len(sheets) + 1
    (entry,) = world.versions.open("quarry").manifest["audits"]
    assert (entry["min_precision"], entry["verdict"]) == (0.97, "accepted")
    assert "| answers | gate | accepted at 97 %" in version.folder.read("README.md").decode()


@pytest.mark.full
def test_the_order_that_was_noted_before_is_still_read(world: Workspace) -> None:
    """Before, only the last version that was published had its turn noted."""
    first, last = candidate(world, 44, GateConfig()), candidate(world, 45, GateConfig())
    note = {"taken": 2, "latest": 2, "version": last.version_id}
    world.folder.write("turns/quarry.json", json.dumps(note).encode())
    assert world.versions.turn("quarry") == 3
    assert judged(world, last, 20, PlanWish("answers", 0.9, None, 0.99)) == first.version_id, "no other is accepted"
    third = candidate(world, 46, GateConfig())
    assert world.versions.latest_id("quarry") == third.version_id
    world.folder.write("turns/quarry.json", json.dumps(note).encode())
    world.folder.write("versions/quarry/latest", last.version_id.encode())
    assert judged(world, last, 20) is None, "nothing says which of the two others is newer"
    with pytest.raises(VersionError, match="nothing says which version of quarry is the newest; give one by its id"):
        world.versions.open("quarry")


def test_a_gate_is_no_part_of_the_identity(first: tuple[Workspace, Version], tmp_path: Path) -> None:
    _, plain = build_world(tmp_path, Plan(posts=45, fates={}))
    assert plain.version_id == first[1].version_id
    assert compare_rebuild(first[0].versions.open(plain.label), plain).identical


def test_the_bound_of_the_build_is_the_bound_of_the_plan(first: tuple[Workspace, Version]) -> None:
    with pytest.raises(InputError, match=r"has min_precision 0\.9, not 0\.5; leave --min-precision out"):
        run_gate_plan(first[0].data, first[1].label, PlanWish(None, 0.5))


def test_the_gate_of_a_configuration(tmp_path: Path) -> None:
    path = tmp_path / "gate.toml"
    path.write_text("[read]\nmin_confidence = 0.5\n[gate.answers]\nmin_precision = 0.97\n", encoding="utf-8")
    assert load_gate(path).as_dict() == {"answers": {"min_precision": 0.97, "error": 0.05, "expected": None}}
    assert load_config(path).read.min_confidence == 0.5
    assert load_gate(None).stages() == {}
    path.write_text("[gate.answers]\nmin_precision = 0.97\nexpected = 0.9\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="expected must be more than min_precision"):
        load_gate(path)
    path.write_text("[gate.answer]\nmin_precision = 0.97\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="gate: unknown field"):
        load_gate(path)
    path.write_text("[read]\nmin_confidence = 0.5\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"has no table \[gate\] with a stage"):
        load_gate_file(path)


def test_what_people_and_gates_found_side_by_side_is_all_there(world: Workspace) -> None:
    _, version = build_world(world.data)
    sheets = [{"sheet_id": f"s{number}", "stage": "answers"} for number in range(15)]
    gates = [{"kind": "gate", "stage": f"stage{number}", "verdict": "accepted"} for number in range(15)]
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(Workspace(world.data).versions.attach_audit, version, sheet) for sheet in sheets]
        both += [pool.submit(Workspace(world.data).versions.judge, version, [gate]) for gate in gates]
        for one in both:
            one.result()
    assert len(world.versions.open(version.label).manifest["audits"]) == 30
