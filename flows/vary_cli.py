"""The command ``vary``."""

from pathlib import Path
from typing import Annotated

import typer

from flows.options import DATA, CorpusArgument, DataOption
from flows.roles import FileRole


def vary(
    corpus: CorpusArgument,
    out: Annotated[Path, typer.Argument(help="Where to write the variations."), FileRole.MADE],
    kinds: Annotated[str, typer.Option("--kinds", help="Names of kinds with commas between, or all.")] = "all",
    seed: Annotated[int, typer.Option("--seed", help="Which variations.")] = 7,
    file_format: Annotated[str, typer.Option("--format", help="gold or svamp")] = "gold",
    sheet: Annotated[
        Path | None,
        typer.Option("--audit-sheet", help="Where to write a sheet to judge some by hand, CSV."),
        FileRole.MADE,
    ] = None,
    rows: Annotated[int, typer.Option("--rows", min=1, max=100_000, help="Variations on the sheet.")] = 300,
    data: DataOption = DATA,
) -> None:
    """Make variations of the problems of a corpus by rule, each with its proved answer."""
    from flows.varied_corpora import run_vary

    run_vary(data, corpus, out, (kinds, seed, file_format), (sheet, rows))
