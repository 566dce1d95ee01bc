"""What gates and audits say of a version, as the ``audits`` of its manifest hold it, and how its card tells it.

An entry of a gate has the ``kind`` ``gate``; the others are reports of sheets.
"""

import math
from collections.abc import Mapping
from typing import Any, Final

from corpus.shown_text import markdown_line
from corpus.versioning.manifest_record import Manifest

GATE: Final = "gate"
REFUSED: Final = "refused"
METHOD: Final = (
    "betting test over rounds of one row from each block, without replacement; unsure counts as wrong; "
    "the lower bound and the decision hold for all looks together"
)


CARD_DIGEST: Final = "card_sha256"
"""The field of a manifest with the digest of the card as it was built, before people judged samples of it."""
_BEGIN: Final = b"\n## Precision\n\n"
_SAID: Final = (
    "People judged samples of this version. Intervals of sheets are at 95 %. A version with a gate is the latest "
    "once the gate accepts."
)


def gate_entries(manifest: Manifest) -> dict[str, Mapping[str, Any]]:
    """The gates of a manifest by stage; an entry that is not whole is none, for manifests that were changed."""
    return {entry["stage"]: entry for entry in manifest["audits"] if entry.get("kind") == GATE and _whole(entry)}


def _whole(entry: Mapping[str, Any]) -> bool:
    found = entry.get("precision")
    numbers = [entry.get("min_precision"), entry.get("error")]
    numbers += [found.get("low"), found.get("n")] if isinstance(found, dict) else [None]
    texts = [entry.get("stage"), entry.get("verdict")]
    return all(isinstance(one, int | float) for one in numbers) and all(isinstance(one, str) for one in texts)


def asked_of(manifest: Manifest) -> dict[str, Mapping[str, Any]]:
    """What a version has to reach, by stage; empty for one that was built without a gate."""
    asked = manifest.get(GATE)
    return {
        stage: one
        for stage, one in (asked.items() if isinstance(asked, dict) else ())
        if isinstance(one, dict) and all(isinstance(one.get(name), float) for name in ("min_precision", "error"))
    }


def missing_stages(manifest: Manifest) -> list[str]:
    """The stages for which a version is not accepted, sorted; empty for one that is.

    They are those that its gate names and has not accepted at the bound asked, and those that any gate has refused.
    """
    entries = gate_entries(manifest)
    refused = {stage for stage, entry in entries.items() if entry["verdict"] == REFUSED}
    return sorted(
        refused.union(
            stage
            for stage, asked in asked_of(manifest).items()
            if stage not in entries
            or entries[stage]["verdict"] != "accepted"
            or entries[stage]["min_precision"] < asked["min_precision"]
            or entries[stage]["error"] > asked["error"]
        )
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


def gate_lines(manifest: Manifest) -> list[tuple[str, str]]:
    """Every stage that a gate judged or is to judge, and what it found, sorted by stage."""
    entries, asked = gate_entries(manifest), asked_of(manifest)
    open_ = {stage: f"not judged yet; asked are {100 * asked[stage]['min_precision']:g} %" for stage in asked}
    return sorted({**open_, **{stage: verdict_text(entry) for stage, entry in entries.items()}}.items())


def audit_lines(manifest: Manifest) -> list[tuple[str, str, str]]:
    """Stage, gate or sheet, and precision of everything that people judged or are to judge.

    Gates come first, and of the sheets of a stage those that tell of most problems.
    """
    gates = [(stage, "gate", text) for stage, text in gate_lines(manifest)]
    sheets = []
    for entry in manifest["audits"]:
        told = _precision_text(entry) if entry.get("kind") != GATE else None
        if told is not None:
            sheets.append((str(entry.get("stage")), *told[:2], f"sheet {entry.get('sheet_id')}", told[2]))
    return gates + [(stage, sheet, text) for stage, _, _, sheet, text in sorted(sheets)]


def _precision_text(entry: Mapping[str, Any]) -> tuple[float, float, str] | None:
    """The precision of a sheet with its interval behind two keys to sort by; None for an entry that has none."""
    found = entry.get("precision")
    if not isinstance(found, dict):
        return None
    numbers = [found[name] for name in ("value", "low", "high", "n") if isinstance(found.get(name), int | float)]
    if len(numbers) < 4:
        return None
    value, low, high, n = numbers
    population, unseen = found.get("population", 0), found.get("unseen", 0)
    text = f"{100 * value:.1f} % [{100 * low:.1f}, {100 * high:.1f}] (n={n})"
    if unseen:
        text = f"{text}, {unseen} of {population} in strata not judged"
    return unseen - population, -n, text


def card_as_built(card: bytes) -> bytes:
    """A card without its last part, what gates and audits found."""
    return card.partition(_BEGIN)[0]


def card_with_verdicts(card: bytes, manifest: Manifest) -> bytes:
    """A card with what the gates and audits of the manifest found at its end, in place of what stood there.

    >>> asked = {"answers": {"min_precision": 0.9, "error": 0.05}}
    >>> card_with_verdicts(b"# Title.", {"audits": [], "gate": asked}).decode().splitlines()[-1]
    '| answers | gate | not judged yet; asked are 90 % |'
    """
    lines = [f"| {' | '.join(markdown_line(text) for text in line)} |" for line in audit_lines(manifest)]
    table = "\n".join([_SAID, "", "| stage | judged by | precision |", "|---|---|---|", *lines, ""])
    return card_as_built(card) + (_BEGIN + table.encode() if lines else b"")
