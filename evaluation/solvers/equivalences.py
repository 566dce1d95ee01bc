"""Tables of equivalence: derivations judged against gold, and templates regenerated from text and equations.

Annotating Derivations (Upadhyay and Chang 2017), sections 3 to 5 and Table 2. Equivalence is measured on templates and
derivations that are written differently but mean the same, and on derivations that mean another number.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from corpus.benchmarks.gold_problems import Corpus, GoldProblem
from curation.equivalence.open_slots import SlotRow, SlotSheet, apply_slot_sheet, slot_sheet
from curation.equivalence.reconciliation import is_slot, slots_of, template_id
from evaluation.metrics.proportions import Proportion
from evaluation.metrics.reading_report import Failure, ReadingReport, Share
from evaluation.solvers.cross_validation import shared_corpus
from evaluation.solvers.predictions import Prediction
from evaluation.solvers.sim import Span, induced
from evaluation.solvers.solver_accuracy import RIGHT, AccuracyMeasure, derivation_verdict, judge_prediction
from extractors.quantities.numbers import find_numbers

_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*+(?! *\()")
SEED = 2017
CORPORA = ("DRAW", "Alg-514")
PAPER_AMBIGUOUS = {"DRAW": 21, "Alg-514": 23}
CLASSES = {"Alg-514": 24}
TARGETS = {"DRAW": (92.0, 98.0), "Alg-514": (99.0, 99.5)}
"""Classes equal to the released ones in percent: all problems, and those without ambiguity."""


def renamed(template: Sequence[str], chooser: random.Random) -> tuple[tuple[str, ...], dict[str, str]]:
    """The template with its slots and its unknowns permuted among themselves, and the new name of each."""
    names = tuple(dict.fromkeys(name for text in template for name in _NAME.findall(text)))
    given: dict[str, str] = {}
    for kind in (True, False):
        old = [name for name in names if is_slot(name) is kind]
        given |= dict(zip(old, chooser.sample(old, len(old)), strict=True))
    return tuple(_NAME.sub(lambda match: given[match[0]], text) for text in template), given


def reordered(template: Sequence[str], chooser: random.Random) -> tuple[str, ...]:
    """The equations in another order, sides exchanged."""
    swapped = [f"{right} = {left}" for left, right in _sides(template)]
    return tuple(chooser.sample(swapped, len(swapped)))


def rescaled(template: Sequence[str], chooser: random.Random) -> tuple[str, ...]:
    """Every equation times a number."""
    factors = [chooser.choice(["2", "3", "(-1)", "0.25", "7"]) for _ in template]
    sides = zip(factors, _sides(template), strict=True)
    return tuple(f"{k} * ({left}) = {k} * ({right})" for k, (left, right) in sides)


def row_added(template: Sequence[str], chooser: random.Random) -> tuple[str, ...]:
    """A multiple of the first equation added to every other one; a single equation stays."""
    (first, second), *others = _sides(template)
    k = chooser.choice(["2", "(-3)", "0.5"])
    added = (f"{left} + {k} * ({first}) = {right} + {k} * ({second})" for left, right in others)
    return (f"{first} = {second}", *added)


def _sides(template: Sequence[str]) -> list[list[str]]:
    return [[side.strip() for side in text.split("=")] for text in template]


def _prediction(
    problem: GoldProblem, template: Sequence[str], names: Mapping[str, str], moved: Mapping[Span, Span]
) -> Prediction:
    """A prediction with this template: gold slots under new names, and some textual numbers exchanged for others."""
    spans = {one.slot: moved.get((one.start, one.end), (one.start, one.end)) for one in problem.alignment}
    alignment = {names.get(slot, slot): ("span", *span) for slot, span in spans.items()}
    return Prediction(tuple(template), alignment)


def equivalent_exchanges(problem: GoldProblem) -> dict[Span, Span]:
    """An aligned textual number of each group of equivalent ones, and another of its group to stand for it."""
    aligned = [(one.start, one.end) for one in problem.alignment]
    found: dict[Span, Span] = {}
    for group in problem.equivalent_numbers:
        spans = [(one.start, one.end) for one in group]
        used = [span for span in spans if span in aligned]
        unused = [span for span in spans if span not in aligned]
        if used and unused:
            found[used[0]] = unused[0]
    return found


def other_exchange(problem: GoldProblem) -> dict[Span, Span]:
    """An aligned textual number, and another one of the same value that gold takes for another quantity."""
    numbers = find_numbers(problem.question)
    taken = [(one.start, one.end) for one in problem.alignment]
    taken += [(one.start, one.end) for group in problem.equivalent_numbers for one in group]
    free = [n for n in numbers if not any(n.start < end and start < n.end for start, end in taken)]
    for one in problem.alignment:
        if one.slot not in slots_of(problem.template):
            continue
        values = {number.value for number in numbers if number.start < one.end and one.start < number.end}
        other = next((number for number in free if number.value in values), None)
        if other is not None:
            return {(one.start, one.end): (other.start, other.end)}
    return {}


def _chooser(name: str) -> random.Random:
    return random.Random(f"{SEED}{name}")  # noqa: S311 - reproducible, not secret


def _rewritten(problem: GoldProblem, chooser: random.Random) -> Prediction | None:
    template, names = renamed(problem.template, chooser)
    return _prediction(problem, rescaled(reordered(row_added(template, chooser), chooser), chooser), names, {})


def _exchanged(problem: GoldProblem, moved: Mapping[Span, Span]) -> Prediction | None:
    return _prediction(problem, problem.template, {}, moved) if moved else None


_CASES: dict[str, tuple[Callable[[GoldProblem, random.Random], Prediction | None], float | None]] = {
    "gold against itself": (lambda problem, _: _prediction(problem, problem.template, {}, {}), 100.0),
    "rewritten: renamed, reordered, rows added, rescaled": (_rewritten, 100.0),
    "an equivalent token (EquivTNum)": (lambda problem, _: _exchanged(problem, equivalent_exchanges(problem)), 100.0),
    "another token of the same value": (lambda problem, _: _exchanged(problem, other_exchange(problem)), None),
}


def derivations(shared: Path, names: Sequence[str] = CORPORA) -> ReadingReport:
    """Gold derivations changed in known ways, judged against gold: the last case must give 0 %."""
    shares: list[Share] = []
    failures: list[Failure] = []
    for corpus in (shared_corpus(shared, name)[0] for name in names):
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
        prediction = _exchanged(problem, other_exchange(problem))
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


def templates(shared: Path, names: Sequence[str] = CORPORA) -> ReadingReport:
    """Template and alignment regenerated from text and equations against the released ones; keys under rewriting."""
    shares: list[Share] = []
    failures: list[Failure] = []
    for corpus in (shared_corpus(shared, name)[0] for name in names):
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
        found = induced(problem)
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
