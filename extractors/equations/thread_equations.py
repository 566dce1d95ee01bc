"""What reading a thread gives."""

from dataclasses import dataclass
from enum import StrEnum

from extractors.real_numbers.values import Value


class Kind(StrEnum):
    """Where a system comes from."""

    SETUP = "setup"
    """The equations that an answer sets up."""
    MENDED = "mended"
    """The set-up without the one equation that most speaks against."""
    SECOND = "second"
    """What contradicts the set-up, as a set-up of its own."""
    PROVED = "proved"
    """The first equations that hold for the values with which the answer ends."""
    ARITHMETIC = "arithmetic"
    """Calculations without an unknown, one put into the other."""
    TOLD = "told"
    """A result for which only the words say how it was worked out."""


@dataclass(frozen=True, slots=True)
class AnswerSystem:
    """A system read from one answer.

    ``equations`` are in normal form; ``spans[k]`` is where equation ``k`` stands in the answer's raw text;
    ``solutions[i][j]`` is the value of ``unknowns[j]``. ``status`` is the solver's (``solved``, ``numeric``,
    ``underdetermined``), or ``stated`` for an answer without equations that states the winning solution.
    ``core`` counts the equations of the model; those behind them define what is asked. ``evidence`` holds a number for
    each of ``system_evidence.SYSTEM_EVIDENCE``; ``probability``, and the values that are ``asked``, each with its
    unknown, are what the system model makes of it.
    """

    answer: int
    equations: tuple[str, ...]
    unknowns: tuple[str, ...]
    solutions: tuple[tuple[Value, ...], ...]
    status: str
    spans: tuple[tuple[int, int], ...]
    linear: bool = True
    kind: Kind = Kind.SETUP
    core: int = 0
    evidence: tuple[float, ...] = ()
    probability: float = 0.0
    asked: tuple[tuple[str, Value], ...] = ()

    @property
    def counts(self) -> bool:
        """Whether the system can be chosen."""
        return self.status in ("solved", "numeric") and bool(self.solutions)


@dataclass(frozen=True, slots=True)
class ThreadEquations:
    """The system of a thread, or none with the reason in ``note``.

    ``votes`` are the indexes of the answers that gave its solution; ``candidates`` the likeliest system of each answer,
    as evidence. ``linear`` is None where no system was returned. ``probability`` is that of the likeliest system, also
    where it is not returned. ``asked_counts`` says how likely the question asks for 1, 2, 3, and 4 or more values;
    ``asked`` are the values that are asked, each with its unknown, in the order of the set-up.
    """

    equations: tuple[str, ...] | None
    unknowns: tuple[str, ...]
    solutions: tuple[tuple[Value, ...], ...]
    votes: tuple[int, ...]
    candidates: tuple[AnswerSystem, ...]
    linear: bool | None
    note: str | None
    probability: float = 0.0
    asked_counts: tuple[float, ...] = ()
    asked: tuple[tuple[str, Value], ...] = ()
