"""The stages in the order in which posts go through them."""

from curation.stages import agree, answers, classify, clean, diversity, equations, release, split, templates
from curation.stages.stage import Stage

STAGES: tuple[Stage, ...] = (
    clean.STAGE,
    classify.STAGE,
    equations.STAGE,
    answers.STAGE,
    agree.STAGE,
    diversity.STAGE,
    templates.STAGE,
    split.STAGE,
    release.STAGE,
)

BY_NAME = {stage.name: stage for stage in STAGES}
