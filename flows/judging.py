"""What the commands of verdicts do: ``sheet verdicts``, sheets of several annotators, Label Studio, ``audit``."""

from collections.abc import Sequence
from pathlib import Path

from audits.sheets.annotators import (
    ADJUDICATOR,
    disagreement_sheet,
    merge_verdicts,
    part_path,
    read_annotated,
    split_sheet,
)
from audits.sheets.audit_sheets import Sheet, page_of, read_sheet
from audits.sheets.drawing import Draw, write_sample
from audits.sheets.studio import AUDIT_VIEW, sheets_of_export, studio_sheet
from corpus.errors import InputError
from corpus.result_files import write_results
from corpus.sheet_lines import content_of
from corpus.workspace import Workspace
from flows.console import Reporter

SHOWN = 10


def run_verdicts(data: str, version: str, drawn: tuple[str, int, int]) -> None:
    """The command ``sheet verdicts``; ``drawn`` are stage, number of rows and seed."""
    draw = Draw(*drawn)
    workspace = Workspace(data)
    folder = workspace.local_folder("audits", "sheets")
    written = write_sample(workspace, workspace.versions.open(version), draw, folder)
    reporter = Reporter()
    reporter.text(f"sheet: {written.sheet} ({written.rows} rows, {written.judged} with a verdict)")
    reporter.text(f"page: {written.page}")


def run_audit(data: str, sheet: Path, as_json: bool) -> None:
    """The command ``audit``: print the precision and attach it to the version.

    A sheet of variations, CSV, is of no version; its shares are printed.
    """
    from audits.sheets.precision import attach, report_of
    from evaluation.variations.variation_sheet import filled_sheet

    if sheet.suffix == ".csv":
        Reporter().show(filled_sheet(sheet), as_json)
        return
    report = report_of(read_sheet(sheet))
    version = attach(Workspace(data), report)
    reporter = Reporter()
    if as_json:
        reporter.data(report.as_audit())
        return
    reporter.text(report.text())
    reporter.text(f"attached to {version.folder}/manifest.json")


def run_split(path: Path, annotators: Sequence[str], overlap: float) -> None:
    """The command ``sheet split``: no sheet that is there already is written over."""
    parts = split_sheet(read_sheet(path), annotators, overlap)
    _write({part_path(path, name): part for name, part in parts.items()})


def run_agreement(paths: Sequence[Path], as_json: bool) -> None:
    """The command ``sheet agreement``."""
    from audits.sheets.agreement_report import agreement_of

    Reporter().show(agreement_of(read_annotated(paths)), as_json)


def run_disagreements(path: Path, parts: Sequence[Path]) -> None:
    """The command ``sheet disagreements``."""
    sheet = disagreement_sheet(read_sheet(path), read_annotated(parts))
    _write({part_path(path, ADJUDICATOR): sheet})


def run_merge(path: Path, parts: Sequence[Path]) -> None:
    """The command ``sheet merge``: rows whose disagreement is open are named and stay as they are."""
    reporter = Reporter()
    merged = merge_verdicts(path, read_annotated(parts, alone=True), reporter.line)
    reporter.line(f"{path}: {merged.given} rows got a verdict, {len(merged.changed)} of them another one than before")
    for post_id in merged.open[:SHOWN]:
        reporter.line(f"open: {post_id}")
    if merged.open:
        more = f" (and {len(merged.open) - SHOWN} more)" if len(merged.open) > SHOWN else ""
        reporter.line(f"{len(merged.open)} disagreements are open{more}; settle them: wordquarry sheet disagreements")


def run_to_studio(path: Path, out: Path) -> None:
    """The command ``sheet to-studio``."""
    sheet, view = read_sheet(path), out.with_suffix(".xml")
    write_results([(out, studio_sheet(sheet)), (view, AUDIT_VIEW)])
    Reporter().line(f"{out}: {len(sheet.rows)} tasks; the labelling interface is {view}")


def run_from_studio(path: Path, export: Path) -> None:
    """The command ``sheet from-studio``."""
    sheet = read_sheet(path)
    found = sheets_of_export(sheet, content_of(export), export)
    if not found:
        raise InputError(f"{export} holds no verdicts; export it again when somebody has annotated tasks")
    _write({part_path(path, name): part for name, part in found.items()})


def _write(parts: dict[Path, Sheet]) -> None:
    """Write sheets with their pages; InputError, and none written, where one is there that holds something else."""
    for path, part in parts.items():
        if path.exists() and read_sheet(path).lines() != part.lines():
            raise InputError(f"{path} is there already; move it away, its verdicts would be lost")
    pages = [(path.with_suffix(".html"), page_of(part)) for path, part in parts.items()]
    write_results([*((path, part.lines()) for path, part in parts.items()), *pages])
    for path, part in parts.items():
        judged = sum(row.verdict is not None for row in part.rows)
        Reporter().line(f"{path}: {len(part.rows)} rows, {judged} judged; judge them with wordquarry sheet serve")
