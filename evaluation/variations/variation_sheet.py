"""A sheet on which a person judges how natural variations read: CSV, drawn evenly over the kinds."""

import csv
import io
import random
from collections.abc import Sequence
from typing import Final

from evaluation.variations.varying import Variation

COLUMNS: Final = ("id", "kind", "original", "variation", "equations", "answer", "right", "natural", "note")
"""The last three are for the person: yes or no, yes or no, and why not."""


def drawn(made: Sequence[Variation], n: int, seed: int) -> list[Variation]:
    """At most ``n`` variations: as many of each kind as there are, kind by kind in turn, by a seed.

    The same variations, number and seed give the same ones, in the order of their kinds.
    """
    chooser = random.Random(f"{seed}/sheet")  # noqa: S311 - reproducible, not secret
    kinds = dict.fromkeys(one.kind for one in made)
    shuffled = {kind: [one for one in made if one.kind == kind] for kind in kinds}
    for several in shuffled.values():
        chooser.shuffle(several)
    taken = dict.fromkeys(kinds, 0)
    left = min(n, len(made))
    while left:
        for kind in kinds:
            if left and taken[kind] < len(shuffled[kind]):
                taken[kind], left = taken[kind] + 1, left - 1
    return [one for kind in kinds for one in shuffled[kind][: taken[kind]]]


def sheet_text(variations: Sequence[Variation]) -> str:
    """The sheet of some variations, with empty cells for the verdicts."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(COLUMNS)
    for one in variations:
        varied = one.varied
        answer = varied.answer or "none"
        texts = (one.original.question, varied.question, "; ".join(varied.equations), answer)
        rows.writerow([varied.problem_id, one.kind, *map(_cell, texts), "", "", ""])
    return text.getvalue()


def _cell(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text
