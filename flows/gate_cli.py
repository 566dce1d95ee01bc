"""The commands ``audit plan`` and ``audit gate``."""

from pathlib import Path
from typing import Annotated

import typer

from corpus.errors import CorpusError
from flows.options import DATA, DataOption, JsonOption, VersionArgument
from flows.roles import FileRole


def audit_plan(
    version: VersionArgument,
    stage: Annotated[str | None, typer.Option("--stage", help="answers, equations or in_scope")] = None,
    min_precision: Annotated[
        float | None,
        typer.Option("--min-precision", min=0, max=1, help="The bound; default: that of the build's gate."),
    ] = None,
    error: Annotated[
        float | None, typer.Option("--error", min=0, max=0.5, help="Of a wrong acceptance, over all looks; 0.05.")
    ] = None,
    expected: Annotated[
        float | None, typer.Option("--expected", min=0, max=1, help="The precision that the size is made for.")
    ] = None,
    rows: Annotated[int | None, typer.Option("--rows", min=1, max=100_000, help="Another size of the sheet.")] = None,
    data: DataOption = DATA,
) -> None:
    """Write the rows to judge for a bound on precision; called again, the further rows that the gate asks for."""
    from flows.gating import PlanWish, run_audit_plan

    run_audit_plan(data, version, PlanWish(stage, min_precision, error, expected, rows))


def audit_gate(
    version: VersionArgument,
    sheet: Annotated[
        list[Path] | None,
        typer.Option("--sheet", help="A copy of a sheet, filled in elsewhere; may be given again."),
        FileRole.READ,
    ] = None,
    as_json: JsonOption = False,
    data: DataOption = DATA,
) -> None:
    """Accept or refuse a version by the verdicts so far, or ask for more rows; exit status 1 unless accepted."""
    from flows.gating import run_audit_gate

    undecided = [one.sentence for one in run_audit_gate(data, version, sheet or [], as_json) if not one.accepted]
    if undecided:
        raise CorpusError("; ".join(undecided))
