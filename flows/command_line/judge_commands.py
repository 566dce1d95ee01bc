"""Commands for people who judge: the sheets that they fill in, what these say, and the gate that decides by them."""

import contextlib
from pathlib import Path
from typing import Annotated

import typer

from flows.command_line.options import (
    DATA,
    Commands,
    CorpusArgument,
    DataOption,
    FileRole,
    JsonOption,
    JudgedStage,
    LabelsOption,
    OutOption,
    PostsOption,
    VersionArgument,
)

sheet_app = Commands(help="Sheets that people fill in: verdicts, labels, slots; in the browser, a file, Label Studio.")
gate_app = Commands(help="Accept or refuse a version by verdicts.")
SHOWN = 10
_WHOLE = typer.Argument(help="The whole sheet, as sheet verdicts or gate plan wrote it.")
WholeArgument = Annotated[Path, _WHOLE, FileRole.BESIDE]
PartsArgument = Annotated[
    list[Path], typer.Argument(help="The annotators' sheets; the adjudicated one, if any, too."), FileRole.READ
]


@sheet_app.command("verdicts")
def sheet_verdicts(
    version: VersionArgument,
    stage_name: Annotated[JudgedStage, typer.Option("--stage", help="Whose decisions.")] = "answers",
    n: Annotated[int, typer.Option(min=1, max=100_000, help="Rows to check.")] = 200,
    seed: Annotated[int, typer.Option(help="Which sample.")] = 7,
    data: DataOption = DATA,
) -> None:
    """Write a stratified sample of a version to judge: JSON Lines and a page that shows the evidence."""
    from audits.sheets.drawing import Draw, write_sample
    from corpus.workspace import Workspace
    from flows.console import Reporter

    draw, workspace = Draw(stage_name, n, seed), Workspace(data)
    folder = workspace.local_folder("audits", "sheets")
    path, sheet = write_sample(workspace, workspace.versions.open(version), draw, folder)
    reporter = Reporter()
    reporter.text(f"sheet: {path} ({len(sheet.rows)} rows, {sheet.judged} with a verdict)")
    reporter.text(f"page: {path.with_suffix('.html')}")


@sheet_app.command("labels")
def sheet_labels(
    out: Annotated[Path, typer.Option(help="The sheet; JSON Lines, or .json for Label Studio."), FileRole.KEPT],
    posts: PostsOption = None,
    labels: LabelsOption = None,
    n: Annotated[int, typer.Option(min=1, max=10_000, help="Posts to put on the sheet.")] = 50,
    drawn: Annotated[bool, typer.Option("--drawn", help="A sample of the posts as they come, for calibrate.")] = False,
    data: DataOption = DATA,
) -> None:
    """Write a sheet of posts to label: uncertain first, diverse; rows that are filled in stay."""
    from flows.posts_to_label import run_labels

    run_labels(data, (posts or [], labels or []), n, out, drawn)


@sheet_app.command("slots")
def sheet_slots(
    corpus: CorpusArgument,
    sheet: Annotated[
        Path, typer.Argument(help="The sheet to write; choices that it holds already stay."), FileRole.KEPT
    ],
    data: DataOption = DATA,
) -> None:
    """Write a sheet that asks for the ambiguous slots of a corpus."""
    from audits.sheets.label_sheets import write_slot_sheet
    from corpus.benchmarks.reading import read_corpus
    from corpus.workspace import Workspace
    from flows.console import Reporter

    written = write_slot_sheet(read_corpus(corpus, Workspace(data)), sheet)
    Reporter().line(
        f"{sheet}: {len(written.rows)} slots of {written.header.problems} problems, {written.decided} with a choice "
        f"already; choose in {sheet.with_suffix('.html')}"
    )


@sheet_app.command("serve")
def sheet_serve(
    sheet: Annotated[Path, typer.Argument(help="A sheet of verdicts."), FileRole.KEPT],
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Instead of the sheet's own port; 0 takes a free one.")
    ] = None,
) -> None:
    """Judge a sheet in the browser; verdicts are saved at once, in the log beside the sheet."""
    from audits.sheets.serving import SheetServer
    from flows.console import Reporter

    reporter = Reporter()  # nothing of the pipeline is loaded, so that a server that was killed is soon back
    with SheetServer(sheet, port, reporter.line) as server, contextlib.suppress(KeyboardInterrupt):
        reporter.address("the sheet is served until Ctrl-C", server.url, logged=False)
        server.serve()


