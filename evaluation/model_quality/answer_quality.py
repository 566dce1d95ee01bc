"""How good the answer model is on labelled threads: five-fold tables, the curve of Figure 2, reliability, baselines.

Dolphin18K (Huang et al., ACL 2016), Figure 2, shows accuracy against the score threshold; here it is precision and
coverage against the confidence. Every figure of a site that the confidence learns from is out of fold.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from types import MappingProxyType
from typing import Final

import pandas as pd

from evaluation.charts import Chart
from evaluation.metrics.proportions import Calibration
from evaluation.table_text import markdown_frame
from models.answer_model import CONFIDENCE_NAMES
from models.answer_training import (
    FORM,
    NO_OTHERS,
    OWN,
    WANTED_PRECISION,
    Choice,
    Example,
    FittedParts,
    Other,
    answer_baselines,
    fit_parts,
    fold_parts,
    read_examples,
    read_sources,
)
from models.hypotheses import NAMES
from models.label_split import LabelledThread, ValidationRow, data_digest, fold_of, lowest_threshold, wilson
from models.read_threads import SolveThread

STEPS: Final = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
COVERAGES: Final = (0.1, 0.2, 0.3, 0.4, 0.5, 0.7)
CURVE_COVERAGES: Final = (0.2, 0.3, 0.4)
PART_FOLDS: Final = 4
PARTS: Final = {"a quarter": 1, "half": 2, "all": 4}
SHOWN: Final = 20
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
    curve: Sequence[tuple[str, int, SiteScores]]
    """The learning curve: the share of real posts learned from, how many these are, and the scores on set D."""
    words: Mapping[str, Sequence[tuple[str, float]]]
    signature: str

    def markdown(self) -> str:
        """All tables in Markdown."""
        parts = [self._figures(), self._curve(), self._coverages(), self._learning()]
        parts += [self._reliability(), self._floors(), self._words()]
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

    def _learning(self) -> str:
        rows = [
            {
                "real posts learned from": name,
                "threads": n,
                "first candidate right": _share(sum(one.right for one, _ in scores.found), scores.n),
                **{f"surest {share:.0%}": _share(*scores.surest(share)) for share in CURVE_COVERAGES},
            }
            for name, n, scores in self.curve
        ]
        return markdown_frame(pd.DataFrame(rows), "What more labels buy: set D, out of fold by site")

    def _words(self) -> str:
        rows = [
            {"part": part, "weighs most": ", ".join(f"{name} {weight:+.2f}" for name, weight in found)}
            for part, found in self.words.items()
        ]
        return markdown_frame(pd.DataFrame(rows), "What was learned").replace("\\n", "line break")


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

    ``threads`` are the labels, by set (the family of a label), ``others`` the further sources that are learned from:
    nested five-fold, so that nothing of a fold, which keeps sites and askers together, teaches the model that judges
    it. ``tests`` are sources that nothing learns from: the model fitted on all the rest.
    """
    sources = read_sources(threads, solve, others)
    every = [item for part in sources.values() for item in part]
    models = fold_parts(every)
    own = {item.thread.post_id: models[item.fold].choose(item) for item in sources[OWN]}
    threshold, _ = lowest_threshold([(one.confidence, one.right) for one in own.values()], WANTED_PRECISION)
    by_set: dict[str, list[Example]] = {}
    for item in sources[OWN]:
        by_set.setdefault(f"real posts, set {item.thread.label.family}".removesuffix(", set "), []).append(item)
    judged = by_set | {name: part for name, part in sources.items() if name != OWN}
    sites = [_scores(name, part, threshold, partial(_of_fold, models)) for name, part in judged.items()]
    whole = fit_parts(every)
    for name, found in tests.items():
        sites.append(_scores(name, read_examples(found, solve), threshold, lambda _: whole))
    everything = [item.thread for item in every]
    signature = f"{FORM}|nested five-fold by site|threshold:{threshold:g}|data:{data_digest(everything)}"
    return AnswerQuality(sites, _learning_curve(sources, threshold), _strongest(whole), signature)


def _scores(
    name: str, part: Sequence[Example], threshold: float, judge: Callable[[Example], FittedParts]
) -> SiteScores:
    choices = [judge(item).choose(item) for item in part]
    found = [(one, one.found and one.confidence >= threshold) for one in choices]
    return SiteScores(name, found, answer_baselines([(one.read, one.gold, any(one.right)) for one in part]))


def _learning_curve(sources: Mapping[str, Sequence[Example]], threshold: float) -> list[tuple[str, int, SiteScores]]:
    """Set D judged by models of the other folds that learn from a part of the real posts, whole sites at a time."""
    tested = [item for item in sources[OWN] if item.thread.label.family == "D"]
    rest = [item for name, part in sources.items() if name != OWN for item in part]
    curve = []
    for name, most in PARTS.items() if tested else ():
        real = [item for item in sources[OWN] if fold_of(item.thread, PART_FOLDS) < most]
        models = fold_parts([*real, *rest])
        curve.append((name, len(real), _scores(name, tested, threshold, partial(_of_fold, models))))
    return curve


def _of_fold(models: Sequence[FittedParts], item: Example) -> FittedParts:
    return models[item.fold]


def _strongest(parts: FittedParts) -> dict[str, list[tuple[str, float]]]:
    """The words and signs that weigh most for and against a mention, and all evidence of the two other parts."""
    words = sorted(parts.words.weights.items(), key=lambda one: (one[1], one[0]))
    ranking = dict(zip(NAMES, parts.ranking.tolist(), strict=True))
    confidence = dict(zip(CONFIDENCE_NAMES, parts.confidence.weights.tolist(), strict=True))
    return {
        "words and signs for": words[: -SHOWN - 1 : -1],
        "words and signs against": words[:SHOWN],
        "evidence, ranking": sorted(ranking.items(), key=lambda one: -abs(one[1])),
        "evidence, probability": sorted(confidence.items(), key=lambda one: -abs(one[1])),
    }
