"""Stage split: posts that share a template or a near-duplicate group share a split, whatever comes later.

Validation and test measure others, so they hold what is surest: a post whose group falls there and that is not sure
enough is dropped. It does not go to train, where its template must not be (docs/adr/0038).
"""

from collections.abc import Sequence
from math import inf
from typing import Any, Final

from corpus.reasons import ReasonCode
from corpus.records import Agreement, Dropped, Record, SplitName
from corpus.shown_text import told_apart
from curation.near_texts.duplicates import growing_groups
from curation.splits import Assigned, SplitConfig, assign_splits
from curation.stages.stage import Context, PostColumns, Stage, StageTables, rows_table
from models.publication import CalibrationPost


class SplitReason(ReasonCode):
    """Why a post is dropped."""

    UNSURE_FOR_EVALUATION = (
        "unsure_for_evaluation",
        "its group is in validation or test, and it is not sure enough for these: fewer than two answers state the "
        "answer that the system confirms, and it is less likely right than calibration posts of which the share "
        "`split.held_out_precision` is right",
        "more answers that write the equations out, or a lower `split.held_out_precision`",
    )


class PostSplit(Record):
    """Stage split: posts that share a template or a near-duplicate group share a split."""

    post_id: str
    split: SplitName
    group: str


HELD_OUT: Final = ("validation", "test")
CONFIRMING: Final = 2
"""Answers that state the answer which the system confirms, at least, where the probability alone does not do."""
FEWEST: Final = 50
"""Calibration posts of which a share says enough."""


def least_probability(calibration: Sequence[CalibrationPost], precision: float) -> float:
    """The lowest score from which on such a share of calibration posts is right; above every score where none is.

    The share is that of at least ``FEWEST`` posts, not its lower bound: a bound of 99 % takes 299 posts without an
    error, so for most calibrations there is none.
    """
    least, right = (inf if precision else 0.0), 0
    ordered = sorted(calibration, key=lambda post: (-post.score, post.right))
    for size, post in enumerate(ordered, 1):
        right += post.right
        if size >= FEWEST and right >= precision * size:
            least = min(least, post.score)
    return least


def is_sure(verdict: str, answers: int, probability: float | None, least: float) -> bool:
    """Whether a problem may stand in a held-out split."""
    return (probability or 0.0) >= least or (verdict == Agreement.CONFIRMED and answers >= CONFIRMING)


def _decide_columns(columns: PostColumns, context: Context[SplitConfig]) -> StageTables:
    names = columns["post_id"]
    groups, context.memory.left = growing_groups(
        list(zip(names, columns["question"], strict=True)), context.memory.known
    )
    found = zip(names, columns["template_id"], strict=True)
    assigned = assign_splits([(name, template, groups[name]) for name, template in found], context.config)
    least = least_probability(context.models["publication"].calibration, context.config.held_out_precision)
    kept, dropped = list[Assigned](), list[tuple[Any, ...]]()
    judged = zip(assigned, columns["verdict"], columns["n_answers"], columns["probability"], strict=True)
    for one, verdict, answers, probability in judged:
        if one.split not in HELD_OUT or is_sure(verdict, answers, probability, least):
            kept.append(one)
        else:
            dropped.append(_unsure(one, answers, probability, least))
    return rows_table(kept, PostSplit), rows_table(dropped, Dropped)


def _unsure(one: Assigned, answers: int, probability: float | None, least: float) -> tuple[Any, ...]:
    """A row of Dropped."""
    told, limit = told_apart(probability or 0.0, least)
    detail = (
        f"its group is in {one.split}, which takes {CONFIRMING} answers that state what the system gives, or a "
        f"probability of at least {limit}; {answers} state it, and the probability is {told}"
    )
    return one.post_id, SplitReason.UNSURE_FOR_EVALUATION.value, detail, probability, None, ()


STAGE = Stage(
    "split",
    PostSplit,
    ("posts", "clean", "agree", "templates"),
    SplitConfig,
    SplitReason,
    ("publication",),
    decide_columns=_decide_columns,
    over=(
        ("clean", "question"),
        ("templates", "template_id"),
        ("agree", "verdict"),
        ("agree", "probability"),
        ("agree", "n_answers"),
    ),
)
