"""Commands over corpora, ours and published ones: figures, leaks, faults, solvers, variations, exports."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from audits.report.report_page import comparison_html
from corpus.benchmarks.format_registry import format_named
from corpus.benchmarks.reading import is_benchmark, read_corpus, read_questions, write_corpus
from corpus.benchmarks.trainers import TRAINER_FORMATS, TrainerFormat, write_rows
from corpus.errors import ConfigError, InputError
from corpus.folders.open_files import reads
from corpus.folders.result_files import result_text, write_results
from corpus.workspace import Workspace
from evaluation.corpus_figures.comparison import MOST_PROBED, Comparison, Statistics, stats, stats_of
from evaluation.corpus_figures.leaks import leak_report
from evaluation.doctor.examination import examine
from evaluation.metrics.grade_marks import Mark
from evaluation.metrics.grading import grade
from evaluation.variations.variation_sheet import drawn, sheet_text
from evaluation.variations.varying import kinds_named, vary
from flows.console import Reporter, name_refused

REGISTERED = "benchmarks.txt"
ROWS = 300
"""Variations on a sheet."""


def emit(text: str, out: Path | None) -> None:
    """A result, unaltered, to a file or to standard output."""
    with result_text(out) as sink:
        sink.write(text if text.endswith("\n") else text + "\n")


def pretty(value: Any) -> str:
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False)


def _statistics(data: str, spec: str, how: tuple[str | None, bool | None]) -> Statistics:
    workspace = Workspace(data)
    if not is_benchmark(spec):
        return stats(workspace.versions.open(spec), *how)
    corpus = read_corpus(spec)
    name_refused(corpus.refused)
    return stats_of(corpus, *how)


def _name_unprobed(comparison: Comparison, probed: bool | None) -> None:
    for figures in [column.figures for column in comparison.columns]:
        if probed is None and figures.problems > MOST_PROBED:
            Reporter().line(f"{figures.name}: no probes above {MOST_PROBED} problems unless --probes asks for them")


def run_stats(
    data: str, specs: Sequence[str], how: tuple[str | None, bool | None], kind: str, out: Path | None
) -> None:
    """The command ``stats``.

    ``how`` is the normaliser profile, None for the corpus's own, and whether probes are tried, None for small corpora.
    """
    comparison = Comparison(tuple(_statistics(data, spec, how) for spec in specs))
    _name_unprobed(comparison, how[1])
    if kind == "json":
        text = pretty(comparison.as_dict() if len(specs) > 1 else comparison.columns[0].as_dict())
    elif kind == "html":
        text = comparison_html(comparison)
    else:
        text = comparison.text() if kind == "text" else comparison.markdown()
    emit(text, out)


def _registered(workspace: Workspace) -> list[str]:
    """The benchmarks that ``benchmarks.txt`` of the data folder names, one specification a line."""
    if not workspace.folder.exists(REGISTERED):
        raise InputError(f"no benchmarks: give --against FORMAT:PATH, or list them in {workspace.folder}/{REGISTERED}")
    if workspace.folder.local:
        reads(Path(workspace.folder.path, REGISTERED))
    lines = workspace.folder.read(REGISTERED).decode("utf-8", "replace").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]


def run_leaks(data: str, spec: str, against: Sequence[str], how: tuple[float, str], out: Path | None) -> None:
    """The command ``leaks``."""
    share, kind = how
    if not 0 <= share < 1:
        raise ConfigError(f"--share {share} is not a share of words; give a number from 0 up to below 1")
    workspace = Workspace(data)
    corpora = [read_questions(one, workspace) for one in [spec, *(against or _registered(workspace))]]
    name_refused([refusal for corpus in corpora for refusal in corpus.refused])
    report = leak_report(corpora[0], corpora[1:], share)
    if kind == "json":
        emit(pretty(report.as_dict()), out)
    else:
        emit(report.text() if kind == "text" else report.markdown(), out)


def run_doctor(
    data: str, specs: Sequence[str], how: tuple[float, bool], places: tuple[Path | None, Path | None, Path | None]
) -> None:
    """The command ``doctor``: ``specs`` are the corpus and the benchmarks that it should not hold.

    ``how``: from which probability on a finding counts, and whether as JSON; ``places``: of report, sheet and cleaned
    copy.
    """
    least, as_json = how
    if not 0 <= least <= 1:
        raise ConfigError(f"--at-least {least} is not a probability; give a number from 0 to 1")
    out, sheet, cleaned = places
    workspace = Workspace(data)
    corpus, *benchmarks = [
        read_questions(spec, workspace) if place else read_corpus(spec, workspace) for place, spec in enumerate(specs)
    ]
    name_refused([refusal for one in benchmarks for refusal in one.refused])
    found = examine(corpus, benchmarks, least)
    beside = [(sheet, found.sheet())] if sheet else []
    if cleaned is not None:
        text, refused = write_corpus(found.cleaned(), format_named("gold"))
        name_refused(refused)
        beside.append((cleaned, text))
    report = pretty(found.as_dict()) if as_json else found.text()
    write_results([*beside, *([(out, report + "\n")] if out else [])])
    if out is None:
        emit(report, None)


def export_corpus(data: str, spec: str, name: str | None, out: Path | None, *, skip_bad: bool = False) -> None:
    """``export`` of a benchmark file, or of anything into a format of benchmarks or trainers (``gold`` by default).

    InputError where a record would be left out, unless ``skip_bad``; nothing is written then.
    """
    chosen = TRAINER_FORMATS.get(name or "") or format_named(name or "gold", TRAINER_FORMATS)
    task = chosen.task if isinstance(chosen, TrainerFormat) else None
    if task is not None and out is None:
        raise ConfigError(f"{chosen.title} is two files; say where its rows go, and the task stands beside them")
    corpus = read_corpus(spec, Workspace(data))
    if isinstance(chosen, TrainerFormat):
        text, refused = write_rows(corpus.problems, chosen, _is_right)
    else:
        text, refused = write_corpus(corpus.problems, chosen)
    name_refused([*corpus.refused, *refused])
    counts = (
        f"{corpus.name}: {corpus.records} records, {len(corpus.refused)} not read, "
        f"{len(corpus.problems) - len(refused)} written as {chosen.title}, {len(refused)} that the format cannot hold"
    )
    if (corpus.refused or refused) and not skip_bad:
        raise InputError(f"nothing is written; --skip-bad leaves these out: {counts}")
    if task is not None and out is not None:
        write_results([(out, text), (out.with_suffix(".yaml"), task(out.stem, out.name))])
    else:
        emit(text, out)
    Reporter().line(counts)


def _is_right(answer: str, gold: str) -> bool:
    return grade(answer, gold).mark is Mark.RIGHT


def run_vary(data: str, spec: str, out: Path, how: tuple[str, int, str], sheet: Path | None) -> None:
    """The command ``vary``; ``how``: kinds, seed and format; ``sheet``: where one of ROWS rows goes, if wanted."""
    kinds, seed, name = how
    chosen = kinds_named([kind.strip() for kind in kinds.split(",")])
    corpus = read_corpus(spec, Workspace(data))
    found = vary(corpus.problems, chosen, seed)
    text, refused = write_corpus([one.varied for one in found.made], format_named(name))
    files = [(out, text)]
    if sheet is not None:
        files.append((sheet, sheet_text(drawn(found.made, ROWS, seed))))
    write_results(files)
    name_refused(corpus.refused)
    reporter = Reporter()
    for line in found.lines():
        reporter.line(line)
    beyond = f", {len(refused)} of them not written: {name} cannot hold them" if refused else ""
    reporter.line(
        f"{corpus.name}: {len(corpus.problems)} problems, {len(found.made)} variations of seed {seed}{beyond}"
    )
