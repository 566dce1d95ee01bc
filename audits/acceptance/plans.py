"""The plan of a gate: a file beside its sheets that says what is asked and which rows are drawn, round by round.

A plan only grows: more rows are further rounds on a further sheet, and its rounds never change. What it asks is what
the gate of its version asks; another gate is judged by the same rows, since the test runs for every bound at once, and
its error holds for each of them. A plan of a version without a gate keeps what it was made for.
"""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Final, Literal

from pydantic import Field

from audits.acceptance.population import DrawnRound, drawn_rounds, gate_units
from audits.acceptance.sizing import Terms, first_rows
from audits.inspect.table_rows import ProblemTable
from audits.sheets.audit_sheets import make_sheet, page_of, save_sheet
from audits.sheets.drawing import whole_units
from audits.sheets.sampling import Draw, Group, Sampled, Unit, draw_order
from corpus.canonical import canonical_json, digest_of
from corpus.config_file import StageGate
from corpus.errors import InputError, store_errors
from corpus.files import Folder
from corpus.gate_verdicts import asked_of
from corpus.jsonl import parse_object
from corpus.open_files import read_file
from corpus.records import Record
from corpus.sheet_lines import parsed
from corpus.versions import Version
from corpus.workspace import Workspace
from curation.run_rows import RunRows

FORMAT: Final = 1


class PlannedSheet(Record):
    """One sheet of a plan: its file, its id, and how many rounds stand on it."""

    file: str
    sheet_id: str
    rounds: int = Field(ge=1)


class PlannedRound(Record):
    """One round: how many rows were left before it, and of each of its rows the post and the size of its block."""

    left: int = Field(ge=1)
    rows: tuple[tuple[str, int], ...]


class GatePlan(Record):
    """What a gate asks of one stage of a version, and the rounds that are drawn so far."""

    format: Literal[1]
    kind: Literal["gate plan"]
    version: str
    stage: str
    min_precision: float
    error: float
    expected: float
    population: int = Field(ge=1)
    rounds: tuple[PlannedRound, ...]
    sheets: tuple[PlannedSheet, ...]

    @property
    def plan_id(self) -> str:
        """A digest of what is asked; more rows do not change it."""
        asked = [self.version, self.stage, self.min_precision, self.error, self.expected, self.population]
        return digest_of([FORMAT, *asked])[:24]

    @property
    def terms(self) -> Terms:
        """The plan as the test takes it; the bound is the decimal number that was written."""
        return Terms(self.population, exact(self.min_precision), self.error)

    @property
    def rows(self) -> int:
        """How many rows are drawn."""
        return sum(len(one.rows) for one in self.rounds)


def exact(share: float) -> Fraction:
    """The decimal number that a float was written as.

    >>> exact(0.97)
    Fraction(97, 100)
    """
    return Fraction(repr(share))


def plan_path(folder: Path, version: Version, stage: str) -> Path:
    """Where the plan of a version's stage is."""
    return folder / f"{version.name}-{version.version_id}-{stage}-gate.json"


def read_plan(path: Path) -> GatePlan:
    """A plan; InputError for a file that is none or was changed."""
    with store_errors("read", str(path)):
        content = read_file(path)
    fields = parse_object(content, str(path))
    seal = fields.pop("digest", None)
    plan = parsed(GatePlan, str(path), fields, "the plan of a gate")
    if seal != digest_of(plan.model_dump(mode="json")):
        raise InputError(f"{path}: its content does not match its digest; put back a copy, or move it and its sheets")
    return plan


def save_plan(plan: GatePlan, path: Path) -> None:
    """Write a plan with the digest of its content."""
    fields = plan.model_dump(mode="json")
    line = canonical_json({**fields, "digest": digest_of(fields)}) + "\n"
    Folder.at(path.parent).write(path.name, line.encode())


