"""Commands that measure: corpora, solvers, answers, and what wordquarry reads itself."""

from fractions import Fraction
from pathlib import Path
from typing import Annotated, Literal

import typer

from flows.command_line.options import (
    CORPUS_HELP,
    DATA,
    AgainstOption,
    CorpusArgument,
    DataOption,
    FileRole,
    FoldsOption,
    JsonOption,
    OutOption,
)


def stats(
    corpora: Annotated[list[str], typer.Argument(metavar="CORPUS", help=CORPUS_HELP), FileRole.CORPUS],
    as_json: JsonOption = False,
    file_format: Annotated[
        Literal["text", "markdown", "html"], typer.Option("--format", help="How they are written.")
    ] = "text",
    out: OutOption = None,
    profile: Annotated[str | None, typer.Option(help="Normaliser profile of lexicon diversity.")] = None,
    probes: Annotated[
        bool | None, typer.Option("--probes/--no-probes", help="Shallow probes; by default up to 5,000 problems.")
    ] = None,
    data: DataOption = DATA,
) -> None:
    """Print the figures of a corpus that papers report, or of several corpora side by side."""
    from flows.corpora import run_stats

    run_stats(data, corpora, (profile, probes), "json" if as_json else file_format, out)


def leaks(
    corpus: CorpusArgument,
    against: AgainstOption = None,
    inside: Annotated[
        bool, typer.Option("--inside", help="List duplicates inside the corpus instead, in groups and by pair.")
    ] = False,
    share: Annotated[float, typer.Option(help="Share of the words that may differ in a near leak.")] = 0.3,
    as_json: JsonOption = False,
    file_format: Annotated[
        Literal["text", "markdown"], typer.Option("--format", help="How they are written.")
    ] = "text",
    out: OutOption = None,
    data: DataOption = DATA,
) -> None:
    """List problems of a corpus that also appear in benchmarks, word for word or nearly so."""
    from flows.corpora import run_leaks

    if inside and (against or file_format != "text"):
        raise typer.BadParameter("a corpus is compared with itself, as text or --json", param_hint="--inside")
    if not inside:
        run_leaks(data, corpus, against or [], (share, "json" if as_json else file_format), out)
        return
    from corpus.benchmarks.reading import read_corpus
    from corpus.workspace import Workspace
    from evaluation.corpus_figures.leaks import duplicate_report
    from flows.corpora import emit, pretty

    found = duplicate_report(read_corpus(corpus, Workspace(data)))
    emit(pretty(found.as_dict()) if as_json else found.text(), out)


def diversity(
    corpus: CorpusArgument,
    against: Annotated[str, typer.Option(metavar="CORPUS", help=f"The training part; {CORPUS_HELP}"), FileRole.CORPUS],
    profile: Annotated[str, typer.Option(help="Normaliser profile of lexicon diversity.")] = "default",
    picture: Annotated[Path | None, typer.Option(help="Where to draw the histograms, SVG."), FileRole.MADE] = None,
    as_json: JsonOption = False,
    data: DataOption = DATA,
) -> None:
    """Measure how unlike the problems of a corpus are to another one, as a test part to its training part."""
    from corpus.benchmarks.reading import read_corpus
    from corpus.folders.result_files import write_results
    from corpus.workspace import Workspace
    from evaluation.corpus_figures.diversities import diversity_of_parts
    from flows.console import Reporter

    part, other = (read_corpus(spec, Workspace(data)) for spec in (corpus, against))
    found = diversity_of_parts(part, other, profile)
    if picture is not None:
        write_results([(picture, found.picture())])
    Reporter().show(found, as_json)


def doctor(
    corpus: CorpusArgument,
    against: AgainstOption = None,
    at_least: Annotated[float, typer.Option(help="From which probability on a finding counts.")] = 0.5,
    as_json: JsonOption = False,
    out: OutOption = None,
    sheet: Annotated[
        Path | None, typer.Option(help="Where to write a sheet to judge the findings by hand, CSV."), FileRole.MADE
    ] = None,
    cleaned: Annotated[
        Path | None,
        typer.Option(help="Where to write the problems without a finding, as gold problems."),
        FileRole.MADE,
    ] = None,
    data: DataOption = DATA,
) -> None:
    """List what is likely wrong in a corpus, row by row, each with its evidence and its probability."""
    from flows.corpora import run_doctor

    run_doctor(data, [corpus, *(against or [])], (at_least, as_json), (out, sheet, cleaned))


