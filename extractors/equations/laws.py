"""What of a set-up belongs to the system: no laws that bind nothing, and no second way to the same values."""

from collections import Counter
from collections.abc import Mapping, Sequence

from extractors.algebra.values import Value, approximate
from extractors.equations.candidates import Candidate
from extractors.equations.given import constants_of
from extractors.equations.identities import is_near
from extractors.equations.setups import Setup
from extractors.expressions.tree import names_of


def without_laws(setup: Setup) -> list[Candidate]:
    """The equations whose unknowns all have values, less formulas without numbers that bind nothing ("d = rt")."""
    determined = setup.determined
    kept = [c for c in setup.equations if all(n in determined for n in names_of(c.equation.left, c.equation.right))]
    uses = Counter(name for c in kept for name in names_of(c.equation.left, c.equation.right))
    kept = [c for c in kept if len(kept) == 1 or not _is_loose(c, uses)]
    return _first_way(kept, setup.solutions[0]) if len(kept) > 1 else kept


def _is_loose(candidate: Candidate, uses: Counter[str]) -> bool:
    """A law without numbers or a mere value, whose unknown occurs in no other equation."""
    private = any(uses[name] < 2 for name in names_of(candidate.equation.left, candidate.equation.right))
    return private and (candidate.assigns or not constants_of(candidate.equation))


def _first_way(kept: list[Candidate], values: Mapping[str, Value]) -> list[Candidate]:
    """The equations without a later way that shares no unknown with an earlier one and repeats its values.

    ``3x + 2y = 19, y = x + 2``, then "or with one unknown: ``3p + 2(p+2) = 19``": the numbers are the same too.
    """
    ways: list[list[Candidate]] = []
    for candidate in kept:
        names = set(names_of(candidate.equation.left, candidate.equation.right))
        joined = [way for way in ways if names & _names(way)]
        ways = [way for way in ways if way not in joined] + [[*(c for way in joined for c in way), candidate]]
    ways.sort(key=lambda way: min(c.start for c in way))
    dropped = [c for i, way in enumerate(ways) for c in way if any(_repeats(way, w, values) for w in ways[:i])]
    return [c for c in kept if c not in dropped]


def _names(way: Sequence[Candidate]) -> set[str]:
    return {name for c in way for name in names_of(c.equation.left, c.equation.right)}


def _repeats(way: Sequence[Candidate], earlier: Sequence[Candidate], values: Mapping[str, Value]) -> bool:
    known = [approximate(values[name]) for name in _names(earlier)]
    if not all(any(is_near(approximate(values[name]), value) for value in known) for name in _names(way)):
        return False
    return set(constants_of(*(c.equation for c in way))) <= set(constants_of(*(c.equation for c in earlier)))
