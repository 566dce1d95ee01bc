"""What reading a thread gives."""

from dataclasses import dataclass

from extractors.algebra.values import Value


@dataclass(frozen=True, slots=True)
class AnswerSystem:
    """A system read from one answer.

    ``equations`` are in normal form; ``spans[k]`` is where equation ``k`` stands in the answer's raw text;
    ``solutions[i][j]`` is the value of ``unknowns[j]``. ``status`` is the solver's (``solved``, ``numeric``,
    ``underdetermined``, ...), or ``rejected``, or ``ruled_out`` where one of ``objections.py`` speaks against it, each
    with the reason in ``note``: then the system takes no part in the vote; or ``stated``: an answer without equations
    that states the winning solution, or ``seconds``: a system without any number of the question that has the winning
    solution. ``agreement`` tells how its constants agree with the numbers of the question.
    """

    answer: int
    equations: tuple[str, ...]
    unknowns: tuple[str, ...]
    solutions: tuple[tuple[Value, ...], ...]
    status: str
    spans: tuple[tuple[int, int], ...]
    linear: bool = True
    agreement: int = 0
    note: str | None = None

    @property
    def counts(self) -> bool:
        """Whether the system takes part in the vote."""
        return self.status in ("solved", "numeric") and bool(self.solutions)


@dataclass(frozen=True, slots=True)
class ThreadEquations:
    """The voted system of a thread, or none with the reason in ``note``.

    ``votes`` are the indexes of the answers that gave the winning solution; ``candidates`` every system that was
    read, as evidence. ``linear`` is None where no system was returned.
    """

    equations: tuple[str, ...] | None
    unknowns: tuple[str, ...]
    solutions: tuple[tuple[Value, ...], ...]
    votes: tuple[int, ...]
    candidates: tuple[AnswerSystem, ...]
    linear: bool | None
    note: str | None
