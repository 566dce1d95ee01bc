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
from models.thread_features import ACCOUNT, AGREEMENT, EVIDENCE, GLOBAL, SOLUTION
from models.validation import Row

OWN_SOLUTION: Final = tuple(
    function.__name__
    for function in NUMBER_SET
    if "own_solution" in function.__name__ or "reckoned_on" in function.__name__
)
_NUMBER_SET: Final = tuple(function.__name__ for function in NUMBER_SET)
GROUPS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "local context": tuple(function.__name__ for function in LOCAL_CONTEXT),
        "number value": tuple(function.__name__ for function in NUMBER_VALUE),
        "number set": tuple(name for name in _NUMBER_SET if name not in OWN_SOLUTION),
        "own solution": OWN_SOLUTION,
        "dimension": tuple(function.__name__ for function in DIMENSION),
        "global": tuple(function.__name__ for function in GLOBAL),
        "agreement": tuple(function.__name__ for function in AGREEMENT),
        "voted solution": tuple(function.__name__ for function in SOLUTION),
        "evidence": tuple(function.__name__ for function in EVIDENCE),
        "account of the question": tuple(function.__name__ for function in ACCOUNT),
    }
)
"""The groups of Table 1 of Dolphin18K and those beyond it, with the names of their features."""


def without(group: str) -> Used:
    """All features but those of a group; KeyError for a group that does not exist."""
    left_out = GROUPS[group]
    local = [float(name.removeprefix("mean_").removeprefix("least_") not in left_out) for name in LOCAL_NAMES]
    return Used(np.array(local), np.array([float(name not in left_out) for name in THREAD_NAMES]))


def ablation(examples: Sequence[Example], c: float, folds: int) -> tuple[Row, ...]:
    """How often the first candidate is right with all features and without each group, on whole threads out of fold."""
    whole = [replace(item, variants=()) for item in examples]
    used = {"all features": EVERY} | {f"without {group}": without(group) for group in GROUPS}
    rows = []
    for name, features in used.items():
        judged = out_of_fold(whole, c, folds, features)
        rows.append(Row(name, sum(row.first_right for row in judged), len(judged), len(judged)))
    return tuple(rows)
