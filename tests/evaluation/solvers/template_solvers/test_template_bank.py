"""Templates: names of slots, symmetries, and solutions for many numbers at once."""

import numpy as np
import pytest

from evaluation.solvers.template_solvers.template_bank import SolverTemplate, alignments, usable


def test_solutions_of_two_unknowns() -> None:
    template = SolverTemplate(("m + n = a", "b * m + c * n = d"))
    assert template.slots == ("a", "b", "c", "d")
    # 3 + 7 = 10 and 2 * 3 + 5 * 7 = 41; the second row has no solution, since its equations contradict
    found = template.solutions(np.array([[10.0, 2.0, 5.0, 41.0], [10.0, 2.0, 2.0, 41.0]]))
    assert found[0] == pytest.approx([3, 7])
    assert np.isnan(found[1]).all()


def test_what_is_not_linear_has_no_solution_here() -> None:
    assert np.isnan(SolverTemplate(("m * m = a",)).solutions(np.array([[4.0]]))).all()
    assert SolverTemplate(("a / m = b",)).solutions(np.array([[6.0, 3.0]]))[0] == pytest.approx([np.nan], nan_ok=True)


def test_a_third_equation_has_to_hold() -> None:
    template = SolverTemplate(("m = a", "n = b", "m + n = c"))
    found = template.solutions(np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 4.0]]))
    assert found[0] == pytest.approx([1, 2])
    assert np.isnan(found[1]).all()


def test_symmetries() -> None:
    assert SolverTemplate(("m = a + b",)).symmetries.tolist() == [[0, 1], [1, 0]]
    assert SolverTemplate(("m = a - b",)).symmetries.tolist() == [[0, 1]]
    # the two equations may change places with all their slots
    swapped = SolverTemplate(("a * m + b * n = c", "d * m + e * n = f")).symmetries.tolist()
    assert [3, 4, 5, 0, 1, 2] in swapped
    assert [1, 0, 2, 3, 4, 5] not in swapped


def test_roles_are_shared_by_templates() -> None:
    assert SolverTemplate(("m = a + b",)).roles == SolverTemplate(("n = d + c", "x = n")).roles == ("U=(@+S)",) * 2
    assert SolverTemplate(("m + n = a", "m = b * n")).pair_roles == ("(U+U)=@ & U=(%*U)",)


def test_alignments() -> None:
    assert alignments(2, 3).tolist() == [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]]
    assert alignments(3, 2).tolist() == []


@pytest.mark.parametrize("equations", [("m = sin(a)",), ("m = 3",), ("a = b",), ("m = ((a",)])
def test_templates_that_are_left_out(equations: tuple[str, ...]) -> None:
    assert usable(equations) is None
