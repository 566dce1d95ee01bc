"""Corpora side by side: the tables of the papers with a column for each corpus, as text, Markdown and plain data."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from corpus.benchmarks.gold_problems import Corpus
from corpus.benchmarks.own import gold_problem
from corpus.records import Problem
from corpus.versioning.versions import Version
from curation.near_texts.diversity import DiversityReport
from evaluation.corpus_figures.diversities import KindDiversity
from evaluation.corpus_figures.paper_figures import (
    TOP,
    CorpusFigures,
    TemplateShare,
    counts_of,
    figures_of,
    published_for,
)
from evaluation.metrics.proportions import Proportion
from evaluation.solvers.probes import Probes, probes_of
from evaluation.table_text import aligned, markdown_table


@dataclass(frozen=True)
class Making:
    """What the making of a version tells of its problems.

    ``stored_ld`` is the mean of the lexicon diversity each problem had when it was accepted (against those before it);
    ``diversity`` of the figures compares every problem with all others.
    """

    splits: Mapping[str, int]
    dimensions: Mapping[str, int]
    agreement: Mapping[str, Proportion]
    stored_ld: float | None


@dataclass(frozen=True)
class Statistics:
    """The figures of a corpus; ``making`` for versions of ours only, ``probes`` where they were asked for."""

    figures: CorpusFigures
    making: Making | None = None
    probes: Probes | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain data, proportions with n and interval; for a version also ``version`` and what its making tells."""
        plain = self.figures.as_dict()
        plain["published"] = [figure.as_dict() for figure in published_for(self.figures)]
        plain["probes"] = self.probes.as_dict() if self.probes else None
        if self.making is None:
            return plain
        made = vars(self.making) | {"agreement": {n: p.as_dict() for n, p in self.making.agreement.items()}}
        return plain | {"version": self.figures.name} | made


MOST_PROBED = 5_000
"""Problems up to which probes are tried unasked: their time grows with the square of the problems."""


def stats(version: Version, profile: str | None = None, probed: bool | None = False) -> Statistics:
    """The figures of a version, by default with the normaliser profile it was built with."""
    stages = {stage["stage"]: stage["config"] for stage in version.manifest["stages"]}
    problems = version.problems()
    gold = tuple(gold_problem(problem) for problem in problems)
    corpus = Corpus(version.label, "problems", len(gold), gold)
    found = stats_of(corpus, profile or stages["diversity"]["profile"], probed)
    return replace(found, making=_making(problems))


def stats_of(corpus: Corpus, profile: str | None = None, probed: bool | None = False) -> Statistics:
    """The figures of a corpus; ``probed`` says whether probes are tried, None where it is not large.

    Probes learn from problems with a text and a template; a corpus without any has no such figures.
    """
    figures = figures_of(corpus, profile or "default")
    wanted = len(corpus.problems) <= MOST_PROBED if probed is None else probed
    learns = figures.with_text and figures.with_template
    return Statistics(figures, probes=probes_of(corpus) if wanted and learns else None)


def _making(problems: Iterable[Problem]) -> Making:
    rows = list(problems)
    verdicts = Counter(problem.agreement for problem in rows)
    values = [problem.lexicon_diversity for problem in rows]
    return Making(
        splits=counts_of(problem.split for problem in rows),
        dimensions=counts_of(str(problem.answer_dim) for problem in rows),
        agreement={verdict: Proportion(verdicts[verdict], len(rows)) for verdict in sorted(verdicts)},
        stored_ld=math.fsum(values) / len(values) if values else None,
    )


FigureBlock = Mapping[str, str]
"""Cells of one corpus by label."""


