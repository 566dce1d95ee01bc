"""Stage decontaminate: a post that stands in a benchmark is dropped, so that the benchmark still measures something.

It does nothing unless benchmarks are named. What a leak is says ``curation.near_texts.contamination``.
"""

from fractions import Fraction

from corpus.config import DecontaminateConfig
from corpus.reasons import Reason
from corpus.records import CleanedPost, Post, PostAgreement, PostOriginality, Record
from curation.near_texts.benchmark_texts import search_of
from curation.near_texts.contamination import Item, LeakKind
from curation.stages.stage import Context, Stage, Trail

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
        return trail.drop(Reason.IN_BENCHMARK, detail, score=float(leak.edits), evidence=leak.benchmark_text)
    variant = search.variant(question)
    place = " ".join(variant) if variant else None
    if place and config.variants == "drop":
        detail = f"has the words of {place}, with other numbers or names"
        return trail.drop(Reason.VARIANT_IN_BENCHMARK, detail)
    return PostOriginality(post_id=post_id, variant_of=place)


READS = ("posts", "clean", "agree", "diversity")
STAGE = Stage("decontaminate", PostOriginality, READS, DecontaminateConfig, decide=_decide)
