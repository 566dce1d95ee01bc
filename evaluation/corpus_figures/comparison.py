"""Corpora side by side: the tables of the papers with a column for each corpus, as text, Markdown and plain data."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from curation.diversity import DiversityReport
from evaluation.corpus_figures.corpus_statistics import Statistics
from evaluation.corpus_figures.diversities import KindDiversity
from evaluation.corpus_figures.paper_figures import TOP, CorpusFigures, Share
from evaluation.corpus_figures.published_figures import published_for
from evaluation.metrics.proportions import Proportion
from evaluation.table_text import aligned, markdown_table

Row = tuple[str, list[str]]
"""A label and a cell for each corpus; empty where the corpus does not tell."""
Section = tuple[str, list[Row]]


@dataclass(frozen=True)
class Comparison:
    """One or more corpora, in the order given."""

    columns: tuple[Statistics, ...]

    @property
    def names(self) -> list[str]:
        """The corpora's names."""
        return [column.figures.name for column in self.columns]

    def sections(self) -> list[Section]:
        """The tables; rows that no corpus has anything for are left out."""
        figures = [column.figures for column in self.columns]
        found = [
            ("problems", _problems(figures) + _mapped("split", [_made(c, "splits") for c in self.columns])),
            ("templates", _templates(figures)),
            ("problems on templates of at least so many problems", _shares([f.sizes for f in figures])),
            ("problems by frequency of their template", _shares([f.bins for f in figures])),
            ("ten most frequent templates", _top(figures)),
            ("labels", _labels(figures) + self._making()),
            ("text", _text(figures)),
            ("lexicon diversity", _diversity(figures) + self._accepted()),
            ("syntactic diversity, over part-of-speech tags", _syntax(figures)),
            ("diversity inside each type", _kinds(figures)),
            ("solved by shallow probes", _probes(self.columns)),
            ("licenses", _mapped("", [f.licenses for f in figures])),
        ]
        return [(title, kept) for title, rows in found if (kept := [row for row in rows if any(row[1])])]

    def _making(self) -> list[Row]:
        rows = _mapped("answer values", [_made(column, "dimensions") for column in self.columns])
        return rows + _mapped("agreement", [_made(column, "agreement") for column in self.columns])

    def _accepted(self) -> list[Row]:
        values = [column.making.stored_ld if column.making else None for column in self.columns]
        return [("mean LD when accepted", [number(value, 4) for value in values])]

    def published(self) -> list[list[str]]:
        """Published figures: corpus, figure, ours, the published one, its source, and why they differ."""
        return [
            [column.figures.name, one.label, one.here, one.printed, one.source, one.why]
            for column in self.columns
            for one in published_for(column.figures)
        ]

    def text(self) -> str:
        """In plain lines."""
        lines = [" | ".join(self.names)]
        for title, rows in self.sections():
            head = [["", *self.names]] if len(self.columns) > 1 else []
            lines += ["", title, *aligned([*head, *([" ".join(label.split()), *cells] for label, cells in rows)])]
        if published := self.published():
            lines += ["", "published figures", *aligned([list(PUBLISHED_HEAD), *published])]
        return "\n".join(lines)

    def markdown(self) -> str:
        """As Markdown tables."""
        lines = [f"### {', '.join(self.names)}", ""]
        for title, rows in self.sections():
            lines += [*markdown_table([title, *self.names], [[label, *cells] for label, cells in rows]), ""]
        if published := self.published():
            lines += [*markdown_table(PUBLISHED_HEAD, published), ""]
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """Plain data: the figures of each corpus."""
        return {"corpora": [column.as_dict() for column in self.columns]}


PUBLISHED_HEAD = ("corpus", "figure", "here", "published", "source", "why they differ")


def number(value: float | None, digits: int = 2) -> str:
    """A number with fixed digits; nothing for None."""
    return "" if value is None else f"{value:.{digits}f}"


def percent(share: Proportion) -> str:
    """A share with its interval; nothing where there is nothing to divide by."""
    return str(share) if share.n else ""


def _made(column: Statistics, name: str) -> Mapping[str, object]:
    return getattr(column.making, name) if column.making else {}


def _mapped(prefix: str, columns: Sequence[Mapping[str, object]]) -> list[Row]:
    """A row for each key of any column."""
    keys = sorted({key for column in columns for key in column})
    return [(f"{prefix} {key}".strip(), [str(column.get(key, "")) for column in columns]) for key in keys]


def _rows(figures: Sequence[CorpusFigures], cells: Mapping[str, Callable[[CorpusFigures], str]]) -> list[Row]:
    return [(label, [cell(one) for one in figures]) for label, cell in cells.items()]


def _problems(figures: Sequence[CorpusFigures]) -> list[Row]:
    rows = _rows(
        figures,
        {
            "problems": lambda f: str(f.problems),
            "with a text": lambda f: str(f.with_text) if f.with_text < f.problems else "",
            "records refused": lambda f: str(sum(f.refused.values())) if f.refused else "",
        },
    )
    return rows + _mapped("refused:", [f.refused for f in figures])


