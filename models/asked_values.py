"""Which of the values that a system gives are asked, weighed by learned evidence.

A system may give more than the question asks: both ages where one is asked, or what its answer works out on the way.
Each set of values that may be meant has evidence: how many are asked (``models/counts.py``), and what the answer states
last. A logistic function over it, fitted on systems that hold the gold answer, says which set is likeliest.
"""

from collections.abc import Sequence
from operator import mul
from typing import Final, NamedTuple

import numpy as np

from extractors.equations.identities import as_float
from extractors.equations.thread_equations import AnswerSystem
from extractors.equations.votes import ThreadSystems
from extractors.real_numbers.values import Value, approximate
from models.counts import chance_of
from models.linear import Logistic, Matrix, on_grid

ValuePlaces = tuple[int, ...]
"""Values by their place, ascending."""
_LEAST_CHANCE: Final = 0.02
_MOST_ODDS: Final = 4.0


class SystemValues(NamedTuple):
    """The values that a system gives, with its unknowns: one of each, or the roots of its only one.

    ``set_up`` are the places of the unknowns of the model itself, ``positive`` those of positive values.
    """

    names: tuple[str, ...]
    exact: tuple[Value, ...]
    values: tuple[float, ...]
    set_up: ValuePlaces
    positive: ValuePlaces


class Pool(NamedTuple):
    """The values of a system beside its answer.

    ``closing`` are the places of values that the last sentence of the answer with a number states, ``stated`` all
    places, what the answer states last first.
    """

    held: SystemValues
    closing: ValuePlaces
    stated: ValuePlaces


def values_of(system: AnswerSystem) -> SystemValues:
    """The values of a solved system; of several solutions the first with positive values only, if there is one."""
    names, rows = system.unknowns, system.solutions
    if len(names) == 1:
        exact = tuple([row[0] for row in rows])
        names *= len(exact)
    else:
        exact = next((row for row in rows if all(approximate(value) > 0 for value in row)), rows[0])
    values = tuple([as_float(approximate(value)) for value in exact])
    derived = [text.partition("=")[0] for text in system.equations[system.core :]]
    set_up = tuple([at for at, name in enumerate(names) if name not in derived])
    return SystemValues(names, exact, values, set_up, tuple([at for at, value in enumerate(values) if value > 0]))


def pool_of(thread: ThreadSystems, place: int) -> Pool:
    """The values of a solved system of a thread."""
    system = thread.systems[place]
    held = values_of(system)
    last = [thread.last_place(system.answer, value) for value in held.values]
    places, first = range(len(last)), thread.closing(system.answer)
    closing = tuple([at for at in places if last[at] >= first])
    return Pool(held, closing, tuple(sorted(places, key=lambda at: -last[at])))


def sets_of(pool: Pool) -> list[ValuePlaces]:
    """The sets of values that may be asked: what the answer sets up, derives, closes with or states last, and each."""
    places = tuple(range(len(pool.held.values)))
    if len(places) == 1:
        return [places]
    derived = tuple([at for at in places if at not in pool.held.set_up])
    found = {places, pool.held.set_up, derived, pool.closing, pool.held.positive, places[:2]}
    found |= {tuple(sorted(pool.stated[:count])) for count in (2, 3)} | {(at,) for at in places}
    return sorted(found - {()})


def asked_so_many(chosen: ValuePlaces, _pool: Pool, asked: Sequence[float]) -> float:
    """How likely the question asks for so many values, as a logarithm."""
    return chance_of(asked, len(chosen))


def are_set_up(chosen: ValuePlaces, pool: Pool, _asked: Sequence[float]) -> float:
    """1 for the unknowns of the model itself."""
    return float(chosen == pool.held.set_up)


def are_closing(chosen: ValuePlaces, pool: Pool, _asked: Sequence[float]) -> float:
    """1 for the values that the closing sentence states."""
    return float(chosen == pool.closing)


def are_positive(chosen: ValuePlaces, pool: Pool, _asked: Sequence[float]) -> float:
    """1 for all positive values."""
    return float(chosen == pool.held.positive)


def are_last_two(chosen: ValuePlaces, pool: Pool, _asked: Sequence[float]) -> float:
    """1 for the two values stated last."""
    return float(chosen == tuple(sorted(pool.stated[:2])))


def hold_last(chosen: ValuePlaces, pool: Pool, _asked: Sequence[float]) -> float:
    """1 where the value stated last is among them."""
    return float(pool.stated[0] in chosen)


ASKED_EVIDENCE: Final = (
    (asked_so_many, 1),
    (are_set_up, 1),
    (are_closing, 1),
    (are_positive, 1),
    (are_last_two, 1),
    (hold_last, 1),
)
"""Evidence that a set of values is asked, with its sign."""
ASKED_NAMES: Final = tuple(function.__name__ for function, _ in ASKED_EVIDENCE)
ASKED_SIGNS: Final = tuple(sign for _, sign in ASKED_EVIDENCE)


def count_odds(chances: Sequence[float]) -> list[float]:
    """The logarithms of how likely each number of values is asked for, on the grid."""
    return on_grid(np.log(np.array(chances) + _LEAST_CHANCE)).tolist()  # type: ignore[no-any-return]


def asked_rows(sets: Sequence[ValuePlaces], pool: Pool, chances: Sequence[float]) -> Matrix:
    """A row for each set, a column for each of ASKED_NAMES, on the grid."""
    asked = count_odds(chances)
    return on_grid([[function(one, pool, asked) for function, _ in ASKED_EVIDENCE] for one in sets])


class AskedValues:
    """The likeliest asked values of each system of a thread."""

    def __init__(self, thread: ThreadSystems, chances: Sequence[float], head: Logistic) -> None:
        """``chances`` says how likely each number of values is asked for, ``head`` weighs ASKED_EVIDENCE."""
        self._thread, self._asked = thread, count_odds(chances)
        self._weights, self._intercept = head.weights.tolist(), head.intercept
        self._found: dict[int, tuple[SystemValues, ValuePlaces, float]] = {}

    def _likeliest(self, place: int) -> tuple[SystemValues, ValuePlaces, float]:
        """The values of a system, the likeliest set of them, the first of equals, and its log odds."""
        if place not in self._found:
            pool = pool_of(self._thread, place)
            self._found[place] = (pool.held, *self._choice(pool))
        return self._found[place]

    def _choice(self, pool: Pool) -> tuple[ValuePlaces, float]:
        sets = sets_of(pool)
        scores = [self._score(chosen, pool) for chosen in sets]
        best = scores.index(max(scores))
        return sets[best], scores[best]

    def _score(self, chosen: ValuePlaces, pool: Pool) -> float:
        # sums on the grid are exact in any order
        evidence = [function(chosen, pool, self._asked) for function, _ in ASKED_EVIDENCE]
        return sum(map(mul, evidence, self._weights), self._intercept)

    def odds(self, place: int) -> float:
        """The log odds, between -1 and 1 for -4 to 4, that the likeliest set of a system's values is what is asked."""
        return max(-1.0, min(1.0, self._likeliest(place)[2] / _MOST_ODDS))

    def of(self, place: int) -> tuple[tuple[str, Value], ...]:
        """These values, each with its unknown, in the order in which the answer sets them up."""
        held, chosen, _ = self._likeliest(place)
        return tuple([(held.names[at], held.exact[at]) for at in chosen])