@sheet_app.command("import")
def sheet_import(
    sheet: Annotated[
        Path, typer.Argument(help="A filled-in sheet, or tasks exported from Label Studio as JSON."), FileRole.READ
    ],
    out: Annotated[Path, typer.Option(help="Where the labels go, for train posts --labels."), FileRole.MADE],
) -> None:
    """Turn a filled-in sheet of labels into a labels file."""
    from flows.posts_to_label import run_import

    run_import(sheet, out)


@sheet_app.command("apply")
def sheet_apply(
    corpus: CorpusArgument,
    sheet: Annotated[Path, typer.Argument(help="A sheet of slots with choices."), FileRole.READ],
    out: OutOption = None,
    data: DataOption = DATA,
) -> None:
    """Write the corpus with the choices of a sheet of slots, as gold problems in JSON Lines."""
    from audits.sheets.label_sheets import read_slot_sheet
    from corpus.benchmarks.format_registry import format_named
    from corpus.benchmarks.reading import read_corpus, write_corpus
    from corpus.folders.result_files import result_text
    from corpus.workspace import Workspace
    from curation.equivalence.open_slots import apply_slot_sheet
    from flows.console import Reporter

    applied = apply_slot_sheet(read_corpus(corpus, Workspace(data)), read_slot_sheet(sheet))
    text, _ = write_corpus(applied.problems, format_named("gold"))
    with result_text(out) as sink:
        sink.write(text)
    Reporter().line(f"{applied.decided} problems decided, {applied.still_open} of the sheet still need a person")


@sheet_app.command("split")
def sheet_split(
    sheet: WholeArgument,
    annotators: Annotated[str, typer.Option(help="Their names, with commas: ann,bob.")],
    overlap: Annotated[float, typer.Option(min=0, max=1, help="The share of rows that all judge.")] = 0.2,
) -> None:
    """Write a sheet for each annotator, with some rows that all of them judge."""
    from audits.sheets.annotators import part_path, split_sheet, write_parts
    from audits.sheets.audit_sheets import read_sheet

    parts = split_sheet(read_sheet(sheet), annotators.split(","), overlap)
    _name_parts(write_parts({part_path(sheet, name): part for name, part in parts.items()}))


@sheet_app.command("agreement")
def sheet_agreement(sheets: PartsArgument, as_json: JsonOption = False) -> None:
    """Print how far annotators agree beyond chance: Krippendorff's alpha and Gwet's AC2, with 95 % intervals."""
    from audits.sheets.agreement_report import agreement_of
    from audits.sheets.annotators import read_annotated
    from flows.console import Reporter

    Reporter().show(agreement_of(read_annotated(sheets)), as_json)


@sheet_app.command("disagreements")
def sheet_disagreements(sheet: WholeArgument, sheets: PartsArgument) -> None:
    """Write the rows on which annotators differ as a sheet for a third verdict."""
    from audits.sheets.annotators import ADJUDICATOR, disagreement_sheet, part_path, read_annotated, write_parts
    from audits.sheets.audit_sheets import read_sheet

    third = disagreement_sheet(read_sheet(sheet), read_annotated(sheets))
    _name_parts(write_parts({part_path(sheet, ADJUDICATOR): third}))


@sheet_app.command("merge")
def sheet_merge(sheet: Annotated[Path, _WHOLE, FileRole.KEPT], sheets: PartsArgument) -> None:
    """Write what annotators agree on, and what a third verdict settled, into the whole sheet."""
    from audits.sheets.annotators import merge_verdicts, read_annotated
    from flows.console import Reporter

    reporter = Reporter()
    merged = merge_verdicts(sheet, read_annotated(sheets, alone=True), reporter.line)
    reporter.line(f"{sheet}: {merged.given} rows got a verdict, {len(merged.changed)} of them another one than before")
    for post_id in merged.open[:SHOWN]:
        reporter.line(f"open: {post_id}")
    if merged.open:
        more = f" (and {len(merged.open) - SHOWN} more)" if len(merged.open) > SHOWN else ""
        reporter.line(f"{len(merged.open)} disagreements are open{more}; settle them: wordquarry sheet disagreements")


