"""How good the answer model is on labelled threads: five-fold tables, the curve of Figure 2, reliability, baselines.

Dolphin18K (Huang et al., ACL 2016), Figure 2, shows accuracy against the score threshold; here it is precision and
coverage against the confidence. Every figure of a site that the confidence learns from is out of fold.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Final

import numpy as np
import pandas as pd

from evaluation.charts import Chart
from evaluation.metrics.calibration import Calibration
from evaluation.table_text import markdown_frame
from models.agreement_labels import agreed_threads
from models.answer_training import (
    FOLDS,
    MIN_LABELS,
    NO_OTHERS,
    OWN,
    WANTED_PRECISION,
    Learned,
    Other,
    calibrate,
    learn,
    nested,
    read_examples,
)
from models.baselines import answer_baselines
from models.features import LOCAL_NAMES, THREAD_NAMES
from models.fitting import EVERY, Choice, Example, SolveThread, Used, judge, judged_by_others, out_of_fold
from models.label_split import LabelledThread
from models.mention_features import LOCAL_CONTEXT, NUMBER_VALUE
from models.set_features import DIMENSION, NUMBER_SET
from models.thread_features import GLOBAL, SOLUTION
from models.validation import ValidationRow, wilson

_FEATURES: Final = {
    "local context": LOCAL_CONTEXT,
    "number value": NUMBER_VALUE,
    "number set": NUMBER_SET,
    "dimension": DIMENSION,
    "global": GLOBAL,
    "voted solution": SOLUTION,
}
GROUPS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {group: tuple(feature.__name__ for feature in features) for group, features in _FEATURES.items()}
)
"""The groups of Table 1 of Dolphin18K, with the names of their features."""


def without(group: str) -> Used:
    """All features but those of a group; KeyError for a group that does not exist."""
    left_out = GROUPS[group]
    local = [float(name not in left_out) for name in LOCAL_NAMES]
    return Used(np.array(local), np.array([float(name not in left_out) for name in THREAD_NAMES]))


def ablation(examples: Sequence[Example], c: float, folds: int) -> tuple[ValidationRow, ...]:
    """How often the first candidate is right with all features and without each group, on whole threads out of fold."""
    whole = [replace(item, variants=()) for item in examples]
    used = {"all features": EVERY} | {f"without {group}": without(group) for group in GROUPS}
    rows = []
    for name, features in used.items():
        judged = out_of_fold(whole, c, folds, features)
        rows.append(ValidationRow(name, sum(row.first_right for row in judged), len(judged), len(judged)))
    return tuple(rows)


STEPS: Final = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
COVERAGES: Final = (0.25, 0.4, 0.5, 0.7, 0.85)
Threads = Mapping[str, Sequence[LabelledThread]]


@dataclass(frozen=True)
class SiteScores:
    """Whole threads of one source: the answer to each, and whether the model returns it."""

    name: str
    found: Sequence[tuple[Choice, bool]]
    baselines: Sequence[ValidationRow]

    @property
    def n(self) -> int:
        """How many threads could be answered."""
        return len(self.found)

    def at(self, step: float) -> tuple[int, int]:
        """Right and returned at one confidence for all kinds of threads."""
        kept = [choice for choice, _ in self.found if choice.found and choice.confidence >= step]
        return sum(row.right for row in kept), len(kept)

    def surest(self, coverage: float) -> tuple[int, int]:
        """Right and returned among the surest share of the threads, as far as there are candidates."""
        ranked = sorted((c for c, _ in self.found), key=lambda choice: (-choice.confidence, choice.post_id))
        kept = [choice for choice in ranked[: int(coverage * self.n)] if choice.found]
        return sum(row.right for row in kept), len(kept)

    @cached_property
    def calibration(self) -> Calibration:
        """The confidences of all first candidates, returned or not, against how many of them are right."""
        return Calibration.of((choice.confidence, choice.right) for choice, _ in self.found if choice.found)


@dataclass(frozen=True)
class AnswerQuality:
    """The answer model's tables and pictures."""

    sites: Sequence[SiteScores]
    groups: Sequence[ValidationRow]
    labels: Sequence[tuple[ValidationRow, int]]
    signature: str

    def markdown(self) -> str:
        """All tables in Markdown."""
        parts = [self._figures(), self._curve(), self._coverages(), self._reliability(), self._floors()]
        parts += [self._groups(), self._labels()]
        return "\n".join(["### Answer model", "", *parts, f"Signature: `{self.signature}`", ""])

    def pictures(self) -> dict[str, str]:
        """The pictures by file name, as SVG."""
        curves = {
            one.name: [(step, hits / n) for step in STEPS for hits, n in [one.at(step)] if n] for one in self.sites
        }
        bins = {
            one.name: [(tenth.mean, tenth.hits / tenth.n) for tenth in one.calibration.tenths] for one in self.sites
        }
        ends = (0.0, 1.0)
        return {
            "answers-precision.svg": Chart(
                "Precision of returned answers", "confidence from which answers are returned", "precision", (0.5, 1.0),
                (0.5, 1.0), curves,
            ).svg(),
            "answers-reliability.svg": Chart(
                "Reliability of the confidence", "mean confidence", "share right", ends, ends,
                {"perfect": [(0.0, 0.0), (1.0, 1.0)], **bins},
            ).svg(),
        }  # fmt: skip

    def _figures(self) -> str:
        rows = []
        for site in self.sites:
            kept = [choice for choice, returned in site.found if returned]
            rows.append(
                {
                    "threads": site.name,
                    "precision": _share(sum(row.right for row in kept), len(kept)),
                    "coverage": _percent(len(kept), site.n),
                    "always the first": _percent(sum(choice.right for choice, _ in site.found), site.n),
                    "as many values as gold": _percent(sum(row.dimension for row in kept), len(kept)),
                    "ECE": f"{site.calibration.error:.1f}",
                    "ECE of true confidences": site.calibration.chance_text(),
                }
            )
        return markdown_frame(pd.DataFrame(rows), "At the model's thresholds")

    def _beside(self, title: str, label: str, labels: Sequence[str], cells: Callable[[SiteScores], list[str]]) -> str:
        """A table with a column for each site."""
        frame = pd.DataFrame({label: labels, **{site.name: cells(site) for site in self.sites}})
        return markdown_frame(frame, title)

    def _curve(self) -> str:
        title = "Precision and coverage against the confidence (Figure 2 of Dolphin18K)"
        steps = [f"{step:.2f}" for step in STEPS]
        return self._beside(
            title, "confidence from", steps, lambda site: [_cell(site.at(step), site.n) for step in STEPS]
        )

    def _coverages(self) -> str:
        shares = [f"{share:.0%}" for share in COVERAGES]
        return self._beside(
            "Precision among the surest threads",
            "coverage",
            shares,
            lambda site: [_share(*site.surest(share)) for share in COVERAGES],
        )

    def _reliability(self) -> str:
        rows = [
            {
                "threads": site.name,
                "mean confidence": f"{tenth.mean:.2f}",
                "share right": f"{tenth.hits / tenth.n:.2f}",
                "n": tenth.n,
            }
            for site in self.sites
            for tenth in site.calibration.tenths
        ]
        return markdown_frame(pd.DataFrame(rows), "Reliability")

    def _floors(self) -> str:
        return self._beside(
            "Floors and the ceiling",
            "rule",
            [row.name for row in self.sites[0].baselines],
            lambda site: [f"{_share(r.hits, r.returned)} at {_percent(r.returned, r.n)}" for r in site.baselines],
        )

    def _groups(self) -> str:
        rows = [{"features": row.name, "right": _share(row.hits, row.n)} for row in self.groups]
        frame = pd.DataFrame(rows, columns=["features", "right"])
        return markdown_frame(frame, "First candidate right without a group of features, real posts")

    def _labels(self) -> str:
        rows = [{"labels": row.name, "threads": n, "right": _share(row.hits, row.n)} for row, n in self.labels]
        frame = pd.DataFrame(rows, columns=["labels", "threads", "right"])
        return markdown_frame(frame, "First candidate right by what teaches the rankings")


