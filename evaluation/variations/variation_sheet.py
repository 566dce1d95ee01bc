"""A sheet on which a person judges how natural variations read: CSV, drawn evenly over the kinds, and read back."""

import csv
import io
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from corpus.benchmarks.reading import read_text
from corpus.errors import InputError
from evaluation.metrics.proportions import Proportion
from evaluation.metrics.reading_report import Share
from evaluation.variations.varying import Variation

COLUMNS: Final = ("id", "kind", "original", "variation", "equations", "answer", "right", "natural", "note")
"""The last three are for the person: yes or no, yes or no, and why not."""
_SAID: Final = {"yes": True, "no": False}


def drawn(made: Sequence[Variation], n: int, seed: int) -> list[Variation]:
    """At most ``n`` variations: as many of each kind as there are, kind by kind in turn, by a seed.

    The same variations, number and seed give the same ones, in the order of their kinds.
    """
    chooser = random.Random(f"{seed}/sheet")  # noqa: S311 - reproducible, not secret
    kinds = {kind: [one for one in made if one.kind == kind] for kind in dict.fromkeys(one.kind for one in made)}
    for several in kinds.values():
        chooser.shuffle(several)
    turns = sorted((place, order) for order, several in enumerate(kinds.values()) for place in range(len(several)))
    taken = Counter(order for _, order in turns[:n])
    return [one for order, several in enumerate(kinds.values()) for one in several[: taken[order]]]


def sheet_text(variations: Sequence[Variation]) -> str:
    """The sheet of some variations, with empty cells for the verdicts."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(COLUMNS)
    for one in variations:
        varied = one.varied
        answer = varied.answer or "none"
        texts = (one.original.question, varied.question, "; ".join(varied.equations), answer)
        rows.writerow([varied.problem_id, one.kind, *map(sheet_cell, texts), "", "", ""])
    return text.getvalue()


def sheet_cell(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text


@dataclass(frozen=True)
class FilledSheet:
    """What a person says of variations: shares of the rows that are judged, in all and by kind; ``open`` are not."""

    shares: tuple[Share, ...]
    open: int

    def as_dict(self) -> dict[str, Any]:
        """Plain data with n and interval."""
        return {"open": self.open, **{share.name: share.proportion.as_dict() for share in self.shares}}

    def text(self) -> str:
        """Plain lines."""
        return "\n".join([*(f"{one.name}: {one.proportion}" for one in self.shares), f"without a verdict: {self.open}"])


def filled_sheet(path: Path) -> FilledSheet:
    """The verdicts of a sheet; a row counts where both are given.

    InputError for a file that is no such sheet, for a verdict that is neither yes nor no, and without any verdict.
    """
    rows = csv.DictReader(io.StringIO(read_text(path), newline=""), strict=True)
    judged: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    open_rows = 0
    try:
        if not set(COLUMNS) <= set(rows.fieldnames or ()):
            raise InputError(f"{path} is no sheet of variations: its first line has to name {', '.join(COLUMNS)}")
        for row in rows:
            told = [(row[column] or "").strip().lower() for column in ("right", "natural")]
            strange = [one for one in told if one and one not in _SAID]
            if strange:
                raise InputError(f"{path}, line {rows.line_num}: the verdict is {strange[0][:20]!r}; write yes or no")
            open_rows += not all(told)
            if all(told):
                judged[row["kind"]].append((_SAID[told[0]], _SAID[told[1]]))
    except csv.Error as error:
        raise InputError(f"{path}, line {rows.line_num}: {error}; save the sheet as CSV with commas") from error
    said = [one for several in judged.values() for one in several]
    if not said:
        raise InputError(f"{path} has {open_rows} rows and no verdict; write yes or no into right and natural")
    shares = [
        Share("right and natural", _share(map(all, said))),
        Share("right", _share(right for right, _ in said)),
        Share("natural", _share(natural for _, natural in said)),
        *(Share(f"{kind}: right and natural", _share(map(all, judged[kind]))) for kind in judged),
    ]
    return FilledSheet(tuple(shares), open_rows)


def _share(right: Iterable[bool]) -> Proportion:
    verdicts = list(right)
    return Proportion(sum(verdicts), len(verdicts))
