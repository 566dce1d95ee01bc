"""The figures of one corpus, and for a version of ours what only its making tells (splits, agreement, acceptance)."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from corpus.benchmarks.gold_problems import Corpus
from corpus.benchmarks.own import gold_problem
from corpus.records import Problem
from corpus.versions import Version
from evaluation.corpus_figures.paper_figures import CorpusFigures, figures_of
from evaluation.corpus_figures.published_figures import published_for
from evaluation.metrics.proportions import Proportion
from evaluation.solvers.probes import Probes, probes_of


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
        splits=_counts(problem.split for problem in rows),
        dimensions=_counts(str(problem.answer_dim) for problem in rows),
        agreement={verdict: Proportion(verdicts[verdict], len(rows)) for verdict in sorted(verdicts)},
        stored_ld=math.fsum(values) / len(values) if values else None,
    )


def _counts(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))
