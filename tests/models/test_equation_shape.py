"""The shape of equations: earlier results are put in, operations are counted, numbers do not matter."""

from fractions import Fraction

import pytest

from extractors.expressions.tree import render
from models.tag_terms import MAX_NODES, read_equations, shape_terms, steps, unknowns_of


@pytest.mark.parametrize(
    ("equations", "asked", "read", "unknowns", "operations"),
    [
        (["x=7+2"], (), ["x=7+2"], 1, 1),
        (["x=19+16+43"], (), ["x=19+16+43"], 1, 1),  # a sum of several numbers is one step
        (["x=50-3-4"], (), ["x=50-3-4"], 1, 2),  # taking away twice is two
        (["x=8*2-3*4"], (), ["x=8*2-3*4"], 1, 3),
        (["y=3*4", "z=y+5", "x=z/2"], (), ["x=(3*4+5)/2"], 1, 3),
        (["x=3*4"], ("x+5",), ["asked0=3*4+5"], 1, 2),
        (["x+y=9", "x-y=1"], ("x", "y"), ["x+y=9", "x-y=1"], 2, 2),
        (["x=ceiling(227/2)"], (), ["x=ceiling(227/2)"], 1, 1),
        (["one ("], (), [], 0, 0),
    ],
)
def test_equations_are_read_and_counted(
    equations: list[str], asked: tuple[str, ...], read: list[str], unknowns: int, operations: int
) -> None:
    found = read_equations(equations, (), asked)
    assert [render(one) for one in found] == read
    assert (len(unknowns_of(found)), steps(found)) == (unknowns, operations)


def test_a_system_that_grows_without_end_is_left_alone() -> None:
    doubled = [f"x{place + 1}=x{place}+x{place}" for place in range(40)]
    assert read_equations(["x0=1+1", *doubled, "y=x40"]) == ()
    long = "+".join(["1"] * MAX_NODES)
    assert read_equations([f"x={long}"]) == ()


def test_terms_leave_numbers_out_and_name_constants() -> None:
    stated = {Fraction(9), Fraction(6)}
    first = sorted(shape_terms(read_equations(["x=(9-6)*2"]), stated))
    other = sorted(shape_terms(read_equations(["z=(90-61)*2"]), {Fraction(90), Fraction(61)}))
    assert first == other
    assert {"last *", "last *, part 0 -", "last *, part 1 n", "shape (n-n)*n", "constant 2"} <= set(first)
    assert "set up" in set(shape_terms(read_equations(["17+7*x=80"]), set()))
    assert "constant other" in set(shape_terms(read_equations(["x=9*37"]), stated))
