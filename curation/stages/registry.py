"""The recipe of a corpus: the stages in the order in which posts go through them. The README quotes it."""

from curation.stages import agree, answers, classify, clean, diversity, equations, release, split, templates
from curation.stages.stage import Stage

STAGES: tuple[Stage, ...] = (
    clean.STAGE,  # the question without chatter, and the numbers in it
    classify.STAGE,  # keeps posts that are one elementary problem
    equations.STAGE,  # the equation system that the answers agree on, solved exactly
    answers.STAGE,  # the gold answer, with a calibrated probability
    agree.STAGE,  # drops what answer and equations contradict
    diversity.STAGE,  # drops what says the same as a problem that is in
    templates.STAGE,  # the template, and which number of the question fills which slot
    split.STAGE,  # train, validation and test; no template and no near-duplicate is in two
    release.STAGE,  # one row of the dataset
)

BY_NAME = {stage.name: stage for stage in STAGES}
