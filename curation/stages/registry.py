"""The recipe of a corpus: the stages in the order in which posts go through them. The README quotes it."""

from itertools import pairwise

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
from curation.stages.stage import Stage

STAGES: tuple[Stage, ...] = (
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

assert all(stage.reads[-1] == before.name for before, stage in pairwise(STAGES)), "a stage takes posts of another one"

BY_NAME = {stage.name: stage for stage in STAGES}
