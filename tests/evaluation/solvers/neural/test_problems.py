"""What the networks read and write, and what is said where PyTorch is not installed; nothing here needs it."""

import sys
from fractions import Fraction

import pytest

from corpus.benchmarks.gold_problems import GoldProblem
from corpus.errors import ConfigError
from evaluation.solvers.neural.network_settings import PUBLISHED, SMALL
from evaluation.solvers.neural.neural_solver import neural_solver
from evaluation.solvers.neural.problems import (
    MAX_NUMBERS,
    Asked,
    NetworkVocabulary,
    example_of,
    prefix_of,
    tree_of,
    value_of,
)
from extractors.expressions.grammar import parse_expression
from extractors.expressions.tree import Name, render

PENS = "Ann has 9 pens and twice as many caps in 4 boxes of 9"


def _problem(equation: str, question: str = PENS) -> GoldProblem:
    return GoldProblem(
        problem_id="p", native_id="p", origin="gold", question=question, equations=(equation,), unknowns=("x",)
    )


def test_numbers_are_marks_with_their_place() -> None:
    asked = Asked.of(PENS)
    assert " ".join(asked.tokens(numbered=True)) == "ann has #0 pens and twice as many caps in #2 boxes of #3"
    assert asked.tokens(numbered=False)[:3] == ("ann", "has", "#")
    assert asked.values == (9, 2, 4, 9)
    assert asked.places == (2, 5, 10, 13)


def test_numbers_beyond_the_bound_have_no_place() -> None:
    asked = Asked.of(" and ".join(f"{n} owls" for n in range(20, 60)))
    tokens = asked.tokens(numbered=True)
    assert len(asked.values) == MAX_NUMBERS
    assert (tokens[3 * MAX_NUMBERS - 3], tokens[3 * MAX_NUMBERS]) == (f"#{MAX_NUMBERS - 1}", "#")


@pytest.mark.rows(
    ("equation", "target"),
    [
        ("x=9-4*2", ("-", 0, "*", 2, 1)),
        ("x=9+9", ("+", 0, 3)),
        ("x=9+9+9", ("+", "+", 0, 3, 0)),
        ("x=floor(9/100)", ("floor", "/", 0, Fraction(100))),
        ("x+9=4", None),
        ("x=9*y", None),
        ("x=9^2", None),
    ],
)
def test_targets(equation: str, target: tuple[object, ...] | None) -> None:
    found = example_of(_problem(equation))
    assert (found.target if found else None) == target


def test_long_expressions_and_empty_questions_teach_nothing() -> None:
    assert example_of(_problem("x=" + "+".join("9" * 40))) is None
    assert example_of(_problem("x=9+4", " ")) is None


def test_values_are_exact() -> None:
    numbers = [Fraction(1), Fraction(3), Fraction(0)]
    assert value_of(("+", "/", 0, 1, "ceiling", "/", 0, 1), numbers) == Fraction(4, 3)
    assert value_of(("/", 0, 2), numbers) is None
    assert value_of((Fraction(5, 2),), numbers) == Fraction(5, 2)


def test_a_prefix_is_its_tree() -> None:
    tree = parse_expression("ceiling((9-4)/2)*7")
    prefix = prefix_of(tree, [Fraction(9), Fraction(4)])
    assert prefix == ("*", "ceiling", "/", "-", 0, 1, Fraction(2), Fraction(7))
    assert render(tree_of(prefix, lambda place: Name("ab"[place]))) == "ceiling((a-b)/2)*7"


def test_what_is_rare_is_not_learnt() -> None:
    examples = [example_of(_problem(equation)) for equation in ("x=9+1", "x=4-1", "x=9/50")]
    vocabulary = NetworkVocabulary.of([one for one in examples if one is not None], numbered=True)
    assert vocabulary.symbols == ("+", "-", "/", Fraction(1), 0, 1, 2, 3)
    assert (vocabulary.operators, vocabulary.places) == (3, 4)
    assert vocabulary.symbol_ids(("-", 1, Fraction(1))) == [1, 5, 3]
    assert vocabulary.symbol_ids(("/", 0, Fraction(50))) is None
    assert vocabulary.word_ids(Asked.of("Ann met 3 emus")) == [vocabulary.words["ann"], 1, vocabulary.words["#0"], 1]


def test_one_line_without_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    for name in SMALL:
        with pytest.raises(ConfigError) as caught:
            neural_solver(name)
        assert str(caught.value) == f"the solver {name} needs PyTorch: pip install 'wordquarry[neural]'"


def test_names() -> None:
    assert list(SMALL) == list(PUBLISHED)
    with pytest.raises(ConfigError, match="lstm is no network; give one of seq2seq, gts, graph2tree, transformer, ffn"):
        neural_solver("lstm")
