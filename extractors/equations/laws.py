"""What of a set-up belongs to the system: no laws that bind nothing."""

from collections import Counter

from extractors.equations.candidates import Candidate
from extractors.equations.given import constants_of
from extractors.equations.setups import Setup
from extractors.expressions.tree import names_of


def without_laws(setup: Setup) -> list[Candidate]:
    """The equations whose unknowns all have values, less formulas without numbers that bind nothing ("d = rt")."""
    determined = setup.determined
    kept = [c for c in setup.equations if all(n in determined for n in names_of(c.equation.left, c.equation.right))]
    uses = Counter(name for c in kept for name in names_of(c.equation.left, c.equation.right))
    return [c for c in kept if len(kept) == 1 or not _is_loose(c, uses)]


def _is_loose(candidate: Candidate, uses: Counter[str]) -> bool:
    """A law without numbers or a mere value, whose unknown occurs in no other equation."""
    private = any(uses[name] < 2 for name in names_of(candidate.equation.left, candidate.equation.right))
    return private and (candidate.assigns or not constants_of(candidate.equation))
