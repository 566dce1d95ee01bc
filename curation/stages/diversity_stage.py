"""Stage diversity: a post that adds no lexicon diversity to what is accepted is dropped (ASDiv, section 3.1).

Sure answers come first, so that of two near-duplicates the better labelled one stays; where the configuration asks for
it, days of retrieval come before, so that a later build never loses what an earlier one accepted.
"""

from collections.abc import Mapping

from pydantic import Field

from corpus.config import StageConfig
from corpus.reasons import ReasonCode
from corpus.records import Agreement, Dropped, Record
from curation.near_texts.diversity import Accepted, TooSimilar, greedy_run
from curation.stages.stage import Context, PostColumns, Stage, StageTables, rows_table


class DiversityConfig(StageConfig):
    """How different a post has to be."""

    profile: str = "default"
    """how texts are normalised before they are compared: a [profile](corpora.md#profiles); the time of `tags` grows
    nearly with the square of the posts"""
    ld_min: float = Field(0.3, ge=0, le=1)
    """lexicon diversity a post must have against every accepted one; 0.1 removes near-identical posts, 0.5 makes
    diverse subsets"""
    by_day: bool = False
    """posts of earlier days are looked at first, so that new posts never push accepted ones out. The day is the last
    one on which the store saw the post with this content"""


class DiversityReason(ReasonCode):
    """Why a post is dropped."""

    DUPLICATE = "duplicate", "the same words as an accepted problem; the evidence is that problem"
    LOW_DIVERSITY = (
        "low_diversity",
        "lexicon diversity to an accepted problem below `diversity.ld_min`",
        "lower `diversity.ld_min`",
    )


class PostDiversity(Record):
    """Stage diversity: lexicon usage diversity against what is accepted already (ASDiv, section 3.1)."""

    post_id: str
    lexicon_diversity: float
    nearest_id: str | None


WHOLE = 4.0
"""More than any priority: the day counts first."""


def _ranks(columns: PostColumns, context: Context[DiversityConfig]) -> list[float]:
    """The priority of each post, smallest first: confirmed answers before others, and sure before doubtful ones.

    By day, the rank of the day on which a post was retrieved counts first; posts without a day come last.
    """
    judged = zip(columns["verdict"], columns["confidence"], strict=True)
    ranks = [(0.0 if verdict == Agreement.CONFIRMED else 1.0) + 1.0 - confidence for verdict, confidence in judged]
    if not context.config.by_day:
        return ranks
    days = [context.days.get(post_id, "~") for post_id in columns["post_id"]]
    places = {day: place for place, day in enumerate(sorted(set(days)))}
    return [WHOLE * places[day] + rank for day, rank in zip(days, ranks, strict=True)]


def _dropped(refused: TooSimilar, questions: Mapping[str, str]) -> tuple[str, str, str, float, str, tuple[()]]:
    """A row of Dropped."""
    reason = DiversityReason.DUPLICATE if refused.identical else DiversityReason.LOW_DIVERSITY
    detail = f"lexicon diversity {refused.lexicon_diversity:.3f} to {refused.witness_id}, which is accepted"
    return refused.item_id, reason.value, detail, refused.lexicon_diversity, questions[refused.witness_id], ()


def _decide_columns(columns: PostColumns, context: Context[DiversityConfig]) -> StageTables:
    names, texts = columns["post_id"], columns["question"]
    items = list(zip(names, texts, _ranks(columns, context), strict=True))
    memory = context.memory
    run = greedy_run(items, context.config.ld_min, context.config.profile, memory.known, context.workers)
    memory.left = run.memory
    accepted = (one for one in run.decisions if isinstance(one, Accepted))
    kept = [(one.item_id, one.lexicon_diversity, one.nearest_id) for one in accepted]
    refused = [one for one in run.decisions if isinstance(one, TooSimilar)]
    witnesses = {one.witness_id for one in refused}
    questions = {name: text for name, text in zip(names, texts, strict=True) if name in witnesses}
    return rows_table(kept, PostDiversity), rows_table([_dropped(one, questions) for one in refused], Dropped)


READS = ("posts", "clean", "read", "agree")
STAGE = Stage(
    "diversity",
    PostDiversity,
    READS,
    DiversityConfig,
    DiversityReason,
    decide_columns=_decide_columns,
    over=(("clean", "question"), ("read", "confidence"), ("agree", "verdict")),
    days=True,
)
