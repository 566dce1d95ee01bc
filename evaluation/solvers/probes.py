"""Artefact probes (SVAMP, section 4): how much of a corpus a solver gets right that reads next to nothing of it.

Each probe is a solver, trained on four folds and tried on the fifth. The last one is judged by its equation, as SVAMP's
majority baseline is.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

from corpus.benchmarks.gold_problems import Corpus, GoldProblem
from curation.equivalence.reconciliation import template_id
from evaluation.metrics.proportions import Proportion
from evaluation.metrics.reading_report import ReadingReport, Share
from evaluation.published import printed_share
from evaluation.solvers.cross_validation import How, folds_of, shared_corpus, tried
from evaluation.solvers.predictions import Prediction
from evaluation.solvers.sim import Sim, Text, TrainingProblem, derivation, example_of
from evaluation.solvers.solver import MakeSolver
from evaluation.solvers.solver_accuracy import is_solved
from extractors.extraction_errors import ExtractionError
from extractors.quantities.numbers import find_numbers

_NUMERAL = re.compile(r"(?<![A-Za-z_0-9.])\d+(?:\.\d+)?")


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


class MajorityTemplate:
    """The most frequent template, read off its first problem; slots are filled in the order of the numbers."""

    def __init__(self) -> None:
        self._chosen: TrainingProblem | None = None

    def fit(self, problems: Sequence[GoldProblem]) -> None:
        """Count the templates of the problems whose slots all stand in the text."""
        examples = [example for one in problems if (example := example_of(one)) is not None]
        counts = Counter(filter(None, (_class_of(example.template) for example in examples)))
        best = min(counts, key=lambda name: (-counts[name], name), default=None)
        self._chosen = next((one for one in examples if best and _class_of(one.template) == best), None)

    def solve(self, question: str) -> Prediction | None:
        """The template with the numbers of the question; None where these are too few."""
        text, chosen = Text.of(question), self._chosen
        if chosen is None or max(chosen.slots.values(), default=-1) >= len(text.numbers):
            return None
        return derivation(chosen, list(chosen.slots.values()), text)


@lru_cache(maxsize=4096)
def _class_of(template: tuple[str, ...]) -> str | None:
    try:
        return template_id(template)
    except ExtractionError:
        return None


_PROBES: Mapping[str, tuple[How, MakeSolver]] = {
    "majority template, numbers in their order": (How(), MajorityTemplate),
    "SIM": (How(), Sim),
    "SIM, question removed": (How(question_removed=True), Sim),
    "bag of words": (How(bag_of_words=True), Sim),
    "bag of words, question removed": (How(question_removed=True, bag_of_words=True), Sim),
}


def probes_of(corpus: Corpus, folder: Path | None = None) -> Probes:
    """All probes over one corpus; InputError for folds that do not divide it."""
    folds, divided = folds_of(corpus, folder)
    told = [problem for problem in corpus.problems if problem.question.strip()]
    shares = []
    for name, (how, make) in _PROBES.items():
        judged, found = tried(told, folds, make, how)
        solved = [is_solved(one, found.get(one.problem_id)) for one in judged if one.gold]
        shares.append(Share(name, Proportion(sum(solved), len(solved))))
    shares.append(Share(MAJORITY_TEMPLATE, majority_template_share(corpus, folds)))
    return Probes(corpus.name, divided, tuple(shares))


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


def probe_table(shared: Path) -> ReadingReport:
    """The probes over the shared corpora; Alg-514 and ASDiv-A in their released folds."""
    shares = []
    for name in ("Alg-514", "DRAW", "ASDiv-A"):
        corpus, folds = shared_corpus(shared, name)
        found = probes_of(corpus, folds)
        for share in found.shares:
            known = printed_share(corpus.name, share.name) or printed_share(corpus.name, f"{share.name}, solution")
            paper = f" (paper {known:g} %)" if known else ""
            shares.append(Share(f"{corpus.name}, {found.folds}: {share.name}{paper}", share.proportion))
    rule = (
        "Share of problems that a shallow probe solves, trained on the other folds (SVAMP, section 4; SIM of "
        "Dolphin18K, section 4.1): every gold value among those of one solution. Intervals: Wilson, 95 %."
    )
    return ReadingReport("Artefact probes", rule, tuple(shares))
