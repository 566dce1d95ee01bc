"""The models that ship with the code, each loaded once."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from corpus.workspace import BUNDLED
from extractors.equations.thread_equations import ThreadEquations
from models.storage import load_model
from models.system_model import BUILD


@cache
def shipped_model(kind: str) -> Any:
    """The model of a kind, ``posts``, ``systems`` or ``answers``; ModelError where its file is missing or damaged."""
    return load_model(str(BUNDLED / "models" / f"{kind}.json"))


def read_thread(question: str, answers: Sequence[str], min_votes: int = BUILD.min_votes) -> ThreadEquations:
    """The equation system of a thread under the system model that ships (``SystemModel.read``)."""
    return shipped_model("systems").read(question, answers, min_votes)  # type: ignore[no-any-return]
