"""Solvers over corpora, five-fold: one run, and the table of the papers' solvers with their published figures.

A run is kept by the digest of the corpus, the folds, the solver and its code, so that the table goes on where it
stopped.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from corpus.benchmarks.gold_problems import Corpus, GoldProblem
from corpus.benchmarks.reading import read_corpus
from corpus.canonical import canonical_json
from corpus.code import code_digest
from corpus.files import Folder
from corpus.strict_json import load_json
from evaluation.metrics.proportions import Proportion
from evaluation.metrics.reading_report import ReadingReport, Share
from evaluation.solvers.cross_validation import folds_of, predicted
from evaluation.solvers.probes import question_start
from evaluation.solvers.solver_accuracy import MEASURES, Accuracy, AccuracyMeasure, solver_accuracy
from evaluation.solvers.solver_registry import solver_named

DERIVATION, EQUATION, SOLUTION, _ = MEASURES


class How(NamedTuple):
    """What a solver sees: problems without their question; the answers of another corpus besides."""

    question_removed: bool = False
    answers_of: Corpus | None = None

    def titled(self, name: str) -> str:
        """What the solver of a name is called where it sees this."""
        answers = f", with answers of {self.answers_of.name}" if self.answers_of is not None else ""
        return f"{solver_named(name).title}{answers}{', question removed' * self.question_removed}"


AS_IT_IS = How()


@dataclass(frozen=True)
class SolverRun:
    """The accuracies of one solver over one corpus."""

    solver: str
    folds: str
    accuracy: Accuracy

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"solver": self.solver, "folds": self.folds, **self.accuracy.as_dict()}

    def text(self) -> str:
        """Plain lines."""
        return f"{self.solver}, {self.folds}\n{self.accuracy.text()}"


def run_solver(corpus: Corpus, name: str, folder: Path | None = None, how: How = AS_IT_IS) -> SolverRun:
    """Fit and try a solver by folds; ConfigError for an unknown one, InputError for folds that do not divide."""
    solver = solver_named(name)
    folds, divided = folds_of(corpus, folder)
    shown = [_without_question(one) for one in corpus.problems] if how.question_removed else corpus.problems
    seen = Corpus(corpus.name, corpus.origin, len(shown), tuple(shown))
    answers = how.answers_of.problems if how.answers_of is not None else ()
    found = predicted(seen, folds, solver.make, [_answer_alone(one) for one in answers])
    return SolverRun(how.titled(name), divided, solver_accuracy(corpus, found))


def _without_question(problem: GoldProblem) -> GoldProblem:
    """A problem up to its question; slots in the question are gone with it (SVAMP, section 4)."""
    end = question_start(problem.question)
    kept = tuple(slot for slot in problem.alignment if slot.end <= end)
    return problem.model_copy(update={"question": problem.question[:end], "alignment": kept})


def _answer_alone(problem: GoldProblem) -> GoldProblem:
    """A problem of which only question and answer are known (implicit supervision)."""
    return problem.model_copy(update={"template": (), "alignment": (), "equations": (), "equivalent_numbers": ()})


class _Cell(NamedTuple):
    corpus: str
    solver: str
    published: Mapping[AccuracyMeasure, tuple[float | None, float | None]]
    """For each measure that is shown the published figure and what is asked, in percent."""
    question_removed: bool = False
    answers_of: str = ""


ALG, DRAW, ASDIV = "Alg-514", "DRAW", "ASDiv-A"
_SHOWN: Mapping[AccuracyMeasure, tuple[None, None]] = {SOLUTION: (None, None)}
CELLS: tuple[_Cell, ...] = (
    _Cell(ALG, "sim", {SOLUTION: (71.2, 68.0)}),
    _Cell(ALG, "kazb", {SOLUTION: (68.7, 66.0)}),
    _Cell(DRAW, "kazb", {SOLUTION: (43.2, 41.0)}),
    _Cell(ALG, "zdc", {SOLUTION: (79.7, 76.0)}),
    _Cell(DRAW, "zdc", _SHOWN),
    _Cell(ALG, "te", {SOLUTION: (76.2, 73.2), DERIVATION: (75.5, 71.5), EQUATION: (72.7, 68.7)}),
    _Cell(ALG, "td", {SOLUTION: (78.4, 75.4), DERIVATION: (77.8, 73.8), EQUATION: (73.9, 69.9)}),
    _Cell(DRAW, "te", {SOLUTION: (52.0, 49.0), DERIVATION: (48.0, 44.0), EQUATION: (48.0, 44.0)}),
    _Cell(DRAW, "td", {SOLUTION: (55.0, 52.0), DERIVATION: (53.0, 49.0), EQUATION: (48.0, 44.0)}),
    _Cell(ALG, "mixedsp", {SOLUTION: (83.0, 79.0)}, answers_of=DRAW),
    *(_Cell(ASDIV, solver, _SHOWN) for solver in ("sim", "roy-roth", "lca", "unitdep", "aris")),
    *(_Cell(ASDIV, solver, _SHOWN, question_removed=True) for solver in ("sim", "roy-roth", "lca", "unitdep")),
    *(_Cell(ALG, solver, _SHOWN, question_removed=True) for solver in ("sim", "zdc", "td")),
)


MeasuredCounts = dict[AccuracyMeasure, tuple[int, int]]
_JUDGES = ("evaluation.solvers.cross_validation", "evaluation.solvers.solver_accuracy")
"""The modules beside the solver's own that a run follows from."""


