"""Which of the values that a system gives are asked, weighed by learned evidence.

A system may give more than the question asks: both ages where one is asked, or what its answer works out on the way.
Each set of values that may be meant has evidence: how many are asked (``models/counts.py``), and what the answer states
last. A logistic function over it, fitted on systems that hold the gold answer, says which set is likeliest.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from extractors.equations.identities import are_near, as_float
from extractors.equations.votes import TOLERANCE, ThreadSystems
from extractors.real_numbers.values import Value, approximate
from models.counts import chance_of
from models.exact import Matrix, log, on_grid
from models.logistic import Logistic

Places = tuple[int, ...]
"""Values by their place, ascending."""
_LEAST_CHANCE: Final = 0.02
_MOST_ODDS: Final = 4.0


@dataclass(frozen=True)
class Pool:
    """The values that a system gives, with its unknowns: one of each, or the roots of its only one.

    ``set_up`` are the places of the unknowns of the model itself, ``closing`` those of values that the last sentence of
    the answer with a number states, ``stated`` all places, what the answer states last first.
    """

    names: tuple[str, ...]
    exact: tuple[Value, ...]
    values: tuple[float, ...]
    set_up: Places
    closing: Places
    stated: Places


def pool_of(thread: ThreadSystems, place: int) -> Pool:
    """The values of a solved system; of several solutions the first with positive values only, if there is one."""
    system = thread.systems[place]
    names, rows = system.unknowns, system.solutions
    if len(names) == 1:
        exact = tuple(row[0] for row in rows)
        names *= len(exact)
    else:
        exact = next((row for row in rows if all(approximate(value) > 0 for value in row)), rows[0])
    values = tuple(as_float(approximate(value)) for value in exact)
    derived = {text.partition("=")[0] for text in system.equations[system.core :]}
    parts = thread.statements[system.answer]
    stated, closing = (list(map(as_float, part)) for part in (parts[0], parts[-1])) if parts else ([], [])
    last = [max((at for at, one in enumerate(stated) if _near(one, value)), default=-1) for value in values]
    places = range(len(values))
    return Pool(
        names,
        exact,
        values,
        tuple(at for at in places if names[at] not in derived),
        tuple(at for at in places if any(_near(one, values[at]) for one in closing)),
        tuple(sorted(places, key=lambda at: -last[at])),
    )


def _near(one: float, other: float) -> bool:
    return are_near(one, other, TOLERANCE)


def sets_of(pool: Pool) -> list[Places]:
    """The sets of values that may be asked: what the answer sets up, derives, closes with or states last, and each."""
    places = tuple(range(len(pool.values)))
    derived = tuple(at for at in places if at not in pool.set_up)
    found = {places, pool.set_up, derived, pool.closing, _positive(pool), places[:2]}
    found |= {tuple(sorted(pool.stated[:count])) for count in (2, 3)} | {(at,) for at in places}
    return sorted(found - {()})


def _positive(pool: Pool) -> Places:
    return tuple(at for at, value in enumerate(pool.values) if value > 0)


def asked_so_many(chosen: Places, _pool: Pool, asked: Sequence[float]) -> float:
    """How likely the question asks for so many values, as a logarithm."""
    return float(log(chance_of(asked, len(chosen)) + _LEAST_CHANCE))


def are_set_up(chosen: Places, pool: Pool, _asked: Sequence[float]) -> float:
    """1 for the unknowns of the model itself."""
    return float(chosen == pool.set_up)


def are_closing(chosen: Places, pool: Pool, _asked: Sequence[float]) -> float:
    """1 for the values that the closing sentence states."""
    return float(chosen == pool.closing)


def are_positive(chosen: Places, pool: Pool, _asked: Sequence[float]) -> float:
    """1 for all positive values."""
    return float(chosen == _positive(pool))


def are_last_two(chosen: Places, pool: Pool, _asked: Sequence[float]) -> float:
    """1 for the two values stated last."""
    return float(chosen == tuple(sorted(pool.stated[:2])))


def hold_last(chosen: Places, pool: Pool, _asked: Sequence[float]) -> float:
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


def asked_rows(sets: Sequence[Places], pool: Pool, asked: Sequence[float]) -> Matrix:
    """A row for each set, a column for each of ASKED_NAMES, on the grid."""
    return on_grid([[function(one, pool, asked) for function, _ in ASKED_EVIDENCE] for one in sets])


def _likeliest(pool: Pool, asked: Sequence[float], head: Logistic) -> tuple[Places, float]:
    sets = sets_of(pool)
    scores = asked_rows(sets, pool, asked) @ head.weights + head.intercept
    best = int(np.argmax(scores))
    return sets[best], float(scores[best])


def asked_odds(thread: ThreadSystems, place: int, asked: Sequence[float], head: Logistic) -> float:
    """The log odds, between -1 and 1 for -4 to 4, that the likeliest set of a system's values is what is asked."""
    return max(-1.0, min(1.0, _likeliest(pool_of(thread, place), asked, head)[1] / _MOST_ODDS))


def asked_of(
    thread: ThreadSystems, place: int, asked: Sequence[float], head: Logistic
) -> tuple[tuple[str, Value], ...]:
    """The values of a system that are asked, each with its unknown, in the order in which its answer sets them up.

    ``asked`` says how likely each number of values is asked for.
    """
    pool = pool_of(thread, place)
    chosen, _ = _likeliest(pool, asked, head)
    return tuple((pool.names[at], pool.exact[at]) for at in chosen)
