"""``quality papers``: the tables of the papers, each figure beside ours, with the reason where they differ.

Ours are measured on the corpora that are here; those of solvers and probes are read from the records of these tables.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from evaluation.corpus_figures.paper_figures import CorpusFigures, published_name, values_of
from evaluation.published import PublishedFigure, published_figures
from evaluation.recorded_figures import Measurement
from evaluation.table_text import markdown_table

HEAD: Final = ("corpus", "figure", "published", "ours", "why they differ")
SHOWN: Final = {"whole problems": "", "question removed": ", question removed", "bag of words": ", bag of words"}
"""How solvers see problems, and what is said of that in their records."""
RECORDS: Final = ("solvers", "probes")
"""The figures whose records hold what solvers and probes solve."""
_RULE: Final = (
    "What papers print of their corpora and solvers, beside ours, with n and 95 % Wilson intervals of shares. Ours are "
    "of the parts that are here. Not known: the paper's number could not be looked up. Left out: it is not measured, "
    "for the reason beside it. Solvers and probes: five folds, from the records of `quality solvers` and `quality "
    "probes`."
)


@dataclass(frozen=True)
class PaperTables:
    """Published figures beside ours, those of one table together, and what solvers solve of less than a problem."""

    figures: tuple[PublishedFigure, ...]
    probed: tuple[tuple[str, ...], ...]

    def markdown(self) -> str:
        """A Markdown table for each table of a paper, and one of the solvers."""
        lines = ["## Tables of the papers", "", _RULE, ""]
        for title, several in groupby(self.figures, key=lambda one: f"{one.paper}, {one.table}"):
            rows = [(f.corpus, f.label, f.printed or "not known", f.here or "left out", f.why) for f in several]
            lines += [f"**{title}**", "", *markdown_table(HEAD, rows), ""]
        lines += ["**Solved without question, without order**", ""]
        lines += [*markdown_table(("corpus", "solver", *SHOWN), self.probed), ""]
        return "\n".join(lines)


def paper_tables(corpora: Sequence[CorpusFigures], records: Mapping[str, Measurement]) -> PaperTables:
    """All published figures beside those of these corpora and records."""
    values = {(published_name(one), label): value for one in corpora for label, value in values_of(one).items()}
    recorded = recorded_shares(records)
    values |= recorded
    figures = (replace(one, here=values.get((one.corpus, one.label), "")) for one in published_figures())
    return PaperTables(tuple(figures), tuple(_probed(recorded)))


def _probed(recorded: Mapping[tuple[str, str], str]) -> Iterator[tuple[str, ...]]:
    """The solvers that were tried on less than a problem, with what they solve of each kind."""
    ends = [f"{said}, solution" for said in SHOWN.values()]
    named = ((corpus, label.removesuffix(end)) for corpus, label in recorded for end in ends[1:] if label.endswith(end))
    for corpus, solver in dict.fromkeys(named):
        yield corpus, solver, *(recorded.get((corpus, solver + end), "") for end in ends)


def recorded_shares(records: Mapping[str, Measurement]) -> dict[tuple[str, str], str]:
    """What solvers and probes solve, by corpus and figure, as the records of their tables say."""
    rows = [row for name in RECORDS if name in records for row in records[name].table("figure").rows]
    named = [(*name.partition(" (paper ")[0].split(": ", 1), share) for name, share, *_ in rows]
    return {(corpus.partition(", ")[0], label): share for corpus, label, share in named}