def _percent(hits: int, n: int) -> str:
    return f"{100 * hits / n:.1f} %" if n else "-"


def _share(hits: int, n: int) -> str:
    low, high = wilson(hits, n)
    return f"{_percent(hits, n)} [{100 * low:.1f}, {100 * high:.1f}], {hits} of {n}"


def _cell(found: tuple[int, int], n: int) -> str:
    hits, returned = found
    return f"{_percent(hits, returned)} at {_percent(returned, n)}"


def answer_quality(
    threads: Sequence[LabelledThread],
    solve: SolveThread,
    others: Mapping[str, Other] = NO_OTHERS,
    tests: Threads = MappingProxyType({}),
) -> AnswerQuality:
    """Measure the answer model that these labels give.

    ``threads`` are the labels, ``others`` the further sources that are learned from: nested five-fold, so that nothing
    of a fold, which keeps sites and askers together, teaches the model that judges it. ``tests`` are sources that
    nothing learns from: the model fitted on all the rest.
    """
    learned = learn(threads, solve, WANTED_PRECISION, others)
    judged = nested(learned.examples, others, WANTED_PRECISION)
    sites = [SiteScores(_name(one), judged[one], answer_baselines(found)) for one, found in learned.examples.items()]
    sites += [_tested(name, read_examples(found, solve, variants=False), learned) for name, found in tests.items()]
    groups = ablation(learned.examples[OWN], learned.c, FOLDS)
    return AnswerQuality(sites, groups, _by_labels(learned, solve), learned.signature)


