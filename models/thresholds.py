"""The confidence from which an answer is returned, chosen from out-of-fold scores for a wanted precision."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from models.validation import wilson

ScoredOutcomes = Sequence[tuple[float, bool]]
"""Confidences, each with whether the answer was right."""
BOUND_BELOW: Final = 0.07
"""How far the lower end of the Wilson interval may be below the wanted precision."""
SITE_BELOW: Final = 0.06
"""How far the precision on another site may be below it."""
PARTS_BELOW: Final = 0.15
"""How far the precision on readings with answers left out may be below it."""
MIN_RETURNED: Final = 20
LEAST: Final = 0.9
"""Nothing that is less likely than this is returned, however right the sample was."""
NEVER: Final = 0.99


@dataclass(frozen=True)
class Scores:
    """Out-of-fold scores of one kind of thread.

    ``own`` are whole threads of the labels given, ``others`` those of each other site, ``parts`` readings with answers
    left out.
    """

    own: ScoredOutcomes
    others: Sequence[ScoredOutcomes]
    parts: ScoredOutcomes

    @property
    def together(self) -> list[tuple[float, bool]]:
        """The whole threads of all sites."""
        return [score for scores in (self.own, *self.others) for score in scores]


def choose_threshold(scores: Scores, wanted: float) -> tuple[float, str]:
    """The lowest confidence, LEAST or more, at which precision is as wanted, and the rule in words.

    Of the out-of-fold threads of the labels given, everything from the threshold on must be right in the wanted share;
    on every other site apart in no less than 6 points below it, since no site may pay for another; of the readings with
    answers left out, where right answers are scarce as on the poorest of sites, in no less than 15 points below it.
    Each of these counts where 20 or more are returned. Of all threads together the lower end of the Wilson interval
    must be no more than 7 points below the wanted share: some hundred threads cannot show more. Where nothing meets
    this, the fixed value 0.99.
    """
    rule = (
        f"precision {wanted:g} on the labels, {wanted - SITE_BELOW:g} on each of {len(scores.others)} other sites and "
        f"{wanted - PARTS_BELOW:g} on {len(scores.parts)} readings with answers left out, Wilson lower bound "
        f"{wanted - BOUND_BELOW:g} on {len(scores.together)} out-of-fold threads"
    )
    steps = (round(LEAST + place / 200, 3) for place in range(int((NEVER - LEAST) * 200) + 1))
    best = next((step for step in steps if _holds(scores, step, wanted)), None)
    return (NEVER, f"{NEVER:g} as a fixed value: no threshold reaches {rule}") if best is None else (best, rule)


def _holds(scores: Scores, step: float, wanted: float) -> bool:
    if wilson(*_above(scores.together, step))[0] < wanted - BOUND_BELOW:
        return False
    demands = [(scores.own, 0.0), (scores.parts, PARTS_BELOW), *((other, SITE_BELOW) for other in scores.others)]
    return all(_fair(part, step, wanted - below) for part, below in demands)


def _fair(scores: ScoredOutcomes, step: float, least: float) -> bool:
    hits, returned = _above(scores, step)
    return returned < MIN_RETURNED or hits >= least * returned


def _above(scores: ScoredOutcomes, step: float) -> tuple[int, int]:
    kept = [right for score, right in scores if score >= step]
    return sum(kept), len(kept)
