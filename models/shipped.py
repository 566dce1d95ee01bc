"""The models that ship with the code, each loaded once."""

from collections.abc import Sequence
from functools import cache

from corpus.workspace import BUNDLED
from extractors.equations.records import ThreadEquations
from models.storage import load_model
from models.systems import SystemModel


@cache
def shipped_systems() -> SystemModel:
    """The system model; ModelError where its file is missing or damaged."""
    found: SystemModel = load_model(str(BUNDLED / "models" / "systems.json"))
    return found


def read_thread(question: str, answers: Sequence[str], min_votes: int = 2) -> ThreadEquations:
    """The equation system of a thread under the system model that ships (``SystemModel.read``)."""
    return shipped_systems().read(question, answers, min_votes)