@dataclass(frozen=True)
class Comparison:
    """One or more corpora, in the order given."""

    columns: tuple[Statistics, ...]

    @property
    def names(self) -> list[str]:
        """The corpora's names."""
        return [column.figures.name for column in self.columns]

    def sections(self) -> list[tuple[str, pd.DataFrame]]:
        """The tables by title: a row for each label, a column for each corpus; cells are text, "" where nothing is."""
        found = [
            (title, _joined([blocks(column) for column in self.columns], self.names))
            for title, blocks in SECTIONS.items()
        ]
        return [(title, frame) for title, frame in found if len(frame)]

    def published(self) -> pd.DataFrame:
        """Published figures: corpus, figure, ours, the published one, its source, and why they differ."""
        rows = [
            [column.figures.name, *one.as_dict().values()]
            for column in self.columns
            for one in published_for(column.figures)
        ]
        return pd.DataFrame(rows, columns=PUBLISHED_HEAD)

    def text(self) -> str:
        """In plain lines."""
        lines = [" | ".join(self.names)]
        for title, frame in self.sections():
            rows = [[" ".join(label.split()), *cells] for label, *cells in frame.itertuples(name=None)]
            lines += ["", title, *aligned([["", *self.names], *rows] if len(self.columns) > 1 else rows)]
        if len(published := self.published()):
            lines += ["", "published figures", *aligned([list(PUBLISHED_HEAD), *published.to_numpy()])]
        return "\n".join(lines)

    def markdown(self) -> str:
        """As Markdown tables."""
        lines = [f"### {', '.join(self.names)}", ""]
        for title, frame in self.sections():
            lines += [*markdown_table([title, *self.names], frame.itertuples(name=None)), ""]
        if len(published := self.published()):
            lines += [*markdown_table(PUBLISHED_HEAD, published.to_numpy()), ""]
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """Plain data: the figures of each corpus."""
        return {"corpora": [column.as_dict() for column in self.columns]}


PUBLISHED_HEAD = ("corpus", "figure", "here", "published", "source", "why they differ")


def _joined(columns: Sequence[Sequence[FigureBlock]], names: Sequence[str]) -> pd.DataFrame:
    """The blocks of all corpora side by side without empty rows; labels of later blocks are those of any, sorted."""
    first, *others = (pd.DataFrame(list(blocks), dtype=object).T for blocks in zip(*columns, strict=True))
    frame = pd.concat([first, *(block.sort_index() for block in others)]).fillna("").set_axis(list(names), axis=1)
    return frame[(frame != "").any(axis=1)]


def number(value: float | None, digits: int = 2) -> str:
    """A number with fixed digits; nothing for None."""
    return "" if value is None else f"{value:.{digits}f}"


def percent(share: Proportion) -> str:
    """A share with its interval; nothing where there is nothing to divide by."""
    return str(share) if share.n else ""


def _counted(prefix: str, counts: Mapping[str, object]) -> FigureBlock:
    return {f"{prefix} {key}".strip(): str(count) for key, count in counts.items()}


def _made(column: Statistics, prefix: str, name: str) -> FigureBlock:
    return _counted(prefix, getattr(column.making, name)) if column.making else {}


def _problems(column: Statistics) -> Sequence[FigureBlock]:
    of = column.figures
    cells = {
        "problems": str(of.problems),
        "with a text": str(of.with_text) if of.with_text < of.problems else "",
        "records refused": str(sum(of.refused.values())) if of.refused else "",
    }
    return cells, _counted("refused:", of.refused), _made(column, "split", "splits")


def _templates(column: Statistics) -> Sequence[FigureBlock]:
    of = column.figures
    cells = {
        "templates before reconciliation": _placed(of, of.templates_before),
        "templates": _placed(of, of.templates),
        "problems with a template": str(of.with_template),
        "problems per template": number(of.per_template),
        "templates that occur once": _placed(of, of.single_templates),
    }
    return cells, _counted("template from", of.template_source)


def _placed(figures: CorpusFigures, count: int) -> str:
    """A count of templates; nothing where no problem has one."""
    return str(count) if figures.with_template else ""


def _shares(shares: Sequence[TemplateShare]) -> FigureBlock:
    return {
        one.label: f"{_many(one.templates, 'template')}, {_many(one.problems.hits, 'problem')} ({_short(one.problems)})"
        if one.problems.n
        else ""
        for one in shares
    }


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def _short(share: Proportion) -> str:
    return "n/a" if share.value is None else f"{100 * share.value:.1f} %"


def _top(column: Statistics) -> Sequence[FigureBlock]:
    top = column.figures.top_templates
    cells = {f"top {place + 1}": "" for place in range(TOP)}
    cells |= {f"top {place}": f"{text} ({_short(share)})" for place, (_, text, share) in enumerate(top, start=1)}
    together = Proportion(sum(share.hits for _, _, share in top), column.figures.with_template)
    return (cells | {"top 10 together": percent(together)},)


