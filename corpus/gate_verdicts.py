"""What gates say of a version, as its manifest holds it: entries of ``audits`` whose ``kind`` is ``gate``."""

import math
from collections.abc import Mapping
from typing import Any, Final

GATE: Final = "gate"
METHOD: Final = (
    "betting test over rounds of one row from each block, without replacement; unsure counts as wrong; "
    "the lower bound and the decision hold for all looks together"
)


CARD_DIGEST: Final = "card_sha256"
"""The field of a manifest with the digest of the card as it was built, before gates were told on it."""
_BEGIN: Final = b"\n## Release gate\n\n"
_SAID: Final = (
    "A version is published as the latest once its gate accepts the precision of a sample that people judged."
)


def gate_entries(manifest: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The gates of a manifest by stage; an entry that is not whole is none, for manifests that were changed."""
    return {entry["stage"]: entry for entry in manifest["audits"] if entry.get("kind") == GATE and _whole(entry)}


def _whole(entry: Mapping[str, Any]) -> bool:
    found = entry.get("precision")
    numbers = [entry.get("min_precision"), entry.get("error")]
    numbers += [found.get("low"), found.get("n")] if isinstance(found, dict) else [None]
    texts = [entry.get("stage"), entry.get("verdict")]
    return all(isinstance(one, int | float) for one in numbers) and all(isinstance(one, str) for one in texts)


def asked_of(manifest: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """What a version has to reach, by stage; empty for one that was built without a gate."""
    asked = manifest.get(GATE)
    return {
        stage: one
        for stage, one in (asked.items() if isinstance(asked, dict) else ())
        if isinstance(one, dict) and all(isinstance(one.get(name), float) for name in ("min_precision", "error"))
    }


def missing_stages(manifest: Mapping[str, Any]) -> list[str]:
    """The stages of a version that its gate has not accepted at the bound asked, sorted; empty without a gate."""
    entries = gate_entries(manifest)
    return sorted(
        stage
        for stage, asked in asked_of(manifest).items()
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


def gate_lines(manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Every stage that a gate judged or is to judge, and what it found, sorted by stage."""
    entries, asked = gate_entries(manifest), asked_of(manifest)
    open_ = {stage: f"not judged yet; asked are {100 * asked[stage]['min_precision']:g} %" for stage in asked}
    return sorted({**open_, **{stage: verdict_text(entry) for stage, entry in entries.items()}}.items())


def card_as_built(card: bytes) -> bytes:
    """A card without its last part, what gates found."""
    return card.partition(_BEGIN)[0]


def card_with_verdicts(card: bytes, manifest: Mapping[str, Any]) -> bytes:
    """A card with what the gates of the manifest found at its end, in place of what stood there.

    >>> asked = {"answers": {"min_precision": 0.9, "error": 0.05}}
    >>> card_with_verdicts(b"# Title.", {"audits": [], "gate": asked}).decode().splitlines()[-1]
    '| answers | not judged yet; asked are 90 % |'
    """
    lines = [f"| {stage} | {text} |" for stage, text in gate_lines(manifest)]
    table = "\n".join([_SAID, "", "| stage | gate |", "|---|---|", *lines, ""])
    return card_as_built(card) + (_BEGIN + table.encode() if lines else b"")
