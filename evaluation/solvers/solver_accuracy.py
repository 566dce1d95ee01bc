"""Three accuracies of a solver against a corpus of gold problems (Upadhyay and Chang, Annotating Derivations, 2017).

Derivation accuracy: the predicted template and its alignment are equivalent to the gold ones, where textual numbers
that restate one quantity (EquivTNum) count as one. Equation accuracy: the equations are equivalent with numbers known
by their values only, so that it does not matter which of two equal numbers of the text was meant. Solution accuracy:
relaxed, every gold value is among the predicted ones (Dolphin18K, section 3.3); strict, there are no others.

A solver is right only where it says so: a missing or malformed prediction is wrong in every measure.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

from corpus.benchmarks.derivations import token_places
from corpus.benchmarks.gold_problems import Corpus, GoldProblem
from corpus.errors import InputError
from curation.equivalence.reconciliation import classify_template, slots_of
from evaluation.gold_corpora.gold_labels import ROUNDED, TOLERANCE
from evaluation.metrics.proportions import Proportion
from evaluation.metrics.value_matching import close, within
from evaluation.solvers.derivation_equivalence import Derivation, equivalent_derivations
from evaluation.solvers.predictions import NumberPlace, Prediction, Predictions
from extractors.extraction_errors import ExtractionError
from extractors.quantities.numbers import Number, find_numbers
from extractors.real_numbers.values import approximate, parse_value
from extractors.solve.equation_systems import parse_system
from extractors.solve.solving import solve
from extractors.templates.induction import induce

AccuracyMeasure = Literal["derivation", "equation", "solution, relaxed", "solution, strict"]
MEASURES: tuple[AccuracyMeasure, ...] = ("derivation", "equation", "solution, relaxed", "solution, strict")
RIGHT, _NOTHING = "", "no prediction"

_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*+(?! *\()")


@dataclass(frozen=True)
class JudgedProblem:
    """One gold problem: for each measure that its gold labels allow, why the prediction is wrong, or RIGHT."""

    problem: GoldProblem
    prediction: Prediction | None
    verdicts: Mapping[AccuracyMeasure, str]

    @property
    def right(self) -> bool:
        """Whether there is no disagreement in any measure."""
        return not any(self.verdicts.values())

    def as_dict(self) -> dict[str, Any]:
        """A disagreement as plain data, with what was predicted and what is gold."""
        given = self.prediction
        return {
            "id": self.problem.problem_id,
            "wrong": {measure: reason for measure, reason in self.verdicts.items() if reason},
            "question": self.problem.question,
            "predicted": given and {
                "template": given.template,
                "alignment": [[slot, *place] for slot, place in sorted(given.alignment.items())],
                "equations": given.equations,
                "solutions": given.solutions and [str(value) for value in given.solutions],
            },
            "gold": {
                "template": self.problem.template,
                "alignment": [one.model_dump() for one in self.problem.alignment],
                "equations": self.problem.equations,
                "solutions": self.problem.gold,
            },
        }  # fmt: skip


@dataclass(frozen=True)
class Accuracy:
    """The accuracies of a predictions file; ``unknown`` are predicted ids that the corpus does not have."""

    corpus: str
    judged: tuple[JudgedProblem, ...]
    predictions: int
    unknown: tuple[str, ...]
    refused: tuple[str, ...]

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """Gold problems without a prediction."""
        return tuple(one.problem.problem_id for one in self.judged if one.prediction is None)

    @cached_property
    def unaligned(self) -> tuple[str, ...]:
        """Gold problems with an alignment that says too little or contradicts itself: no derivation is judged."""
        found = [one for one in self.judged if one.problem.alignment and "derivation" not in one.verdicts]
        return tuple(one.problem.problem_id for one in found)

    def share(self, measure: AccuracyMeasure) -> Proportion:
        """One accuracy, over the gold problems that have what it compares with."""
        verdicts = [one.verdicts[measure] for one in self.judged if measure in one.verdicts]
        return Proportion(verdicts.count(RIGHT), len(verdicts))

    @property
    def disagreements(self) -> tuple[JudgedProblem, ...]:
        """The problems that are wrong in some measure."""
        return tuple(one for one in self.judged if not one.right)

    def as_dict(self) -> dict[str, Any]:
        """Plain data: accuracies with n and interval, and every id and line that was not judged."""
        return {
            "corpus": self.corpus,
            "problems": len(self.judged),
            "predictions": self.predictions,
            "accuracy": {measure: self.share(measure).as_dict() for measure in MEASURES},
            "disagreements": len(self.disagreements),
            "missing": list(self.missing),
            "unknown_ids": list(self.unknown),
            "unaligned_gold": list(self.unaligned),
            "refused_lines": list(self.refused),
        }

    def text(self) -> str:
        """Plain lines."""
        counts = (
            f"{self.corpus}: {len(self.judged)} problems, {self.predictions} predictions, {len(self.missing)} missing, "
            f"{len(self.unknown)} for no problem of the corpus, {len(self.refused)} lines refused"
        )
        if self.unaligned:
            counts += f", {len(self.unaligned)} gold alignments that contradict themselves or leave slots out"
        return "\n".join([counts, *(f"{measure} accuracy: {self.share(measure)}" for measure in MEASURES)])


def solver_accuracy(corpus: Corpus, predictions: Predictions) -> Accuracy:
    """Judge predictions against a corpus; a prediction by native id holds for every problem that has it.

    Of two predictions for a problem, by its id and by its native id, that by its id counts; one that so counts for no
    problem is refused by name.
    """
    names = {name for problem in corpus.problems for name in (problem.problem_id, problem.native_id)}
    given = predictions.by_id
    chosen = [one.problem_id if one.problem_id in given else one.native_id for one in corpus.problems]
    judged = [judge_prediction(one, given.get(name)) for one, name in zip(corpus.problems, chosen, strict=True)]
    unknown = tuple(sorted(set(given) - names))
    twice = sorted(set(given) & names - set(chosen))
    refused = [f"a second prediction by the native id {name}; the one by the problem's own id counts" for name in twice]
    return Accuracy(corpus.name, tuple(judged), len(given), unknown, (*predictions.refused, *refused))


def judge_prediction(problem: GoldProblem, prediction: Prediction | None) -> JudgedProblem:
    """The verdicts on one prediction, for the measures that the gold labels of the problem allow."""
    gold = _Claim.of_gold(problem)
    side = None if prediction is None else _Claim.of_prediction(prediction, problem)
    verdicts: dict[AccuracyMeasure, str] = {}
    if problem.template and problem.question and _is_aligned(problem):
        verdicts["derivation"] = _derivation_verdict(problem, gold, side) if side else _NOTHING
    if gold.equations and problem.question:
        verdicts["equation"] = _equation_verdict(problem.question, gold, side) if side else _NOTHING
    if problem.gold:
        verdicts |= _solution_verdicts(problem, side) if side else dict.fromkeys(MEASURES[2:], _NOTHING)
    return JudgedProblem(problem, prediction, verdicts)


def is_solved(problem: GoldProblem, prediction: Prediction | None) -> bool:
    """Whether every gold value is among the predicted ones."""
    if prediction is None:
        return False
    return _solution_verdicts(problem, _Claim.of_prediction(prediction, problem))["solution, relaxed"] == RIGHT


def _is_aligned(problem: GoldProblem) -> bool:
    """Whether each slot of the template, and nothing else, is aligned to one number."""
    return sorted(one.slot for one in problem.alignment) == sorted(slots_of(problem.template))


def derivation_verdict(problem: GoldProblem, prediction: Prediction) -> str:
    """Why the predicted derivation of a problem is wrong, or RIGHT."""
    return _derivation_verdict(problem, _Claim.of_gold(problem), _Claim.of_prediction(prediction, problem))


@dataclass(frozen=True)
class _Claim:
    """What gold or a solver says of a problem, in common terms; ``error`` says why there is no derivation."""

    derivation: Derivation
    error: str
    equations: tuple[str, ...]
    unknowns: tuple[str, ...] | None
    solutions: tuple[Fraction, ...] | None = None

    @classmethod
    def of_gold(cls, problem: GoldProblem) -> "_Claim":
        tokens = _Tokens.of(problem)
        alignment = {one.slot: tokens.name_of(one.start, one.end) for one in problem.alignment}
        values = {one.slot: one.value for one in problem.alignment}
        equations = problem.equations or filled(problem.template, values)
        return cls(Derivation(problem.template, alignment), "", equations, problem.unknowns or None)

    @classmethod
    def of_prediction(cls, prediction: Prediction, problem: GoldProblem) -> "_Claim":
        tokens, template = _Tokens.of(problem), prediction.template or ()
        spans = {slot: tokens.span_of(place) for slot, place in prediction.alignment.items()}
        found = {slot: span for slot, span in spans.items() if span is not None}
        error = tokens.unclear(found)
        if len(found) < len(spans):
            error = f"slot {min(set(spans) - set(found))[:20]} is aligned outside of the question"
        if prediction.template is None:
            error = "no template was predicted"
        derivation = Derivation(template, {slot: tokens.name_of(*span) for slot, span in found.items()})
        values = {slot: value for slot, span in found.items() if (value := tokens.value_at(*span))}
        equations = filled(template, values) if prediction.equations is None else prediction.equations
        return cls(derivation, error, equations, prediction.unknowns, prediction.solutions)


def filled(template: Sequence[str], values: Mapping[str, str]) -> tuple[str, ...]:
    """The equations of a template with the values of its slots; nothing if a slot has no value.

    >>> filled(["a * m + n = 2"], {"a": "1/2"})
    ('(1/2) * m + n = 2',)
    """
    slots = slots_of(template)
    if not set(slots) <= set(values):
        return ()
    return tuple(_NAME.sub(lambda m: f"({values[m[0]]})" if m[0] in slots else m[0], text) for text in template)


@dataclass(frozen=True)
class _Tokens:
    """The textual numbers of a question: those that gold names first, then those that are found in the text."""

    question: str
    known: tuple[tuple[int, int], ...]
    numbers: tuple[Number, ...]

    @classmethod
    def of(cls, problem: GoldProblem) -> "_Tokens":
        numbers = tuple(find_numbers(problem.question))
        known = [(one.start, one.end) for one in problem.alignment]
        known += [(one.start, one.end) for group in problem.equivalent_numbers for one in group]
        known += [(number.start, number.end) for number in numbers]
        return cls(problem.question, tuple(known), numbers)

    def span_of(self, place: NumberPlace) -> tuple[int, int] | None:
        """The characters of a predicted place; None outside of the question."""
        kind, first, second = place
        if kind == "token":
            return token_places(self.question).get((first, second))
        return (first, second) if 0 <= first < second <= len(self.question) else None

    def name_of(self, start: int, end: int) -> list[int]:
        """One name for all spans that touch the same textual number."""
        touched = (span for span in self.known if span[0] < end and start < span[1])
        return list(next(touched, (start, end)))

    def unclear(self, places: Mapping[str, tuple[int, int]]) -> str:
        """What is wrong with an alignment in which a slot's place holds several numbers, none of which is all of it."""
        for slot, (start, end) in sorted(places.items()):
            touched = [span for span in self.known if span[0] < end and start < span[1]]
            first, last = min((span[1] for span in touched), default=end), max((span[0] for span in touched), default=0)
            if first <= last and not any(span[0] <= start and end <= span[1] for span in touched):
                return f"slot {slot[:20]} is aligned to several numbers"
        return ""

    def value_at(self, start: int, end: int) -> str | None:
        """The value of the number there."""
        touched = (str(number.value) for number in self.numbers if number.start < end and start < number.end)
        return next(touched, None)


