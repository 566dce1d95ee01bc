"""Stage decontaminate: a post that stands in a benchmark is dropped, so that the benchmark still measures something.

It does nothing unless benchmarks are named. What a leak is says ``curation.near_texts.contamination``.
"""

from fractions import Fraction
from typing import Annotated, Literal

from pydantic import Field

from corpus.config import StageConfig
from corpus.reasons import ReasonCode
from corpus.records import CleanedPost, Post, PostAgreement, Record
from curation.near_texts.benchmark_texts import search_of
from curation.near_texts.contamination import Item, LeakKind
from curation.stages.stage import Context, Stage, Trail

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
BenchmarkName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_.-]{0,63}$")]


class DecontaminateConfig(StageConfig):
    """Which benchmarks a build is held against; without one, nothing is dropped."""

    benchmarks: dict[BenchmarkName, Digest] = Field({}, max_length=100)
    """digests of benchmarks in the data folder, by name. `build --against NAME=CORPUS` stores a benchmark and names
    it here. A post that holds one of its problems is dropped"""
    share: float = Field(0.3, ge=0, lt=1)
    """share of the words that may differ in a near [leak](commands.md#wordquarry-leaks-corpus)"""
    variants: Literal["flag", "drop"] = "flag"
    """a post with the words of a benchmark problem and other numbers or names: `flag` it (`variant_of` of its row),
    or `drop` it"""
    unread: dict[BenchmarkName, int] = Field({}, max_length=100)
    """number of records whose question could not be read, by benchmark; `build --against … --incomplete-benchmark`
    writes it"""


class DecontaminateReason(ReasonCode):
    """Why a post is dropped."""

    IN_BENCHMARK = (
        "in_benchmark",
        "a benchmark that the build is held against holds the problem, word for word or nearly",
        "words that differ",
    )
    VARIANT_IN_BENCHMARK = (
        "variant_in_benchmark",
        "it has the words of a benchmark problem, with other numbers or names (only with `decontaminate.variants = "
        '"drop"`)',
        "flag variants in place of dropping them (`decontaminate.variants`)",
    )


class PostOriginality(Record):
    """Stage decontaminate: the benchmark problem with the same words and other numbers or names, as ``name id``."""

    post_id: str
    variant_of: str | None


MOST_DIGITS = 30


def _values(answer_exact: tuple[str, ...]) -> tuple[float, ...]:
    """The answer as numbers to compare, without those that are too long to be one."""
    return tuple(sorted(float(Fraction(value)) for value in answer_exact if len(value) < MOST_DIGITS))


def _all_asked(post: Post) -> str:
    """All that a post asks, as posted: cleaning may take out what a benchmark says, and a title may be the question."""
    title = post.title or ""
    return post.question if title in post.question else f"{title}\n{post.question}"


def _decide(trail: Trail, context: Context[DecontaminateConfig]) -> Record:
    config, post_id = context.config, trail.post.post_id
    if not config.benchmarks:
        return PostOriginality(post_id=post_id, variant_of=None)
    search = search_of(context.data, config.benchmarks, config.share)
    question = trail.get(CleanedPost).question
    leak = search.leak(Item(post_id, _all_asked(trail.post), _values(trail.get(PostAgreement).answer_exact)))
    if leak is not None:
        how = "word for word" if leak.kind is LeakKind.EXACT else f"but for {leak.edits} words"
        detail = f"stands in {leak.benchmark} as {leak.benchmark_id}, {how}"
        return trail.drop(
            DecontaminateReason.IN_BENCHMARK, detail, score=float(leak.edits), evidence=leak.benchmark_text
        )
    variant = search.variant(question)
    place = " ".join(variant) if variant else None
    if place and config.variants == "drop":
        detail = f"has the words of {place}, with other numbers or names"
        return trail.drop(DecontaminateReason.VARIANT_IN_BENCHMARK, detail)
    return PostOriginality(post_id=post_id, variant_of=place)


READS = ("posts", "clean", "agree")
STAGE = Stage("decontaminate", PostOriginality, READS, DecontaminateConfig, DecontaminateReason, decide=_decide)
