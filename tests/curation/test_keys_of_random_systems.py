"""What a key guarantees for each kind of system, on many random systems, linear and not (``elimination.Kind``)."""

import random
from collections import Counter

import pytest

from curation.equivalence.elimination import PresentationKind
from curation.equivalence.reconciliation import classify_template
from tests.tiers import tier

pytestmark = pytest.mark.slow

SYSTEMS = tier(10_000, 1_000)
TERMS = ("m", "m", "n", "n", "o", "m * n", "m ^ 2", "m / n", "(m + a) * n", "m * (n - 1)")
LINEAR_TERMS = ("m", "m", "n", "n", "o")
COEFFICIENTS = ("a", "b", "c", "d", "e", "a * b", "(a + c)", "1", "2", "3", "0.01")
CONSTANTS = (*COEFFICIENTS, "0")

Sides = tuple[str, str]
System = list[Sides]


def _system(draw: random.Random) -> System:
    """One to three equations of one or two terms with unknowns; half of the systems are linear."""
    terms = draw.choice((TERMS, LINEAR_TERMS))

    def equation() -> Sides:
        several = [f"{draw.choice(COEFFICIENTS)} * {draw.choice(terms)}" for _ in range(draw.randint(1, 2))]
        return draw.choice((" + ", " - ")).join(several), draw.choice(CONSTANTS)

    return [equation() for _ in range(draw.randint(1, 3))]


def _written(system: System) -> list[str]:
    return [f"{left} = {right}" for left, right in system]


def _rewritten(system: System, draw: random.Random) -> list[str]:
    """Slots and unknowns renamed, equations reordered and rescaled, sides exchanged, all at once."""
    slots, unknowns = draw.sample("abcde", 5), draw.sample("mno", 3)
    table = str.maketrans("abcdemno", "".join((*slots, *unknowns)))
    found = []
    for left, right in draw.sample(system, len(system)):
        factor = draw.choice(("2", "3", "-1", "0.5", "7"))
        sides = [f"{factor} * ({left})", f"{factor} * ({right})"]
        draw.shuffle(sides)
        found.append(" = ".join(sides).translate(table))
    return found


def _row_added(system: System, draw: random.Random) -> System:
    """A multiple of one equation added to another."""
    target, source = draw.sample(range(len(system)), 2)
    factor = draw.choice(("2", "-1", "3"))
    rows = list(system)
    left, right = (f"{old} + {factor} * ({new})" for old, new in zip(system[target], system[source], strict=True))
    rows[target] = (left, right)
    return rows


def test_rewriting_keeps_the_key_of_every_kind() -> None:
    draw = random.Random(20_17)
    kinds: Counter[PresentationKind] = Counter()
    changed = []
    for _ in range(SYSTEMS):
        system = _system(draw)
        found = classify_template(_written(system))
        kinds[found.kind] += 1
        other = _rewritten(system, draw)
        if classify_template(other).template_id != found.template_id:
            changed.append((_written(system), other))
        if (
            found.kind in (PresentationKind.EXPLICIT, PresentationKind.UNDERDETERMINED)
            and len(system) > 1
            and _is_linear(system)
        ):
            other = _written(_row_added(system, draw))
            if classify_template(other).template_id != found.template_id:
                changed.append((_written(system), other))
    assert changed == []
    assert min(kinds[kind] for kind in PresentationKind) > SYSTEMS // 50


def _is_linear(system: System) -> bool:
    return not any(mark in left for left, _ in system for mark in ("m * n", "^", "/", "n - 1", "(m"))
