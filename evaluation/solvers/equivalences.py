"""Tables of equivalence: derivations judged against gold, and templates regenerated from text and equations.

Annotating Derivations (Upadhyay and Chang 2017), sections 3 to 5 and Table 2.
"""

import random
from collections.abc import Callable, Sequence
from pathlib import Path

from corpus.benchmarks.gold_problems import Corpus, GoldProblem
from corpus.benchmarks.reading import read_corpus
from curation.open_slots import SlotRow, SlotSheet, apply_slot_sheet, slot_sheet
from curation.reconciliation import template_id
from evaluation.metrics.proportions import Proportion
from evaluation.metrics.reading_report import Failure, ReadingReport, Share
from evaluation.solvers.predictions import Prediction
from evaluation.solvers.rewriting import (
    equivalent_exchanges,
    other_exchange,
    prediction_of,
    renamed,
    reordered,
    rescaled,
    row_added,
)
from evaluation.solvers.solver_accuracy import RIGHT, AccuracyMeasure, derivation_verdict, judge_prediction
from extractors.extraction_errors import ExtractionError
from extractors.quantities.numbers import find_numbers
from extractors.templates.induction import InducedTemplate, induce

SEED = 2017
FILES = {"DRAW": "draw:draw/draw.json", "Alg-514": "alg514:alg514/kushman.json"}
PAPER_AMBIGUOUS = {"DRAW": 21, "Alg-514": 23}
CLASSES = {"Alg-514": 24}
TARGETS = {"DRAW": (92.0, 98.0), "Alg-514": (99.0, 99.5)}
"""Classes equal to the released ones in percent: all problems, and those without ambiguity."""


def _corpora(shared: Path, names: Sequence[str]) -> list[Corpus]:
    specs = [(name, *FILES[name].split(":")) for name in names]
    return [read_corpus(f"{name}={kind}:{shared / path}") for name, kind, path in specs]


def _chooser(name: str) -> random.Random:
    return random.Random(f"{SEED}{name}")  # noqa: S311 - reproducible, not secret


def _itself(problem: GoldProblem, _: random.Random) -> Prediction | None:
    return prediction_of(problem, problem.template, {}, {})


def _rewritten(problem: GoldProblem, chooser: random.Random) -> Prediction | None:
    template, names = renamed(problem.template, chooser)
    written = rescaled(reordered(row_added(template, chooser), chooser), chooser)
    return prediction_of(problem, written, names, {})


def _equivalent_token(problem: GoldProblem, _: random.Random) -> Prediction | None:
    moved = equivalent_exchanges(problem)
    return prediction_of(problem, problem.template, {}, moved) if moved else None


def _other_token(problem: GoldProblem, _: random.Random) -> Prediction | None:
    moved = other_exchange(problem)
    return prediction_of(problem, problem.template, {}, moved) if moved else None


_CASES: dict[str, tuple[Callable[[GoldProblem, random.Random], Prediction | None], float | None]] = {
    "gold against itself": (_itself, 100.0),
    "rewritten: renamed, reordered, rows added, rescaled": (_rewritten, 100.0),
    "an equivalent token (EquivTNum)": (_equivalent_token, 100.0),
    "another token of the same value": (_other_token, None),
}


def derivations(shared: Path, names: Sequence[str] = tuple(FILES)) -> ReadingReport:
    """Gold derivations changed in known ways, judged against gold: the last case must give 0 %."""
    shares: list[Share] = []
    failures: list[Failure] = []
    for corpus in _corpora(shared, names):
        for case, (make, target) in _CASES.items():
            hits, n = 0, 0
            for problem in corpus.problems:
                prediction = make(problem, _chooser(problem.problem_id))
                if prediction is None:
                    continue
                verdict = derivation_verdict(problem, prediction)
                hits, n = hits + (verdict == RIGHT), n + 1
                if (verdict == RIGHT) is (target is None):
                    failures.append(Failure(problem.problem_id, f"{case}: {verdict or 'judged equivalent'}"))
            name = f"{corpus.name}, {case}: judged equivalent{'' if target else ' (must be 0 %)'}"
            shares.append(Share(name, Proportion(hits, n), target))
        shares += _accuracies(corpus, failures)
    rule = (
        "Derivations of the released problems against the released ones, by canonical keys with slots coloured by "
        f"their class of textual numbers; seed {SEED}. The other token is one of the same value that gold neither "
        "aligns nor calls equivalent. Intervals: Wilson, 95 %."
    )
    return ReadingReport("Derivations", rule, tuple(shares), tuple(failures))


def _accuracies(corpus: Corpus, failures: list[Failure]) -> list[Share]:
    """The other accuracies where another token of the same value is predicted: they cannot tell."""
    measures: tuple[AccuracyMeasure, ...] = ("equation", "solution, relaxed", "solution, strict")
    verdicts: dict[AccuracyMeasure, list[bool]] = {measure: [] for measure in measures}
    for problem in corpus.problems:
        prediction = _other_token(problem, _chooser(problem.problem_id))
        if prediction is not None:
            judged = judge_prediction(problem, prediction)
            for measure in measures:
                verdicts[measure].append(judged.verdicts[measure] == RIGHT)
                if judged.verdicts[measure] != RIGHT:
                    kind = f"another token, {measure}: {judged.verdicts[measure].partition(':')[0]}"
                    failures.append(Failure(problem.problem_id, kind))
    return [
        Share(f"{corpus.name}, another token of the same value: {measure} accuracy", Proportion(sum(each), len(each)))
        for measure, each in verdicts.items()
    ]


