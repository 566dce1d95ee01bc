"""All candidates that the answers of a thread offer, side by side: what the features of sets are computed on.

Whatever is known of one value in one answer is worked out once, kept by slot (a slot is a value in an answer), and
gathered for all sets of the thread at a time.
"""

from collections.abc import Callable, Container, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from models.annotated_answer import AnswerView
from models.annotated_question import QuestionView, as_float
from models.truth import same_answer, same_value

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
