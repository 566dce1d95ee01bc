"""The command ``doctor``: what is wrong in a corpus."""

from pathlib import Path
from typing import Annotated

import typer

from flows.options import CORPUS_HELP, DATA, CorpusArgument, DataOption, JsonOption, OutOption
from flows.roles import FileRole


def doctor(
    corpus: CorpusArgument,
    against: Annotated[
        list[str] | None,
        typer.Option("--against", help=f"A benchmark that it should not hold; {CORPUS_HELP}"),
        FileRole.CORPUS,
    ] = None,
    at_least: Annotated[float, typer.Option("--at-least", help="From which probability on a finding counts.")] = 0.5,
    as_json: JsonOption = False,
    file_format: Annotated[str, typer.Option("--format", help="text or json")] = "text",
    out: OutOption = None,
    sheet: Annotated[
        Path | None,
        typer.Option("--sheet", help="Where to write a sheet to judge the findings by hand, CSV."),
        FileRole.MADE,
    ] = None,
    cleaned: Annotated[
        Path | None,
        typer.Option("--cleaned", help="Where to write the problems without a finding, as gold problems."),
        FileRole.MADE,
    ] = None,
    data: DataOption = DATA,
) -> None:
    """List what is likely wrong in a corpus, row by row, each with its evidence and its probability."""
    from flows.corpora import run_doctor

    how = at_least, "json" if as_json else file_format
    run_doctor(data, [corpus, *(against or [])], how, (out, sheet, cleaned))
