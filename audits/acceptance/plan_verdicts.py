"""The verdicts of a plan's sheets: each row with one verdict, of the plan's own sheets or of annotators' copies."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from audits.acceptance.betting import Blocks, JudgedRound
from audits.acceptance.plans import GatePlan, PlannedRound
from audits.sheets.audit_sheets import Sheet, SheetHeader, Verdict, read_sheet
from corpus.errors import InputError
from corpus.sheet_lines import content_of, object_lines, parsed

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
