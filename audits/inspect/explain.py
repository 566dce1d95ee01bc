"""The whole way of one post through the stages of a version: verdict, record, score, reason and evidence of each."""

import bisect
import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from audits.rendering import EvidenceMark, indented, segments, snippet, visible
from corpus.errors import InputError, VersionError
from corpus.records import (
    CLEANED_QUESTION,
    POSTED_QUESTION,
    ClassifiedPost,
    CleanedPost,
    Dropped,
    Post,
    PostAgreement,
    PostReading,
    Problem,
    Record,
    TextSpan,
)
from corpus.versioning.versions import NAME
from corpus.workspace import Workspace
from curation.building.run_rows import (
    NOTHING,
    POSTS,
    STAGE_NAMES,
    BuildOutcome,
    RunRows,
    unpublished,
    unpublished_names,
)
from curation.provenance import removed_from
from curation.stages.decontaminate_stage import PostOriginality
from curation.stages.diversity_stage import PostDiversity
from curation.stages.registry import meaning_of
from curation.stages.split_stage import PostSplit
from curation.stages.templates_stage import PostTemplate

NEIGHBOURS = 2_000
SHOWN = 12

StageVerdict = Literal["kept", "dropped", "not reached"]


@dataclass(frozen=True)
class Highlight:
    """Characters a stage rests on: in the posted question, the cleaned question, or the answer ``where`` names."""

    where: str
    start: int
    end: int
    raw: str


@dataclass(frozen=True)
class StageStep:
    """What one stage made of the post. ``key`` is the content address of the stage's whole output.

    Of a post that was dropped, ``meaning`` is what the reason means and ``may_help`` what may help.
    """

    stage: str
    verdict: StageVerdict
    key: str
    record: Record | None = None
    score: float | None = None
    reason: str | None = None
    detail: str | None = None
    evidence: str | None = None
    meaning: str | None = None
    may_help: str | None = None
    facts: tuple[str, ...] = ()
    highlights: tuple[Highlight, ...] = ()


@dataclass(frozen=True)
class Explanation:
    """One post of a version, with a step for every stage in order."""

    version: str
    post: Post
    steps: tuple[StageStep, ...]
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def outcome(self) -> str:
        """In one sentence: where the post ended."""
        for step in self.steps:
            if step.verdict == "dropped":
                return f"dropped by stage {step.stage}: {step.reason}"
        last = self.steps[-1].record
        where = f" as {last.problem_id} in split {last.split}" if isinstance(last, Problem) else ""
        return f"published{where}"

    def text(self) -> str:
        """For a terminal: the post with its evidence between ⟦brackets⟧, then every stage."""
        post = self.post
        lines = [f"{post.post_id} in {self.version}: {self.outcome}"]
        lines += [visible(line) for line in _origin(post)]
        marks = [mark for step in self.steps for mark in step.highlights]
        for where, text in self.texts.items():
            here = [EvidenceMark(mark.start, mark.end, "evidence") for mark in marks if mark.where == where]
            lines += ["", where, *indented(_marked(text, here).splitlines())]
        for step in self.steps:
            lines += ["", *_step_lines(step, self.texts)]
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """Plain data: the post, the outcome and every step."""
        steps = []
        for step in self.steps:
            plain = {**vars(step), "record": step.record.model_dump(mode="json") if step.record else None}
            steps.append({**plain, "highlights": [vars(mark) for mark in step.highlights], "facts": list(step.facts)})
        post = self.post.model_dump(mode="json")
        removed = removed_from(_texts(self.post))
        return {"version": self.version, "outcome": self.outcome, "post": post, "removed": removed, "steps": steps}


@dataclass(frozen=True)
class _Sight:
    """What is to be said of a stage's record."""

    facts: tuple[str, ...] = ()
    score: float | None = None
    highlights: tuple[Highlight, ...] = ()


def _spans(spans: Sequence[TextSpan]) -> tuple[Highlight, ...]:
    return tuple(Highlight(f"answer {span.answer_id}", span.start, span.end, span.raw) for span in spans)


def _cleaned(record: CleanedPost) -> _Sight:
    steps = ", ".join(f"{step.name} ({len(step.edits)})" for step in record.steps) or "nothing to clean"
    numbers = ", ".join(f"{number.raw} = {number.value}" for number in record.numbers) or "none"
    marks = tuple(Highlight(CLEANED_QUESTION, number.start, number.end, number.raw) for number in record.numbers)
    return _Sight((f"cleaning: {steps}", f"numbers: {numbers}"), None, marks)


def _classified(record: ClassifiedPost) -> _Sight:
    types = (f"type of question: {record.question_type}",) if record.question_type else ()
    return _Sight((f"outcome: {record.outcome}", *types), record.probability)


