"""The models that ship with the code, each loaded once."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from corpus.workspace import BUNDLED
from extractors.equations.thread_equations import ThreadEquations
from models.storage import load_model
from models.thread_reading import MIN_VOTES, ThreadReader


@cache
def shipped_model(kind: str) -> Any:
    """The model of a kind, such as ``posts`` or ``answers``; ModelError where its file is missing or damaged."""
    return load_model(str(BUNDLED / "models" / f"{kind}.json"))


def shipped_reader() -> ThreadReader:
    """What reads threads, by the models that ship."""
    return ThreadReader(shipped_model("systems"), shipped_model("answers"))


def read_thread(question: str, answers: Sequence[str], min_votes: int = MIN_VOTES) -> ThreadEquations:
    """The equation system of a thread by the models that ship (``ThreadReader.read``)."""
    return shipped_reader().read(question, answers, min_votes).equations
