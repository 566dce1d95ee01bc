"""The equation grammar against cases as data, and the properties every parse must have."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractors.expressions.grammar import parse_equation, parse_expression
from extractors.expressions.tokens import tokenize
from extractors.expressions.tree import Binary, Name, Node, Num, Unary, names_of, render, substitute
from extractors.extraction_errors import ExtractionError, LimitError
from extractors.solve.equation_systems import read_dolphin, split_unknowns
from extractors.solve.tree_evaluation import evaluate_tree

CASES = Path(__file__).resolve().parents[1] / "cases"


def load(name: str) -> list[dict[str, Any]]:
    with (CASES / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.rows("case", load("equations.jsonl"), ids=lambda case: case["id"])
def test_equation_cases(case: dict[str, Any]) -> None:
    names = case.get("names", [])
    if case["expect"] == "malformed":
        with pytest.raises(ExtractionError) as caught:
            parse_equation(case["text"], names)
        assert caught.value.code == "malformed"
    else:
        assert [render(equation) for equation in parse_equation(case["text"], names)] == case["expect"]


def test_implicit_product_binds_like_the_explicit_one() -> None:
    half = Binary("/", Num(Fraction(1)), Num(Fraction(2)))
    assert parse_expression("1/2x") == Binary("*", half, Name("x"))


def test_percent_of_a_number_is_exact() -> None:
    assert parse_expression("12.5%") == Num(Fraction(1, 8))


def test_a_decimal_comma_is_malformed() -> None:
    with pytest.raises(ExtractionError, match="unexpected"):
        parse_equation("9,5x = 19")


def test_scientific_notation_gives_way_to_an_unknown_e() -> None:
    assert render(parse_expression("2e3")) == "2000"
    assert render(parse_expression("2e3", names=["e"])) != "2000"


def test_letters_split_only_where_they_are_unknowns() -> None:
    assert names_of(parse_expression("xy + x + y")) == ("x", "y")
    assert names_of(parse_expression("xy")) == ("xy",)
    assert names_of(parse_expression("ar", names=["ar", "a", "r"])) == ("ar",)


@pytest.mark.rows(
    ("text", "message"),
    [("(" * 61 + "1" + ")" * 61, "nested"), ("1+" * 1001, "characters"), ("1," * 700, "tokens"), ("1e301", "exponent")],
)
def test_bounds_are_limit_errors(text: str, message: str) -> None:
    with pytest.raises(LimitError, match=message):
        parse_expression(text)


def test_dolphin_blocks_with_damaged_prefixes() -> None:
    assert read_dolphin("unkn: yequ: 1/2*1/2=y") == (("1/2*1/2=y",), ("y",))
    assert read_dolphin("unkn: x;y\r\nz=2*x\r\n:equ: y=3\r\nequ:x=1") == (("z=2*x", "y=3", "x=1"), ("x", "y"))
    assert split_unknowns("[a, b]") == ["a", "b"]
    assert read_dolphin("unkn: x\r\nequ: x=cos(45??)")[0] == ("x=cos(45°)",)
    with pytest.raises(ExtractionError, match="unkn"):
        read_dolphin("equ: x=1")


def trees(depth: int = 4) -> st.SearchStrategy[Node]:
    numbers = st.fractions(min_value=0, max_value=50, max_denominator=20).map(Num)
    leaves: st.SearchStrategy[Node] = st.one_of(numbers, st.sampled_from([Name("x"), Name("y")]))

    def grow(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
        binary = st.builds(Binary, st.sampled_from("+-*"), inner, inner)
        return st.one_of(binary, st.builds(Unary, st.just("-"), inner))

    return st.recursive(leaves, grow, max_leaves=depth * 3)


@settings(max_examples=150, deadline=None)
@given(trees())
def test_rendering_keeps_the_value(tree: Node) -> None:
    values = {"x": Fraction(3, 7), "y": Fraction(-5, 2)}
    again = parse_expression(render(tree), names=["x", "y"])
    assert evaluate_tree(again, values) == evaluate_tree(tree, values)


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="xyX12 .,()+-*/^=<>!%|√±°'e_[]", max_size=40))
def test_no_text_escapes_the_error_classes(text: str) -> None:
    try:
        equations = parse_equation(text)
    except ExtractionError:
        return
    for equation in equations:
        assert render(equation)


def test_long_sums_do_not_recurse() -> None:
    tree = parse_expression("x" + "+x" * 290)
    assert render(substitute(tree, {"x": Num(Fraction(1))})).count("1") == 291
    assert len(tokenize("+x" * 290)) == 581