def solver_table(shared: Path, kept: Folder) -> ReadingReport:
    """The solvers of the papers over the shared corpora; runs that ``kept`` holds are not made again."""
    corpora, folders = _corpora(shared)
    shares = []
    for cell in CELLS:
        how = How(cell.question_removed, corpora.get(cell.answers_of))
        counts = kept_run(corpora[cell.corpus], cell.solver, folders.get(cell.corpus), how, kept)
        for measure, (paper, target) in cell.published.items():
            said = f" (paper {paper:g} %)" if paper is not None else ""
            name = f"{cell.corpus}: {how.titled(cell.solver)}, {measure.split(',')[0]}{said}"
            shares.append(Share(name, Proportion(*counts[measure]), target))
    rule = (
        "Solvers of the papers over numbers alone, fitted on four folds and tried on the fifth: the released folds of "
        "Alg-514 and ASDiv-A, five by digest of the id for DRAW. Solution: every gold value is among those of one "
        "solution; equation and derivation as in Annotating Derivations (2017). Published figures are those of the "
        "papers that the solvers are named after; the target is three or four points below. Features, epochs and "
        "penalties were chosen with these folds in view: development figures. Intervals: Wilson, 95 %."
    )
    return ReadingReport("Solvers", rule, tuple(shares))


def _corpora(shared: Path) -> tuple[dict[str, Corpus], dict[str, Path]]:
    alg = read_corpus(f"{ALG}=alg514:{shared}/alg514/kushman.json")
    draw = read_corpus(f"{DRAW}=draw:{shared}/draw/draw.json")
    folds = {ALG: shared / "alg514", ASDIV: shared / "asdiv" / "nfolds" / "asdiv-a"}
    asdiv = read_corpus(f"{ASDIV}=asdiv:{shared}/asdiv/ASDiv.xml@{folds[ASDIV]}")
    return {ALG: alg, DRAW: draw, ASDIV: asdiv}, folds


def kept_run(corpus: Corpus, name: str, folder: Path | None, how: How, kept: Folder) -> MeasuredCounts:
    """Right and judged of each measure, from the run that is kept, or from a new one that is kept then."""
    folds = [sorted(fold) for fold in folds_of(corpus, folder)[0]]
    code = [code_digest(module) for module in (solver_named(name).module, *_JUDGES)]
    said = [name, how.question_removed, code, _digest(corpus), _digest(how.answers_of), folds]
    file = f"{hashlib.sha256(canonical_json(said).encode()).hexdigest()}.json"
    if not kept.exists(file):
        accuracy = run_solver(corpus, name, folder, how).accuracy
        shares = {measure: accuracy.share(measure) for measure in MEASURES}
        kept.write(file, json.dumps({measure: [one.hits, one.n] for measure, one in shares.items()}).encode())
    found: dict[AccuracyMeasure, Sequence[int]] = load_json(kept.read(file))
    return {measure: (hits, n) for measure, (hits, n) in found.items()}


def _digest(corpus: Corpus | None) -> str:
    texts = "" if corpus is None else "\n".join(one.model_dump_json() for one in corpus.problems)
    return hashlib.sha256(texts.encode("utf-8", "surrogatepass")).hexdigest()
