"""The gate: the verdicts on a plan's sheets, what they decide, and what becomes of the version and of ``latest``."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from audits.acceptance.betting import Blocks, GateDecision, JudgedRound, decision, more_rows, most_wrong
from audits.acceptance.plans import GatePlan, PlannedRound
from audits.sheets.audit_sheets import Sheet, SheetHeader, Verdict, read_sheet
from corpus.errors import InputError
from corpus.lines.sheet_lines import content_of, object_lines, parsed
from corpus.versioning.gate_verdicts import GATE, METHOD, asked_of, floored, missing_stages
from corpus.versioning.versions import Version
from corpus.workspace import Workspace

WRONG = (Verdict.WRONG, Verdict.UNSURE)
"""Verdicts that count as wrong: a row that nobody can call right is none that a gate may let through."""


def verdicts_of(plan: GatePlan, folder: Path, copies: Sequence[Path] = ()) -> dict[str, Verdict]:
    """The verdict of each judged row of a plan; ``copies`` are files of its sheets that were filled in elsewhere.

    InputError for a sheet that is gone or of another version or plan, for rows it does not know, and for a row with
    two verdicts.
    """
    known = {one.sheet_id for one in plan.sheets}
    own = [folder / one.file for one in plan.sheets]
    found: dict[str, tuple[Verdict, Path]] = {}
    for path in [*own, *copies]:
        sheet = _sheet(plan, path, known)
        for row in sheet.rows:
            if row.verdict is None:
                continue
            held = found.setdefault(row.post_id, (row.verdict, path))
            if held[0] != row.verdict:
                raise InputError(
                    f"{path}: row {row.post_id} is {row.verdict}, and {held[0]} in {held[1]}: two verdicts of one row; "
                    "settle which it is and write it into both"
                )
    return {post_id: verdict for post_id, (verdict, _) in found.items()}


def copies_by_stage(copies: Sequence[Path], stages: Sequence[str], label: str) -> dict[str, tuple[Path, ...]]:
    """Annotators' files by the stage that they judge; InputError for one of a stage without a plan."""
    found: dict[str, tuple[Path, ...]] = dict.fromkeys(stages, ())
    for path in copies:
        stage = _header(path, object_lines(content_of(path), path)).stage
        if stage not in found:
            raise InputError(f"{path} judges stage {stage}, for which {label} has no plan; leave it out")
        found[stage] += (path,)
    return found


def _header(path: Path, lines: Sequence[tuple[str, dict[str, Any]]]) -> SheetHeader:
    if not lines:
        raise InputError(f"{path} is empty; give a sheet that wordquarry gate plan wrote")
    return parsed(SheetHeader, *lines[0], "the first line of a sheet")


def _sheet(plan: GatePlan, path: Path, known: set[str]) -> Sheet:
    if not path.is_file():
        raise InputError(
            f"{path} is gone; put it back, or move the plan away and begin again with wordquarry gate plan"
        )
    _check_rows(plan, path)
    sheet = read_sheet(path)
    if sheet.header.sheet_id not in known:
        raise InputError(
            f"{path} is sheet {sheet.header.sheet_id}, none of the plan of {plan.version}, stage {plan.stage}; "
            f"give a copy of {' or '.join(one.file for one in plan.sheets)}"
        )
    if sheet.unseen:
        counts, other = sheet.unseen[0]
        raise InputError(
            f"{path}: row {counts.row_id} has two verdicts, {other.verdict} and later {counts.verdict}, whose givers "
            "did not see each other's; judge it again with wordquarry sheet serve"
        )
    return sheet


