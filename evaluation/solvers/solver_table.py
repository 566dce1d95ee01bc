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

from corpus.benchmarks.gold_problems import Corpus
from corpus.canonical import canonical_json
from corpus.code import code_digest
from corpus.folders.files import Folder
from corpus.strict_json import load_json
from evaluation.metrics.proportions import Proportion
from evaluation.metrics.reading_report import ReadingReport, Share
from evaluation.published import printed_share
from evaluation.solvers.cross_validation import AS_IT_IS, How, folds_of, shared_corpus, tried
from evaluation.solvers.predictions import Predictions
from evaluation.solvers.solver import solver_named
from evaluation.solvers.solver_accuracy import MEASURES, Accuracy, AccuracyMeasure, solver_accuracy

DERIVATION, EQUATION, SOLUTION, _ = MEASURES


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
    """Fit and try a solver by folds.

    ConfigError for an unknown one; InputError for folds that do not divide.
    """
    solver = solver_named(name)
    folds, divided = folds_of(corpus, folder)
    judged, found = tried(corpus.problems, folds, solver.make, how)
    shown = Corpus(corpus.name, corpus.origin, len(judged), tuple(judged))
    return SolverRun(_titled(name, how), divided, solver_accuracy(shown, Predictions(found)))


def _titled(name: str, how: How) -> str:
    """What the solver of a name is called where it sees this."""
    answers = f", with answers of {how.answers_of.name}" if how.answers_of is not None else ""
    shown = ", question removed" * how.question_removed + ", bag of words" * how.bag_of_words
    return f"{solver_named(name).title}{answers}{shown}"


class _Cell(NamedTuple):
    corpus: str
    solver: str
    asked: Mapping[AccuracyMeasure, float | None]
    """For each measure that is shown what is asked, in percent."""
    question_removed: bool = False
    answers_of: str = ""
    bag_of_words: bool = False


ALG, DRAW, ASDIV = "Alg-514", "DRAW", "ASDiv-A"
JOINED = f"{DRAW} + {ALG}"
_SHOWN: Mapping[AccuracyMeasure, None] = {SOLUTION: None}
CELLS: tuple[_Cell, ...] = (
    _Cell(ALG, "sim", {SOLUTION: 68.0}),
    _Cell(ALG, "kazb", {SOLUTION: 66.0}),
    _Cell(DRAW, "kazb", {SOLUTION: 41.0}),
    _Cell(ALG, "zdc", {SOLUTION: 76.0}),
    _Cell(DRAW, "zdc", _SHOWN),
    _Cell(ALG, "te", {SOLUTION: 73.2, DERIVATION: 71.5, EQUATION: 68.7}),
    _Cell(ALG, "td", {SOLUTION: 75.4, DERIVATION: 73.8, EQUATION: 69.9}),
    _Cell(DRAW, "te", {SOLUTION: 49.0, DERIVATION: 44.0, EQUATION: 44.0}),
    _Cell(DRAW, "td", {SOLUTION: 52.0, DERIVATION: 49.0, EQUATION: 44.0}),
    _Cell(ALG, "mixedsp", {SOLUTION: 79.0}, answers_of=DRAW),
    *(_Cell(ASDIV, solver, _SHOWN) for solver in ("sim", "roy-roth", "lca", "unitdep", "aris")),
    *(_Cell(ASDIV, solver, _SHOWN, question_removed=True) for solver in ("sim", "roy-roth", "lca", "unitdep")),
    *(_Cell(ALG, solver, _SHOWN, question_removed=True) for solver in ("sim", "zdc", "td")),
    *(_Cell(ASDIV, solver, _SHOWN, bag_of_words=True) for solver in ("sim", "roy-roth", "unitdep")),
    *(_Cell(ALG, solver, _SHOWN, bag_of_words=True) for solver in ("sim", "zdc", "td")),
    *(_Cell(JOINED, solver, _SHOWN) for solver in ("te-as-written", "te", "td")),
)


MeasuredCounts = dict[AccuracyMeasure, tuple[int, int]]
_JUDGES = tuple(f"evaluation.solvers.{name}" for name in ("cross_validation", "solver_accuracy"))
"""The modules beside the solver's own that a run follows from."""


def solver_table(shared: Path, kept: Folder) -> ReadingReport:
    """The solvers of the papers over the shared corpora; runs that ``kept`` holds are not made again."""
    corpora, folders = _corpora(shared)
    shares = []
    for cell in CELLS:
        how = How(cell.question_removed, corpora.get(cell.answers_of), cell.bag_of_words)
        counts = kept_run(corpora[cell.corpus], cell.solver, folders.get(cell.corpus), how, kept)
        for measure, target in cell.asked.items():
            label = f"{_titled(cell.solver, how)}, {measure.split(',')[0]}"
            paper = printed_share(cell.corpus, label)
            said = f" (paper {paper:g} %)" if paper is not None else ""
            shares.append(Share(f"{cell.corpus}: {label}{said}", Proportion(*counts[measure]), target))
    rule = (
        "Solvers of the papers over numbers alone, fitted on four folds and tried on the fifth: the released folds of "
        "Alg-514 and ASDiv-A, five by digest of the id for DRAW and for both together. Solution: every gold value is "
        "among those of one solution; equation and derivation as in Annotating Derivations (2017). Published figures "
        "are those of the papers that the solvers are named after; the target is three or four points below. Features, "
        "epochs and penalties were chosen with these folds in view: development figures. Intervals: Wilson, 95 %."
    )
    return ReadingReport("Solvers", rule, tuple(shares))


def _corpora(shared: Path) -> tuple[dict[str, Corpus], dict[str, Path | None]]:
    found = {name: shared_corpus(shared, name) for name in (ALG, DRAW, ASDIV)}
    both = (*found[DRAW][0].problems, *found[ALG][0].problems)
    corpora = {name: corpus for name, (corpus, _) in found.items()}
    folders = {name: folder for name, (_, folder) in found.items()}
    return corpora | {JOINED: Corpus(JOINED, "gold", len(both), both)}, folders


def kept_run(corpus: Corpus, name: str, folder: Path | None, how: How, kept: Folder) -> MeasuredCounts:
    """Right and judged of each measure, from the run that is kept, or from a new one that is kept then."""
    folds = [sorted(fold) for fold in folds_of(corpus, folder)[0]]
    code = [code_digest(module) for module in (solver_named(name).module, *_JUDGES)]
    said = [name, how.question_removed, how.bag_of_words, code, _digest(corpus), _digest(how.answers_of), folds]
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
