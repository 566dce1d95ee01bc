"""All candidates that the answers of a thread offer, side by side: what the features of sets are computed on.

Whatever is known of one value in one answer is worked out once, kept by slot (a slot is a value in an answer), and
gathered for all sets of the thread at a time. ``same_answer`` says whether one is the gold answer, in training as in
evaluation.
"""

from collections.abc import Callable, Container, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from extractors.real_numbers.values import approximate
from extractors.solve.solving import solve_texts
from models.annotated_answer import AnswerView
from models.annotated_question import QuestionView, as_float

MAX_DIGITS = 4_300
"""Digits of an integer that Python reads without being told to; no answer is longer."""
TOLERANCE = Fraction(2, 1000)
"""Relative and absolute, as golds are often rounded to three decimals; whole numbers compare exactly."""


def gold_value(text: str) -> Fraction | None:
    """A gold value as an exact rational, an irrational one to 60 bits; None if it is no number.

    >>> gold_value("7/2"), round(float(gold_value("3*sqrt(5)")), 6), gold_value("n*(n-1)")
    (Fraction(7, 2), 6.708204, None)
    """
    try:
        return Fraction(text.strip())
    except (ValueError, ZeroDivisionError):
        pass
    result = solve_texts([f"x={text.replace('**', '^')}"], ["x"])
    if len(result.solutions) != 1 or len(result.solutions[0]) != 1:
        return None
    return approximate(result.solutions[0][0], 60)


def gold_values(texts: Sequence[str]) -> tuple[Fraction, ...] | None:
    """All values of a gold answer, or None if one of them is no number."""
    values = [gold_value(text) for text in texts]
    return None if not values or any(value is None for value in values) else tuple(v for v in values if v is not None)


def read_solutions(solutions: Sequence[Sequence[str]]) -> tuple[tuple[Fraction, ...], ...]:
    """Solutions as exact values, without those that hold a number of more than MAX_DIGITS digits ("x = 10^4999").

    >>> read_solutions([["7/2", "1.5"], ["9" * 5_000]])
    ((Fraction(7, 2), Fraction(3, 2)),)
    """
    return tuple(tuple(map(Fraction, row)) for row in solutions if all(map(_is_short, row)))


def _is_short(text: str) -> bool:
    return all(len(part.lstrip("-")) <= MAX_DIGITS for part in text.split("/"))


def same_value(left: Fraction, right: Fraction) -> bool:
    """Whether two values are equal within the tolerance; two whole numbers only if they are the same.

    >>> same_value(Fraction("33.333"), Fraction(100, 3)), same_value(Fraction(1000), Fraction(1001))
    (True, False)
    """
    (top, bottom), (other_top, other_bottom) = left.as_integer_ratio(), right.as_integer_ratio()
    if bottom == other_bottom == 1:
        return top == other_top
    a, b = top * other_bottom, other_top * bottom
    return abs(a - b) * TOLERANCE.denominator <= TOLERANCE.numerator * max(abs(a), abs(b))


def same_answer(found: Sequence[Fraction], gold: Sequence[Fraction]) -> bool:
    """Whether two answers hold the same values, in any order."""
    if len(found) != len(gold):
        return False
    rest = list(gold)
    for value in found:
        match = next((other for other in rest if same_value(value, other)), None)
        if match is None:
            return False
        rest.remove(match)
    return not rest


