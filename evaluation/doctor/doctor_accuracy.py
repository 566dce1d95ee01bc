"""How well planted faults are found: each row of four corpora is planted once, as in twenty rounds of 5 %."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from corpus.benchmarks import gsm8k
from corpus.benchmarks.gold_problems import Corpus, GoldProblem
from corpus.benchmarks.reading import read_corpus
from evaluation.doctor.examination import LEAST, Shares, probability_of
from evaluation.doctor.fault_shares import CERTAIN, ROUNDS
from evaluation.doctor.planted_faults import FOUND_BY, Fault, planted
from evaluation.doctor.repeated_rows import SAME, repeated_in
from evaluation.doctor.signs import FaultKind, Sign, signs_of
from evaluation.doctor.solution_check import golds_of
from evaluation.metrics.proportions import Proportion, interval_text
from evaluation.metrics.reading_report import read_lines
from evaluation.table_text import markdown_table

READ_BY_HAND: Final = frozenset((
    *("asdiv:nluds-1261", "asdiv:nluds-1262", "draw:103365", "draw:47186", "draw:489560", "draw:795333"),
    *("draw:357286", "draw:68626", "draw:427962", "draw:57521", "draw:337", "draw:174001"),
))  # fmt: skip
"""Rows that were read one by one and found to be an earlier one in other words."""
BOUNDS: Final = (LEAST, 0.7, 0.85)
PLANTED: Final = frozenset(kind for kinds in FOUND_BY.values() for kind in kinds)


@dataclass(frozen=True)
class Trial:
    """One row with the fault that was planted in it, None for the row as it is, and its signs."""

    corpus: str
    problem_id: str
    fault: Fault | None
    signs: tuple[Sign, ...]

    @property
    def fitted(self) -> bool:
        """Whether its half of the rows gives the shares; the other half is reported."""
        return sha256(self.problem_id.encode()).digest()[0] % 2 == 0

    def right(self, sign: Sign) -> bool:
        """Whether a sign names the planted fault."""
        return self.fault is not None and sign.kind in FOUND_BY[self.fault]

    def apart(self, sign: Sign) -> bool:
        """Whether the corpus's own row is wrong: by its formula, by equal words and numbers, or read by a person."""
        own = sign.name.startswith("formula:") or sign.name.startswith(SAME)
        return self.fault is None and (own or (sign.kind is FaultKind.DUPLICATE and self.problem_id in READ_BY_HAND))


def corpora_of(shared: Path) -> list[Corpus]:
    """The corpora that faults are planted in."""
    files = (("ASDiv=asdiv", "asdiv/ASDiv.xml"), ("DRAW=draw", "draw/draw.json"), ("AQuA=aqua", "aqua/aqua_dev.jsonl"))
    read = [read_corpus(f"{spec}:{shared / file}") for spec, file in files]
    texts = zip(*(read_lines(shared / "gsm8k" / f"{name}.jsonl") for name in ("threads", "annotations")), strict=True)
    problems = tuple(
        gsm8k.read(
            {"question": thread["question"], "answer": solution["reference_text"].replace("\nA: ", "\n#### ")}
        ).model_copy(update={"problem_id": f"gsm8k:{thread['id']}", "origin": "gsm8k"})
        for thread, solution in texts
    )
    return [Corpus("GSM8K", "gsm8k", len(problems), problems), *read]


def trials_of(corpus: Corpus) -> list[Trial]:
    """Each row as it is, and once with a fault; a planted duplicate repeats a row that stands before it."""
    tried: list[tuple[Fault | None, GoldProblem]] = [(None, one) for one in corpus.problems]
    for place, problem in enumerate(corpus.problems):
        chooser = random.Random(f"{problem.problem_id}/other")  # noqa: S311 - reproducible, not secret
        made = planted(problem, corpus.problems[chooser.randrange(max(1, place))])
        tried += [] if made is None else [made]
    copies = [
        one.model_copy(update={"problem_id": f"{one.problem_id}/planted"})
        for fault, one in tried
        if fault is Fault.DUPLICATE
    ]
    rows = (*corpus.problems, *copies)
    repeated = repeated_in(Corpus(corpus.name, corpus.origin, len(rows), rows))
    places = {None: "{}", Fault.DUPLICATE: "{}/planted"}
    return [
        Trial(corpus.name, one.problem_id, fault, (*signs_of(one), *([repeated[row]] if row in repeated else [])))
        for fault, one in tried
        for row in [places.get(fault, "").format(one.problem_id)]
    ]


def shares_of(trials: Sequence[Trial]) -> dict[str, tuple[int, int]]:
    """For each sign on how many rows it named the fault, of how many that have it where one in ROUNDS is faulty."""
    counts: dict[str, tuple[int, int]] = {}
    for trial in trials:
        for sign in trial.signs:
            if sign.kind in PLANTED and sign.name not in CERTAIN and not trial.apart(sign):
                right, of = counts.get(sign.name, (0, 0))
                counts[sign.name] = right + trial.right(sign), of + (ROUNDS - 1 if trial.fault is None else 1)
    return dict(sorted(counts.items()))