def _labels(column: Statistics) -> Sequence[FigureBlock]:
    of = column.figures
    cells = {
        "with equations": percent(of.with_equations),
        "linear, of those with equations": percent(of.linear),
        "templates of linear problems": str(of.linear_templates or ""),
        "ambiguous alignment, of those with text and template": percent(of.ambiguous),
        "formula agrees with the answer, where comparable": percent(of.consistent),
        "operators per equation": f"{number(of.operators)} (n={of.equations})" if of.equations else "",
        "operators per problem": number(of.operators_per_problem),
    }
    making = [_made(column, "answer values", "dimensions"), _made(column, "agreement", "agreement")]
    return cells, _counted("not understood:", of.unread), *making


def _text(column: Statistics) -> Sequence[FigureBlock]:
    of = column.figures
    cells = {
        "words per problem": number(of.words),
        "sentences per problem": number(of.sentences),
        "vocabulary without numbers": str(of.vocabulary or ""),
    }
    return (cells,)


def _diversity(column: Statistics) -> Sequence[FigureBlock]:
    of = column.figures
    cells = {
        "corpus lexicon diversity (CLD)": _cld(of.diversity),
        "identical texts": _identical(of.diversity),
        "CLD inside a type": _cld(of.by_kind),
        "identical texts inside a type": _identical(of.by_kind),
        "profile": of.diversity.signature if of.diversity.n else "",
        "histogram of LD, 20 bins": " ".join(map(str, of.diversity.histogram)) if of.diversity.n else "",
        "mean LD when accepted": number(column.making.stored_ld, 4) if column.making else "",
    }
    return (cells,)


def _syntax(column: Statistics) -> Sequence[FigureBlock]:
    of = column.figures
    cells = {
        "corpus syntactic diversity (SD)": _sd(of.syntax, of.with_text),
        "identical tags": _identical(of.syntax),
        "SD inside a type": _sd(of.syntax_by_kind, of.with_text),
        "profile": of.syntax.signature if of.syntax.n else "",
        "histogram of SD, 20 bins": " ".join(map(str, of.syntax.histogram)) if of.syntax.n else "",
    }
    return (cells,)


def _sd(report: DiversityReport | None, texts: int) -> str:
    """SD with its N, which is that of a sample where the corpus is large."""
    sampled = report is not None and report.n < texts
    return _cld(report) + (f", a sample of {texts} by digest" if sampled else "")


def _kinds(column: Statistics) -> Sequence[FigureBlock]:
    """CLD and SD of each type, among its own problems."""
    return {}, {one.kind: f"CLD {one.cld:.4f} (N={one.n}){_sd_of(one)}" for one in column.figures.kinds}


def _sd_of(one: KindDiversity) -> str:
    if one.sd is None:
        return ""
    return f", SD {one.sd:.4f}" + (f" (N={one.tagged})" if one.tagged < one.n else "")


def _probes(column: Statistics) -> Sequence[FigureBlock]:
    if column.probes is None:
        return ({},)
    return ({share.name: percent(share.proportion) for share in column.probes.shares} | {"folds": column.probes.folds},)


def _cld(report: DiversityReport | None) -> str:
    return f"{number(report.cld, 4)} (N={report.n})" if report is not None and report.n else ""


def _identical(report: DiversityReport | None) -> str:
    return "" if report is None else percent(Proportion(round(report.identical_share * report.n), report.n))


SECTIONS: Mapping[str, Callable[[Statistics], Sequence[FigureBlock]]] = {
    "problems": _problems,
    "templates": _templates,
    "problems on templates of at least so many problems": lambda column: (_shares(column.figures.sizes),),
    "problems by frequency of their template": lambda column: (_shares(column.figures.bins),),
    "ten most frequent templates": _top,
    "labels": _labels,
    "text": _text,
    "lexicon diversity": _diversity,
    "syntactic diversity, over part-of-speech tags": _syntax,
    "diversity inside each type": _kinds,
    "solved by shallow probes": _probes,
    "licenses": lambda column: ({}, _counted("", column.figures.licenses)),
}
"""The tables: of one corpus, a block of cells that every corpus has, then blocks whose labels are its own."""