def _templates(figures: Sequence[CorpusFigures]) -> list[Row]:
    rows = _rows(
        figures,
        {
            "templates before reconciliation": lambda f: _placed(f, f.templates_before),
            "templates": lambda f: _placed(f, f.templates),
            "problems with a template": lambda f: str(f.with_template),
            "problems per template": lambda f: number(f.per_template),
            "templates that occur once": lambda f: _placed(f, f.single_templates),
        },
    )
    return rows + _mapped("template from", [f.template_source for f in figures])


def _placed(figures: CorpusFigures, count: int) -> str:
    """A count of templates; nothing where no problem has one."""
    return str(count) if figures.with_template else ""


def _shares(columns: Sequence[Sequence[Share]]) -> list[Row]:
    found = []
    for parts in zip(*columns, strict=True):
        cells = [
            f"{_many(p.templates, 'template')}, {_many(p.problems.hits, 'problem')} ({_short(p.problems)})"
            if p.problems.n
            else ""
            for p in parts
        ]
        found.append((parts[0].label, cells))
    return found


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def _short(share: Proportion) -> str:
    return "n/a" if share.value is None else f"{100 * share.value:.1f} %"


def _top(figures: Sequence[CorpusFigures]) -> list[Row]:
    rows: list[Row] = []
    for place in range(TOP):
        cells = []
        for one in figures:
            top = one.top_templates[place : place + 1]
            cells.append(f"{top[0][1]} ({_short(top[0][2])})" if top else "")
        rows.append((f"top {place + 1}", cells))
    hits = [sum(share.hits for _, _, share in one.top_templates) for one in figures]
    sums = [Proportion(hit, one.with_template) for hit, one in zip(hits, figures, strict=True)]
    return [*rows, ("top 10 together", [percent(share) for share in sums])]


def _labels(figures: Sequence[CorpusFigures]) -> list[Row]:
    rows = _rows(
        figures,
        {
            "with equations": lambda f: percent(f.with_equations),
            "linear, of those with equations": lambda f: percent(f.linear),
            "templates of linear problems": lambda f: str(f.linear_templates or ""),
            "ambiguous alignment, of those with text and template": lambda f: percent(f.ambiguous),
            "formula agrees with the answer, where comparable": lambda f: percent(f.consistent),
            "operators per equation": lambda f: f"{number(f.operators)} (n={f.equations})" if f.equations else "",
            "operators per problem": lambda f: number(f.operators_per_problem),
        },
    )
    return rows + _mapped("not understood:", [f.unread for f in figures])


def _text(figures: Sequence[CorpusFigures]) -> list[Row]:
    return _rows(
        figures,
        {
            "words per problem": lambda f: number(f.words),
            "sentences per problem": lambda f: number(f.sentences),
            "vocabulary without numbers": lambda f: str(f.vocabulary or ""),
        },
    )


def _diversity(figures: Sequence[CorpusFigures]) -> list[Row]:
    return _rows(
        figures,
        {
            "corpus lexicon diversity (CLD)": lambda f: _cld(f.diversity),
            "identical texts": lambda f: _identical(f.diversity),
            "CLD inside a type": lambda f: _cld(f.by_kind),
            "identical texts inside a type": lambda f: _identical(f.by_kind),
            "profile": lambda f: f.diversity.signature if f.diversity.n else "",
            "histogram of LD, 20 bins": lambda f: " ".join(map(str, f.diversity.histogram)) if f.diversity.n else "",
        },
    )


def _syntax(figures: Sequence[CorpusFigures]) -> list[Row]:
    return _rows(
        figures,
        {
            "corpus syntactic diversity (SD)": lambda f: _sd(f.syntax, f.with_text),
            "identical tags": lambda f: _identical(f.syntax),
            "SD inside a type": lambda f: _sd(f.syntax_by_kind, f.with_text),
            "profile": lambda f: f.syntax.signature if f.syntax.n else "",
            "histogram of SD, 20 bins": lambda f: " ".join(map(str, f.syntax.histogram)) if f.syntax.n else "",
        },
    )


def _sd(report: DiversityReport | None, texts: int) -> str:
    """SD with its N, which is that of a sample where the corpus is large."""
    sampled = report is not None and report.n < texts
    return _cld(report) + (f", a sample of {texts} by digest" if sampled else "")


def _kinds(figures: Sequence[CorpusFigures]) -> list[Row]:
    """CLD and SD of each type, among its own problems."""
    found = [{one.kind: f"CLD {one.cld:.4f} (N={one.n}){_sd_of(one)}" for one in each.kinds} for each in figures]
    return _mapped("", found)


def _sd_of(one: KindDiversity) -> str:
    if one.sd is None:
        return ""
    return f", SD {one.sd:.4f}" + (f" (N={one.tagged})" if one.tagged < one.n else "")


def _probes(columns: Sequence[Statistics]) -> list[Row]:
    found = [column.probes for column in columns]
    names = list(dict.fromkeys(share.name for probes in found if probes for share in probes.shares))
    shares = [{s.name: percent(s.proportion) for s in probes.shares} if probes else {} for probes in found]
    rows = [(name, [one.get(name, "") for one in shares]) for name in names]
    return [*rows, ("folds", [probes.folds if probes else "" for probes in found])]


def _cld(report: DiversityReport | None) -> str:
    return f"{number(report.cld, 4)} (N={report.n})" if report is not None and report.n else ""


def _identical(report: DiversityReport | None) -> str:
    return "" if report is None else percent(Proportion(round(report.identical_share * report.n), report.n))
