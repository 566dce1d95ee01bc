"""The stages in the order in which posts go through them."""

from curation.stages import (
    agree_stage,
    answers_stage,
    classify_stage,
    clean_stage,
    diversity_stage,
    equations_stage,
    release_stage,
    split_stage,
    templates_stage,
)
from curation.stages.stage import Stage

STAGES: tuple[Stage, ...] = (
    clean_stage.STAGE,
    classify_stage.STAGE,
    equations_stage.STAGE,
    answers_stage.STAGE,
    agree_stage.STAGE,
    diversity_stage.STAGE,
    templates_stage.STAGE,
    split_stage.STAGE,
    release_stage.STAGE,
)

BY_NAME = {stage.name: stage for stage in STAGES}