def _solutions(record: PostReading) -> str:
    return " or ".join(
        ", ".join(f"{one.unknown} = {one.value}" for one in each.assignments) for each in record.solutions
    )


def _read(record: PostReading) -> _Sight:
    ranked = [f"{', '.join(one.values)} ({one.score:.3f})" for one in record.ranked]
    lines = [
        f"answer: {', '.join(record.values)}",
        f"ranked: {' | '.join(ranked)}",
        f"equations: {'; '.join(record.equations) if record.equations else 'none agreed'}",
    ]
    if record.equations:
        lines += [f"solution: {_solutions(record)}", f"votes: answers {', '.join(record.votes)}"]
    if record.note:
        lines.append(f"note: {record.note}")
    for system in record.candidates[:SHOWN]:
        lines.append(f"answer {system.answer_id} gave ({system.status}): {'; '.join(system.equations)}")
    marks = [*record.spans, *(span for system in record.candidates for span in system.spans)]
    return _Sight(tuple(lines), record.confidence, _spans(marks))


def _agreed(record: PostAgreement) -> _Sight:
    facts = [f"{record.verdict}: {record.detail}"]
    if record.asked is not None:
        facts.append(f"asked: {', '.join(record.asked)} of {'; '.join(record.equations or ())}")
    return _Sight(tuple(facts), record.probability)


def _diverse(record: PostDiversity) -> _Sight:
    return _Sight((f"nearest accepted: {record.nearest_id or 'none'}",), record.lexicon_diversity)


def _original(record: PostOriginality) -> _Sight:
    return _Sight((f"has the words of: {record.variant_of}",) if record.variant_of else ())


def _templated(record: PostTemplate) -> _Sight:
    facts = [f"template: {'; '.join(record.template) if record.template else 'none'}"]
    if record.alignment:
        facts.append(f"alignment: {', '.join(f'{slot.slot} = {slot.value}' for slot in record.alignment)}")
    if record.ambiguous:
        facts.append("ambiguous: a person has to say which number a slot stands for")
    if record.note:
        facts.append(f"note: {record.note}")
    marks = tuple(Highlight(CLEANED_QUESTION, slot.start, slot.end, "") for slot in record.alignment)
    return _Sight(tuple(facts), None, marks)


def _placed(record: PostSplit) -> _Sight:
    return _Sight((f"split: {record.split} (group {record.group})",))


def _released(record: Problem) -> _Sight:
    return _Sight((f"problem: {record.problem_id}", f"license: {record.license or 'not stated'}"))


def _plain(record: Record) -> _Sight:
    return _Sight(tuple(f"{name}: {value}" for name, value in record if name != "post_id"))


_SIGHTS: Mapping[type[Record], Callable[[Any], _Sight]] = {
    CleanedPost: _cleaned,
    ClassifiedPost: _classified,
    PostReading: _read,
    PostAgreement: _agreed,
    PostDiversity: _diverse,
    PostOriginality: _original,
    PostTemplate: _templated,
    PostSplit: _placed,
    Problem: _released,
}


def last_build(workspace: Workspace, label: str | None) -> BuildOutcome:
    """The version named, or what the last build of a name came to; without a name that of the only one there is."""
    name = label
    if name is None:
        names = sorted({*workspace.versions.names(), *unpublished_names(workspace)})
        if len(names) != 1:
            known = f" ({', '.join(names)}); say which with --version" if names else "; run wordquarry build"
            raise VersionError(f"{workspace.folder} has {len(names) or 'no'} datasets{known}")
        name = names[0]
    bare = name.removesuffix(f"/{NOTHING}")
    return (unpublished(workspace, bare) if NAME.fullmatch(bare) else None) or workspace.versions.open(name)


def explain(workspace: Workspace, version: BuildOutcome, post_id: str) -> Explanation:
    """The way of a post through the run behind a version, kept or dropped.

    Raises InputError naming close ids for a post that was not among the run's posts, and VersionError where the data
    folder has no record of the run.
    """
    rows = RunRows.of(workspace, version)
    post = rows.post(post_id)
    if post is None:
        rows.check(POSTS, post_id)
        raise InputError(_unknown(post_id, version, rows.post_ids()))
    post = workspace.store(rows.run.store).retrieved(post)
    texts = texts_of(post, rows.record("clean", post_id))
    steps: list[StageStep] = []
    for stage in STAGE_NAMES:
        step = _step(rows, stage, rows.run.keys.get(stage, ""), post_id, texts)
        if step.verdict == "not reached" and all(earlier.verdict == "kept" for earlier in steps):
            rows.check(stage, post_id)
        steps.append(step)
    return Explanation(version.label, post, tuple(steps), texts)


