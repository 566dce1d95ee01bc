"""A small run, written through the real stores: posts with every possible fate, stage outputs, and a version.

Post ``site:p00`` asks for two numbers with sum and difference given; its answers are right. The others are alike with
other numbers. ``FATES`` says which stage drops a post and why.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corpus.canonical import bucket_of, sha256_text
from corpus.outputs import OutputPart
from corpus.records import (
    Answer,
    Assignment,
    CandidateSystem,
    ClassifiedPost,
    CleanedPost,
    CleaningEdit,
    CleaningStep,
    Dropped,
    Post,
    PostAgreement,
    PostReading,
    Problem,
    RankedAnswer,
    Record,
    SlotAlignment,
    SystemSolution,
    TextSpan,
    TextualNumber,
)
from corpus.versioning.versions import Version
from corpus.workspace import Workspace
from curation.building.publishing import Build, publish
from curation.building.run_rows import POSTS
from curation.config_file import GateConfig
from curation.stages.diversity_stage import PostDiversity
from curation.stages.registry import STAGES, BuildConfig
from curation.stages.release_stage import doubles, problem_id
from curation.stages.split_stage import PostSplit
from curation.stages.templates_stage import PostTemplate
from extractors.answers.parsing import answer_text
from tests.samples import sample

FATES: Mapping[str, tuple[str, str]] = {
    "site:p10": ("clean", "question_too_long"),
    "site:p11": ("classify", "college_level"),
    "site:p12": ("read", "nothing_to_read"),
    "site:p13": ("read", "low_confidence"),
    "site:p14": ("agree", "answer_contradicts_equations"),
    "site:p15": ("diversity", "duplicate"),
    "site:p16": ("templates", "numbers_not_in_text"),
    "site:p17": ("split", "split_conflict"),
    "site:p18": ("release", "license_not_allowed"),
}
SHARDS = 3
CHATTER = "Please help!! "


@dataclass(frozen=True)
class Plan:
    """What a run does otherwise: fates, values of single posts, extra posts, and settings."""

    posts: int = 19
    fates: Mapping[str, tuple[str, str]] = field(default_factory=lambda: FATES)
    answers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    confidence: Mapping[str, float] = field(default_factory=dict)
    probability: Mapping[str, float] = field(default_factory=dict)
    without_equations: tuple[str, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    config: BuildConfig = field(default_factory=BuildConfig)
    gate: GateConfig = field(default_factory=GateConfig)


def numbers_of(post_id: str) -> tuple[int, int]:
    """The two numbers a post asks for."""
    place = int(post_id.removeprefix("site:p"))
    return 20 + 2 * place, 5 + place


def question_of(post_id: str) -> str:
    """The cleaned question."""
    larger, smaller = numbers_of(post_id)
    return f"The sum of two numbers is {larger + smaller} and they differ by {larger - smaller}. What are they?"


def make_post(post_id: str, plan: Plan) -> Post:
    """The post with two answers; the second one is junk, or what the plan says."""
    larger, smaller = numbers_of(post_id)
    solved = f"x + y = {larger + smaller}, x - y = {larger - smaller} so x = {larger} and y = {smaller}"
    return Post(
        post_id=post_id,
        source="site",
        url=f"https://forum.example/{post_id[-2:]}",
        license="CC-BY-4.0",
        question=CHATTER + question_of(post_id),
        answers=(
            Answer(answer_id="1", text=solved, is_best=True),
            Answer(answer_id="2", text=plan.texts.get(post_id, "no idea, sorry")),
        ),
    )


def _span(post: Post, raw: str) -> TextSpan:
    start = post.answers[0].text.rindex(raw)
    return TextSpan(answer_id="1", start=start, end=start + len(raw), raw=raw)


def _numbers(question: str, *values: int) -> tuple[TextualNumber, ...]:
    found = []
    for value in values:
        start = question.index(str(value))
        raw = str(value)
        found.append(TextualNumber(value=raw, start=start, end=start + len(raw), raw=raw, kind="integer"))
    return tuple(found)


def _cleaned(post: Post) -> CleanedPost:
    larger, smaller = numbers_of(post.post_id)
    question = question_of(post.post_id)
    step = CleaningStep(name="chatter", edits=(CleaningEdit(start=0, end=len(CHATTER), replacement=""),))
    numbers = _numbers(question, larger + smaller, larger - smaller)
    return CleanedPost(post_id=post.post_id, question=question, steps=(step,), numbers=numbers)


def _reading(post: Post, plan: Plan) -> PostReading:
    larger, smaller = numbers_of(post.post_id)
    values = plan.answers.get(post.post_id, (str(larger), str(smaller)))
    read: dict[str, Any] = {
        "post_id": post.post_id,
        "values": values,
        "confidence": plan.confidence.get(post.post_id, 0.9),
        "ranked": (RankedAnswer(values=values, score=2.5),),
        "spans": (_span(post, str(larger)), _span(post, str(smaller))),
    }
    texts = (f"x+y={larger + smaller}", f"x-y={larger - smaller}")
    solution = SystemSolution(
        assignments=(Assignment(unknown="x", value=str(larger)), Assignment(unknown="y", value=str(smaller)))
    )
    spans = (_span(post, f"x + y = {larger + smaller}"), _span(post, f"x - y = {larger - smaller}"))
    system = CandidateSystem(
        answer_id="1",
        equations=texts,
        unknowns=("x", "y"),
        solutions=(solution,),
        status="solved",
        spans=spans,
        probability=0.9,
    )
    if post.post_id in plan.without_equations:
        note = "no two answers agree"
        return PostReading(
            **read,
            equations=None,
            unknowns=(),
            solutions=(),
            votes=(),
            candidates=(system,),
            linear=None,
            note=note,
        )
    return PostReading(
        **read,
        equations=texts,
        unknowns=("x", "y"),
        solutions=(solution,),
        votes=("1", "2"),
        candidates=(system,),
        linear=True,
    )


def _template(post: Post, cleaned: CleanedPost, found: PostReading) -> PostTemplate:
    slots = tuple(
        SlotAlignment(slot=slot, value=number.value, start=number.start, end=number.end)
        for slot, number in zip("ab", cleaned.numbers, strict=True)
    )
    held = found.equations is not None
    return PostTemplate(
        post_id=post.post_id,
        template=("m+n=a", "m-n=b") if held else None,
        template_id="t-sum-difference" if held else None,
        alignment=slots if held else (),
        equivalent_numbers=(),
        ambiguous=False,
    )


def records_of(post: Post, plan: Plan) -> dict[str, Record]:
    """What every stage says of a post it keeps."""
    cleaned, found = _cleaned(post), _reading(post, plan)
    template = _template(post, cleaned, found)
    agreement = PostAgreement(
        post_id=post.post_id,
        verdict="confirmed" if found.equations else "undecided",
        detail="compared",
        answer_exact=found.values,
        equations=found.equations,
        unknowns=found.unknowns,
        solutions=found.solutions,
        asked=("x", "y") if found.equations else None,
    )
    released = Problem(
        problem_id=problem_id(post.post_id),
        post_id=post.post_id,
        url=post.url,
        license=post.license,
        attribution=None,
        question=cleaned.question,
        cleaning_steps=cleaned.steps,
        numbers=cleaned.numbers,
        topic=None,
        answer=answer_text(cleaned.question, found.values),
        answer_exact=found.values,
        answer_values=doubles(found.values),
        solution=post.answers[0].text,
        confidence=None,
        answer_dim=len(found.values),
        answer_confidence=found.confidence,
        answer_spans=found.spans,
        equations=found.equations,
        unknowns=found.unknowns,
        asked=agreement.asked,
        solutions=[[one.value for one in solution.assignments] for solution in found.solutions],
        solution_values=[doubles([one.value for one in solution.assignments]) for solution in found.solutions],
        votes=found.votes,
        n_votes=len(found.votes),
        equation_spans=found.candidates[0].spans if found.equations else (),
        agreement=agreement.verdict,
        template=template.template,
        template_id=template.template_id,
        alignment=template.alignment,
        equivalent_numbers=(),
        ambiguous=False,
        linear=found.linear,
        lexicon_diversity=0.75,
        nearest_id=None,
        split="train",
    )
    probability = plan.probability.get(post.post_id, 0.97)
    said: dict[type[Record], Record | dict[str, Any]] = {
        CleanedPost: cleaned,
        ClassifiedPost: {"in_scope": True, "probability": probability, "outcome": "ok"},
        PostReading: found,
        PostAgreement: agreement,
        PostDiversity: {"lexicon_diversity": 0.75},
        PostTemplate: template,
        PostSplit: {"group": f"group-{post.post_id}"},
        Problem: released,
    }
    records: dict[str, Record] = {}
    for stage in STAGES:
        one = said.get(stage.record, {})
        records[stage.name] = one if isinstance(one, Record) else sample(stage.record, post.post_id, **one)
    return records


def _dropped(post_id: str, stage: str, plan: Plan) -> Dropped:
    reason = plan.fates[post_id][1]
    score = plan.probability.get(post_id, 0.2) if stage == "classify" else None
    return Dropped(post_id=post_id, reason=reason, detail=f"because of {reason}", score=score, evidence="What are they")


def _shards(rows: Any) -> list[list[Any]]:
    return [[row for row in rows if bucket_of(row.post_id, SHARDS) == shard] for shard in range(SHARDS)]


def build_world(data: Path | str, plan: Plan | None = None, name: str = "quarry") -> tuple[Workspace, Version]:
    """Write the posts and stage outputs of a plan and publish them as a version."""
    plan = plan or Plan()
    workspace = Workspace(str(data))
    for model in ("posts", "answers"):
        workspace.folder.write(f"models/{model}.json", b"{}")
    posts = [make_post(f"site:p{place:02d}", plan) for place in range(plan.posts)]
    store, snapshot = workspace.add_input(posts)
    keys = {stage.name: f"{name}-{stage.name}-key" for stage in STAGES}
    parts: dict[str, list[OutputPart]] = {POSTS: []}
    for shard, rows in enumerate(_shards(posts)):
        parts[POSTS].append(workspace.outputs.save((POSTS, f"{snapshot.snapshot_id}-{shard}"), Post, rows, []))
    reached = posts
    for stage in STAGES:
        lost = [post for post in reached if plan.fates.get(post.post_id, ("", ""))[0] == stage.name]
        reached = [post for post in reached if post not in lost]
        kept = _shards([records_of(post, plan)[stage.name] for post in reached])
        gone = _shards([_dropped(post.post_id, stage.name, plan) for post in lost])
        address = f"{name}-{snapshot.snapshot_id[:6]}-{hash_of(plan)}"
        parts[stage.name] = [
            workspace.outputs.save((stage.name, f"{address}-{shard}"), stage.record, kept[shard], gone[shard])
            for shard in range(SHARDS)
        ]
    build = Build(str(data), name, store, snapshot.snapshot_id, plan.config, keys, parts, gate=plan.gate.as_dict())
    return workspace, publish(build)[0]


def hash_of(plan: Plan) -> str:
    """Tells plans apart, so that one data folder can hold the outputs of several."""
    return sha256_text(repr(plan))[:12]
