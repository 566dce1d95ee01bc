"""The recipe of a corpus: the stages in the order in which posts go through them. The README quotes it."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from pydantic import ConfigDict, create_model, model_validator

from corpus.config import StageConfig
from corpus.reasons import ReasonCode
from corpus.records import Dropped, Post, Problem
from curation.stages import (
    agree_stage,
    classify_stage,
    clean_stage,
    decontaminate_stage,
    diversity_stage,
    read_stage,
    release_stage,
    split_stage,
    templates_stage,
)
from curation.stages.stage import ConfigT, Context, Stage, Trail


def in_order(*stages: Stage) -> tuple[Stage, ...]:
    """Stages each of which takes the posts that the one before keeps; who decides by tables reads all before it."""
    found: list[Stage] = []
    for stage in stages:
        before = ["posts", *(one.name for one in found)]
        reads = before if stage.decide_tables else [*(name for name in stage.reads if name != before[-1]), before[-1]]
        handed = [(one.name, name) for one in found if one.whole for name in _of_problem(one)]
        over = tuple(handed) if stage.decide_tables else stage.over
        found.append(replace(stage, reads=tuple(reads), over=over, table=stage.table or stage.name))
    return tuple(found)


def _of_problem(stage: Stage) -> list[str]:
    """The columns of a stage's record that a problem has."""
    return [name for name in stage.record.model_fields if name in Problem.model_fields and name != "post_id"]


STAGES: tuple[Stage, ...] = in_order(
    clean_stage.STAGE,  # the question without chatter, and the numbers in it
    classify_stage.STAGE,  # keeps posts that are one elementary problem
    read_stage.STAGE,  # the answer and the equation system, each with a calibrated probability
    agree_stage.STAGE,  # keeps what holds the promised precision
    diversity_stage.STAGE,  # drops what says the same as a problem that is in
    decontaminate_stage.STAGE,  # drops what stands in a benchmark, where benchmarks are named
    templates_stage.STAGE,  # the template, and which number of the question fills which slot
    split_stage.STAGE,  # train, validation and test; no template and no near-duplicate is in two
    release_stage.STAGE,  # one row of the dataset
)

BY_NAME = {stage.name: stage for stage in STAGES}
_MEANT: Mapping[str, ReasonCode] = {reason.value: reason for stage in STAGES for reason in stage.reasons}


def meaning_of(reason: str) -> ReasonCode | None:
    """The reason of a stage by its code; None for one that this code does not know."""
    return _MEANT.get(reason)


def way_to(name: str, post: Post, context: Callable[[Stage], Context[Any]]) -> Trail | Dropped:
    """What those stages before one say of a post that look at single posts, or the row of the one that drops it."""
    trail = Trail(post)
    for stage in STAGES[: STAGES.index(BY_NAME[name])]:
        if stage.decide is not None:
            row = stage.decide(trail, context(stage))
            if isinstance(row, Dropped):
                return row
            trail = Trail(post, {**trail.records, stage.record: row})
    return trail


_GONE: Final = {
    "agree": "[publish] precision = 0.95 says what is published; remove it",
    "equations": "move what it says to [read]",
    "answers": "move what it says to [read]",
}
"""Tables of earlier versions, and what to do with one."""
if TYPE_CHECKING:
    BuildTables = StageConfig  # ``of`` knows their types
else:
    _TABLES = {stage.table: (stage.config, stage.config()) for stage in STAGES}
    BuildTables = create_model("BuildTables", __base__=StageConfig, **_TABLES)


class BuildConfig(BuildTables):
    """The whole build: one table for each stage, under the stage's own name or the one that it gives (``publish``)."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)

    @model_validator(mode="before")
    @classmethod
    def _known_tables(cls, given: Any) -> Any:
        gone = [name for name in _GONE if isinstance(given, dict) and name in given]
        if gone:
            raise ValueError(f"the table {gone[0]} is gone: {_GONE[gone[0]]}")
        return given

    def of_stage(self, stage: str) -> StageConfig:
        """The table of a stage."""
        found: StageConfig = getattr(self, BY_NAME[stage].table)
        return found

    def of(self, kind: type[ConfigT]) -> ConfigT:
        """The table of a kind."""
        return next(table for _, table in self if isinstance(table, kind))
