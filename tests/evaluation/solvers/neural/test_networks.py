"""Each network learns two kinds of tiny problems by heart, and says the same whenever it is asked."""

from fractions import Fraction

import pytest

from corpus.benchmarks.gold_problems import GoldProblem
from evaluation.solvers.neural.network_settings import PUBLISHED, SMALL, NetworkSettings
from evaluation.solvers.neural.neural_solver import neural_solver
from evaluation.solvers.neural.problems import Asked, NetworkVocabulary, PrefixExample
from evaluation.solvers.solver import Solver

torch = pytest.importorskip("torch", reason="needs wordquarry[neural]")

TINY = NetworkSettings(
    embedding=32, hidden=64, layers=1, dropout=0.0, batch=8, rate=0.01, epochs=60, enough=0.02, seed=2
)
LESS = "Tom has {} red pens . He gave {} of them away . How many pens are left ?"
SHARED = "Ann has {} eggs and Bob has {} eggs . They fill {} boxes . How many eggs are in a box ?"


def _problem(question: str, equation: str) -> GoldProblem:
    return GoldProblem(
        problem_id=question, native_id="p", origin="gold", question=question, equations=(equation,), unknowns=("x",)
    )


PROBLEMS = [_problem(LESS.format(n + 9, n), f"x={n + 9}-{n}") for n in range(20, 24)]
PROBLEMS += [_problem(SHARED.format(n, n + 5, 4), f"x=({n}+{n + 5})/4") for n in range(30, 34)]


def _fitted(name: str) -> Solver:
    solver = neural_solver(name, TINY)
    solver.fit(PROBLEMS)
    return solver


@pytest.mark.parametrize("name", SMALL)
def test_two_kinds_of_problems_are_learnt_by_heart(name: str) -> None:
    solver = _fitted(name)
    less, shared = solver.solve(LESS.format(57, 13)), solver.solve(SHARED.format(7, 8, 2))
    assert less is not None
    assert shared is not None
    assert (less.template, less.unknowns, less.solutions) == (("x=a-b",), ("x",), (44,))
    assert (shared.template, shared.solutions) == (("x=(a+b)/c",), (Fraction(15, 2),))
    assert less.alignment == {"a": ("span", 8, 10), "b": ("span", 30, 32)}


def test_the_same_seed_gives_the_same_network() -> None:
    state = torch.random.get_rng_state()
    first, second = _fitted("gts"), _fitted("gts")
    weights = [list(one._network.parameters()) for one in (first, second)]  # type: ignore[attr-defined]
    assert all(torch.equal(left, right) for left, right in zip(*weights, strict=True))
    assert torch.equal(state, torch.random.get_rng_state())


def test_nothing_to_learn_from_and_nothing_to_read() -> None:
    solver = neural_solver("seq2seq", TINY)
    solver.fit([_problem(LESS.format(9, 4), "x+4=9")])
    assert solver.solve(LESS.format(9, 4)) is None
    assert _fitted("ffn-lstm").solve(" ") is None


def test_a_division_by_zero_is_no_answer() -> None:
    answer = _fitted("gts").solve(SHARED.format(7, 8, 0))
    assert answer is None or "/c" not in answer.template[0]


def test_filling_changes_nothing_and_a_bag_has_no_order() -> None:
    from evaluation.solvers.neural.network import Batch
    from evaluation.solvers.neural.network_training import make_network

    asked = [Asked.of(text) for text in (SHARED.format(1, 2, 3), "Tom has 9 pens", "9 pens has Tom")]
    vocabulary = NetworkVocabulary.of(
        [PrefixExample(one, ("+", 0, 0)) for one in asked for _ in range(2)], numbered=True
    )
    for name in SMALL:
        encoder = make_network(name, vocabulary, TINY).eval().encoder
        alone, other, filled = (encoder(Batch.of(part, vocabulary, "cpu")) for part in ([asked[1]], asked[2:], asked))
        assert torch.allclose(alone.words[0], filled.words[1, :4], atol=1e-5), name
        assert torch.allclose(alone.whole[0], filled.whole[1], atol=1e-5), name
        assert torch.allclose(alone.numbers[0, 0], other.numbers[0, 0], atol=1e-5) == (name == "ffn-lstm"), name


def test_the_graphs_of_quantities() -> None:
    from evaluation.solvers.neural.encoders import graphs_of

    # Tokens: tom has #0 pens , ann has #1 ; the larger number is the second one.
    cells, down, up, every = graphs_of(Asked.of("Tom has 3 pens, Ann has 8"), 9)
    assert cells[2].nonzero().flatten().tolist() == [0, 1, 2, 3]
    assert cells[1].nonzero().flatten().tolist() == [1, 2, 6]
    assert down[7].tolist() == pytest.approx([0, 0, 0.5, 0, 0, 0, 0, 0.5, 0])
    assert down[2].nonzero().flatten().tolist() == [2]
    assert up[2].nonzero().flatten().tolist() == [2, 7]
    assert every[7].nonzero().flatten().tolist() == [2, 5, 6, 7]
    assert every[8].tolist() == [0] * 8 + [1]


def test_published_sizes_make_networks() -> None:
    from evaluation.solvers.neural.network_training import make_network

    vocabulary = NetworkVocabulary({"pens": 2}, ("+", Fraction(1), 0), numbered=True)
    for name, settings in PUBLISHED.items():
        assert sum(weights.numel() for weights in make_network(name, vocabulary, settings).parameters()) > 100_000
