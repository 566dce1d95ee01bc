"""What the post classifier is worth: precision, recall, confusion by reason, calibration, and the keyword filters."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from corpus.config import ClassifyConfig
from curation.keyword_filters import keyword_refusal
from evaluation.metrics.calibration import Calibration
from evaluation.metrics.gold_scores import ScopeScore, score_scope
from evaluation.metrics.proportions import Proportion
from models.label_split import OUTCOMES, LabelledThread
from models.post_features import post_view
from models.post_model import PostModel

FILTERS: Final[Mapping[str, ClassifyConfig]] = {
    "drop_non_linear_wording": ClassifyConfig(drop_non_linear_wording=True),
    "require_unknown_in_answers": ClassifyConfig(require_unknown_in_answers=True),
    "both": ClassifyConfig(drop_non_linear_wording=True, require_unknown_in_answers=True),
}


@dataclass(frozen=True)
class Judged:
    """A labelled post with the model's probability of one elementary problem, and its outcome."""

    thread: LabelledThread
    probability: float
    outcome: str

    @property
    def kept(self) -> bool:
        """Whether the model keeps the post."""
        return self.outcome == "ok"

    @property
    def gold(self) -> bool:
        """Whether the post is in scope."""
        return self.thread.label.in_scope


def judge(model: PostModel, threads: Iterable[LabelledThread]) -> list[Judged]:
    """Each thread classified; one without a question, which no stage lets through, has probability 0."""
    found = []
    for thread in threads:
        scope = model.scope(thread.question, thread.answers)
        known = bool(thread.question.strip())
        found.append(Judged(thread, scope.probability if known else 0.0, scope.outcome if known else "incomplete"))
    return found


def score(judged: Sequence[Judged]) -> ScopeScore:
    """Precision and recall of what is kept."""
    return score_scope([row.kept for row in judged], [row.gold for row in judged])


@dataclass(frozen=True)
class PostQuality:
    """All tables. ``sets`` are posts judged by a model that was not fitted on them, by name.

    ``one_sided`` names sets without posts out of scope; their precision is measured together with ``against``.
    """

    sets: Mapping[str, Sequence[Judged]]
    one_sided: Mapping[str, Sequence[Judged]]
    against: Sequence[Judged]
    signature: str
    model: PostModel

    def markdown(self) -> str:
        """The tables in Markdown."""
        parts = [self._scores(), self._across(), *self._confusions(), self._calibration(), self._filters()]
        parts.append(self._failures("real posts"))
        return "\n".join(["## posts", "", *parts, f"Signature: `{self.signature}`", ""])

    def _scores(self) -> str:
        rows = []
        for name, judged in self.sets.items():
            gold = [row.gold for row in judged]
            rows.append([name, *_cells(score(judged))])
            rows.append(["floor: keep everything", *_cells(score_scope([True] * len(gold), gold))])
            holds = [bool(post_view(row.thread.question, ()).number_count) for row in judged]
            rows.append(["floor: the question holds a number", *_cells(score_scope(holds, gold))])
        return table(["posts", "precision", "recall"], rows)

    def across(self) -> dict[str, ScopeScore]:
        """The score of each one-sided set together with the posts that are to be kept out."""
        return {name: score([*judged, *self.against]) for name, judged in self.one_sided.items()}

    def _across(self) -> str:
        found = self.across()
        rows = [[name, *_cells(one)] for name, one in found.items()]
        every = {**found, **{name: score(judged) for name, judged in self.sets.items()}}
        lowest = [["lowest of all tables", _least(every, "precision"), _least(every, "recall")]]
        return table(
            [f"in scope, against {len(self.against)} posts out of scope", "precision", "recall"], rows + lowest
        )

    def _confusions(self) -> list[str]:
        return [confusion(name, judged) for name, judged in self.sets.items()]

    def _calibration(self) -> str:
        found = {
            name: Calibration.of((row.probability, row.gold) for row in judged) for name, judged in self.sets.items()
        }
        rows = [
            [name, f"{100 * tenth.mean:.1f} %", str(Proportion(tenth.hits, tenth.n))]
            for name, one in found.items()
            for tenth in one.tenths
        ]
        errors = [[name, f"{one.error:.1f} points", one.chance_text()] for name, one in found.items()]
        return (
            table(["expected calibration error", "", "if every probability were true"], errors)
            + "\n"
            + table(["reliability", "mean probability", "share in scope"], rows)
        )

    def _filters(self) -> str:
        rows = []
        for name, judged in self.sets.items():
            rows.append([name, "off", *_cells(score(judged)), ""])
            for switch, config in FILTERS.items():
                rows.append([name, switch, *filtered(judged, config)])
        return table(["posts, by DRAW's filters", "filter", "precision", "recall", "dropped by reason"], rows)

    def _failures(self, name: str) -> str:
        rows = [
            [row.thread.post_id, row.thread.label.scope_reason, row.outcome, f"{row.probability:.2f}", why]
            for row in self.sets.get(name, ())
            if row.kept != row.gold
            for why in [", ".join(self.model.reasons(row.thread.question, row.thread.answers))]
        ]
        return table([f"failures, {name}", "is", "judged", "probability", "what weighed most"], rows)


def _least(scores: Mapping[str, ScopeScore], what: str) -> str:
    shares = {name: one.precision if what == "precision" else one.recall for name, one in scores.items()}
    name = min(shares, key=lambda name: shares[name].value or 0.0)
    return f"{shares[name]}, {name}"


def _cells(found: ScopeScore) -> list[str]:
    return [str(found.precision), str(found.recall)]


def confusion(name: str, judged: Sequence[Judged]) -> str:
    """What posts are by what they were judged to be, as a table."""
    counts = Counter((row.thread.label.scope_reason, row.outcome) for row in judged)
    rows = [[gold, *(str(counts[gold, outcome] or "") for outcome in OUTCOMES)] for gold in OUTCOMES]
    return table([f"{name}: is, judged", *OUTCOMES], rows)


def filtered(judged: Sequence[Judged], config: ClassifyConfig) -> list[str]:
    """Precision, recall and drops by reason of the classifier with keyword filters behind it."""
    kept, drops = [], Counter[str]()
    for row in judged:
        answers = row.thread.answers
        refusal = keyword_refusal(row.thread.question, answers, config) if row.kept else None
        kept.append(row.kept and refusal is None)
        if refusal is not None:
            drops[refusal.reason.value] += 1
    reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(drops.items()))
    return [*_cells(score_scope(kept, [row.gold for row in judged])), reasons]


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown with an empty line behind it."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines) + "\n"