def grade(
    answer: Annotated[str, typer.Argument(help="The answer, in any notation that parse-answer reads.")],
    gold: Annotated[str, typer.Argument(help="The gold answer.")],
    tolerance: Annotated[str, typer.Option(help="Relative to the gold: 0.01 or 1/100.")] = "0",
    as_json: JsonOption = False,
) -> None:
    """Say whether an answer is the gold answer: right, wrong or undecided, and why."""
    from corpus.canonical import canonical_json
    from evaluation.metrics.grading import grade as graded
    from flows.console import Reporter

    try:
        near = Fraction(tolerance)
    except (ValueError, ZeroDivisionError):
        near = Fraction(-1)
    if near < 0:
        raise typer.BadParameter(f"{tolerance!r} is not a tolerance; give 0, 0.01 or 1/100", param_hint="--tolerance")
    mark, why = graded(answer, gold, near)
    Reporter().text(canonical_json({"mark": str(mark), "why": why}) if as_json else f"{mark}: {why}")


def score(
    predictions: Annotated[Path, typer.Argument(help="Predictions of a solver, JSON Lines."), FileRole.READ],
    gold: Annotated[str, typer.Option(metavar="CORPUS", help=CORPUS_HELP), FileRole.CORPUS],
    disagreements: Annotated[
        Path | None, typer.Option(help="Where to write what is wrong, JSON Lines."), FileRole.MADE
    ] = None,
    as_json: JsonOption = False,
    data: DataOption = DATA,
) -> None:
    """Measure derivation, equation and solution accuracy of a solver's predictions."""
    from corpus.benchmarks.reading import read_corpus
    from corpus.folders.result_files import result_text
    from corpus.lines.jsonl import write_lines
    from corpus.workspace import Workspace
    from evaluation.solvers.predictions import read_predictions
    from evaluation.solvers.solver_accuracy import solver_accuracy
    from flows.console import Reporter, name_refused

    given = read_predictions(predictions)
    accuracy = solver_accuracy(read_corpus(gold, Workspace(data)), given)
    named = {
        "line refused": accuracy.refused,
        "no problem of the corpus": accuracy.unknown,
        "no prediction": accuracy.missing,
        "no gold derivation": accuracy.unaligned,
    }
    for what, names in named.items():
        name_refused([f"{what}: {name}" for name in names])
    if disagreements is not None:
        with result_text(disagreements) as sink:
            write_lines((one.as_dict() for one in accuracy.disagreements), sink)
    Reporter().show(accuracy, as_json)


def solve_eval(
    corpus: CorpusArgument,
    solver: Annotated[str, typer.Option(help="The solver's name; probes are those that hardly read it.")],
    folds: FoldsOption = None,
    question_removed: Annotated[
        bool, typer.Option("--question-removed", help="Leave the question out, in training and after.")
    ] = False,
    bag_of_words: Annotated[
        bool, typer.Option("--bag-of-words", help="Destroy the order of the words, in training and after.")
    ] = False,
    answers_of: Annotated[
        str | None, typer.Option(metavar="CORPUS", help=f"Train on its answers, too; {CORPUS_HELP}"), FileRole.CORPUS
    ] = None,
    as_json: JsonOption = False,
    data: DataOption = DATA,
) -> None:
    """Fit and try a solver of the papers on a corpus, by folds: derivation, equation and solution accuracy."""
    from corpus.benchmarks.reading import read_corpus
    from corpus.workspace import Workspace
    from evaluation.solvers.cross_validation import How
    from evaluation.solvers.probes import probes_of
    from evaluation.solvers.solver import solver_named
    from evaluation.solvers.solver_table import run_solver
    from flows.console import Reporter, name_refused

    probes, workspace = solver == "probes", Workspace(data)
    if probes and (question_removed or bag_of_words or answers_of):
        raise typer.BadParameter("probes read with and without question and order already", param_hint="--solver")
    if not probes:
        solver_named(solver)
    tried, *more = [read_corpus(spec, workspace) for spec in (corpus, answers_of) if spec is not None]
    name_refused([refusal for read in (tried, *more) for refusal in read.refused])
    how = How(question_removed, more[0] if more else None, bag_of_words)
    Reporter().show(probes_of(tried, folds) if probes else run_solver(tried, solver, folds, how), as_json)


def quality(
    what: Annotated[list[str] | None, typer.Argument(help="Names of figures; without one, all.")] = None,
    as_json: JsonOption = False,
    record: Annotated[
        bool, typer.Option("--record", help="Keep the tables in docs/figures; make figures writes the pages.")
    ] = False,
    data: DataOption = "quality",
) -> None:
    """Measure quality against gold labels, as docs/quality.md shows it."""
    from flows.quality import RECORDS, run_quality

    run_quality(what or ["all"], data, as_json, RECORDS if record else None)
