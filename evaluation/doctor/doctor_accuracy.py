"""How well planted faults are found: each row of four corpora is planted once, as in twenty rounds of 5 %.

A planted fault is a pure function of a problem and a seeded chooser.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Final

from corpus.benchmarks.gold_problems import Corpus, GoldProblem, alternatives
from corpus.benchmarks.reading import read_corpus
from corpus.benchmarks.single_answers import read_gsm8k
from evaluation.doctor.examination import CERTAIN, LEAST, ROUNDS, SAME, Shares, probability_of, repeated_in
from evaluation.doctor.signs import FaultKind, Sign, signs_of
from evaluation.doctor.solution_check import golds_of
from evaluation.metrics.proportions import Proportion, interval_text
from evaluation.metrics.reading_report import read_lines
from evaluation.table_text import markdown_table
from extractors.quantities.numbers import find_numbers
from extractors.real_numbers.values import format_value


class Fault(StrEnum):
    """What is planted."""

    DIGIT = "answer: a digit changed"
    OPERAND = "answer: another number of the solution"
    INTERMEDIATE = "answer: an intermediate result"
    OPTION = "answer: another option keyed"
    SIGN = "answer: the other sign"
    FACTOR = "answer: off by a factor"
    SWAPPED = "answer of another row"
    SENTINEL = "a placeholder for the answer"
    UNREADABLE = "an answer that cannot be read"
    DUPLICATE = "another row with light edits"
    NUMBERLESS = "question without its numbers"
    JOINED = "two problems in one row"
    STATED = "answer put into the question"


_WRONG: Final = frozenset((FaultKind.CONTRADICTS_EQUATIONS, FaultKind.CONTRADICTS_SOLUTION))
FOUND_BY: Final[Mapping[Fault, frozenset[FaultKind]]] = {
    **dict.fromkeys(Fault, _WRONG),
    Fault.SENTINEL: frozenset((FaultKind.SENTINEL,)),
    Fault.UNREADABLE: frozenset((FaultKind.UNREADABLE_ANSWER,)),
    Fault.DUPLICATE: frozenset((FaultKind.DUPLICATE,)),
    Fault.NUMBERLESS: frozenset((FaultKind.NO_NUMBERS,)),
    Fault.JOINED: frozenset((FaultKind.SEVERAL_PROBLEMS,)),
    Fault.STATED: frozenset((FaultKind.ANSWER_IN_QUESTION,)),
}
"""The kinds of findings that name a planted fault."""
_PLACEHOLDERS: Final = ("notfound", "proof", "-", "N/A", "nan", "None", "unknown", "?")
_GARBLED: Final = (
    "see the solution above",
    "#REF!",
    "{0}??{0}",
    "it depends",
    "1.2.3.4",
    "about {0}ish or so",
    "x<{0}",
)
_STATEMENTS: Final = (
    "The answer is {}.",
    "(Answer: {})",
    "It turned out to be {}.",
    "{} is correct.",
    "Hint: the result should be {}.",
    "I already know that it is {}.",
)
_FACTORS: Final = (Fraction(2), Fraction(10), Fraction(100), Fraction(1, 10), Fraction(1, 2))
_LIGHT: Final = (
    (re.compile(r"\bHow many\b", re.I), "What is the number of"),
    (re.compile(r"\b(?:the|a|an) ", re.I), ""),
    (re.compile(r"(?<=[a-z]), "), " "),
    (re.compile(r"\. (?=[A-Z])"), ". Then "),
    (re.compile(r"\bif\b", re.I), "suppose that"),
    (re.compile(r"\b(?:has|had)\b"), "owns"),
)
Chooser = random.Random
Planter = Callable[[GoldProblem, GoldProblem, Chooser], GoldProblem | None]
"""Takes a problem, one that stands before it in its corpus, and a chooser; None where the fault does not fit."""


def planted(problem: GoldProblem, other: GoldProblem) -> tuple[Fault, GoldProblem] | None:
    """The problem with one fault that its id chooses, the next one that fits; None where none does."""
    chooser = random.Random(f"{problem.problem_id}/fault")  # noqa: S311 - reproducible, not secret
    for fault in chooser.sample(list(Fault), len(Fault)):
        made = _PLANTERS[fault](problem, other, chooser)
        if made is not None and made != problem:
            return fault, made
    return None


def _answered(problem: GoldProblem, value: Fraction | None) -> GoldProblem | None:
    """The problem with another value as the first one of its answer; None where it is none or the same."""
    golds = golds_of(problem)
    if value is None or not golds or value in golds[0]:
        return None
    said = "; ".join(map(format_value, (value, *golds[0][1:])))
    return _with_answer(problem, said)


def _with_answer(problem: GoldProblem, said: str) -> GoldProblem:
    options = list(problem.options)
    if problem.correct is not None:
        options[problem.correct] = said
    return problem.model_copy(update={"answer": said, "gold": alternatives(said), "options": tuple(options)})


def _first(problem: GoldProblem) -> Fraction | None:
    return next((gold[0] for gold in golds_of(problem)), None)


def _digit(problem: GoldProblem, _other: GoldProblem, chooser: Chooser) -> GoldProblem | None:
    value = _first(problem)
    digits = format_value(value) if value is not None else ""
    places = [place for place, sign in enumerate(digits) if sign.isdigit()]
    if not places:
        return None
    place = chooser.choice(places)
    changed = digits[:place] + chooser.choice("123456789".replace(digits[place], "")) + digits[place + 1 :]
    return _answered(problem, Fraction(changed))


def _of_solution(problem: GoldProblem, chooser: Chooser, *, results: bool) -> GoldProblem | None:
    """Another number of the solution as the answer: one that stands behind an equals sign, or one that does not."""
    text = problem.rationale or problem.formula or " ; ".join(problem.equations)
    golds = {value for gold in golds_of(problem) for value in gold}
    numbers = [
        one.value
        for one in find_numbers(text)
        if one.value not in golds and (text[: one.start].rstrip(" $").endswith("=") is results)
    ]
    return _answered(problem, chooser.choice(numbers)) if numbers else None


def _option(problem: GoldProblem, _other: GoldProblem, chooser: Chooser) -> GoldProblem | None:
    places = [place for place in range(len(problem.options)) if place != problem.correct]
    if not places:
        return None
    place = chooser.choice(places)
    said = problem.options[place]
    return problem.model_copy(update={"correct": place, "answer": said, "gold": alternatives(said)})


def _sign(problem: GoldProblem, _other: GoldProblem, _chooser: Chooser) -> GoldProblem | None:
    value = _first(problem)
    return None if value is None else _answered(problem, -value)


def _factor(problem: GoldProblem, _other: GoldProblem, chooser: Chooser) -> GoldProblem | None:
    value = _first(problem)
    return None if value is None else _answered(problem, value * chooser.choice(_FACTORS))


def _swapped(problem: GoldProblem, other: GoldProblem, _chooser: Chooser) -> GoldProblem | None:
    if not problem.gold or not other.gold or other.gold == problem.gold:
        return None
    return _with_answer(problem, other.answer or "; ".join(other.gold[0]))


def _placeholder(problem: GoldProblem, _other: GoldProblem, chooser: Chooser) -> GoldProblem | None:
    return _with_answer(problem, chooser.choice(_PLACEHOLDERS))


def _unreadable(problem: GoldProblem, _other: GoldProblem, chooser: Chooser) -> GoldProblem | None:
    made = _with_answer(problem, chooser.choice(_GARBLED).format(problem.answer))
    return None if made.gold else made


def _duplicate(problem: GoldProblem, other: GoldProblem, chooser: Chooser) -> GoldProblem | None:
    text = other.question
    for form, put in chooser.sample(_LIGHT, 2):
        text = form.sub(put, text, count=1)
    kept = {"problem_id": problem.problem_id, "native_id": problem.native_id, "question": text}
    return other.model_copy(update=kept) if problem is not other and text != other.question else None


def _numberless(problem: GoldProblem, _other: GoldProblem, _chooser: Chooser) -> GoldProblem | None:
    text = problem.question
    for one in reversed(find_numbers(text)):
        text = text[: one.start] + "some" + text[one.end :]
    return problem.model_copy(update={"question": re.sub(r"\d+", "some", text)})


def _joined(problem: GoldProblem, other: GoldProblem, _chooser: Chooser) -> GoldProblem | None:
    return None if problem is other else problem.model_copy(update={"question": f"{problem.question} {other.question}"})


def _stated(problem: GoldProblem, _other: GoldProblem, chooser: Chooser) -> GoldProblem | None:
    if not problem.gold:
        return None
    said = chooser.choice(_STATEMENTS).format(" and ".join(problem.gold[0]))
    return problem.model_copy(update={"question": f"{problem.question} {said}"})


_PLANTERS: Final[Mapping[Fault, Planter]] = {
    Fault.DIGIT: _digit,
    Fault.OPERAND: lambda problem, _, chooser: _of_solution(problem, chooser, results=False),
    Fault.INTERMEDIATE: lambda problem, _, chooser: _of_solution(problem, chooser, results=True),
    Fault.OPTION: _option,
    Fault.SIGN: _sign,
    Fault.FACTOR: _factor,
    Fault.SWAPPED: _swapped,
    Fault.SENTINEL: _placeholder,
    Fault.UNREADABLE: _unreadable,
    Fault.DUPLICATE: _duplicate,
    Fault.NUMBERLESS: _numberless,
    Fault.JOINED: _joined,
    Fault.STATED: _stated,
}


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
        read_gsm8k(
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
