"""Commands of derivations and solvers: accuracies of predictions, artefact probes, alignment by hand."""

from collections.abc import Sequence
from pathlib import Path

from audits.sheets.slot_sheets import read_slot_sheet, write_slot_sheet
from corpus.benchmarks.format_registry import format_named
from corpus.benchmarks.reading import read_corpus, write_corpus
from corpus.jsonl import write_lines
from corpus.result_files import result_text, write_results
from corpus.workspace import Workspace
from curation.open_slots import apply_slot_sheet
from evaluation.corpus_figures.diversities import diversity_of_parts
from evaluation.corpus_figures.leaks import duplicate_report
from evaluation.solvers.predictions import read_predictions
from evaluation.solvers.probes import probes_of
from evaluation.solvers.solver_accuracy import solver_accuracy
from flows.console import Reporter

SHOWN = 20
"""Ids and lines of a kind that are named on standard error."""


def _name(what: str, names: Sequence[str]) -> None:
    reporter = Reporter()
    for name in names[:SHOWN]:
        reporter.line(f"{what}: {name}")
    if len(names) > SHOWN:
        reporter.line(f"{what}: and {len(names) - SHOWN} more")


def run_audit_derivations(data: str, predictions: Path, gold: str, how: tuple[Path | None, bool]) -> None:
    """The command ``audit derivations``; ``how`` is where disagreements go, and whether to print JSON."""
    disagreements, as_json = how
    given = read_predictions(predictions)
    accuracy = solver_accuracy(read_corpus(gold, Workspace(data)), given)
    _name("line refused", accuracy.refused)
    _name("no problem of the corpus", accuracy.unknown)
    _name("no prediction", accuracy.missing)
    _name("no gold derivation", accuracy.unaligned)
    if disagreements is not None:
        with result_text(disagreements) as sink:
            write_lines((one.as_dict() for one in accuracy.disagreements), sink)
    Reporter().show(accuracy, as_json)


def run_audit_probes(data: str, corpus: str, folds: Path | None, as_json: bool) -> None:
    """The command ``audit probes``."""
    found = probes_of(read_corpus(corpus, Workspace(data)), folds)
    Reporter().show(found, as_json)


def run_audit_diversity(data: str, corpora: tuple[str, str], profile: str, how: tuple[Path | None, bool]) -> None:
    """The command ``audit diversity``: the first corpus against the second; ``how``: picture, and whether JSON."""
    picture, as_json = how
    corpus, against = [read_corpus(spec, Workspace(data)) for spec in corpora]
    found = diversity_of_parts(corpus, against, profile)
    if picture is not None:
        write_results([(picture, found.picture())])
    Reporter().show(found, as_json)


def run_audit_duplicates(data: str, corpus: str, as_json: bool) -> None:
    """The command ``audit duplicates``."""
    found = duplicate_report(read_corpus(corpus, Workspace(data)))
    Reporter().show(found, as_json)


def run_align_sheet(data: str, corpus: str, path: Path) -> None:
    """The command ``align sheet``."""
    sheet = write_slot_sheet(read_corpus(corpus, Workspace(data)), path)
    Reporter().line(
        f"{path}: {len(sheet.rows)} slots of {sheet.header.problems} problems, {sheet.decided} with a choice already; "
        f"choose in {path.with_suffix('.html')}"
    )


def run_align_apply(data: str, corpus: str, path: Path, out: Path | None) -> None:
    """The command ``align apply``."""
    applied = apply_slot_sheet(read_corpus(corpus, Workspace(data)), read_slot_sheet(path))
    text, _ = write_corpus(applied.problems, format_named("gold"))
    with result_text(out) as sink:
        sink.write(text)
    Reporter().line(f"{applied.decided} problems decided, {applied.still_open} of the sheet still need a person")