def _derivation_verdict(problem: GoldProblem, gold: _Claim, side: _Claim) -> str:
    if side.error:
        return side.error
    tokens = _Tokens.of(problem)
    groups = [[tokens.name_of(one.start, one.end) for one in group] for group in problem.equivalent_numbers]
    try:
        equal, reason = equivalent_derivations(side.derivation, gold.derivation, groups)
    except (InputError, ExtractionError) as error:
        return str(error)
    return RIGHT if equal else reason


def _equation_verdict(question: str, gold: _Claim, side: _Claim) -> str:
    if not side.equations:
        return "no equations were predicted, and no template with a number for each slot"
    keys = []
    for what, claim in (("equations", side), ("gold equations", gold)):
        try:
            keys.append(equation_key(question, claim.equations, claim.unknowns))
        except ExtractionError as error:
            return f"the {what} cannot be read: {error}"
    return RIGHT if keys[0] == keys[1] else "the equations are not equivalent"


def equation_key(question: str, equations: Sequence[str], unknowns: Sequence[str] | None = None) -> str:
    """A key that is equal for equivalent equations over the numbers of a question, known by their values.

    Numbers that stand in the question are slots that only their value names; others are exact constants. Raises
    ExtractionError for equations that cannot be read.

    >>> text = "6 % of a sum is 12 ."
    >>> equation_key(text, ["0.06 * x = 12"]) == equation_key(text, ["6 * 0.01 * y - 12 = 0"])
    True
    """
    by_value: dict[Fraction, Number] = {}
    for number in sorted(find_numbers(question), key=lambda number: number.kind != "percent" and number.unit != "cent"):
        by_value.setdefault(number.value, number)
    found = induce(question, list(by_value.values()), equations, unknowns)
    return classify_template(found.template, colours={one.slot: str(one.value) for one in found.alignment}).template_id


