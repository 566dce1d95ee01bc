"""The commands ``gate plan`` and ``gate check``: rows to judge for a version, and what their verdicts decide."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from audits.acceptance.betting import GateDecision, first_rows
from audits.acceptance.gate_report import GateReport, copies_by_stage, judge, record_verdicts
from audits.acceptance.plans import Drawing, GatePlan, asked_now, extended, new_plan, plan_path, read_plan, save_plan
from audits.sheets.audit_sheets import STAGES
from corpus.errors import ConfigError, InputError, VersionError
from corpus.faults import fault_line
from corpus.folders.locks import building
from corpus.versioning.gate_verdicts import asked_of
from corpus.versioning.versions import Version
from corpus.workspace import Workspace
from curation.config_file import StageGate
from flows.console import Reporter


@dataclass(frozen=True)
class PlanWish:
    """What ``gate plan`` was asked for: None where the gate of the version or a default says it."""

    stage: str | None = None
    min_precision: float | None = None
    error: float | None = None
    expected: float | None = None
    rows: int | None = None

    @property
    def terms(self) -> dict[str, float]:
        """What was said of bound, error and expectation."""
        given = {"min_precision": self.min_precision, "error": self.error, "expected": self.expected}
        return {name: value for name, value in given.items() if value is not None}


def _asked(version: Version, stage: str, wish: PlanWish) -> StageGate:
    """The gate of a stage: that of the version's configuration, or what the command says where there is none."""
    given = wish.terms
    held = asked_of(version.manifest).get(stage)
    if held is not None:
        _check_same(f"the gate of {version.label}, stage {stage},", held, given)
        return StageGate.model_validate(held)
    if "min_precision" not in given:
        raise ConfigError(f"{version.label} names no bound for stage {stage}; give --min-precision, such as 0.97")
    try:
        return StageGate.model_validate(given)
    except ValidationError as error:
        raise ConfigError(f"{fault_line(error, StageGate)} (docs/audits.md)") from error


def _check_same(who: str, held: Mapping[str, float | None], given: Mapping[str, float]) -> None:
    for name, value in given.items():
        if held.get(name) is not None and held[name] != value:
            option = f"--{name.replace('_', '-')}"
            raise InputError(
                f"{who} has {name} {held[name]:g}, not {value:g}; leave {option} out, or build it with a --gate that "
                "asks for that"
            )


def _chosen_stage(version: Version, wish: PlanWish) -> str:
    gates = sorted(asked_of(version.manifest))
    stage = wish.stage or (gates[0] if len(gates) == 1 else "answers" if not gates else "")
    if stage not in STAGES:
        known = ", ".join(gates or STAGES)
        raise InputError(f"cannot plan stage {stage!r} of {version.label}; give --stage with one of: {known}")
    return stage


def run_gate_plan(data: str, label: str, wish: PlanWish) -> None:
    """The command ``gate plan``: the first sheet of a stage, or the next one where the rows so far decide nothing."""
    workspace = Workspace(data)
    version = workspace.versions.open(label)
    stage = _chosen_stage(version, wish)
    folder = _sheets(data)
    path = plan_path(folder, version, stage)
    with building(workspace.folder):
        reporter = Reporter()
        if not path.exists():
            drawing = Drawing.of(workspace, version, stage)
            plan = new_plan(drawing, stage, _asked(version, stage, wish))
            plan = extended(plan, drawing, wish.rows or first_rows(plan.terms, plan.expected), folder)
        else:
            held = asked_now(read_plan(path), version)
            _check_same(f"the plan {path.name}", held.model_dump(), wish.terms)
            save_plan(held, path)
            report = judge(held, folder)
            if report.verdict is not GateDecision.MORE or (report.open and wish.rows is None):
                reporter.text(report.sentence)
                return
            plan = extended(held, Drawing.of(workspace, version, stage), wish.rows or report.wanted, folder)
        save_plan(plan, path)
    sheet = plan.sheets[-1].file
    rows = sum(len(one.rows) for one in plan.rounds[-plan.sheets[-1].rounds :])
    reporter.text(
        f"plan: {path} ({plan.rows} of {plan.population} rows; precision at least {plan.min_precision:g}, "
        f"error {plan.error:g}, size for {plan.expected:g})"
    )
    reporter.text(f"sheet: {folder / sheet} ({rows} rows)")
    reporter.text(f"page: {(folder / sheet).with_suffix('.html')}")


def _sheets(data: str) -> Path:
    return Path(data) / "audits"


def plans_of(folder: Path, version: Version) -> list[GatePlan]:
    """The plans of a version by stage; VersionError where one that its gate names is missing, or there is none."""
    wanted = list(asked_of(version.manifest))
    paths = {stage: plan_path(folder, version, stage) for stage in STAGES}
    missing = [stage for stage in wanted if not paths[stage].exists()]
    found = [asked_now(read_plan(path), version) for path in paths.values() if path.exists()]
    if missing or not found:
        stage = missing[0] if missing else "answers"
        bound = "" if missing else " --min-precision 0.97"
        raise VersionError(
            f"{version.label} has no plan for stage {stage} in {folder}; write one with "
            f"wordquarry gate plan {version.label} --stage {stage}{bound}"
        )
    return found


def run_gate_check(data: str, label: str, copies: Sequence[Path], as_json: bool) -> list[GateReport]:
    """The command ``gate check``: judges every plan of a version, writes the verdicts down, and moves ``latest``.

    Returns the reports; whoever called says what is not accepted.
    """
    workspace = Workspace(data)
    version = workspace.versions.open(label)
    folder = _sheets(data)
    plans = plans_of(folder, version)
    by_stage = copies_by_stage(copies, [plan.stage for plan in plans], version.label)
    reports = [judge(plan, folder, by_stage[plan.stage]) for plan in plans]
    latest, sentence = record_verdicts(workspace, version, reports)
    reporter = Reporter()
    if as_json:
        reporter.data({"gates": [one.as_dict() for one in reports], "latest": latest})
    else:
        for one in reports:
            reporter.text(one.text())
        reporter.text(sentence)
    return reports
