"""What the systems of a thread come to, by the model that ships."""

from collections.abc import Sequence

from models.read_threads import Solved
from models.shipped import shipped_model


def solved(question: str, answers: Sequence[str]) -> Solved:
    """As the answer model gets it."""
    found: Solved = shipped_model("systems").read(question, answers).solved
    return found
