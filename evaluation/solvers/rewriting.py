"""Templates and derivations written differently but meaning the same, and derivations that mean another number.

They measure equivalence in ``quality derivations`` and ``quality templates``: slots and unknowns renamed,
equations and sides exchanged, rows scaled and added, tokens exchanged for others of the same value.
"""

import random
import re
from collections.abc import Mapping, Sequence

from corpus.benchmarks.gold_problems import GoldProblem
from curation.reconciliation import is_slot, slots_of
from evaluation.solvers.predictions import Prediction
from evaluation.solvers.sim import Span
from extractors.quantities.numbers import find_numbers

_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*+(?! *\()")


def names_of_template(template: Sequence[str]) -> tuple[str, ...]:
    """All names of a template, in order of appearance."""
    return tuple(dict.fromkeys(name for text in template for name in _NAME.findall(text)))


def renamed(template: Sequence[str], chooser: random.Random) -> tuple[tuple[str, ...], dict[str, str]]:
    """The template with its slots and its unknowns permuted among themselves, and the new name of each."""
    names = names_of_template(template)
    given: dict[str, str] = {}
    for kind in (True, False):
        old = [name for name in names if is_slot(name) is kind]
        given |= dict(zip(old, chooser.sample(old, len(old)), strict=True))
    return tuple(_NAME.sub(lambda match: given[match[0]], text) for text in template), given


def reordered(template: Sequence[str], chooser: random.Random) -> tuple[str, ...]:
    """The equations in another order, sides exchanged."""
    swapped = [" = ".join(reversed(text.split(" = "))) for text in template]
    return tuple(chooser.sample(swapped, len(swapped)))


def rescaled(template: Sequence[str], chooser: random.Random) -> tuple[str, ...]:
    """Every equation times a number."""
    factors = [chooser.choice(["2", "3", "(-1)", "0.25", "7"]) for _ in template]
    return tuple(
        f"{k} * ({left}) = {k} * ({right})" for k, (left, right) in zip(factors, _sides(template), strict=True)
    )


def row_added(template: Sequence[str], chooser: random.Random) -> tuple[str, ...]:
    """A multiple of the first equation added to every other one; a single equation stays."""
    sides = _sides(template)
    factor = chooser.choice(["2", "(-3)", "0.5"])
    head = [f"{sides[0][0]} = {sides[0][1]}"]
    return tuple(
        head
        + [f"{left} + {factor} * ({sides[0][0]}) = {right} + {factor} * ({sides[0][1]})" for left, right in sides[1:]]
    )


def _sides(template: Sequence[str]) -> list[tuple[str, str]]:
    pairs = [text.split("=") for text in template]
    return [(pair[0].strip(), pair[1].strip()) for pair in pairs]


def prediction_of(
    problem: GoldProblem, template: Sequence[str], names: Mapping[str, str], moved: Mapping[Span, Span]
) -> Prediction:
    """A prediction with this template: gold slots under new names, and some textual numbers exchanged for others."""
    spans = {one.slot: moved.get((one.start, one.end), (one.start, one.end)) for one in problem.alignment}
    alignment = {names.get(slot, slot): ("span", *span) for slot, span in spans.items()}
    return Prediction(problem.problem_id, tuple(template), alignment, None, None, None)


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
