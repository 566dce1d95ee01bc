"""The plan of a gate: a file beside its sheets that says what is asked and which rows are drawn, round by round.

A plan only grows: more rows are further rounds on a further sheet, and its rounds never change. What it asks is what
the gate of its version asks; another gate is judged by the same rows, since the test runs for every bound at once, and
its error holds for each of them. A plan of a version without a gate keeps what it was made for.

Rows are sorted by confidence band, source, kind of thread and template size; a round cuts the rows that are left into
blocks of this order and draws one of each. So every group has its share of every round, to within one row at each end,
however small it is. Which row of a block is drawn is said by a hash of the version, the stage, the round and the post,
so nobody chooses the sample, and a mended version gets another one.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Final, Literal

from pydantic import Field

from audits.acceptance.betting import ROUND_ROWS, Terms, block_sizes
from audits.inspect.problem_groups import ProblemTable
from audits.sheets.audit_sheets import Group, StratumHeader, page_of, save_sheet
from audits.sheets.drawing import POPULATIONS, Draw, Unit, draw_order, make_sheet, tercile_cuts, whole_units
from corpus.canonical import canonical_json, digest_of, sha256_text
from corpus.errors import InputError, store_errors
from corpus.folders.files import Folder
from corpus.folders.open_files import read_file
from corpus.lines.jsonl import parse_object
from corpus.lines.sheet_lines import parsed
from corpus.records import ClassifiedPost, PostReading, Problem, Record
from corpus.versioning.gate_verdicts import asked_of
from corpus.versioning.versions import Version
from corpus.workspace import Workspace
from curation.building.run_rows import RunRows
from curation.config_file import StageGate

SMALL = 25
"""A group that is smaller than this part of the population is told with its neighbours."""
Traits = tuple[str, ...]


class PlannedRound(Record):
    """One round: how many rows were left before it, and of each of its rows the post and the size of its block."""

    left: int = Field(ge=1)
    rows: tuple[tuple[str, int], ...]


def gate_units(rows: RunRows, problems: ProblemTable, stage: str) -> list[Unit]:
    """The decisions of a stage behind the version's problems, in the order of the groups that they belong to."""
    published = {problem.post_id: problem for problem in problems.problems(list(problems.places))}
    found = {
        unit.post_id: unit
        for unit in POPULATIONS[stage](rows, problems)
        if unit.group is Group.KEPT and unit.post_id in published
    }
    confidences = {post_id: _confidence(rows, published[post_id], stage) for post_id in found}
    if not found:
        return []
    cuts = tercile_cuts(list(confidences.values()))
    traits = {post_id: _traits(rows, published[post_id], confidences[post_id], cuts) for post_id in found}
    labels = merged_labels(traits)
    ordered = sorted(found, key=lambda post_id: (traits[post_id], post_id))
    return [replace(found[post_id], stratum=labels[post_id]) for post_id in ordered]


def _confidence(rows: RunRows, problem: Problem, stage: str) -> float:
    """How sure the stage is of what it says: the probability of answer, system or scope."""
    if stage == "answers":
        return problem.answer_confidence
    if stage == "in_scope":
        classified = rows.record("classify", problem.post_id)
        return classified.probability if isinstance(classified, ClassifiedPost) else 0.0
    found = rows.record("read", problem.post_id)
    given = found.candidates if isinstance(found, PostReading) else ()
    return max((one.probability for one in given if one.answer_id in problem.votes), default=0.0)


def _traits(rows: RunRows, problem: Problem, confidence: float, cuts: tuple[float, float]) -> Traits:
    post = rows.post(problem.post_id)
    assert post is not None, f"{problem.post_id} came through a stage, so it was among the posts"
    band = sum(confidence > cut for cut in cuts)
    answers = "one answer" if len(post.answers) == 1 else "several answers"
    size = len(problem.template or ())
    equations = {0: "no template", 1: "1 equation", 2: "2 equations"}.get(size, "3 or more equations")
    return (
        ("confidence low", "confidence middle", "confidence high")[band],
        post.source,
        f"{answers}, {problem.agreement}",
        equations,
    )


def merged_labels(traits: Mapping[str, Traits]) -> dict[str, str]:
    """The group of each row, named by as many of its traits as leave it no smaller than a SMALL-th of all.

    >>> merged_labels({"a": ("low", "x"), "b": ("low", "x"), "c": ("low", "y")})["c"]
    'low; y'
    """
    least = -(-len(traits) // SMALL)
    sizes = Counter(one[:depth] for one in traits.values() for depth in range(1, len(one) + 1))
    found = {}
    for row, one in traits.items():
        depth = next((depth for depth in range(len(one), 0, -1) if sizes[one[:depth]] >= least), 0)
        found[row] = "; ".join([*one[:depth], *(["others"] if depth < len(one) else [])])
    return found


def _drawn(names: Sequence[str], key: str) -> str:
    """The post of a block that a round draws."""
    return min(names, key=lambda name: sha256_text(f"{key}\n{name}"))


def drawn_rounds(ordered: Sequence[str], seed: str, rows: int) -> list[PlannedRound]:
    """The first rounds of posts in this order, of at least ``rows`` rows or all; more rows begin with the same rounds.

    >>> [len(one.rows) for one in drawn_rounds([f"p{n}" for n in range(50)], "a", 41)]
    [20, 20, 10]
    """
    left, rounds = list(ordered), list[PlannedRound]()
    while left and sum(len(one.rows) for one in rounds) < rows:
        begin, chosen, key = 0, [], f"{seed}\n{len(rounds)}"
        for block in block_sizes(len(left), ROUND_ROWS):
            chosen.append((_drawn(left[begin : begin + block], key), block))
            begin += block
        rounds.append(PlannedRound(left=len(left), rows=tuple(chosen)))
        gone = {name for name, _ in chosen}
        left = [name for name in left if name not in gone]
    return rounds


FORMAT: Final = 1


class PlannedSheet(Record):
    """One sheet of a plan: its file, its id, and how many rounds stand on it."""

    file: str
    sheet_id: str
    rounds: int = Field(ge=1)


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


def extended(plan: GatePlan, drawing: Drawing, rows: int, folder: Path) -> GatePlan:
    """The plan with ``rows`` more rows on a new sheet, which is written with its page; the plan itself is not.

    InputError where the rounds so far are not those that this code draws.
    """
    posts = [unit.post_id for unit in drawing.units]
    drawn = drawn_rounds(posts, f"{plan.version}\n{plan.stage}", plan.rows + rows)
    if drawn[: len(plan.rounds)] != list(plan.rounds):
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
    return plan.model_copy(update={"rounds": tuple(drawn), "sheets": (*plan.sheets, entry)})


def _mixed(rounds: list[PlannedRound], part: int) -> list[str]:
    """The posts round by round, each in the order of their hashes, so that a judge sees no group at once."""
    return [name for one in rounds for name in sorted((row[0] for row in one.rows), key=lambda n: draw_order(part, n))]


def _strata(units: tuple[Unit, ...], chosen: set[str]) -> list[StratumHeader]:
    strata: dict[str, list[str]] = {}
    for unit in units:
        strata.setdefault(unit.stratum, []).append(unit.post_id)
    return [
        StratumHeader(stratum=name, group=Group.KEPT, population=len(held), sampled=len(chosen & set(held)))
        for name, held in sorted(strata.items())
    ]
