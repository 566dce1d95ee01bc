"""The command groups ``audit`` and ``align``: what a person checks or decides, and what is measured with it."""

import contextlib
from pathlib import Path
from typing import Annotated

import typer

from flows.annotator_cli import (
    audit_agreement,
    audit_disagreements,
    audit_from_studio,
    audit_merge,
    audit_split,
    audit_to_studio,
)
from flows.gate_cli import audit_gate, audit_plan
from flows.options import CORPUS_HELP, DATA, CorpusArgument, DataOption, JsonOption, OutOption, VersionArgument
from flows.roles import Commands, FileRole

audit_app = Commands(help="Measure precision by hand-checked samples.", no_args_is_help=True)
align_app = Commands(help="Align by hand the slots that a program cannot.", no_args_is_help=True)


@audit_app.command("sample")
def audit_sample(
    version: VersionArgument,
    stage_name: Annotated[str, typer.Option("--stage", help="answers, equations or in_scope")] = "answers",
    n: Annotated[int, typer.Option("--n", min=1, max=100_000, help="Rows to check.")] = 200,
    seed: Annotated[int, typer.Option("--seed", help="Which sample.")] = 7,
    data: DataOption = DATA,
) -> None:
    """Write a stratified sheet to check by hand: JSON Lines and a page that shows the evidence."""
    from flows.commands import run_audit_sample

    run_audit_sample(data, version, stage_name, n, seed)


@audit_app.command("serve")
def audit_serve(
    sheet: Annotated[Path, typer.Argument(help="A sheet's JSON Lines file."), FileRole.KEPT],
    port: Annotated[
        int | None,
        typer.Option("--port", min=0, max=65535, help="Instead of the sheet's own port; 0 takes a free one."),
    ] = None,
) -> None:
    """Check a sheet in the browser; verdicts are saved at once, in the log beside the sheet."""
    from audits.sheets.serving import SheetServer
    from flows.console import Reporter

    reporter = Reporter()  # nothing of the pipeline is loaded, so that a server that was killed is soon back
    with SheetServer(sheet, port, reporter.line) as server, contextlib.suppress(KeyboardInterrupt):
        reporter.address("the sheet is served until Ctrl-C", server.url, logged=False)
        server.serve()


@audit_app.command("report")
def audit_report(
    sheet: Annotated[Path, typer.Argument(help="A sheet with verdicts."), FileRole.READ],
    as_json: JsonOption = False,
    data: DataOption = DATA,
) -> None:
    """Print precision by stratum and overall, with 95 % intervals, and attach it to the version's manifest."""
    from flows.inspection import run_audit_report

    run_audit_report(data, sheet, as_json)


@audit_app.command("derivations")
def audit_derivations(
    predictions: Annotated[Path, typer.Argument(help="Predictions of a solver, JSON Lines."), FileRole.READ],
    gold: Annotated[str, typer.Option("--gold", metavar="CORPUS", help=CORPUS_HELP), FileRole.CORPUS],
    disagreements: Annotated[
        Path | None, typer.Option("--disagreements", help="Where to write what is wrong, JSON Lines."), FileRole.MADE
    ] = None,
    as_json: JsonOption = False,
    data: DataOption = DATA,
) -> None:
    """Measure derivation, equation and solution accuracy of a solver's predictions."""
    from flows.checking import run_audit_derivations

    run_audit_derivations(data, predictions, gold, (disagreements, as_json))


@audit_app.command("probes")
def audit_probes(
    corpus: CorpusArgument,
    folds: Annotated[
        Path | None, typer.Option("--folds", help="A folder with one list of ids for each fold."), FileRole.READ
    ] = None,
    as_json: JsonOption = False,
    data: DataOption = DATA,
) -> None:
    """Measure how much of a corpus is solved by solvers that hardly read it."""
    from flows.checking import run_audit_probes

    run_audit_probes(data, corpus, folds, as_json)


@audit_app.command("diversity")
def audit_diversity(
    corpus: CorpusArgument,
    against: Annotated[
        str, typer.Option("--against", metavar="CORPUS", help=f"The training part; {CORPUS_HELP}"), FileRole.CORPUS
    ],
    profile: Annotated[str, typer.Option("--profile", help="Normaliser profile of lexicon diversity.")] = "default",
    picture: Annotated[
        Path | None, typer.Option("--picture", help="Where to draw the histograms, SVG."), FileRole.MADE
    ] = None,
    as_json: JsonOption = False,
    data: DataOption = DATA,
) -> None:
    """Measure the diversity of a corpus against another one, such as a test part against its training part."""
    from flows.checking import run_audit_diversity

    run_audit_diversity(data, (corpus, against), profile, (picture, as_json))


@audit_app.command("duplicates")
def audit_duplicates(corpus: CorpusArgument, as_json: JsonOption = False, data: DataOption = DATA) -> None:
    """List exact and near duplicates inside a corpus, in groups and by pair."""
    from flows.checking import run_audit_duplicates

    run_audit_duplicates(data, corpus, as_json)


audit_app.command("plan")(audit_plan)
audit_app.command("gate")(audit_gate)
audit_app.command("split")(audit_split)
audit_app.command("agreement")(audit_agreement)
audit_app.command("disagreements")(audit_disagreements)
audit_app.command("merge")(audit_merge)
audit_app.command("to-studio")(audit_to_studio)
audit_app.command("from-studio")(audit_from_studio)


@align_app.command("sheet")
def align_sheet(
    corpus: CorpusArgument,
    sheet: Annotated[
        Path, typer.Argument(help="The sheet to write; choices that it holds already stay."), FileRole.KEPT
    ],
    data: DataOption = DATA,
) -> None:
    """Write a sheet that asks for the ambiguous slots of a corpus."""
    from flows.checking import run_align_sheet

    run_align_sheet(data, corpus, sheet)


@align_app.command("apply")
def align_apply(
    corpus: CorpusArgument,
    sheet: Annotated[Path, typer.Argument(help="A sheet with choices."), FileRole.READ],
    out: OutOption = None,
    data: DataOption = DATA,
) -> None:
    """Write the corpus with the decisions of a sheet, as gold problems in JSON Lines."""
    from flows.checking import run_align_apply

    run_align_apply(data, corpus, sheet, out)
