"""A promised precision becomes a threshold: learn, then test (Angelopoulos, Bates and others 2021, section 4).

Calibration posts carry a score and whether they were right; no model that scored them has seen them. Sets of the best
scored are tested in an order that no label decides, from a small set to all posts, until the first fails: then the
chance that any set passes whose precision is lower than promised is at most 5 %. A set passes when the lower bound of
its precision (Clopper and Pearson 1934) reaches the promise. Posts of one site are right or wrong together, so a set
counts as fewer posts than it holds, as many as its design effect leaves (Kish 1965).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, log
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from corpus.errors import ConfigError

Numbers = NDArray[np.float64]
ERROR: Final = 0.05
"""How likely a promise is broken, at most."""
SPARE: Final = 3
"""The first set tested could pass with so many wrong posts, or fewer where it were more than half of all posts: one
wrong post among the very first must not end the search."""
REMEDY: Final = "label more posts for wordquarry calibrate, or lower [publish] precision"


class CalibrationPost(NamedTuple):
    """A labelled post as the promise sees it: how sure the model is, whether it is right, its site and its set."""

    score: float
    right: bool
    group: str
    source: str


@dataclass(frozen=True)
class Promise:
    """A threshold that keeps a promised ``precision``: of ``posts`` calibration posts from it on ``right`` are right.

    ``bound`` is the lower bound of their precision, ``effect`` their design effect.
    """

    precision: float
    threshold: float
    posts: int
    right: int
    bound: float
    effect: float


def lower_bound(right: float, posts: float) -> float:
    """The lower bound of a precision with confidence 95 %, after Clopper and Pearson.

    >>> round(lower_bound(59, 59), 4), round(lower_bound(58, 58), 4), lower_bound(0, 9)
    (0.9505, 0.9497, 0.0)
    """
    return float(betaincinv(right, posts - right + 1, ERROR)) if right > 0 else 0.0


def upper_bound(right: float, posts: float) -> float:
    """The upper bound likewise.

    >>> round(upper_bound(0, 59), 4)
    0.0495
    """
    return float(betaincinv(right + 1, posts - right, 1 - ERROR)) if right < posts else 1.0


def least_posts(precision: float) -> int:
    """How many posts, all right, a promise takes at least.

    >>> least_posts(0.95), least_posts(0.97)
    (59, 99)
    """
    return ceil(log(ERROR) / log(precision) - 1e-9)


def promised(posts: Sequence[CalibrationPost], precision: float) -> Promise:
    """The lowest threshold that keeps a promise, see above; ConfigError where none does.

    A promise of 0 is kept by all posts.
    """
    ordered = sorted(posts, key=lambda post: -post.score)
    scores = np.array([post.score for post in ordered])
    right = np.array([post.right for post in ordered], dtype=bool)
    if precision <= 0:
        return Promise(precision, 0.0, len(ordered), int(right.sum()), 0.0, 1.0)
    first = first_set(len(ordered), precision)
    if first is None:
        raise ConfigError(f"{_needs(precision)}; you have {len(ordered)}: {REMEDY}")
    sites = np.unique([post.group for post in ordered], return_inverse=True)[1]
    kept: Promise | None = None
    for size in range(first, len(ordered) + 1):
        if size < len(ordered) and scores[size] == scores[size - 1]:
            continue
        good, effect = int(right[:size].sum()), design_effect(right[:size] - scores[:size], sites[:size])
        bound = lower_bound(good / effect, size / effect)
        if bound < precision:
            break
        kept = Promise(precision, float(scores[size - 1]), size, good, bound, effect)
    if kept is None:
        raise ConfigError(
            f"no threshold keeps {100 * precision:g} %: {good} of the {size} likeliest of {len(ordered)} posts are "
            f"right, surely {100 * bound:.1f} %; {_needs(precision)}: {REMEDY}"
        )
    return kept


def _needs(precision: float) -> str:
    least = least_posts(precision)
    return f"{100 * precision:g} % needs at least {least} right of {least}"


@lru_cache(maxsize=256)
def first_set(posts: int, precision: float) -> int | None:
    """The size of the first set tested of so many posts; no label decides it. None where no set could pass.

    >>> first_set(58, 0.95), first_set(60, 0.95), first_set(200, 0.95), first_set(1_000, 0.95)
    (None, 59, 93, 153)
    """
    for spare in range(SPARE, -1, -1):
        sizes = range(spare + 1, posts + 1)
        found = next((size for size in sizes if lower_bound(size - spare, size) >= precision), None)
        if found is not None and (spare == 0 or 2 * found <= posts):
            return found
    return None


def design_effect(left: Numbers, sites: NDArray[np.intp]) -> float:
    """How many posts of a set count as one: 1 + (m - 1) r, with m the mean size of a post's site.

    r is the intraclass correlation of what the scores leave unsaid, ``left``, right less score, by analysis of variance
    over ``sites`` (Donner 1986, section 2). What a single site holds tells nothing of others: there it is 1.
    """
    sizes = np.bincount(sites)
    held = sizes[sizes > 0]
    count, every = len(held), len(left)
    if count < 2 or every == count:
        return 1.0
    sums = np.bincount(sites, left)[sizes > 0]
    between = (float(sums @ (sums / held)) - float(left.sum()) ** 2 / every) / (count - 1)
    within = (float(left @ left) - float(sums @ (sums / held))) / (every - count)
    squares = float(held @ held)
    whole = between + ((every - squares / every) / (count - 1) - 1) * within
    alike = min(max((between - within) / whole, 0.0), 1.0) if whole > 0 else 0.0
    return 1 + (squares / every - 1) * alike
