"""Labelled posts of the shared data, as the post classifier sees them: tests only, none of them is trained on."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from corpus.benchmarks.format_registry import format_named
from corpus.benchmarks.reading import read_file
from corpus.records import Label, ScopeOutcome
from evaluation.metrics.reading_report import read_json, read_lines
from extractors.text.cleaning import clean_question
from models.label_split import LabelledThread

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


def _real_posts(shared: Path) -> Iterable[tuple[str, str | None, Sequence[str], ScopeOutcome]]:
    rows = read_lines(shared / "realposts" / "posts.jsonl")
    return ((row["id"], row["question"], _texts(row), ScopeOutcome(row["scope_reason"])) for row in rows)


SOURCES: Final[Mapping[str, ReadLabelled]] = {
    "GSM8K": _gsm8k,
    "AQuA": _aqua,
    "MathQA": _mathqa,
    "ASDiv": _asdiv,
    "DRAW": _draw,
    "Alg-514": _alg514,
    "StackMathQA": _stackmathqa,
    "real posts": _real_posts,
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
