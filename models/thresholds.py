"""The least probability from which something is returned, chosen from out-of-fold scores for a wanted precision."""

from collections.abc import Sequence
from typing import Final

LEAST: Final = 0.5
NEVER: Final = 0.99
MIN_RETURNED: Final = 10


def lowest_threshold(found: Sequence[tuple[float, bool]], wanted: float) -> tuple[float, str]:
    """The lowest probability from LEAST on, by 0.01, from which precision is as wanted, and the rule in words.

    ``found`` are probabilities, each with whether what it stands for was right.
    """
    rule = f"precision {wanted:g} on {len(found)} out-of-fold threads"
    for step in range(round(LEAST * 100), 100):
        kept = [right for chance, right in found if chance >= step / 100]
        if len(kept) >= MIN_RETURNED and sum(kept) >= wanted * len(kept):
            return step / 100, rule
    return NEVER, f"{NEVER:g} as a fixed value: no threshold reaches {rule}"