def templates(shared: Path, names: Sequence[str] = tuple(FILES)) -> ReadingReport:
    """Template and alignment regenerated from text and equations against the released ones; keys under rewriting."""
    shares: list[Share] = []
    failures: list[Failure] = []
    for corpus in _corpora(shared, names):
        shares += _regenerated(corpus, failures)
        shares.append(_aligned_by_hand(corpus))
        shares += _rewriting(corpus, failures)
    rule = (
        "A template is regenerated from question and equations alone; it is right if its class is that of the released "
        "template. Ambiguous: some number stands in the text several times, not as one quantity restated. "
        f"Rewriting: seed {SEED}, each released template three times. Intervals: Wilson, 95 %."
    )
    return ReadingReport("Templates", rule, tuple(shares), tuple(failures))


def _regenerated(corpus: Corpus, failures: list[Failure]) -> list[Share]:
    same: list[bool] = []
    ambiguous: list[bool] = []
    classes: list[set[str]] = [set(), set()]
    for problem in corpus.problems:
        released = template_id(problem.template)
        classes[0].add(released)
        found = _induced(problem)
        ambiguous.append(found is not None and found.ambiguous)
        identifier = None if found is None else template_id(found.template)
        same.append(identifier == released)
        if identifier is not None:
            classes[1].add(identifier)
        if identifier != released:
            kind = "no template" if found is None else "ambiguous" if found.ambiguous else "not ambiguous"
            failures.append(Failure(problem.problem_id, f"{corpus.name}, another class, {kind}"))
    name, n = corpus.name, len(corpus.problems)
    plain = [hit for hit, several in zip(same, ambiguous, strict=True) if not several]
    lists = len({problem.template for problem in corpus.problems})
    wanted = f" (paper {CLASSES[name]})" if name in CLASSES else ""
    return [
        Share(f"{name}, class equal to the released one", Proportion(sum(same), n), TARGETS[name][0]),
        Share(f"{name}, the same without ambiguous problems", Proportion(sum(plain), len(plain)), TARGETS[name][1]),
        Share(f"{name}, ambiguous problems (paper {PAPER_AMBIGUOUS[name]} %)", Proportion(sum(ambiguous), n)),
        Share(f"{name}, classes of the released template lists{wanted}", Proportion(len(classes[0]), lists)),
        Share(f"{name}, classes regenerated, of problems", Proportion(len(classes[1]), n)),
    ]


def _aligned_by_hand(corpus: Corpus) -> Share:
    """The sheet of ambiguous slots answered from the released alignment, where that names one of the candidates."""
    sheet = slot_sheet(corpus)
    problems = {problem.problem_id: problem for problem in corpus.problems}
    rows = tuple(_answered(row, problems[row.problem_id]) for row in sheet.rows)
    applied = apply_slot_sheet(corpus, SlotSheet(sheet.header, rows))
    pairs = [
        (released, mine) for released, mine in zip(corpus.problems, applied.problems, strict=True) if mine != released
    ]
    same = sum(mine.template_id == template_id(released.template) for released, mine in pairs)
    name = f"{corpus.name}, ambiguous slots answered from the released alignment: class equal"
    return Share(name, Proportion(same, len(pairs)), 100.0)


def _answered(row: SlotRow, problem: GoldProblem) -> SlotRow:
    aligned = {
        one.candidate
        for one in row.candidates
        if any(slot.start < one.end and one.start < slot.end for slot in problem.alignment)
    }
    return row.model_copy(update={"choice": tuple(aligned) if len(aligned) == 1 else None})


def _induced(problem: GoldProblem) -> InducedTemplate | None:
    try:
        numbers = find_numbers(problem.question)
        return induce(problem.question, numbers, problem.equations, problem.unknowns or None)
    except ExtractionError:
        return None


_REWRITINGS: dict[str, Callable[[Sequence[str], random.Random], Sequence[str]]] = {
    "renaming": lambda template, chooser: renamed(template, chooser)[0],
    "reordering": reordered,
    "row operations": row_added,
    "rescaling": rescaled,
}


def _rewriting(corpus: Corpus, failures: list[Failure]) -> list[Share]:
    templates = sorted({problem.template for problem in corpus.problems})
    shares = []
    for name, rewrite in _REWRITINGS.items():
        chooser = _chooser(name)
        kept = [template_id(t) == template_id(rewrite(t, chooser)) for t in templates for _ in range(3)]
        failures += [
            Failure(" ; ".join(templates[place // 3]), f"{corpus.name}, key changed by {name}")
            for place, same in enumerate(kept)
            if not same
        ]
        shares.append(Share(f"{corpus.name}, key kept under {name}", Proportion(sum(kept), len(kept)), 100.0))
    return shares