@dataclass(frozen=True)
class DoctorAccuracy:
    """The reported trials with the shares of the others, and what is called contradicting in MathQA."""

    trials: Sequence[Trial]
    shares: Shares
    mathqa: Mapping[str, int]
    compared: int

    def markdown(self) -> str:
        """The tables: all, by fault, by kind of finding, by corpus, by sign, and MathQA."""
        head = ["precision at 5 %", "recall", "false rows", "rows apart"]
        corpora = dict.fromkeys(trial.corpus for trial in self.trials)
        at_least = [[f"{least:g}", *self._row(self.trials, least)] for least in BOUNDS]
        by_corpus = [[name, *self._row([one for one in self.trials if one.corpus == name])] for name in corpora]
        faults = [[fault.value, *self._found(fault)] for fault in Fault]
        kinds = [[kind.value, *self._kind(kind)] for kind in FaultKind if kind in PLANTED]
        other = shares_of(self.trials)
        signs = [
            [name, f"{right} of {of}", "{} of {}".format(*other.get(name, (0, 0)))]
            for name, (right, of) in self.shares.items()
        ]
        shown = [[name, str(Proportion(n, self.compared))] for name, n in self.mathqa.items()]
        return "\n".join([
            "## Faults in corpora", "", RULE, "",
            *markdown_table(["probability from", *head], at_least), "",
            *markdown_table(["corpus", *head], [["all", *self._row(self.trials)], *by_corpus]), "",
            *markdown_table(["planted fault", "found as such", "found as anything"], faults), "",
            *markdown_table(["kind of finding", "precision at 5 %", "false rows", "rows apart"], kinds), "",
            *markdown_table(["sign", "right, fitted half", "right, reported half"], signs), "",
            *markdown_table(["MathQA, rows that contradict", f"of {self.compared} compared"], shown), "",
        ])  # fmt: skip

    def _likely(self, trial: Trial, least: float = LEAST) -> list[Sign]:
        return [one for one in trial.signs if one.kind in PLANTED and probability_of(one, self.shares) >= least]

    def _row(self, trials: Sequence[Trial], least: float = LEAST) -> list[str]:
        return self._precision([(trial, self._likely(trial, least)) for trial in trials], with_recall=True)

    def _kind(self, kind: FaultKind) -> list[str]:
        found = [(trial, [one for one in self._likely(trial) if one.kind is kind]) for trial in self.trials]
        return self._precision(found, with_recall=False)

    def _precision(self, trials: Sequence[tuple[Trial, list[Sign]]], *, with_recall: bool) -> list[str]:
        """A planted row counts as right where a finding names its fault, as wrong where there are others only."""
        faulty = [(trial, signs) for trial, signs in trials if trial.fault is not None]
        right = sum(any(map(trial.right, signs)) for trial, signs in faulty)
        wrong = sum(bool(signs) and not any(map(trial.right, signs)) for trial, signs in faulty)
        clean = [(trial, signs) for trial, signs in trials if trial.fault is None and signs]
        apart = sum(all(map(trial.apart, signs)) for trial, signs in clean)
        rows = sum(trial.fault is None for trial, _ in trials)
        false = Proportion(len(clean) - apart, rows - apart)
        hits, misnamed = Proportion(right, len(faulty)), Proportion(wrong, len(faulty))
        precision = interval_text(
            _at_rate(hits.value or 0, misnamed.value or 0, false.value or 0),
            _at_rate(hits.low, misnamed.high, false.high) or 0,
            _at_rate(hits.high, misnamed.low, false.low) or 1,
            right + wrong,
        )
        return [precision, *([str(hits)] if with_recall else []), f"{false.hits} of {false.n}", str(apart)]

    def _found(self, fault: Fault) -> list[str]:
        found = [(trial, self._likely(trial)) for trial in self.trials if trial.fault is fault]
        named = [any(map(trial.right, signs)) for trial, signs in found]
        return [str(Proportion.of(named)), str(Proportion.of(signs for _, signs in found))]


def _at_rate(right: float, wrong: float, false: float) -> float | None:
    """The precision where one row in ROUNDS is faulty; None where nothing is found."""
    found = right + wrong + (ROUNDS - 1) * false
    return right / found if found else None


RULE: Final = (
    "Every row of the corpora is planted once with a fault that its id chooses, and stands once as it is; the figures "
    "are those of corpora of which 5 % of the rows are faulty. Rows whose id has an even digest give the shares that "
    f"probabilities are made of; the others are reported, with findings at {LEAST:g} or above. Right: a finding names "
    "the fault. A finding of another kind on a planted row, and any finding on another row, is false, but for rows "
    "apart: their own formula contradicts their answer, they have the words and numbers of an earlier row, or they "
    f"are one of the {len(READ_BY_HAND)} that were read and are an earlier row in other words. Proofs, questions of "
    "yes or no and options that stand twice are not planted and not counted. Ends of the precision's interval: "
    "Wilson's ends of recall, of misnamed and of false rows, each at its worse and its better."
)


def doctor_accuracy(shared: Path) -> DoctorAccuracy:
    """Plant, fit the shares on one half of the rows, and measure on the other; then look at MathQA's programs."""
    trials = [trial for corpus in corpora_of(shared) for trial in trials_of(corpus)]
    shares = shares_of([trial for trial in trials if trial.fitted])
    problems = read_corpus(f"mathqa:{shared}/mathqa/mathqa_dev_first2000.jsonl").problems
    compared = [one for one in problems if one.equations and golds_of(one)]
    signs = [sign for one in compared for sign in signs_of(one) if sign.kind is FaultKind.CONTRADICTS_EQUATIONS]
    names = [sign.name for sign in signs]
    listed = sum(probability_of(sign, shares) >= LEAST for sign in signs)
    counted = {f"listed at {LEAST:g}": listed, **{name: names.count(name) for name in sorted(set(names))}}
    return DoctorAccuracy([trial for trial in trials if not trial.fitted], shares, counted, len(compared))
