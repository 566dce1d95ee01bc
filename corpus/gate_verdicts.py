"""What gates say of a version, as its manifest holds it: entries of ``audits`` whose ``kind`` is ``gate``."""

import math
from collections.abc import Mapping
from typing import Any, Final

GATE: Final = "gate"
METHOD: Final = (
    "betting test over rounds of one row from each block, without replacement; unsure counts as wrong; "
    "the lower bound and the decision hold for all looks together"
)


def gate_entries(manifest: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The gates of a manifest by stage."""
    return {entry["stage"]: entry for entry in manifest["audits"] if entry.get("kind") == GATE}


def missing_stages(manifest: Mapping[str, Any]) -> list[str]:
    """The stages of a version that its gate has not accepted at the bound asked, sorted; empty without a gate."""
    entries = gate_entries(manifest)
    return sorted(
        stage
        for stage, asked in manifest.get(GATE, {}).items()
        if stage not in entries
        or entries[stage]["verdict"] != "accepted"
        or entries[stage]["min_precision"] < asked["min_precision"]
        or entries[stage]["error"] > asked["error"]
    )


def floored(value: float, digits: int) -> float:
    """A lower bound with so many decimals, which is not above it.

    >>> floored(96.999, 2)
    96.99
    """
    scale = float(10**digits)
    return math.floor(value * scale) / scale


def verdict_text(entry: Mapping[str, Any]) -> str:
    """What a gate found, in a few words.

    >>> found = {"n": 240, "low": 0.971}
    >>> verdict_text({"verdict": "accepted", "min_precision": 0.97, "error": 0.05, "precision": found})
    'accepted at 97 %: precision at least 97.1 % (n=240, error at most 5 %)'
    """
    found = entry["precision"]
    asked, error = (f"{round(100 * entry[name], 2):g} %" for name in ("min_precision", "error"))
    low = f"{floored(100 * found['low'], 2):g} %"
    named = {"more": "not decided"}.get(entry["verdict"], entry["verdict"])
    return f"{named} at {asked}: precision at least {low} (n={found['n']}, error at most {error})"
