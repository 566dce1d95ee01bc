"""What the equations of a thread come to, by the models that ship."""

from collections.abc import Sequence

from curation.record_stages import all_solutions
from models.read_threads import Solved
from models.shipped import read_thread


def solved(question: str, answers: Sequence[str]) -> Solved:
    """As the answers stage gets it."""
    return all_solutions(read_thread(question, answers, 1))
