"""Monotonic trees and the search for them; trees, operations and scores were worked out by hand."""

from fractions import Fraction

import pytest

from evaluation.solvers.arithmetic.monotonic_trees import (
    NONE,
    OPERATIONS,
    best_trees,
    chain_of,
    gold_tree,
    joins,
    leaves,
    pair_operations,
    tree_text,
    value_of,
)

VALUES = [Fraction(8), Fraction(5), Fraction(3)]


@pytest.mark.rows(
    ("equation", "operations"),
    [
        ("x = 8 - 5 - 3", {(0, 1): "-", (0, 2): "-", (1, 2): "+"}),
        ("x = 8 - (5 + 3)", {(0, 1): "-", (0, 2): "-", (1, 2): "+"}),
        ("x = 8 - (5 - 3)", {(0, 1): "-", (0, 2): "+", (1, 2): "-r"}),
        ("x = 5 - 3 + 8", {(0, 1): "+", (0, 2): "-", (1, 2): "-"}),
        ("x = (5 + 3) / 8", {(0, 1): "/r", (0, 2): "/r", (1, 2): "+"}),
        ("x = 8 / (5 / 3)", {(0, 1): "/", (0, 2): "*", (1, 2): "/r"}),
        ("3 * (8 - 5) = x", {(0, 1): "-", (0, 2): "*", (1, 2): "*"}),
        ("x = 3 - 8", {(0, 2): "-r"}),
    ],
)
def test_one_operation_for_every_way_to_write(equation: str, operations: dict[tuple[int, int], str]) -> None:
    found = gold_tree([equation], VALUES)
    assert found is not None
    assert pair_operations(found.tree) == operations
    assert set(operations.values()) <= set(OPERATIONS)


@pytest.mark.rows(
    ("equations", "rounding"),
    [
        (("x = floor(8 / 3)",), "floor"),
        (("x = ceiling(8 / 3)",), "ceiling"),
        (("x = 8 / 3",), ""),
        (("x = sqrt(8)",), None),
        (("x = 8 * 7",), None),
        (("x = 8 * 8",), None),
        (("x = 8",), None),
        (("x + y = 8", "x = 5"), None),
        (("x + 5 = 8",), None),
        (("x = 8 ^ 3",), None),
    ],
)
def test_which_equations_are_trees(equations: tuple[str, ...], rounding: str | None) -> None:
    found = gold_tree(equations, VALUES)
    assert (found and found.rounding) == rounding


def test_equal_numbers_are_different_quantities() -> None:
    found = gold_tree(["x = 4 * 4"], [Fraction(4), Fraction(9), Fraction(4)])
    assert found is not None
    assert leaves(found.tree) == (0, 2)


def test_values_and_texts() -> None:
    tree = chain_of("*", [chain_of("+", [0, 1], [2])], [2])
    assert value_of(tree, VALUES) == Fraction(10, 3)
    assert tree_text(tree, "abc".__getitem__) == "(a + b - c) / c"
    assert value_of(chain_of("*", [0], [1]), [Fraction(1), Fraction(0)]) is None


def test_nothing_is_added_to_a_difference() -> None:
    taken = chain_of("+", [0], [1])
    assert [op for op, _ in joins(taken, 2)] == ["*", "/", "/r"]
    assert [op for op, _ in joins(0, 1)] == list(OPERATIONS)


def test_the_best_tree_by_all_its_scores() -> None:
    even = (-0.7, -0.7)
    pairs = {(0, 1): {"-": -0.1, "+": -2.0}, (0, 2): {"-": -0.2, "+": -1.0}, (1, 2): {"+": -0.3, "-": -3.0}}
    three = [(-9.0, 0.0)] * 3
    score, tree = best_trees(three, pairs)[0]
    assert (round(score, 6), tree) == (-0.6, chain_of("+", [0], [1, 2]))
    # The third quantity is irrelevant: its own score and those of its pairs say so.
    relevance = [(-9.0, 0.0), (-9.0, 0.0), (0.0, -9.0)]
    with_none = {pair: {**one, NONE: -0.05 if 2 in pair else -9.0} for pair, one in pairs.items()}
    score, tree = best_trees(relevance, with_none)[0]
    assert (round(score, 6), tree) == (-0.2, chain_of("+", [0], [1]))
    assert best_trees([even], {}) == []
