"""Artefact probes (SVAMP, section 4): how much of a corpus a solver gets right that reads next to nothing of it.

Each probe is trained on four folds and tried on the fifth. A problem is solved if every gold value is among the values
of one solution, within the tolerance of Dolphin18K, section 3.3. The last probe is judged by its equation, as SVAMP's
majority baseline is.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from corpus.benchmarks.gold_problems import Corpus, GoldProblem
from corpus.benchmarks.reading import read_corpus
from evaluation.gold_corpora.gold_labels import ROUNDED, TOLERANCE, labels_of
from evaluation.metrics.proportions import Proportion
from evaluation.metrics.reading_report import ReadingReport, Share
from evaluation.metrics.value_matching import within
from evaluation.published import printed_share
from evaluation.solvers.cross_validation import folds_of
from evaluation.solvers.shown_problems import question_start
from evaluation.solvers.sim import Sim, Span, Text, TrainingProblem, example_of, in_order, solved
from extractors.quantities.numbers import find_numbers
from extractors.real_numbers.values import approximate, parse_value

_NUMERAL = re.compile(r"(?<![A-Za-z_0-9.])\d+(?:\.\d+)?")

SolveProbe = Callable[[Text, dict[Span, Fraction]], tuple[tuple[Fraction, ...], ...]]


@dataclass(frozen=True)
class Probes:
    """What each probe solves of one corpus; ``folds`` says how it was divided."""

    corpus: str
    folds: str
    shares: tuple[Share, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain data with n and interval."""
        return {"folds": self.folds, **{share.name: share.proportion.as_dict() for share in self.shares}}

    def text(self) -> str:
        """Plain lines."""
        head = f"{self.corpus}: solved by shallow probes, {self.folds}"
        return "\n".join([head, *(f"{share.name}: {share.proportion}" for share in self.shares)])


@dataclass(frozen=True)
class _View:
    """A problem as a probe sees it: the text up to some end, and the same as an example to learn from."""

    text: Text
    values: dict[Span, Fraction]
    example: TrainingProblem | None

    @classmethod
    def of(cls, problem: GoldProblem, template_id: str, end: int) -> "_View":
        numbers = {(n.start, n.end): n.value for n in find_numbers(problem.question) if n.end <= end}
        text = Text.of(problem.question[:end], list(numbers))
        learnt = bool(template_id) and bool(problem.question.strip())  # slots without a text have no numbers
        return cls(text, numbers, example_of(problem, template_id, end) if learnt else None)


def probes_of(corpus: Corpus, folder: Path | None = None) -> Probes:
    """All probes over one corpus; InputError for folds that do not divide it."""
    folds, how = folds_of(corpus, folder)
    names = [(problem, labels_of(problem).template_id or "") for problem in corpus.problems]
    whole = {p.problem_id: _View.of(p, name, len(p.question)) for p, name in names}
    bodies = {p.problem_id: _View.of(p, name, question_start(p.question)) for p, name in names}
    probes: dict[str, tuple[dict[str, _View], Callable[[Sequence[TrainingProblem]], SolveProbe]]] = {
        "majority template, numbers in their order": (whole, _majority),
        "SIM": (whole, lambda examples: Sim(examples).solve),
        "SIM, question removed": (bodies, lambda examples: Sim(examples).solve),
        "bag of words": (whole, lambda examples: Sim(examples, ordered=False).solve),
        "bag of words, question removed": (bodies, lambda examples: Sim(examples, ordered=False).solve),
    }
    shares = [Share(name, _share(corpus, folds, views, make)) for name, (views, make) in probes.items()]
    shares.append(Share(MAJORITY_TEMPLATE, majority_template_share(corpus, folds)))
    return Probes(corpus.name, how, tuple(shares))


MAJORITY_TEMPLATE = "majority template as equations are written: equation right"


