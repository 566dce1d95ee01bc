"""The commands of ``audit`` for several annotators: split, agreement, disagreements, merge, and Label Studio."""

from pathlib import Path
from typing import Annotated

import typer

from flows.options import JsonOption
from flows.roles import FileRole

_WHOLE = typer.Argument(help="The whole sheet, as audit sample or audit plan wrote it.")
WholeArgument = Annotated[Path, _WHOLE, FileRole.BESIDE]
PartsArgument = Annotated[
    list[Path], typer.Argument(help="The annotators' sheets; the adjudicated one, if any, too."), FileRole.READ
]


def audit_split(
    sheet: WholeArgument,
    annotators: Annotated[str, typer.Option("--annotators", help="Their names, with commas: ann,bob.")],
    overlap: Annotated[float, typer.Option("--overlap", min=0, max=1, help="The share of rows that all judge.")] = 0.2,
) -> None:
    """Write a sheet for each annotator, with some rows that all of them judge."""
    from flows.annotating import run_split

    run_split(sheet, annotators.split(","), overlap)


def audit_agreement(sheets: PartsArgument, as_json: JsonOption = False) -> None:
    """Print how far annotators agree beyond chance: Krippendorff's alpha and Gwet's AC2, with 95 % intervals."""
    from flows.annotating import run_agreement

    run_agreement(sheets, as_json)


def audit_disagreements(sheet: WholeArgument, sheets: PartsArgument) -> None:
    """Write the rows on which annotators differ as a sheet for a third verdict."""
    from flows.annotating import run_disagreements

    run_disagreements(sheet, sheets)


def audit_merge(sheet: Annotated[Path, _WHOLE, FileRole.KEPT], sheets: PartsArgument) -> None:
    """Write what annotators agree on, and what a third verdict settled, into the whole sheet."""
    from flows.annotating import run_merge

    run_merge(sheet, sheets)


def audit_to_studio(
    sheet: Annotated[Path, _WHOLE, FileRole.READ],
    out: Annotated[Path, typer.Argument(help="The tasks to write, JSON."), FileRole.MADE],
) -> None:
    """Write a sheet as tasks of Label Studio, and the labelling interface beside them (.xml)."""
    from flows.annotating import run_to_studio

    run_to_studio(sheet, out)


def audit_from_studio(
    sheet: WholeArgument,
    export: Annotated[Path, typer.Argument(help="An export of Label Studio, JSON."), FileRole.READ],
) -> None:
    """Write a sheet for each annotator of an export of Label Studio, with their verdicts."""
    from flows.annotating import run_from_studio

    run_from_studio(sheet, export)