Numbers = NDArray[np.float64]
Marks = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class NumberSets:
    """Sets of numbers, each within one answer: ``members[row]`` within ``views[answers[row]]``.

    ``members`` are indexes into ``values``, ascending; an index stands twice where a solution holds the value twice.
    """

    question: QuestionView
    views: tuple[AnswerView, ...]
    values: tuple[Fraction, ...]
    answers: tuple[int, ...]
    members: tuple[tuple[int, ...], ...]

    @cached_property
    def slots(self) -> dict[tuple[int, int], int]:
        """A number for each value (answer, index) that is a member of some set, in order of appearance."""
        slots: dict[tuple[int, int], int] = {}
        for answer, members in zip(self.answers, self.members, strict=True):
            for value in members:
                slots.setdefault((answer, value), len(slots))
        return slots

    @cached_property
    def slots_of_mentions(self) -> tuple[list[int], ...]:
        """For each answer the slot of each mention; one past the last slot for values that are in no set."""
        slots, none = self.slots, len(self.slots)
        return tuple(
            [slots.get((answer, mention.value), none) for mention in view.mentions]
            for answer, view in enumerate(self.views)
        )

    @cached_property
    def places(self) -> Marks:
        """The slots of each set, a row a set; one past the last slot where a set has no more members."""
        slots = self.slots
        pairs = zip(self.answers, self.members, strict=True)
        flat = [slots[answer, value] for answer, members in pairs for value in members]
        places = np.full((len(self.members), int(self.sizes.max(initial=1))), len(slots), dtype=np.int64)
        places[np.arange(places.shape[1]) < self.sizes[:, None]] = flat
        return places

    @cached_property
    def sizes(self) -> Marks:
        """How many members each set has."""
        return np.array([len(members) for members in self.members], dtype=np.int64)

    @cached_property
    def owners(self) -> Marks:
        """The answer of each set."""
        return np.array(self.answers, dtype=np.int64)

    @cached_property
    def floats(self) -> Numbers:
        """The members as rounded floats, not a number where a set has no more."""
        found = [as_float(self.values[value]) for _, value in self.slots]
        return np.array([*found, np.nan])[self.places]

    @cached_property
    def sums(self) -> Numbers:
        """The sum of the members, added from the smallest up."""
        held: Numbers = np.where(np.isnan(self.floats), 0.0, self.floats)
        return np.add.accumulate(held, axis=1)[:, -1]

    @cached_property
    def pairs(self) -> tuple[Numbers, Numbers]:
        """The two members of every pair within a set, a row a set; not a number where there is none."""
        sides = list(combinations(range(self.floats.shape[1]), 2))
        return self.floats[:, [left for left, _ in sides]], self.floats[:, [right for _, right in sides]]

    def each(self, known: Callable[[AnswerView], float]) -> Numbers:
        """What is known of the answer of each set."""
        return np.array([known(view) for view in self.views], dtype=np.float64)[self.owners]

    def count(self, chosen: Callable[[AnswerView], Container[int]]) -> Marks:
        """How many members of each set are among the chosen values of its answer."""
        pools = [chosen(view) for view in self.views]
        held = np.array([*(value in pools[answer] for answer, value in self.slots), False], dtype=bool)
        found: Marks = held[self.places].sum(axis=1)
        return found

    def marks(self, found_at: Callable[[AnswerView], Sequence[Hashable]]) -> list[int]:
        """The places (lines, sentences, roles) at which the mentions of each slot stand, as bits of a number.

        ``found_at`` gives the place of each mention, None for one that does not count. An answer has at most 60
        mentions, so 60 bits are enough. All bits are set one past the last slot, where a set has no more members.
        """
        marks = [0] * (len(self.slots) + 1)
        for view, slots in zip(self.views, self.slots_of_mentions, strict=True):
            bits: dict[Hashable, int] = {None: 0}
            for slot, place in zip(slots, found_at(view), strict=True):
                marks[slot] |= bits.setdefault(place, 1 << len(bits) - 1)
        marks[-1] = -1
        return marks

    @cached_property
    def solved(self) -> tuple[tuple[frozenset[int], ...], ...]:
        """For each answer, and each solution of its own equations: the values of the answer that stand in it."""
        mine: list[list[int]] = [[] for _ in self.views]
        for answer, value in self.slots:
            mine[answer].append(value)
        return tuple(
            tuple(
                frozenset(index for index in found if any(same_value(self.values[index], other) for other in solution))
                for solution in view.solutions
            )
            for view, found in zip(self.views, mine, strict=True)
        )

    @cached_property
    def own_solution(self) -> Flags:
        """Whether each set is a solution of the own equations of its answer."""
        found = self.own_share == 1
        for row in np.flatnonzero(found).tolist():
            found[row] = self._is_solution(self.answers[row], self.members[row])
        return np.asarray(found, dtype=bool)

    def _is_solution(self, answer: int, members: Sequence[int]) -> bool:
        return any(
            len(members) == len(solution)
            and held.issuperset(members)
            and same_answer([self.values[index] for index in members], solution)
            for solution, held in zip(self.views[answer].solutions, self.solved[answer], strict=True)
        )

    @cached_property
    def own_share(self) -> Numbers:
        """The share of the members in the best fitting solution of the own equations of the answer."""
        best = np.zeros(len(self.members))
        for turn in range(max(map(len, self.solved), default=0)):
            pools = [held[turn] if turn < len(held) else frozenset[int]() for held in self.solved]
            held = np.array([*(value in pools[answer] for answer, value in self.slots), False], dtype=bool)
            best = np.maximum(best, held[self.places].sum(axis=1))
        return best / self.sizes


def are_given(found: Numbers, given: frozenset[float]) -> Flags:
    """Which numbers, rounded to nine decimals, are among ``given``.

    >>> are_given(np.array([0.1 + 0.2, 0.30001, np.nan]), frozenset({0.3})).tolist()
    [True, False, False]
    """
    known = np.array([*sorted(given), np.nan])
    near = known[known[:-1].searchsorted(found - 1e-8)] <= found + 1e-8
    for place in zip(*np.nonzero(near), strict=True):
        near[place] = round(float(found[place]), 9) in given
    return near
