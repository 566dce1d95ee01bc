"""Unit dependency graphs that agree with a tree; labels were worked out by the rules of the paper."""

from evaluation.solvers.arithmetic.monotonic_trees import Tree, chain_of
from evaluation.solvers.arithmetic.quantity_schemas import ReadQuestion, read_question
from evaluation.solvers.arithmetic.unit_dependency import APART, SAME, graphs_of


def _read(question: str) -> ReadQuestion:
    read = read_question(question)
    assert read is not None
    return read


def _edges(tree: Tree, read: ReadQuestion, rates: tuple[bool, ...]) -> dict[tuple[int, int], str]:
    (found,) = [graph.edges for graph in graphs_of(tree, read) if graph.rates == rates]
    return found


def test_terms_have_one_unit_and_are_rates_together() -> None:
    read = _read("Ann reads 5 pages a day and Bob 7 pages a day. How many more pages does Bob read?")
    graphs = list(graphs_of(chain_of("+", [1], [0]), read))
    assert [graph.rates for graph in graphs] == [(False, False), (True, True)]
    assert [graph.asks_rate for graph in graphs] == [False, True]
    assert all(set(graph.edges.values()) == {SAME} for graph in graphs)


def test_one_factor_is_a_rate() -> None:
    read = _read("Ann buys 4 boxes with 6 pens each. How many pens has she?")
    tree = chain_of("*", [0, 1], [])
    assert {graph.rates for graph in graphs_of(tree, read)} == {(True, False), (False, True)}
    assert _edges(tree, read, (False, True)) == {
        (-1, 0): APART,
        (-1, 1): "numerator of second",
        (0, 1): "denominator of second",
    }
    # The other way round, the 4 would be a rate per pen.
    assert _edges(tree, read, (True, False))[0, 1] == "denominator of first"


def test_a_quotient_has_a_rate_or_is_one() -> None:
    read = _read("Ann puts 24 pens into boxes of 6. How many boxes are there?")
    tree = chain_of("*", [0], [1])
    rates = {graph.rates: graph.asks_rate for graph in graphs_of(tree, read)}
    assert rates == {(False, False): True, (False, True): False}
    assert _edges(tree, read, (False, True))[0, 1] == "numerator of second"
    assert _edges(tree, read, (False, False)) == {
        (-1, 0): "numerator of first",
        (-1, 1): "denominator of first",
        (0, 1): APART,
    }


def test_a_product_among_terms_and_an_irrelevant_quantity() -> None:
    read = _read("In 9 days Ann bought 4 pens for 8 dollars each and a hat for 7 dollars. How much did she pay?")
    tree = chain_of("+", [chain_of("*", [1, 2], []), 3], [])
    edges = _edges(tree, read, (bool(read.quantities[0].rate), False, True, False))
    assert edges[2, 3] == "numerator of first"
    assert edges[1, 3] == edges[0, 3] == APART
    assert edges[-1, 3] == SAME