@sheet_app.command("to-studio")
def sheet_to_studio(
    sheet: Annotated[Path, _WHOLE, FileRole.READ],
    out: Annotated[Path, typer.Argument(help="The tasks to write, JSON."), FileRole.MADE],
) -> None:
    """Write a sheet as tasks of Label Studio, and the labelling interface beside them (.xml)."""
    from audits.sheets.audit_sheets import read_sheet
    from audits.sheets.studio import AUDIT_VIEW, studio_sheet
    from corpus.folders.result_files import write_results
    from flows.console import Reporter

    whole, view = read_sheet(sheet), out.with_suffix(".xml")
    write_results([(out, studio_sheet(whole)), (view, AUDIT_VIEW)])
    Reporter().line(f"{out}: {len(whole.rows)} tasks; the labelling interface is {view}")


@sheet_app.command("from-studio")
def sheet_from_studio(
    sheet: WholeArgument,
    export: Annotated[Path, typer.Argument(help="An export of Label Studio, JSON."), FileRole.READ],
) -> None:
    """Write a sheet for each annotator of an export of Label Studio, with their verdicts."""
    from audits.sheets.annotators import part_path, write_parts
    from audits.sheets.audit_sheets import read_sheet
    from audits.sheets.studio import sheets_of_export
    from corpus.lines.sheet_lines import content_of

    found = sheets_of_export(read_sheet(sheet), content_of(export), export)
    _name_parts(write_parts({part_path(sheet, name): part for name, part in found.items()}))


def _name_parts(written: list[str]) -> None:
    from flows.console import Reporter

    for line in written:
        Reporter().line(f"{line}; judge them with wordquarry sheet serve")


def audit(
    sheet: Annotated[Path, typer.Argument(help="A sheet with verdicts."), FileRole.READ],
    as_json: JsonOption = False,
    data: DataOption = DATA,
) -> None:
    """Print the precision that people found, by stratum and overall, and attach it to the version's manifest.

    A sheet of variations, CSV, is of no version; its shares are printed.
    """
    from audits.sheets.audit_sheets import read_sheet
    from audits.sheets.precision import attach, report_of
    from corpus.workspace import Workspace
    from evaluation.variations.variation_sheet import filled_sheet
    from flows.console import Reporter

    reporter = Reporter()
    if sheet.suffix == ".csv":
        reporter.show(filled_sheet(sheet), as_json)
        return
    report = report_of(read_sheet(sheet))
    version = attach(Workspace(data), report)
    reporter.show(report, as_json)
    if not as_json:
        reporter.text(f"attached to {version.folder}/manifest.json")


@gate_app.command("plan")
def gate_plan(
    version: VersionArgument,
    stage: Annotated[JudgedStage | None, typer.Option(help="Whose decisions.")] = None,
    min_precision: Annotated[
        float | None, typer.Option(min=0, max=1, help="The bound; default: that of the build's gate.")
    ] = None,
    error: Annotated[
        float | None, typer.Option(min=0, max=0.5, help="Of a wrong acceptance, over all looks; 0.05.")
    ] = None,
    expected: Annotated[
        float | None, typer.Option(min=0, max=1, help="The precision that the size is made for.")
    ] = None,
    rows: Annotated[int | None, typer.Option(min=1, max=100_000, help="Another size of the sheet.")] = None,
    data: DataOption = DATA,
) -> None:
    """Write the rows to judge for a bound on precision; called again, the further rows that the gate asks for."""
    from flows.gating import PlanWish, run_gate_plan

    run_gate_plan(data, version, PlanWish(stage, min_precision, error, expected, rows))


@gate_app.command("check")
def gate_check(
    version: VersionArgument,
    sheet: Annotated[
        list[Path] | None,
        typer.Option(help="A copy of a sheet, filled in elsewhere; may be given again."),
        FileRole.READ,
    ] = None,
    as_json: JsonOption = False,
    data: DataOption = DATA,
) -> None:
    """Accept or refuse a version by the verdicts so far, or ask for more rows; exit status 1 unless accepted."""
    from corpus.errors import CorpusError
    from flows.gating import run_gate_check

    undecided = [one.sentence for one in run_gate_check(data, version, sheet or [], as_json) if not one.accepted]
    if undecided:
        raise CorpusError("; ".join(undecided))
