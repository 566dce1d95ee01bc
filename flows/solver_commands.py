"""The commands ``solve-eval`` and ``vary``."""

from pathlib import Path

from corpus.benchmarks.format_registry import format_named
from corpus.benchmarks.reading import read_corpus, write_corpus
from corpus.errors import ConfigError
from corpus.result_files import write_results
from corpus.workspace import Workspace
from evaluation.solvers.cross_validation import How
from evaluation.solvers.solver import solver_named
from evaluation.solvers.solver_table import run_solver
from evaluation.variations.variation_sheet import drawn, sheet_text
from evaluation.variations.varying import kinds_named, vary
from flows.console import Reporter, name_refused

FORMATS = ("gold", "svamp")


def run_solve_eval(
    data: str,
    corpora: tuple[str, str | None],
    solving: tuple[str, Path | None],
    shown: tuple[bool, bool],
    as_json: bool,
) -> None:
    """The command ``solve-eval``: a corpus and one of whose problems the answers are known besides.

    ``solving``: the solver and the folder of folds; ``shown``: whether questions are left out, and the order of words.
    """
    (solver, folds), (removed, unordered) = solving, shown
    solver_named(solver)
    workspace = Workspace(data)
    read, *more = [read_corpus(spec, workspace) for spec in corpora if spec is not None]
    name_refused([refusal for corpus in (read, *more) for refusal in corpus.refused])
    found = run_solver(read, solver, folds, How(removed, more[0] if more else None, unordered))
    Reporter().show(found, as_json)


def run_vary(data: str, spec: str, out: Path, how: tuple[str, int, str], sheet: tuple[Path | None, int]) -> None:
    """The command ``vary``; ``how``: kinds, seed and format; ``sheet``: its place and how many rows it has."""
    kinds, seed, name = how
    if name not in FORMATS:
        raise ConfigError(f"unknown format {name!r}; there are: {', '.join(FORMATS)}")
    chosen = kinds_named([kind.strip() for kind in kinds.split(",")])
    corpus = read_corpus(spec, Workspace(data))
    found = vary(corpus.problems, chosen, seed)
    text, refused = write_corpus([one.varied for one in found.made], format_named(name))
    files = [(out, text)]
    if sheet[0] is not None:
        files.append((sheet[0], sheet_text(drawn(found.made, sheet[1], seed))))
    write_results(files)
    name_refused(corpus.refused)
    reporter = Reporter()
    for line in found.lines():
        reporter.line(line)
    beyond = f", {len(refused)} of them not written: {name} cannot hold them" if refused else ""
    reporter.line(
        f"{corpus.name}: {len(corpus.problems)} problems, {len(found.made)} variations of seed {seed}{beyond}"
    )
