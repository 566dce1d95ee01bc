"""Gathering the figures of the post classifier: every set is judged by a model that was not fitted on its source."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from corpus.benchmarks.format_registry import format_named
from corpus.benchmarks.reading import read_file
from corpus.records import Label, ScopeOutcome
from evaluation.gold_threads.labelled_threads import REAL_SETS, real_posts
from evaluation.metrics.reading_report import read_json, read_lines
from evaluation.model_quality.post_quality import JudgedPost, PostQuality, judge
from extractors.text.cleaning import clean_question
from models.label_split import LabelledThread
from models.post_model import PostModel
from models.post_training import TrainedPosts, train_posts

ReadLabelled = Callable[[Path], Iterable[tuple[str, str | None, Sequence[str], ScopeOutcome]]]
"""The shared data folder -> id, question, answers and outcome of each post."""


def _texts(record: Mapping[str, Any]) -> list[str]:
    return [str(answer["text"]) for answer in record["answers"]]


def _gsm8k(shared: Path) -> Iterable[tuple[str, str, Sequence[str], ScopeOutcome]]:
    rows = read_lines(shared / "gsm8k" / "threads.jsonl")
    return ((row["id"], row["question"], _texts(row), ScopeOutcome.OK) for row in rows)


def _aqua(shared: Path) -> Iterable[tuple[str, str, Sequence[str], ScopeOutcome]]:
    rows = read_lines(shared / "aqua" / "aqua_dev.jsonl")
    return ((row["id"], row["question"], [row["rationale"]], ScopeOutcome.OK) for row in rows)


def _mathqa(shared: Path) -> Iterable[tuple[str, str, Sequence[str], ScopeOutcome]]:
    rows = read_lines(shared / "mathqa" / "mathqa_dev_first2000.jsonl")
    return ((row["id"], row["Problem"], [row["Rationale"]], ScopeOutcome.OK) for row in rows)


def _asdiv(shared: Path) -> Iterable[tuple[str, str, Sequence[str], ScopeOutcome]]:
    problems = read_file(shared / "asdiv" / "ASDiv.xml", format_named("asdiv"), "ASDiv").problems
    return ((one.native_id, " ".join(part.strip() for part in one.parts), (), ScopeOutcome.OK) for one in problems)


def _draw(shared: Path) -> Iterable[tuple[str, str, Sequence[str], ScopeOutcome]]:
    rows = {str(row["iIndex"]): row for row in read_json(shared / "draw" / "draw.json")}
    return ((name, row["sQuestion"], (), ScopeOutcome.OK) for name, row in rows.items())


def _alg514(shared: Path) -> Iterable[tuple[str, str, Sequence[str], ScopeOutcome]]:
    rows = read_json(shared / "alg514" / "kushman.json")
    return ((str(row["iIndex"]), row["sQuestion"], (), ScopeOutcome.OK) for row in rows)


def _stackmathqa(shared: Path) -> Iterable[tuple[str, str, Sequence[str], ScopeOutcome]]:
    rows = read_lines(shared / "stackmathqa" / "posts.jsonl")
    return ((row["id"], row["question"], _texts(row), ScopeOutcome.COLLEGE) for row in rows)


SOURCES: Final[Mapping[str, ReadLabelled]] = {
    "GSM8K": _gsm8k,
    "AQuA": _aqua,
    "MathQA": _mathqa,
    "ASDiv": _asdiv,
    "DRAW": _draw,
    "Alg-514": _alg514,
    "StackMathQA": _stackmathqa,
}


def labelled(name: str, shared: Path) -> list[LabelledThread]:
    """The posts of one source, questions cleaned; a post whose question is not known has an empty one.

    InputError where the shared data cannot be read.
    """
    threads = []
    for native, question, answers, outcome in SOURCES[name](shared):
        label = Label(post_id=native, in_scope=outcome is ScopeOutcome.OK, scope_reason=outcome)
        threads.append(LabelledThread(native, clean_question(question or "").text, tuple(answers), label))
    return threads


def without_answers(threads: Iterable[LabelledThread]) -> list[LabelledThread]:
    """The same posts as if nobody had answered yet."""
    return [LabelledThread(thread.post_id, thread.question, (), thread.label) for thread in threads]


OUT_OF_SCOPE = "StackMathQA"
REAL: Final = {name: f"real posts, set {name}" for name in REAL_SETS}
"""Five-fold by site: a fold holds no site that its model was fitted on."""


@dataclass(frozen=True)
class Bundled:
    """The labelled posts that come with the checkout: the site's two parts, and the posts of ``data/own``."""

    training: Sequence[LabelledThread]
    evaluation: Sequence[LabelledThread]
    own: Sequence[LabelledThread]


def post_quality(model: PostModel, bundled: Bundled, shared: Path) -> PostQuality:
    """The figures of the shipped model; the models that lack a source are fitted here.

    InputError where the shared data cannot be read.
    """
    real = real_posts(shared)
    ids = frozenset(thread.post_id for thread in real)
    held_out = _held_out(train_posts([*bundled.training, *bundled.own, *real], decisive=ids))
    site = [*bundled.training, *bundled.evaluation]
    sets = {
        "bundled evaluation part": judge(model, bundled.evaluation),
        "posts of our own, five-fold": [row for row in held_out if row.thread.post_id not in ids],
        "the bundled site, fitted on data/own alone": judge(train_posts(bundled.own).model, site),
        "data/own, fitted on the bundled site alone": judge(train_posts(bundled.training).model, bundled.own),
        **{title: [row for row in held_out if row.thread.label.family == name] for name, title in REAL.items()},
    }
    one_sided = {}
    for name in (name for name in SOURCES if name != OUT_OF_SCOPE):
        threads = labelled(name, shared)
        one_sided[name] = judge(model, threads)
        if any(thread.answers for thread in threads):
            one_sided[f"{name}, questions only"] = judge(model, without_answers(threads))
    against = judge(model, labelled(OUT_OF_SCOPE, shared))
    return PostQuality(sets, one_sided, against, model.notes["signature"], model)


def _held_out(trained: TrainedPosts) -> list[JudgedPost]:
    return [JudgedPost(row.thread, row.probability, row.outcome) for row in trained.held_out]
