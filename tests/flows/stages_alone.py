"""What each stage that can be run alone says of a build's posts, beside what the build says of them."""

from collections.abc import Iterator
from typing import Any

from corpus.records import (
    ClassifiedPost,
    CleanedPost,
    Dropped,
    Post,
    PostReading,
    Problem,
    Record,
    SystemSolution,
    TextSpan,
)
from corpus.schema import RecordT
from curation.building.run_rows import RunRows
from curation.stages.registry import BY_NAME, STAGES
from extractors.equations.thread_equations import core_of
from flows.stage_command import FUNCTIONS, RecordContext

Row = tuple[str, Any, Any]
"""A post, what the stage alone says of it, and what the build says."""


def _thread(post: Post) -> dict[str, Any]:
    return {"question": post.question, "answers": [{"text": answer.text} for answer in post.answers]}


def kept_rows(rows: RunRows, stage: str, kind: type[RecordT]) -> list[RecordT]:
    """Every row that a stage kept."""
    return list(rows.records(stage, kind, rows.post_ids()).values())


def decided(rows: RunRows, context: RecordContext) -> Iterator[Row]:
    """Every post that a stage kept or dropped which is run alone as it is."""
    for stage in (one.name for one in STAGES if one.decide and one.name not in ("classify", "templates")):
        ids = rows.post_ids()
        posts = rows.records("posts", Post, ids)
        dropped = [row for place, row in rows.dropped_at(ids).values() if place == stage]
        said: list[Record] = [*kept_rows(rows, stage, BY_NAME[stage].record), *dropped]
        for one in said:
            plain = one.model_dump(mode="json")
            post_id = plain.pop("post_id")
            found = FUNCTIONS[stage](posts[post_id].model_dump(mode="json"), context)
            yield post_id, found, {"kept": not isinstance(one, Dropped), **plain}


def _plain(solutions: tuple[SystemSolution, ...]) -> list[dict[str, str]]:
    return [{one.unknown: one.value for one in solution.assignments} for solution in solutions]


def _unnamed(spans: tuple[TextSpan, ...]) -> list[dict[str, Any]]:
    return [span.model_dump(exclude={"answer_id"}) for span in spans]


def classified(rows: RunRows, context: RecordContext) -> Iterator[Row]:
    """Every post that came to stage classify."""
    for cleaned in kept_rows(rows, "clean", CleanedPost):
        post = rows.post(cleaned.post_id)
        assert post
        found = FUNCTIONS["classify"](_thread(post), context)
        kept, dropped = rows.record("classify", post.post_id), rows.drop("classify", post.post_id)
        if isinstance(kept, ClassifiedPost):
            yield (
                post.post_id,
                found,
                {**kept.model_dump(exclude={"post_id"}), "probability": round(kept.probability, 12)},
            )
        else:
            assert isinstance(dropped, Dropped)
            assert dropped.score is not None
            told = {"in_scope": False, "probability": round(dropped.score, 12)}
            yield post.post_id, {name: found[name] for name in told}, told


def read(rows: RunRows, context: RecordContext) -> Iterator[Row]:
    """Every post that stage read kept."""
    for said in kept_rows(rows, "read", PostReading):
        post = rows.post(said.post_id)
        assert post
        found = FUNCTIONS["equations"](_thread(post), context)
        places = {answer.answer_id: place for place, answer in enumerate(post.answers)}
        candidates = [
            {
                "answer": places[one.answer_id],
                "equations": list(one.equations),
                "unknowns": list(one.unknowns),
                "solutions": _plain(one.solutions),
                "status": one.status,
                "spans": _unnamed(one.spans),
            }
            for one in said.candidates
        ]
        core = core_of(said.equations or (), [one.unknown for one in said.asked], said.unknowns)
        told = {
            "equations": None if said.equations is None else list(core.equations),
            "asked": list(core.asked),
            "votes": [places[one] for one in said.votes],
            "note": said.note,
            "candidates": candidates,
        }
        yield post.post_id, {name: found[name] for name in told}, told


def answered(rows: RunRows, context: RecordContext) -> Iterator[Row]:
    """Every post that came to stage read."""
    for come in kept_rows(rows, "classify", ClassifiedPost):
        post = rows.post(come.post_id)
        assert post
        found = FUNCTIONS["answers"](_thread(post), context)
        kept, dropped = rows.record("read", post.post_id), rows.drop("read", post.post_id)
        if isinstance(kept, PostReading):
            ranked = [{"answer": list(one.values), "score": round(one.score, 12)} for one in kept.ranked]
            told = {"answer": list(kept.values), "confidence": round(kept.confidence, 12), "ranked": ranked}
        else:
            assert isinstance(dropped, Dropped)
            told = {"answer": None, "confidence": round(dropped.score or 0.0, 12)}
        yield post.post_id, {name: found[name] for name in told}, told


def published(rows: RunRows, context: RecordContext) -> Iterator[Row]:
    """Every problem: its numbers, its answer, and its system with solutions and template."""
    for one in kept_rows(rows, "release", Problem):
        line = FUNCTIONS["numbers"]({"text": one.question}, context)
        yield one.post_id, line["numbers"], [number.model_dump() for number in one.numbers]
        text = f"{{{'; '.join(one.answer_exact)}}}"
        values = FUNCTIONS["parse-answer"]({"text": text}, context)["alternatives"]
        yield one.post_id, values, [list(one.answer_exact)]
        if one.equations is None:
            continue
        system = {"question": one.question, "equations": list(one.equations), "unknowns": list(one.unknowns)}
        yield (
            one.post_id,
            FUNCTIONS["solve"](system, context)["solutions"],
            [dict(zip(one.unknowns, values, strict=True)) for values in one.solutions],
        )
        told = one.model_dump(mode="json", include={"template", "template_id", "alignment", "ambiguous"})
        found = FUNCTIONS["templates"](system, context)
        yield one.post_id, {name: found[name] for name in told}, told
