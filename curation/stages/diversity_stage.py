"""Stage diversity: a post that adds no lexicon diversity to what is accepted is dropped (ASDiv, section 3.1).

Sure answers come first, so that of two near-duplicates the better labelled one stays; where the configuration asks for
it, days of retrieval come before, so that a later build never loses what an earlier one accepted.
"""

from collections.abc import Mapping

from corpus.config import DiversityConfig
from corpus.reasons import Reason
from corpus.records import Agreement, Dropped, PostDiversity
from curation.near_texts.diversity import Accepted, TooSimilar, greedy_run
from curation.stages.stage import Context, PostColumns, Stage, StageTables, rows_table

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
    reason = Reason.DUPLICATE if refused.identical else Reason.LOW_DIVERSITY
    detail = f"lexicon diversity {refused.lexicon_diversity:.3f} to {refused.witness_id}, which is accepted"
    return refused.item_id, reason.value, detail, refused.lexicon_diversity, questions[refused.witness_id], ()


def _decide_columns(columns: PostColumns, context: Context[DiversityConfig]) -> StageTables:
    names, texts = columns["post_id"], columns["question"]
    items = list(zip(names, texts, _ranks(columns, context), strict=True))
    memory = context.memory
    run = greedy_run(items, context.config.ld_min, profile=context.config.profile, known=memory.known)
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
    decide_columns=_decide_columns,
    over=(("clean", "question"), ("read", "confidence"), ("agree", "verdict")),
    days=True,
)