def _step(rows: RunRows, stage: str, key: str, post_id: str, texts: Mapping[str, str]) -> StageStep:
    record = rows.record(stage, post_id)
    if record is not None:
        sight, marks = _SIGHTS.get(type(record), _plain)(record), highlights_of(record, texts)
        return StageStep(stage, "kept", key, record, sight.score, facts=sight.facts, highlights=marks)
    row = rows.drop(stage, post_id)
    if row is None:
        return StageStep(stage, "not reached", key)
    meant = meaning_of(row.reason)
    return StageStep(
        stage,
        "dropped",
        key,
        score=row.score,
        reason=row.reason,
        detail=row.detail,
        evidence=row.evidence,
        meaning=meant.meaning if meant else None,
        may_help=(meant.may_help or None) if meant else None,
        highlights=highlights_of(row, texts),
    )


def highlights_of(record: Record, texts: Mapping[str, str]) -> tuple[Highlight, ...]:
    """The characters of a post's texts that a stage's record rests on, or a drop, as the stage read them."""
    if isinstance(record, Dropped):
        return tuple(Highlight(one.where, one.start, one.end, one.raw) for one in record.spans)
    return tuple(_filled(mark, texts) for mark in _SIGHTS.get(type(record), _plain)(record).highlights)


def texts_of(post: Post, cleaned: Record | None) -> dict[str, str]:
    """The texts of a post by the names that highlights call them by."""
    texts = {POSTED_QUESTION: post.question, **{f"answer {answer.answer_id}": answer.text for answer in post.answers}}
    return texts | {CLEANED_QUESTION: cleaned.question} if isinstance(cleaned, CleanedPost) else texts


def _filled(mark: Highlight, texts: Mapping[str, str]) -> Highlight:
    return Highlight(mark.where, mark.start, mark.end, texts.get(mark.where, "")[mark.start : mark.end])


def _unknown(post_id: str, version: BuildOutcome, ids: Sequence[str]) -> str:
    """The message for an unknown post: ids with the same native id first, then the most similar nearby ones."""
    native = post_id.rpartition(":")[2]
    same = [other for other in ids if other.rpartition(":")[2] == native][:3]
    place = bisect.bisect_left(ids, post_id)
    around = ids[max(0, place - NEIGHBOURS) : place + NEIGHBOURS]
    close = list(dict.fromkeys([*same, *difflib.get_close_matches(post_id, around, n=3, cutoff=0.6)]))
    hint = f"close ids: {', '.join(close)}" if close else "wordquarry export posts lists all ids"
    return f"no post {visible(post_id[:80])} among the {len(ids)} posts of {version.label}; {hint}"


def _texts(post: Post) -> list[str]:
    return [post.question, *(answer.text for answer in post.answers)]


def _origin(post: Post) -> list[str]:
    """Where the post comes from and on what terms, how it was read, and what was taken out of it."""
    terms = [part for part in (post.url, post.license, post.attribution) if part]
    told = (("retrieved", post.retrieved_at), ("response", post.response_sha256), ("parser", post.parser))
    read = [f"{word} {said}" for word, said in told if said]
    own = [
        f"answer {answer.answer_id}: " + " · ".join(part for part in (answer.license, answer.attribution) if part)
        for answer in post.answers
        if answer.license or answer.attribution
    ]
    removed = [f"{count} {kind}" for kind, count in removed_from(_texts(post)).items() if count]
    lines = [" · ".join(terms), " · ".join(read), *own, f"taken out: {', '.join(removed)}" if removed else ""]
    return [line for line in lines if line]


def _marked(text: str, marks: Sequence[EvidenceMark]) -> str:
    parts = segments(text, [EvidenceMark(mark.start, mark.end, "evidence") for mark in marks])
    return "".join(f"⟦{visible(part.text)}⟧" if part.kinds else visible(part.text) for part in parts)


def _step_lines(step: StageStep, texts: Mapping[str, str]) -> list[str]:
    score = "" if step.score is None else f", score {step.score:.3f}"
    lines = [f"{step.stage}: {step.verdict}{score} (key {step.key[:12]})"]
    if step.verdict == "dropped":
        lines += [f"  reason {step.reason}: {visible(step.detail or '')}"]
        lines += [f"  evidence: {visible(' '.join(step.evidence.split()))}"] if step.evidence else []
        lines += [f"  {step.reason}: {step.meaning}"] if step.meaning else []
        lines += [f"  what may help: {step.may_help}"] if step.may_help else []
    lines += [f"  {visible(' '.join(fact.split()))}" for fact in step.facts]
    for mark in step.highlights[:SHOWN]:
        if mark.where != CLEANED_QUESTION and mark.where in texts:
            lines.append(f"  {mark.where} [{mark.start}:{mark.end}] {snippet(texts[mark.where], mark.start, mark.end)}")
    hidden = len(step.highlights) - SHOWN
    return [*lines, f"  and {hidden} more spans"] if hidden > 0 else lines
