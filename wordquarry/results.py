"""What the public functions return where the records inside are made for the pipeline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from extractors.real_numbers.values import Value


@dataclass(frozen=True)
class Solution:
    """What solving a system gave.

    ``status`` is ``solved`` (all solutions), ``numeric`` (found by a bounded search, perhaps not all),
    ``underdetermined``, ``inconsistent``, ``unsupported``, ``malformed`` or ``too_large``; ``detail`` says why there
    are no solutions. Each of ``solutions`` gives every unknown its value: a ``Fraction`` where it is rational, else an
    exact root, or a ``Decimal`` where it was found numerically.
    """

    status: str
    unknowns: tuple[str, ...]
    solutions: tuple[Mapping[str, Value], ...]
    detail: str = ""


@dataclass(frozen=True)
class Reading:
    """The equation system of a thread.

    ``equations`` is None where no system is likely enough; ``note`` then says why. ``asked`` holds an expression over
    ``unknowns`` for each value that the question asks for. ``solutions`` are those of ``Solution``; beside the unknowns
    they give the value of each expression that an answer derives. ``probability`` (0 to 1) is that of the likeliest
    system, also where it is not returned. ``votes`` are the places of the answers that give its solution.
    """

    equations: tuple[str, ...] | None
    unknowns: tuple[str, ...]
    asked: tuple[str, ...]
    solutions: tuple[Mapping[str, Value], ...]
    votes: tuple[int, ...]
    probability: float
    note: str | None = None


@dataclass(frozen=True)
class Slot:
    """A slot of a template and the number that fills it: ``question[start:end]`` states ``value``."""

    name: str
    value: Fraction
    start: int
    end: int


@dataclass(frozen=True)
class Template:
    """The template of a problem: its equations with slots ``a`` to ``l`` for the numbers of the question.

    ``template_id`` is the same for equivalent templates. ``slots`` says where the numbers stand; ``ambiguous`` that a
    number stands in several places, so that a person has to decide.
    """

    equations: tuple[str, ...]
    template_id: str
    slots: tuple[Slot, ...]
    ambiguous: bool
