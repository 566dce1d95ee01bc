"""All candidates that the answers of a thread offer, side by side, and their features as sets (Dolphin18K, Table 1).

Whatever is known of one value in one answer is worked out once, kept by slot (a slot is a value in an answer), and
gathered for all sets of the thread at a time. A feature takes the sets of a thread and returns a number for each set.
"""

from collections.abc import Callable, Container
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from extractors.answers.answer_candidates import OPERAND, Role
from models.analysed_answer import AnalysedAnswer
from models.analysed_question import AnalysedQuestion, as_float

Numbers = NDArray[np.float64]
Marks = NDArray[np.int64]
_ROLES: Final[dict[Role, int]] = {role: 1 << place for place, role in enumerate(Role) if role is not OPERAND}


@dataclass(frozen=True)
class NumberSets:
    """Sets of numbers, each within one answer: ``members[row]`` within ``analysed[answers[row]]``.

    ``members`` are indexes into ``values``, ascending; an index stands twice where a solution holds the value twice.
    """

    question: AnalysedQuestion
    analysed: tuple[AnalysedAnswer, ...]
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
            for answer, view in enumerate(self.analysed)
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
    def floats(self) -> Numbers:
        """The members as rounded floats, not a number where a set has no more."""
        found = [as_float(self.values[value]) for _, value in self.slots]
        return np.array([*found, np.nan])[self.places]

    @cached_property
    def sums(self) -> Numbers:
        """The sum of the members, added from the smallest up."""
        held: Numbers = np.where(np.isnan(self.floats), 0.0, self.floats)
        return np.add.accumulate(held, axis=1)[:, -1]

    def count(self, chosen: Callable[[AnalysedAnswer], Container[int]]) -> Marks:
        """How many members of each set are among the chosen values of its answer."""
        pools = [chosen(view) for view in self.analysed]
        held = np.array([*(value in pools[answer] for answer, value in self.slots), False], dtype=bool)
        found: Marks = held[self.places].sum(axis=1)
        return found

    def roles(self) -> Marks:
        """The roles of the mentions of each slot as bits of a number, operands left out.

        All bits are set one past the last slot, where a set has no more members.
        """
        marks = [0] * (len(self.slots) + 1)
        for view, slots in zip(self.analysed, self.slots_of_mentions, strict=True):
            for slot, mention in zip(slots, view.mentions, strict=True):
                marks[slot] |= _ROLES.get(mention.role, 0)
        marks[-1] = -1
        return np.array(marks, dtype=np.int64)


SetFeature = Callable[[NumberSets], Numbers | list[float]]


def same_role(sets: NumberSets) -> Numbers:
    """1 where all members of a larger set can be read in one role: all assigned, all results or all stated."""
    shared = np.bitwise_and.reduce(sets.roles()[sets.places], axis=1)
    return np.where((shared != 0) & (sets.sizes > 1), 1.0, 0.0)


def breaks_list(sets: NumberSets) -> Numbers:
    """1 where a member is listed beside a number that is left out: 16 and 17 of "15, 16, 17 ft"."""
    beside = [view.neighbours for view in sets.analysed]
    if not any(beside):
        return np.zeros(len(sets.members))
    bits = [{value: 1 << place for place, value in enumerate(view.by_value)} for view in sets.analysed]
    own = np.array([*(bits[answer].get(value, 0) for answer, value in sets.slots), 0], dtype=np.int64)
    near = [sum(bits[answer][other] for other in beside[answer].get(value, ())) for answer, value in sets.slots]
    mine = np.bitwise_or.reduce(own[sets.places], axis=1)
    theirs = np.bitwise_or.reduce(np.array([*near, 0], dtype=np.int64)[sets.places], axis=1)
    return np.where(theirs & ~mine, 1.0, 0.0)


def sum_is_given(sets: NumberSets) -> list[float]:
    """1 where the members of a larger set add up to a number of the question: "31 coins"."""
    given = sets.question.rounded
    pairs = zip(sets.sizes.tolist(), sets.sums.tolist(), strict=True)
    return [float(size > 1 and round(total, 9) in given) for size, total in pairs]


def share_implied(sets: NumberSets) -> Numbers:
    """The share of the members that only the answer's own equations give: they stand nowhere in its text."""
    return (sets.sizes - sets.count(lambda view: view.by_value)) / sets.sizes


def dimension_one(sets: NumberSets) -> Numbers:
    """1 for a single number."""
    return np.where(sets.sizes == 1, 1.0, 0.0)


def dimension_as_asked(sets: NumberSets) -> Numbers:
    """1 for as many numbers as the wording of the question asks for."""
    return np.where(sets.sizes == sets.question.asked_size, 1.0, 0.0)


NUMBER_SET: Final[tuple[SetFeature, ...]] = (same_role, breaks_list, sum_is_given, share_implied)
DIMENSION: Final[tuple[SetFeature, ...]] = (dimension_one, dimension_as_asked)
SET_FEATURES: Final = (*NUMBER_SET, *DIMENSION)
