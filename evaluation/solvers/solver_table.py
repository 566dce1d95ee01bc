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
from corpus.errors import ConfigError
from corpus.files import Folder
from corpus.strict_json import load_json
from evaluation.metrics.proportions import Proportion
from evaluation.metrics.reading_report import ReadingReport, Share
from evaluation.published import printed_share
from evaluation.solvers.cross_validation import folds_of, predicted
from evaluation.solvers.shown_problems import bag_of_words, without_question
from evaluation.solvers.solver_accuracy import MEASURES, Accuracy, AccuracyMeasure, solver_accuracy
from evaluation.solvers.solver_registry import solver_named

DERIVATION, EQUATION, SOLUTION, _ = MEASURES


class How(NamedTuple):
    """What a solver sees: problems without question, or without order; the answers of another corpus besides."""

    question_removed: bool = False
    answers_of: Corpus | None = None
    bag_of_words: bool = False

    def titled(self, name: str) -> str:
        """What the solver of a name is called where it sees this."""
        answers = f", with answers of {self.answers_of.name}" if self.answers_of is not None else ""
        shown = ", question removed" * self.question_removed + ", bag of words" * self.bag_of_words
        return f"{solver_named(name).title}{answers}{shown}"

    def shown(self, problem: GoldProblem) -> GoldProblem:
        """A problem as the solver sees it."""
        if self.bag_of_words:
            return bag_of_words(problem)
        return without_question(problem) if self.question_removed else problem


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
    """Fit and try a solver by folds.

    ConfigError for an unknown one, and for problems that are a bag of words without a question; InputError for folds
    that do not divide.
    """
    if how.question_removed and how.bag_of_words:
        raise ConfigError("a bag of words has no question to remove; choose one of the two")
    solver = solver_named(name)
    folds, divided = folds_of(corpus, folder)
    problems = tuple(map(how.shown, corpus.problems))
    seen = Corpus(corpus.name, corpus.origin, len(problems), problems)
    answers = how.answers_of.problems if how.answers_of is not None else ()
    found = predicted(seen, folds, solver.make, [how.shown(_answer_alone(one)) for one in answers])
    return SolverRun(how.titled(name), divided, solver_accuracy(seen if how.bag_of_words else corpus, found))


def _answer_alone(problem: GoldProblem) -> GoldProblem:
    """A problem of which only question and answer are known (implicit supervision)."""
    return problem.model_copy(update={"template": (), "alignment": (), "equations": (), "equivalent_numbers": ()})


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
_JUDGES = ("evaluation.solvers.cross_validation", "evaluation.solvers.solver_accuracy")
"""The modules beside the solver's own that a run follows from."""


def solver_table(shared: Path, kept: Folder) -> ReadingReport:
    """The solvers of the papers over the shared corpora; runs that ``kept`` holds are not made again."""
    corpora, folders = _corpora(shared)
    shares = []
    for cell in CELLS:
        how = How(cell.question_removed, corpora.get(cell.answers_of), cell.bag_of_words)
        counts = kept_run(corpora[cell.corpus], cell.solver, folders.get(cell.corpus), how, kept)
        for measure, target in cell.asked.items():
            label = f"{how.titled(cell.solver)}, {measure.split(',')[0]}"
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


def _corpora(shared: Path) -> tuple[dict[str, Corpus], dict[str, Path]]:
    alg = read_corpus(f"{ALG}=alg514:{shared}/alg514/kushman.json")
    draw = read_corpus(f"{DRAW}=draw:{shared}/draw/draw.json")
    folds = {ALG: shared / "alg514", ASDIV: shared / "asdiv" / "nfolds" / "asdiv-a"}
    asdiv = read_corpus(f"{ASDIV}=asdiv:{shared}/asdiv/ASDiv.xml@{folds[ASDIV]}")
    both = (*draw.problems, *alg.problems)
    return {ALG: alg, DRAW: draw, ASDIV: asdiv, JOINED: Corpus(JOINED, "gold", len(both), both)}, folds


def kept_run(corpus: Corpus, name: str, folder: Path | None, how: How, kept: Folder) -> MeasuredCounts:
    """Right and judged of each measure, from the run that is kept, or from a new one that is kept then."""
    folds = [sorted(fold) for fold in folds_of(corpus, folder)[0]]
    code = [code_digest(module) for module in (solver_named(name).module, *_JUDGES)]
    said = [name, how.question_removed, code, _digest(corpus), _digest(how.answers_of), folds]
    if how.bag_of_words:
        said.append(code_digest("evaluation.solvers.shown_problems"))
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