def _by_labels(learned: Learned, solve: SolveThread) -> list[tuple[ValidationRow, int]]:
    """Rankings taught by labels, by agreement on the threads of all sites, and by both, on the labels' threads.

    Left out where agreement gives too few threads to learn from.
    """
    labelled = [replace(item, variants=()) for item in learned.examples[OWN]]
    every = [item.thread for found in learned.examples.values() for item in found]
    agreed = read_examples(
        agreed_threads([(one.post_id, one.question, one.answers) for one in every], solve), solve, variants=False
    )
    known = {item.thread.post_id for item in labelled}
    askers = {item.thread.post_id: item.thread.label.author for item in labelled}
    agreed = [replace(item, thread=_asked_by(item.thread, askers.get(item.thread.post_id, ""))) for item in agreed]
    taught = {
        "labels": labelled,
        "agreement": agreed,
        "both": [*labelled, *(item for item in agreed if item.thread.post_id not in known)],
    }
    rows = []
    for name, teachers in taught.items():
        if len(teachers) < MIN_LABELS:
            continue
        judged = judged_by_others(labelled, teachers, learned.c, FOLDS)
        rows.append(
            (ValidationRow(name, sum(row.first_right for row in judged), len(judged), len(judged)), len(teachers))
        )
    return rows


def _asked_by(thread: LabelledThread, author: str) -> LabelledThread:
    """A thread with its asker, who decides its fold."""
    return replace(thread, label=thread.label.model_copy(update={"author": author}))


def _name(site: str) -> str:
    return "real posts" if site == OWN else site


def _tested(name: str, examples: Sequence[Example], learned: Learned) -> SiteScores:
    chosen = calibrate(learned.seen.rows(), WANTED_PRECISION)
    judged = (row for item in examples for row in judge(item, learned.weights) if row.full)
    choices = [chosen.confidence.of(row) for row in judged]
    return SiteScores(name, [(choice, chosen.keeps(choice)) for choice in choices], answer_baselines(examples))