def _solution_verdicts(problem: GoldProblem, side: _Claim) -> dict[AccuracyMeasure, str]:
    solutions, why = _solutions(side)
    if not solutions:
        return dict.fromkeys(MEASURES[2:], why)
    tolerance = ROUNDED.get(problem.origin, TOLERANCE)
    golds = [[approximate(parse_value(value)) for value in values] for values in problem.gold]
    relaxed = any(within(gold, solution, tolerance) for gold in golds for solution in solutions)
    strict = any(_same_values(gold, solution, tolerance) for gold in golds for solution in solutions)
    wrong = f"other values: {', '.join(f'{float(value):.6g}' for value in solutions[0][:8])}"
    return {MEASURES[2]: RIGHT if relaxed else wrong, MEASURES[3]: RIGHT if strict else wrong}


def _solutions(side: _Claim) -> tuple[Sequence[Sequence[Fraction]], str]:
    """The solutions predicted, else those of the equations predicted; or why there are none."""
    if side.solutions is not None:
        return [side.solutions] if side.solutions else [], "no values were predicted"
    if not side.equations:
        return [], "no solutions were predicted, and no equations to solve"
    try:
        result = solve(parse_system(side.equations, side.unknowns))
    except ExtractionError as error:
        return [], f"the equations cannot be read: {error}"
    found = [[approximate(value) for value in solution] for solution in result.solutions]
    return found, f"the equations have no solution: {result.status}"


def _same_values(gold: Sequence[Fraction], solution: Sequence[Fraction], tolerance: Fraction) -> bool:
    """Whether the values are the same, each as often."""
    pairs = zip(sorted(solution), sorted(gold), strict=False)
    return len(gold) == len(solution) and all(close(value, wanted, tolerance) for value, wanted in pairs)