def written_template(problem: GoldProblem) -> tuple[str, ...]:
    """The equations with the place of each number among those of the text instead of the number.

    The template of SVAMP's majority baseline: ``5-3`` and ``3-5`` over "3 pens ... 5 pens" are two templates, and so
    are ``3+5`` and ``5+3``. A coin is no number here ("dimes" writes none); of equal numbers the first free one counts.
    """
    values = [number.value for number in find_numbers(problem.question) if number.kind != "coin"]
    used: Counter[Fraction] = Counter()

    def place(match: re.Match[str]) -> str:
        value = Fraction(match[0])
        places = [index for index, one in enumerate(values) if one == value]
        used[value] += 1
        return f"n{places[min(used[value], len(places)) - 1]}" if places else match[0]

    return tuple(_NUMERAL.sub(place, equation) for equation in problem.equations)


def majority_template_share(corpus: Corpus, folds: Sequence[set[str]]) -> Proportion:
    """Problems whose equations are the most frequent ones of the other folds, of those with a text and equations."""
    written = {p.problem_id: written_template(p) for p in corpus.problems if p.equations and p.question.strip()}
    hits = 0
    for fold in folds:
        counts = Counter(template for name, template in written.items() if name not in fold)
        best = min(counts, key=lambda template: (-counts[template], template), default=None)
        hits += sum(template == best for name, template in written.items() if name in fold)
    return Proportion(hits, len(written))


def _majority(examples: Sequence[TrainingProblem]) -> SolveProbe:
    """The most frequent template, read off its first problem; slots are filled in the order of the numbers."""
    counts = Counter(example.template_id for example in examples)
    best = min(counts, key=lambda name: (-counts[name], name), default="")
    chosen = next((example for example in examples if example.template_id == best), None)

    def solve(text: Text, values: dict[Span, Fraction]) -> tuple[tuple[Fraction, ...], ...]:
        places = None if chosen is None else in_order(chosen, text)
        if chosen is None or places is None:
            return ()
        return solved(chosen, [values[text.numbers[place]] for place in places])

    return solve


def _share(
    corpus: Corpus,
    folds: Sequence[set[str]],
    views: dict[str, _View],
    make: Callable[[Sequence[TrainingProblem]], SolveProbe],
) -> Proportion:
    """Solved of all problems with a text and a gold answer."""
    hits = n = 0
    for fold in folds:
        trained = [views[p.problem_id].example for p in corpus.problems if p.problem_id not in fold]
        solve = make([example for example in trained if example is not None])
        for problem in corpus.problems:
            if problem.problem_id in fold and problem.gold and problem.question.strip():
                view = views[problem.problem_id]
                hits += _is_solved(problem, solve(view.text, view.values))
                n += 1
    return Proportion(hits, n)


def _is_solved(problem: GoldProblem, solutions: Sequence[Sequence[Fraction]]) -> bool:
    tolerance = ROUNDED.get(problem.origin, TOLERANCE)
    golds = [[approximate(parse_value(value)) for value in values] for values in problem.gold]
    return any(within(gold, solution, tolerance) for gold in golds for solution in solutions if gold)


def probe_table(shared: Path) -> ReadingReport:
    """The probes over the shared corpora; Alg-514 and ASDiv-A in their released folds."""
    folds = {"Alg-514": shared / "alg514", "ASDiv-A": shared / "asdiv" / "nfolds" / "asdiv-a"}
    specs = (
        f"Alg-514=alg514:{shared}/alg514/kushman.json",
        f"DRAW=draw:{shared}/draw/draw.json",
        f"ASDiv-A=asdiv:{shared}/asdiv/ASDiv.xml@{folds['ASDiv-A']}",
    )
    shares = []
    for spec in specs:
        corpus = read_corpus(spec)
        found = probes_of(corpus, folds.get(corpus.name))
        for share in found.shares:
            known = printed_share(corpus.name, share.name) or printed_share(corpus.name, f"{share.name}, solution")
            paper = f" (paper {known:g} %)" if known else ""
            shares.append(Share(f"{corpus.name}, {found.folds}: {share.name}{paper}", share.proportion))
    rule = (
        "Share of problems that a shallow probe solves, trained on the other folds (SVAMP, section 4; SIM of "
        "Dolphin18K, section 4.1): every gold value among those of one solution. Intervals: Wilson, 95 %."
    )
    return ReadingReport("Artefact probes", rule, tuple(shares))
