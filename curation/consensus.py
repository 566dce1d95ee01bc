"""Agreement of a gold answer with the solutions of the equation system (Dolphin18K, section 3.3).

An answer is confirmed if all its values are among the values of one solution. What could be a matter of rounding or of
units is undecided, never guessed.
"""

from collections.abc import Sequence
from enum import IntEnum
from fractions import Fraction
from functools import lru_cache

from corpus.records import Agreement
from extractors.templates.matching import decimal_places

MAX_DIGITS = 400
MAX_EXPONENT_DIGITS = 3
RELATIVE = 10**9
NEAR = 200
"""One such part of a value is as good as nothing, or near."""
SCALE = 100


class Match(IntEnum):
    """How well two values agree; greater is better."""

    NONE = 0
    UNCLEAR = 1
    EQUAL = 2


def agree(values: Sequence[str], solutions: Sequence[Sequence[str]]) -> tuple[Agreement, str]:
    """Compare answer values with solutions, one inner sequence of values for each solution; both as decimal or
    rational text.

    A value with k decimals equals what rounds to it (from three decimals on also what is cut to it). A whole number
    beside a fraction that rounds to it, values that differ by less than half a percent, and values apart by a factor
    of 100 (percent and fraction, cents and dollars) are undecided. Several values may also be the roots of one unknown
    over several solutions.

    >>> agree(["9"], [["9", "14"]])
    (<Agreement.CONFIRMED: 'confirmed'>, '9 matches the solution 9, 14')
    >>> agree(["25"], [["1/4"]])
    (<Agreement.UNDECIDED: 'undecided'>, '25 is 100 times 1/4: percent or cents')
    >>> agree(["5"], [["9", "14"]])
    (<Agreement.DIFFERENT: 'different'>, '5 is in none of the solutions 9, 14')
    """
    if not values or not any(solutions):
        return Agreement.UNDECIDED, "no answer" if not values else "no solution to compare with"
    wanted = [read_number(value) for value in values]
    found = [[read_number(value) for value in solution] for solution in solutions]
    if None in wanted:
        return Agreement.UNDECIDED, f"{_shown(values)} is not a list of numbers"
    exact = [value for value in wanted if value is not None]
    covered = [_coverage(exact, solution) for solution in found]
    best = covered.index(max(covered))
    if covered[best] is Match.EQUAL:
        return Agreement.CONFIRMED, f"{_shown(values)} matches the solution {_shown(solutions[best])}"
    if _are_roots(exact, found):
        return Agreement.CONFIRMED, f"{_shown(values)} are values of one unknown over {len(found)} solutions"
    if covered[best] is Match.UNCLEAR:
        return Agreement.UNDECIDED, _doubt(exact, found[best])
    if any(value is None for solution in found for value in solution):
        return Agreement.UNDECIDED, "a solution is not a number"
    return Agreement.DIFFERENT, f"{_shown(values)} is in none of the solutions {' | '.join(map(_shown, solutions))}"


def asked_unknowns(
    values: Sequence[str], unknowns: Sequence[str], solutions: Sequence[Sequence[str]], likely: Sequence[str] = ()
) -> tuple[tuple[str, str], ...] | None:
    """The unknown that each answer value is of, with the value, in the order of ``unknowns``; None if one has none.

    All are values of one solution, or roots of one unknown. Of unknowns with the same value the ``likely`` ones come
    first.

    >>> asked_unknowns(["14", "9"], ["x", "y"], [["9", "14"]])
    (('x', '9'), ('y', '14'))
    >>> asked_unknowns(["6", "-4"], ["x"], [["-4"], ["6"]])
    (('x', '-4'), ('x', '6'))
    """
    solved = [list(zip(unknowns, solution, strict=True)) for solution in solutions]
    roots = [list(column) for column in zip(*solved, strict=True)]
    for assignments in (*solved, *roots):
        places = _places(values, assignments, likely)
        if places:
            return tuple((assignments[place][0], value) for place, value in sorted(places.items()))
    return None


def _places(values: Sequence[str], assignments: Sequence[tuple[str, str]], likely: Sequence[str]) -> dict[int, str]:
    """A place among the assignments for each value, none twice; nothing if a value has none."""
    found: dict[int, str] = {}
    exact = [read_number(text) for _, text in assignments]
    for value in values:
        wanted = read_number(value)
        free = [
            place
            for place, number in enumerate(exact)
            if place not in found
            and wanted is not None
            and number is not None
            and compare(wanted, number) is Match.EQUAL
        ]
        if not free:
            return {}
        found[min(free, key=lambda place: (assignments[place][0] not in likely, place))] = value
    return found


@lru_cache(maxsize=4_096)
def read_number(text: str) -> Fraction | None:
    """A rational or decimal number; None for anything else."""
    if len(text) > MAX_DIGITS or len(text.lower().partition("e")[2].lstrip("+-")) > MAX_EXPONENT_DIGITS:
        return None
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None


def compare(value: Fraction, exact: Fraction) -> Match:
    """Whether an answer value is the exact value, perhaps rounded; UNCLEAR where units or rounding may explain it."""
    (top, bottom), (other, size) = value.as_integer_ratio(), exact.as_integer_ratio()
    mine, wanted, one = top * size, other * bottom, bottom * size  # all over the same denominator
    gap = abs(mine - wanted)
    if gap * RELATIVE <= max(abs(wanted), one):
        return Match.EQUAL
    decimals = decimal_places(value)
    if decimals:
        steps = gap * 10**decimals
        if 2 * steps <= one or (decimals >= 3 and steps < one):
            return Match.EQUAL
    if (decimals == 0 and gap < one and size > 1) or gap * NEAR <= abs(wanted):
        return Match.UNCLEAR
    return Match.UNCLEAR if mine == SCALE * wanted or wanted == SCALE * mine else Match.NONE


def _coverage(values: Sequence[Fraction], solution: Sequence[Fraction | None]) -> Match:
    """The worst of the best matches of the values in one solution."""
    known = [value for value in solution if value is not None]
    return min(max((compare(value, exact) for exact in known), default=Match.NONE) for value in values)


def _are_roots(values: Sequence[Fraction], solutions: Sequence[Sequence[Fraction | None]]) -> bool:
    """Whether all values are values of the same unknown, in different solutions."""
    columns = zip(*solutions, strict=True) if len({len(solution) for solution in solutions}) == 1 else ()
    return len(values) > 1 and any(_coverage(values, column) is Match.EQUAL for column in columns)


def _doubt(values: Sequence[Fraction], solution: Sequence[Fraction | None]) -> str:
    known = [value for value in solution if value is not None]
    for value in values:
        exact = max(known, key=lambda candidate: compare(value, candidate))
        if compare(value, exact) is Match.EQUAL:
            continue
        if value == SCALE * exact:
            return f"{value} is {SCALE} times {exact}: percent or cents"
        if exact == SCALE * value:
            return f"{exact} is {SCALE} times {value}: percent or cents"
        return f"{value} is close to {exact}, but is not a rounding of it"
    return "unclear"


def _shown(values: Sequence[str]) -> str:
    return ", ".join(value[:40] for value in values)
