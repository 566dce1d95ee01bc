"""What the post classifier is worth: precision, recall, confusion by reason, calibration, and the keyword filters.

Every set is judged by a model that was not fitted on its source.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pandas as pd

from corpus.benchmarks.format_registry import format_named
from corpus.benchmarks.reading import read_file
from corpus.records import Label, ScopeOutcome
from curation.stages.classify_stage import ClassifyConfig, keyword_refusal
from evaluation.gold_threads.labelled_threads import READABLE, REAL_SETS, real_posts
from evaluation.metrics.gold_scores import ScopeScore, score_scope
from evaluation.metrics.proportions import Calibration, Proportion
from evaluation.metrics.reading_report import read_json, read_lines
from evaluation.table_text import markdown_frame
from extractors.text.cleaning import clean_question
from models.label_split import OUTCOMES, LabelledThread
from models.post_model import NUMBER, PostModel
from models.post_training import HeldOut, train_posts

KEEP, HOLDS = "floor: keep everything", "floor: the question holds a number"
FILTERS: Final[Mapping[str, ClassifyConfig]] = {
    "drop_non_linear_wording": ClassifyConfig(drop_non_linear_wording=True),
    "require_unknown_in_answers": ClassifyConfig(require_unknown_in_answers=True),
    "both": ClassifyConfig(drop_non_linear_wording=True, require_unknown_in_answers=True),
}


OUT_OF_SCOPE = "StackMathQA"
_FILES: Final = {
    "GSM8K": ("gsm8k/threads.jsonl", "id", "question", "answers"),
    "AQuA": ("aqua/aqua_dev.jsonl", "id", "question", "rationale"),
    "MathQA": ("mathqa/mathqa_dev_first2000.jsonl", "id", "Problem", "Rationale"),
    "ASDiv": ("asdiv/ASDiv.xml", "", "", ""),
    "DRAW": ("draw/draw.json", "iIndex", "sQuestion", ""),
    "Alg-514": ("alg514/kushman.json", "iIndex", "sQuestion", ""),
    OUT_OF_SCOPE: ("stackmathqa/posts.jsonl", "id", "question", "answers"),
}
"""Where each source lies below the shared data, and its fields for id, question and answers."""
REAL: Final = {name: f"real posts, set {name}" for name in REAL_SETS}
"""Five-fold by site: a fold holds no site that its model was fitted on."""


def _texts(name: str, shared: Path) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Question and answers of the posts of a source by id."""
    file, identifier, question, answers = _FILES[name]
    if name == "ASDiv":
        problems = read_file(shared / file, format_named("asdiv"), name).problems
        return {one.native_id: (one.question, ()) for one in problems}
    rows = (read_lines if file.endswith(".jsonl") else read_json)(shared / file)
    told = {str(row[identifier]): (row[question], row.get(answers, ())) for row in rows}
    return {
        name: (asked, (said,) if isinstance(said, str) else tuple(str(one["text"]) for one in said))
        for name, (asked, said) in told.items()
    }


def labelled(name: str, shared: Path) -> list[LabelledThread]:
    """The posts of one source, questions cleaned; a post whose question is not known has an empty one.

    InputError where the shared data cannot be read.
    """
    outcome = ScopeOutcome.COLLEGE if name == OUT_OF_SCOPE else ScopeOutcome.OK
    return [
        LabelledThread(
            native,
            clean_question(question or "").text,
            answers,
            Label(post_id=native, in_scope=outcome is ScopeOutcome.OK, scope_reason=outcome),
        )
        for native, (question, answers) in _texts(name, shared).items()
    ]


@dataclass(frozen=True)
class Bundled:
    """The labelled posts that come with the checkout: the site's two parts, and the posts of ``data/own``."""

    training: Sequence[LabelledThread]
    evaluation: Sequence[LabelledThread]
    own: Sequence[LabelledThread]


def post_quality(model: PostModel, bundled: Bundled, shared: Path) -> "PostQuality":
    """The figures of the shipped model; the models that lack a source are fitted here.

    InputError where the shared data cannot be read.
    """
    real = real_posts(shared)
    ids = frozenset(thread.post_id for thread in real)
    held_out = train_posts([*bundled.training, *bundled.own, *real], decisive=ids).held_out
    site = [*bundled.training, *bundled.evaluation]
    sets = {
        "bundled evaluation part": judge(model, bundled.evaluation),
        "posts of our own, five-fold": [row for row in held_out if row.thread.post_id not in ids],
        "the bundled site, fitted on data/own alone": judge(train_posts(bundled.own).model, site),
        "data/own, fitted on the bundled site alone": judge(train_posts(bundled.training).model, bundled.own),
        **{title: [row for row in held_out if row.thread.label.family == name] for name, title in REAL.items()},
    }
    one_sided = {}
    for name in (name for name in _FILES if name != OUT_OF_SCOPE):
        threads = labelled(name, shared)
        one_sided[name] = judge(model, threads)
        if any(thread.answers for thread in threads):
            bare = [LabelledThread(one.post_id, one.question, (), one.label) for one in threads]
            one_sided[f"{name}, questions only"] = judge(model, bare)
    against = judge(model, labelled(OUT_OF_SCOPE, shared))
    return PostQuality(sets, one_sided, against, model.notes["signature"], model)


