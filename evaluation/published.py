"""What papers print of corpora and solvers, to stand beside our figures with the reason where they differ.

``published.json`` has it table by table: of each row the corpus, the figure, what is printed (nothing where the paper's
number is not known here, words where there is no number), and why ours differs, if not for the reason of its table.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from evaluation.metrics.reading_report import read_json


@dataclass(frozen=True)
class PublishedFigure:
    """A published figure: where it stands, of which corpus, what is printed, why ours differs; and ours."""

    paper: str
    table: str
    corpus: str
    label: str
    printed: str
    why: str
    here: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        source = f"{self.paper}, {self.table}"
        return {"label": self.label, "here": self.here, "printed": self.printed, "source": source, "why": self.why}


@cache
def published_figures() -> tuple[PublishedFigure, ...]:
    """All published figures, table by table."""
    found = []
    for table in read_json(Path(__file__).with_name("published.json")):
        for corpus, label, printed, *why in table["rows"]:
            reason = why[0] if why else table["why"]
            found.append(PublishedFigure(table["paper"], table["table"], corpus, label, printed, reason))
    return tuple(found)


def printed_share(corpus: str, label: str) -> float | None:
    """What is printed of a share, in percent; None where no number is."""
    found = (one.printed for one in published_figures() if (one.corpus, one.label) == (corpus, label))
    return next((float(text.removesuffix(" %")) for text in found if text[:1].isdigit()), None)
