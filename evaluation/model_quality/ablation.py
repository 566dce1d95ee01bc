"""What each group of features brings: the rankings fitted without it, out of fold."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

import numpy as np

from models.features import LOCAL_NAMES, THREAD_NAMES
from models.fitting import EVERY, Example, Used, out_of_fold
from models.mention_features import LOCAL_CONTEXT, NUMBER_VALUE
from models.set_features import DIMENSION, NUMBER_SET
from models.thread_features import GLOBAL, SOLUTION
from models.validation import ValidationRow

_FEATURES: Final = {
    "local context": LOCAL_CONTEXT,
    "number value": NUMBER_VALUE,
    "number set": NUMBER_SET,
    "dimension": DIMENSION,
    "global": GLOBAL,
    "voted solution": SOLUTION,
}
GROUPS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {group: tuple(feature.__name__ for feature in features) for group, features in _FEATURES.items()}
)
"""The groups of Table 1 of Dolphin18K, with the names of their features."""


def without(group: str) -> Used:
    """All features but those of a group; KeyError for a group that does not exist."""
    left_out = GROUPS[group]
    local = [float(name not in left_out) for name in LOCAL_NAMES]
    return Used(np.array(local), np.array([float(name not in left_out) for name in THREAD_NAMES]))


def ablation(examples: Sequence[Example], c: float, folds: int) -> tuple[ValidationRow, ...]:
    """How often the first candidate is right with all features and without each group, on whole threads out of fold."""
    whole = [replace(item, variants=()) for item in examples]
    used = {"all features": EVERY} | {f"without {group}": without(group) for group in GROUPS}
    rows = []
    for name, features in used.items():
        judged = out_of_fold(whole, c, folds, features)
        rows.append(ValidationRow(name, sum(row.first_right for row in judged), len(judged), len(judged)))
    return tuple(rows)
