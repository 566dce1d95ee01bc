"""What the post classifier is worth: precision, recall, confusion by reason, calibration, and the keyword filters."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import pandas as pd

from corpus.config import ClassifyConfig
from corpus.records import ScopeOutcome
from curation.stages.classify_stage import keyword_refusal
from evaluation.gold_threads.labelled_threads import READABLE
from evaluation.metrics.gold_scores import ScopeScore, score_scope
from evaluation.metrics.proportions import Calibration, Proportion
from evaluation.table_text import markdown_frame
from models.label_split import OUTCOMES, LabelledThread
from models.post_model import NUMBER, PostModel

KEEP, HOLDS = "floor: keep everything", "floor: the question holds a number"
FILTERS: Final[Mapping[str, ClassifyConfig]] = {
    "drop_non_linear_wording": ClassifyConfig(drop_non_linear_wording=True),
    "require_unknown_in_answers": ClassifyConfig(require_unknown_in_answers=True),
    "both": ClassifyConfig(drop_non_linear_wording=True, require_unknown_in_answers=True),
}


@dataclass(frozen=True)
class JudgedPost:
    """A labelled post with the model's probability of one elementary problem, and its outcome."""

    thread: LabelledThread
    probability: float
    outcome: ScopeOutcome

    @property
    def kept(self) -> bool:
        """Whether the model keeps the post."""
        return self.outcome is ScopeOutcome.OK

    @property
    def gold(self) -> bool:
        """Whether the post is in scope."""
        return self.thread.label.in_scope


def judge(model: PostModel, threads: Iterable[LabelledThread]) -> list[JudgedPost]:
    """Each thread classified; one without a question, which no stage lets through, has probability 0."""
    found = []
    for thread in threads:
        scope = model.scope(thread.question, thread.answers)
        known = bool(thread.question.strip())
        outcome = scope.outcome if known else ScopeOutcome.INCOMPLETE
        found.append(JudgedPost(thread, scope.probability if known else 0.0, outcome))
    return found


def score(judged: Sequence[JudgedPost]) -> ScopeScore:
    """Precision and recall of what is kept."""
    return score_scope([row.kept for row in judged], [row.gold for row in judged])


@dataclass(frozen=True)
class PostQuality:
    """All tables. ``sets`` are posts judged by a model that was not fitted on them, by name.

    ``one_sided`` names sets without posts out of scope; their precision is measured together with ``against``.
    """

    sets: Mapping[str, Sequence[JudgedPost]]
    one_sided: Mapping[str, Sequence[JudgedPost]]
    against: Sequence[JudgedPost]
    signature: str
    model: PostModel

    def markdown(self) -> str:
        """The tables in Markdown."""
        parts = [self._scores(), self._across(), *self._confusions(), self._calibration(), self._filters()]
        parts.append(self._failures())
        return "\n".join(["## posts", "", *parts, f"Signature: `{self.signature}`", ""])

    def _scores(self) -> str:
        rows = []
        for name, judged in self.sets.items():
            gold = [row.gold for row in judged]
            holds = [NUMBER.search(row.thread.question) is not None for row in judged]
            kept = {name: [row.kept for row in judged], KEEP: [True] * len(gold), HOLDS: holds}
            rows += [{"posts": rule, **_cells(score_scope(found, gold))} for rule, found in kept.items()]
        return markdown_frame(pd.DataFrame(rows))

    def across(self) -> dict[str, ScopeScore]:
        """The score of each one-sided set together with the posts that are to be kept out."""
        return {name: score([*judged, *self.against]) for name, judged in self.one_sided.items()}

    def _across(self) -> str:
        found = self.across()
        every = {**found, **{name: score(judged) for name, judged in self.sets.items()}}
        what = f"in scope, against {len(self.against)} posts out of scope"
        rows = [{what: name, **_cells(one)} for name, one in found.items()]
        lowest = {what: "lowest of all tables", **{part: _least(every, part) for part in ("precision", "recall")}}
        return markdown_frame(pd.DataFrame([*rows, lowest]))

    def _confusions(self) -> list[str]:
        return [confusion(name, judged) for name, judged in self.sets.items()]

    def _calibration(self) -> str:
        found = {
            name: Calibration.of((row.probability, row.gold) for row in judged) for name, judged in self.sets.items()
        }
        errors = [
            {
                "expected calibration error": name,
                "": f"{one.error:.1f} points",
                "if every probability were true": one.chance_text(),
            }
            for name, one in found.items()
        ]
        rows = [
            {
                "reliability": name,
                "mean probability": f"{100 * tenth.mean:.1f} %",
                "share in scope": Proportion(tenth.hits, tenth.n),
            }
            for name, one in found.items()
            for tenth in one.tenths
        ]
        return "\n".join([markdown_frame(pd.DataFrame(errors)), markdown_frame(pd.DataFrame(rows))])

    def _filters(self) -> str:
        rows = []
        for name, judged in self.sets.items():
            of = {"posts, by DRAW's filters": name}
            rows.append({**of, "filter": "off", **_cells(score(judged)), "dropped by reason": ""})
            rows += [{**of, "filter": switch, **filtered(judged, config)} for switch, config in FILTERS.items()]
        return markdown_frame(pd.DataFrame(rows))

    def _reasons(self, thread: LabelledThread) -> tuple[str, ...]:
        against = self.model.scope(thread.question, thread.answers).against
        return self.model.reasons(thread.question, thread.answers, against)

    def _failures(self) -> str:
        """What was judged wrongly of the real posts that may be read."""
        real = [row for judged in self.sets.values() for row in judged if row.thread.label.family in READABLE]
        rows = [
            {
                "failures, real posts": row.thread.post_id,
                "is": row.thread.label.scope_reason,
                "judged": row.outcome,
                "probability": f"{row.probability:.2f}",
                "what weighed most": ", ".join(self._reasons(row.thread)),
            }
            for row in real
            if row.kept != row.gold
        ]
        return markdown_frame(pd.DataFrame(rows))


def _least(scores: Mapping[str, ScopeScore], what: str) -> str:
    shares = {name: one.precision if what == "precision" else one.recall for name, one in scores.items()}
    name = min(shares, key=lambda name: shares[name].value or 0.0)
    return f"{shares[name]}, {name}"


def _cells(found: ScopeScore) -> dict[str, str]:
    return {"precision": str(found.precision), "recall": str(found.recall)}


def confusion(name: str, judged: Sequence[JudgedPost]) -> str:
    """What posts are by what they were judged to be, as a table."""
    of = pd.DataFrame([(row.thread.label.scope_reason, row.outcome) for row in judged], columns=["is", "judged"])
    counts = pd.crosstab(of["is"], of["judged"]).reindex(index=OUTCOMES, columns=OUTCOMES, fill_value=0)
    return markdown_frame(counts.astype(str).replace("0", "").reset_index(names=f"{name}: is, judged"))


def filtered(judged: Sequence[JudgedPost], config: ClassifyConfig) -> dict[str, str]:
    """Precision, recall and drops by reason of the classifier with keyword filters behind it."""
    kept, drops = [], Counter[str]()
    for row in judged:
        answers = row.thread.answers
        refusal = keyword_refusal(row.thread.question, answers, config) if row.kept else None
        kept.append(row.kept and refusal is None)
        if refusal is not None:
            drops[refusal.reason.value] += 1
    reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(drops.items()))
    return {**_cells(score_scope(kept, [row.gold for row in judged])), "dropped by reason": reasons}