def _check_rows(plan: GatePlan, path: Path) -> None:
    """InputError for a sheet of another version, and for rows that the plan does not know or that come twice."""
    lines = object_lines(content_of(path), path)
    header = _header(path, lines)
    if (header.version, header.stage) != (plan.version, plan.stage):
        raise InputError(
            f"{path} is a sheet of {header.version}, stage {header.stage}, not of {plan.version}, stage {plan.stage}; "
            "give the sheet of this version"
        )
    planned = {name for one in plan.rounds for name, _ in one.rows}
    seen: set[object] = set()
    for where, fields in lines[1:]:
        row = fields.get("post_id")
        if row not in planned:
            raise InputError(f"{where}: row {str(row)[:80]} is not in the plan of {plan.version}; delete that line")
        if row in seen:
            raise InputError(f"{where}: row {row} comes twice, so it has two verdicts; delete one of the lines")
        seen.add(row)


def whole_rounds(plan: GatePlan, verdicts: dict[str, Verdict]) -> list[JudgedRound]:
    """The rounds up to the first one with an open row; what is judged behind it waits, so that no order can be chosen.

    A round counts as a whole: whoever judges the easy rows first changes nothing.
    """
    rounds = []
    for one in plan.rounds:
        if any(name not in verdicts for name, _ in one.rows):
            break
        rounds.append(JudgedRound(one.left, _blocks(one, verdicts)))
    return rounds


def _blocks(one: PlannedRound, verdicts: dict[str, Verdict]) -> tuple[Blocks, ...]:
    sizes = sorted({size for _, size in one.rows})
    judged = {size: [verdicts[name] in WRONG for name, held in one.rows if held == size] for size in sizes}
    return tuple(Blocks(size, wrong.count(False), wrong.count(True)) for size, wrong in judged.items())


HUNDRED = 100


@dataclass(frozen=True)
class GateReport:
    """What a plan's verdicts decide.

    ``counted`` rows are those of whole rounds, of which ``right`` are right and ``unsure`` were called unsure (they
    count as wrong); ``open`` rows of its sheets have no verdict yet, ``wanted`` more rows are asked for beyond them.
    ``estimate`` and ``low`` are the precision weighted back to the population, and its lower bound.
    """

    plan: GatePlan
    verdict: GateDecision
    counted: int
    right: int
    unsure: int
    open: int
    wanted: int
    estimate: float | None
    low: float

    def text(self) -> str:
        """The report in plain lines."""
        plan = self.plan
        asked = (
            f"precision at least {_percent(plan.min_precision)}, error at most {_percent(plan.error)} over all looks"
        )
        lines = [
            f"Gate of {plan.version}, stage {plan.stage}: {asked}",
            f"{self.counted} rows of {plan.population} counted: {self.right} right, {self.counted - self.right} wrong "
            f"(of these {self.unsure} unsure); {self.open} rows on sheets without a verdict",
            f"precision {self.range_text}",
            self.sentence,
        ]
        return "\n".join(lines)

    @property
    def accepted(self) -> bool:
        """Whether the bound holds."""
        return self.verdict is GateDecision.ACCEPTED

    @property
    def range_text(self) -> str:
        """Estimate and lower bound."""
        if self.estimate is None:
            return "not known yet"
        return f"{_percent(self.estimate)}, at least {floored(HUNDRED * self.low, 2):g} %"

    @property
    def sentence(self) -> str:
        """The decision in one line: what it is, and what to do next."""
        plan = self.plan
        where = f"{plan.version}, stage {plan.stage}"
        if self.accepted:
            return f"accepted: {where}, after {self.counted} rows"
        if self.verdict is GateDecision.REFUSED:
            return (
                f"refused: {where}, has a precision below {_percent(plan.min_precision)} after {self.counted} rows; "
                "mend the stage and build again"
            )
        if self.open:
            return (
                f"not decided: {where}: {self.open} rows of {plan.sheets[-1].file} have no verdict; judge them with "
                "wordquarry sheet serve, then ask again"
            )
        return (
            f"not decided: {where}: {self.wanted} more rows are needed if it goes on like this; write them with "
            f"wordquarry gate plan {plan.version} --stage {plan.stage}"
        )

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON."""
        return {**self.as_audit(), "open": self.open, "wanted": self.wanted}

    def as_audit(self) -> dict[str, Any]:
        """The report as it stands in a version's manifest."""
        plan = self.plan
        return {
            "kind": GATE,
            "sheet_id": plan.plan_id,
            "version": plan.version,
            "stage": plan.stage,
            "verdict": self.verdict,
            "min_precision": plan.min_precision,
            "error": plan.error,
            "population": plan.population,
            "precision": {
                "hits": self.right,
                "n": self.counted,
                "value": None if self.estimate is None else round(self.estimate, 6),
                "low": floored(self.low, 6),
                "high": 1.0,
            },
            "unsure": self.unsure,
            "method": METHOD,
        }


