"""Whether a worker runs the code, and has the models, that a job was made for."""

from collections.abc import Sequence

from corpus.code import code_digest
from corpus.errors import CorpusError
from curation.running import Recipe, stage_model_digest
from curation.stages.registry import BY_NAME

MADE_BY = "curation.ranks"
"""The module whose imports are all that makes parts."""


def code_here() -> str:
    """The digest of all code and libraries that make parts, as this process has them."""
    return code_digest(MADE_BY)


def for_this_code(recipe: Recipe, stages: Sequence[str]) -> Recipe:
    """The recipe, if it was made for this code; CorpusError for other code, or another model than this worker has."""
    if not recipe.made_for:
        return recipe
    if recipe.made_for != code_here():
        raise CorpusError(
            f"a worker runs other code ({code_here()[:12]}) than this command ({recipe.made_for[:12]}) and made "
            "nothing; install the same code and the same libraries on all workers and start them again"
        )
    for name in stages:
        found = stage_model_digest(BY_NAME[name], recipe.workspace)
        if found != recipe.model[name]:
            raise CorpusError(
                f"a worker has another model for stage {name} ({found[:12]}) than this command "
                f"({recipe.model[name][:12]}) and made nothing; give all workers the same data folder and code"
            )
    return recipe