def judge(model: PostModel, threads: Iterable[LabelledThread]) -> list[HeldOut]:
    """Each thread classified; one without a question, which no stage lets through, has probability 0."""
    found = []
    for thread in threads:
        scope = model.scope(thread.question, thread.answers)
        known = bool(thread.question.strip())
        outcome = scope.outcome if known else ScopeOutcome.INCOMPLETE
        found.append(HeldOut(thread, scope.probability if known else 0.0, outcome))
    return found


def _kept(judged: Iterable[HeldOut]) -> list[bool]:
    return [row.outcome is ScopeOutcome.OK for row in judged]


def _gold(judged: Iterable[HeldOut]) -> list[bool]:
    return [row.thread.label.in_scope for row in judged]


def _score(judged: Sequence[HeldOut]) -> ScopeScore:
    """Precision and recall of what is kept."""
    return score_scope(_kept(judged), _gold(judged))


@dataclass(frozen=True)
class PostQuality:
    """All tables. ``sets`` are posts judged by a model that was not fitted on them, by name.

    ``one_sided`` names sets without posts out of scope; their precision is measured together with ``against``.
    """

    sets: Mapping[str, Sequence[HeldOut]]
    one_sided: Mapping[str, Sequence[HeldOut]]
    against: Sequence[HeldOut]
    signature: str
    model: PostModel

    def markdown(self) -> str:
        """The tables in Markdown."""
        confusions = [confusion(name, judged) for name, judged in self.sets.items()]
        parts = [self._scores(), self._across(), *confusions, self._calibration(), self._filters(), self._failures()]
        return "\n".join(["## posts", "", *parts, f"Signature: `{self.signature}`", ""])

    def _scores(self) -> str:
        rows = []
        for name, judged in self.sets.items():
            gold = _gold(judged)
            holds = [NUMBER.search(row.thread.question) is not None for row in judged]
            kept = {name: _kept(judged), KEEP: [True] * len(gold), HOLDS: holds}
            rows += [{"posts": rule, **_cells(score_scope(found, gold))} for rule, found in kept.items()]
        return markdown_frame(pd.DataFrame(rows))

    def _across(self) -> str:
        found = {name: _score([*judged, *self.against]) for name, judged in self.one_sided.items()}
        every = {**found, **{name: _score(judged) for name, judged in self.sets.items()}}
        what = f"in scope, against {len(self.against)} posts out of scope"
        rows = [{what: name, **_cells(one)} for name, one in found.items()]
        lowest = {what: "lowest of all tables", **{part: _least(every, part) for part in ("precision", "recall")}}
        return markdown_frame(pd.DataFrame([*rows, lowest]))

    def _calibration(self) -> str:
        found = {
            name: Calibration.of(zip([row.probability for row in judged], _gold(judged), strict=True))
            for name, judged in self.sets.items()
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
            rows.append({**of, "filter": "off", **_cells(_score(judged)), "dropped by reason": ""})
            rows += [{**of, "filter": switch, **filtered(judged, config)} for switch, config in FILTERS.items()]
        return markdown_frame(pd.DataFrame(rows))

    def _reasons(self, thread: LabelledThread) -> tuple[str, ...]:
        row = self.model.row(thread.question, thread.answers)
        return self.model.reasons(row, self.model.scope_of(row).against)

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
            if _kept([row]) != _gold([row])
        ]
        return markdown_frame(pd.DataFrame(rows))


def _least(scores: Mapping[str, ScopeScore], what: str) -> str:
    shares = {name: one.precision if what == "precision" else one.recall for name, one in scores.items()}
    name = min(shares, key=lambda name: shares[name].value or 0.0)
    return f"{shares[name]}, {name}"


def _cells(found: ScopeScore) -> dict[str, str]:
    return {"precision": str(found.precision), "recall": str(found.recall)}


def confusion(name: str, judged: Sequence[HeldOut]) -> str:
    """What posts are by what they were judged to be, as a table."""
    of = pd.DataFrame([(row.thread.label.scope_reason, row.outcome) for row in judged], columns=["is", "judged"])
    counts = pd.crosstab(of["is"], of["judged"]).reindex(index=OUTCOMES, columns=OUTCOMES, fill_value=0)
    return markdown_frame(counts.astype(str).replace("0", "").reset_index(names=f"{name}: is, judged"))


def filtered(judged: Sequence[HeldOut], config: ClassifyConfig) -> dict[str, str]:
    """Precision, recall and drops by reason of the classifier with keyword filters behind it."""
    kept, drops = [], Counter[str]()
    for row in judged:
        answers = row.thread.answers
        fits = row.outcome is ScopeOutcome.OK
        refusal = keyword_refusal(row.thread.question, answers, config) if fits else None
        kept.append(fits and refusal is None)
        if refusal is not None:
            drops[refusal.reason.value] += 1
    reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(drops.items()))
    return {**_cells(score_scope(kept, _gold(judged))), "dropped by reason": reasons}