def _percent(share: float) -> str:
    return f"{round(HUNDRED * share, 2):g} %"


def judge(plan: GatePlan, folder: Path, copies: tuple[Path, ...] = ()) -> GateReport:
    """What the verdicts on a plan's sheets decide; InputError for sheets that cannot be used."""
    verdicts = verdicts_of(plan, folder, copies)
    rounds = whole_rounds(plan, verdicts)
    terms = plan.terms
    verdict = decision(rounds, terms.population, terms.min_precision, terms.error)
    rows = [name for one in plan.rounds[: len(rounds)] for name, _ in one.rows]
    still = sum(name not in verdicts for one in plan.rounds for name, _ in one.rows)
    return GateReport(
        plan=plan,
        verdict=verdict,
        counted=len(rows),
        right=sum(one.right for one in rounds),
        unsure=sum(verdicts[name] is Verdict.UNSURE for name in rows),
        open=still,
        wanted=0 if verdict is not GateDecision.MORE or still else more_rows(terms, rounds, plan.expected),
        estimate=weighted_estimate(rounds, terms.population),
        low=1 - most_wrong(rounds, terms.population, terms.error) / terms.population,
    )


def weighted_estimate(rounds: list[JudgedRound], population: int) -> float | None:
    """The precision weighted back to the population: each round's estimate of all wrong rows, weighted by its rows.

    A row stands for its block, and rows of earlier rounds for themselves.

    >>> from audits.acceptance.betting import Blocks
    >>> weighted_estimate([JudgedRound(10, (Blocks(2, 1, 1), Blocks(3, 2, 0)))], 10)
    0.8
    """
    found, drawn, total = 0, 0, 0.0
    for one in rounds:
        total += one.rows * (found + sum(blocks.size * blocks.wrong for blocks in one.blocks))
        found, drawn = found + one.wrong, drawn + one.rows
    return 1 - total / drawn / population if drawn else None


def record_verdicts(workspace: Workspace, version: Version, reports: Sequence[GateReport]) -> tuple[str | None, str]:
    """Attach decisions to the version, and let ``latest`` name the newest accepted one.

    Returns what ``latest`` is now, and in a sentence what became of the version.

    VersionError where a file of the version is not as published: verdicts on other rows are none of its.
    """
    versions = workspace.versions
    versions.mend_card(version)
    version.check()
    before, latest = versions.judge(version, [one.as_audit() for one in reports])
    judged = versions.open(version.label)
    return latest, f"{version.label} {_standing(judged, before, latest)}"


def _standing(version: Version, before: str | None, latest: str | None) -> str:
    """What a version is after its gate was asked: a candidate, accepted, or the latest."""
    names, missing = latest or "none", missing_stages(version.manifest)
    if missing:
        what = f"is a candidate ({', '.join(missing)} not accepted)"
        now = f"latest is {names} now" if before != latest else f"latest stays {latest}"
        return f"{what}; {now if before or latest else 'there is no latest'}"
    if latest == version.version_id:
        return "was latest before" if before == latest else f"is latest now; before: {before or 'none'}"
    gate = "is accepted" if asked_of(version.manifest) else "was built without a gate"
    return f"{gate}; latest is {names}"
