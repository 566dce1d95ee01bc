"""What agreement between answers says, without assuming how good the answers of a site are."""

import math
from functools import lru_cache
from typing import Final

ECHO: Final = 0.2
"""How likely a wrong answer repeats another wrong one."""


@lru_cache(maxsize=4096)
def agreement_odds(mine: float, others: tuple[float, ...]) -> float:
    """Log odds, between -3 and 3, that a group of ``mine`` votes is right, against groups of ``others`` votes.

    >>> [round(agreement_odds(*case), 2) for case in ((1, ()), (2, ()), (3, (1,)), (2, (1, 1)))]
    [0.0, 1.61, 1.78, -0.44]
    """
    sizes = [mine, *others]
    votes = sum(sizes)
    wrong: list[float] = [math.pow(ECHO, max(0.0, size - 1)) for size in sizes]
    apart = 1 - ECHO

    def weight(right: int | None) -> float:
        size = 0.0 if right is None else sizes[right]
        rest = [wrong[place] for place in range(len(sizes)) if place != right]
        chance = math.lgamma(size + 1) + math.lgamma(votes - size + 1) - math.lgamma(votes + 2)
        return math.exp(chance) * math.prod(rest) * math.pow(apart, max(0, len(rest) - 1))

    against = weight(None) + sum(weight(place) for place in range(1, len(sizes)))
    return max(-3.0, min(3.0, math.log(weight(0) / against)))