@dataclass(frozen=True)
class Drawing:
    """What a version gives a plan: the decisions of its stage in the order of their groups, and its run's rows."""

    version: Version
    rows: RunRows
    problems: ProblemTable
    units: tuple[Unit, ...]

    @classmethod
    def of(cls, workspace: Workspace, version: Version, stage: str) -> "Drawing":
        """InputError where the version has nothing to judge, VersionError if its run is not in the data folder."""
        rows, problems = RunRows.of(workspace, version), ProblemTable.of(version)
        units = gate_units(rows, problems, stage)
        if not units:
            raise InputError(f"{version.label} has nothing to judge at stage {stage}; choose another stage or version")
        return cls(version, rows, problems, tuple(units))

    def rounds(self, stage: str, rows: int) -> list[DrawnRound]:
        """The first rounds, of at least so many rows."""
        return drawn_rounds([unit.post_id for unit in self.units], f"{self.version.label}\n{stage}", rows)


def new_plan(drawing: Drawing, stage: str, gate: StageGate) -> GatePlan:
    """The plan of a stage without any round."""
    return GatePlan(
        format=FORMAT,
        kind="gate plan",
        version=drawing.version.label,
        stage=stage,
        min_precision=gate.min_precision,
        error=gate.error,
        expected=gate.planned,
        population=len(drawing.units),
        rounds=(),
        sheets=(),
    )


def asked_now(plan: GatePlan, version: Version) -> GatePlan:
    """The plan with what the gate of its version asks by now, which may be more than when its first rows were drawn."""
    asked = asked_of(version.manifest).get(plan.stage)
    if asked is None:
        return plan
    gate = StageGate.model_validate(asked)
    terms = {"min_precision": gate.min_precision, "error": gate.error, "expected": gate.planned}
    return plan.model_copy(update=terms)


def first_size(plan: GatePlan) -> int:
    """How many rows the first sheet of a plan takes."""
    return first_rows(plan.terms, plan.expected)


def extended(plan: GatePlan, drawing: Drawing, rows: int, folder: Path) -> GatePlan:
    """The plan with ``rows`` more rows on a new sheet, which is written with its page; the plan itself is not.

    InputError where the rounds so far are not those that this code draws.
    """
    drawn = drawing.rounds(plan.stage, plan.rows + rows)
    if [_planned(one) for one in drawn[: len(plan.rounds)]] != list(plan.rounds):
        raise InputError(
            f"the rows of {plan.version}, stage {plan.stage}, are drawn otherwise than its plan says (the code or the "
            "run has changed since); go on with the code that made the plan"
        )
    added = drawn[len(plan.rounds) :]
    if not added:
        raise InputError(f"{plan.version} has no row left to judge at stage {plan.stage}; every one is on a sheet")
    chosen = [post_id for one in added for post_id, _ in one.rows]
    units = {unit.post_id: unit for unit in drawing.units}
    part = len(plan.sheets) + 1
    judged = [units[post_id] for post_id in _mixed(added, part)]
    sheet = make_sheet(
        plan.version,
        Draw(plan.stage, len(chosen), part),
        whole_units(plan.stage, judged, drawing.rows, drawing.problems),
        _strata(drawing.units, set(chosen)),
    )
    name = f"{plan_path(folder, drawing.version, plan.stage).stem}-{part}.jsonl"
    if not (folder / name).exists():
        save_sheet(sheet, folder / name)
    Folder.at(folder).write(f"{name.removesuffix('.jsonl')}.html", page_of(sheet).encode())
    entry = PlannedSheet(file=name, sheet_id=sheet.header.sheet_id, rounds=len(added))
    rounds = (*plan.rounds, *(_planned(one) for one in added))
    return plan.model_copy(update={"rounds": rounds, "sheets": (*plan.sheets, entry)})


def _planned(one: DrawnRound) -> PlannedRound:
    return PlannedRound(left=one.left, rows=one.rows)


def _mixed(rounds: list[DrawnRound], part: int) -> list[str]:
    """The posts round by round, each in the order of their hashes, so that a judge sees no group at once."""
    return [name for one in rounds for name in sorted((row[0] for row in one.rows), key=lambda n: draw_order(part, n))]


def _strata(units: tuple[Unit, ...], chosen: set[str]) -> list[Sampled]:
    strata: dict[str, list[str]] = {}
    for unit in units:
        strata.setdefault(unit.stratum, []).append(unit.post_id)
    return [Sampled(name, Group.KEPT, len(held), len(chosen & set(held))) for name, held in sorted(strata.items())]
