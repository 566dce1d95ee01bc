"""The commands ``solve-eval`` and ``vary``: what solvers make of a corpus, and problems to try them with."""

from pathlib import Path
from typing import Annotated

import typer

from flows.options import CORPUS_HELP, DATA, CorpusArgument, DataOption, JsonOption
from flows.roles import FileRole


def solve_eval(
    corpus: CorpusArgument,
    solver: Annotated[str, typer.Option("--solver", help="The solver's name.")],
    folds: Annotated[
        Path | None, typer.Option("--folds", help="A folder with one list of ids for each fold."), FileRole.READ
    ] = None,
    question_removed: Annotated[
        bool, typer.Option("--question-removed", help="Leave the question out, in training and after.")
    ] = False,
    bag_of_words: Annotated[
        bool, typer.Option("--bag-of-words", help="Destroy the order of the words, in training and after.")
    ] = False,
    answers_of: Annotated[
        str | None,
        typer.Option("--answers-of", metavar="CORPUS", help=f"Train on its answers, too; {CORPUS_HELP}"),
        FileRole.CORPUS,
    ] = None,
    as_json: JsonOption = False,
    data: DataOption = DATA,
) -> None:
    """Fit and try a solver of the papers on a corpus, by folds: derivation, equation and solution accuracy."""
    from flows.solver_commands import run_solve_eval

    run_solve_eval(data, (corpus, answers_of), (solver, folds), (question_removed, bag_of_words), as_json)


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
    from flows.solver_commands import run_vary

    run_vary(data, corpus, out, (kinds, seed, file_format), (sheet, rows))
