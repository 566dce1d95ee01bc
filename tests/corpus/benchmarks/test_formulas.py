"""ASDiv's formulas and MathQA's programs: what is read, and what is refused."""

from fractions import Fraction

import pytest

from corpus.benchmarks.asdiv_formulas import Statement, parse_asdiv
from corpus.benchmarks.programs import parse_program
from extractors.expressions.tree import render
from extractors.extraction_errors import ExtractionError, LimitError
from extractors.solve.tree_evaluation import evaluate_tree


def _written(statement: Statement) -> str:
    """A chain with explicit products, ratios joined by colons, remainders behind ``r``."""
    sides = [
        ":".join(map(render, side.terms)) + (f" r{side.remainder}" if side.remainder is not None else "")
        for side in statement.sides
    ]
    return "".join(a + b for a, b in zip(sides, [*statement.relations, ""], strict=True))


@pytest.mark.rows(
    ("formula", "kinds", "last"),
    [
        ("(9-6)*2=6", ["chain"], "(9-6)*2=6"),
        ("5*4=20; 20-3=17", ["chain", "chain"], "20-3=17"),
        ("x:Ben's cards; 3x+2=14", ["definition", "chain"], "3*x+2=14"),
        (
            "x:Dollars at 12%; y:Dollars at 10%; 12%X+10%Y=130",
            ["definition", "definition", "chain"],
            "0.12*x+0.1*y=130",
        ),
        ("50/6=8 r2", ["chain"], "50/6=8 r2"),
        ("LCM[6,8]=24", ["chain"], "lcm(6,8)=24"),
        ("GCD(12,18,30)=6", ["chain"], "gcd(12,18,30)=6"),
        ("8+4=12; 12:20=3:5", ["chain", "chain"], "12:20=3:5"),
        ("x:One; y:Other; x:y=5:6", ["definition", "definition", "chain"], "x:y=5:6"),
        ("3 (dime)*10 (cent/dime) + 4*1  (cent) = 34 (cent)", ["chain"], "3*10+4*1=34"),
        ("(2*60 (min/hour) + 5 (min))/60 (min/hour) = 2 r5; hh:mm=2:05", ["chain", "clock"], ""),
        ("17 cm(Ann) < 17+2=19 cm(Bob)", ["chain"], "17<17+2=19"),
        ("3/4(The blue team) equals 6/8(The red team)", ["chain"], "3/4=6/8"),
        ("4, 8, 12, 16", ["sequence"], "4:8:12:16"),
        ("2x+x+x=180", ["chain"], "2*x+x+x=180"),
        ("(L+(L-7))*2=98", ["chain"], "(L+(L-7))*2=98"),
        ("64^(1/2)*4=32", ["chain"], "64^(1/2)*4=32"),
        ("Ann is the 3rd.; 3-1=2 (nd)", ["remark", "chain"], "3-1=2"),
    ],
)
def test_asdiv_notation(formula: str, kinds: list[str], last: str) -> None:
    statements = parse_asdiv(formula)
    assert [statement.kind for statement in statements] == kinds
    if last:
        assert _written(statements[-1]) == last


def test_asdiv_labels_units_and_clocks_are_kept() -> None:
    left, right = parse_asdiv("17 cm(Ann) < 19 cm(Bob)")[0].sides
    assert (left.label, left.unit, right.label) == ("Ann", "cm", "Bob")
    assert parse_asdiv("hh:mm=23:45=11:45 p.m.(24 December)")[0].text == "11:45 p.m."


@pytest.mark.rows("formula", ["", ";", "3+=4", "(3=4", "3 4 5=6", "=", "x:", "\ud800=1", "1" * 3000, "1=1;" * 50])
def test_asdiv_refuses_with_its_own_errors(formula: str) -> None:
    try:
        statements = parse_asdiv(formula)
    except ExtractionError:
        return
    assert [statement.kind for statement in statements] == ["definition"]


@pytest.mark.rows(
    ("program", "value"),
    [
        ("divide(multiply(650, subtract(const_100, 44)), const_100)", Fraction(364)),
        ("power(5, 4)", Fraction(625)),
        ("multiply(1,000, const_0_25)", Fraction(250)),
        ("multiply(36, const_0_2778)", Fraction(10)),
        ("reminder(17, 5)", Fraction(2)),
        ("inverse(add(divide(const_1, 12), divide(3, 12)))", Fraction(3)),
        ("choose(5, 2)", Fraction(10)),
        ("triangle_area_three_edges(3, 4, 5)", Fraction(6)),
        ("surface_rectangular_prism(7, 8, const_2.0)", Fraction(172)),
        ("negate(-5)", Fraction(5)),
        ("p_after_gain(20, 50)", Fraction(60)),
    ],
)
def test_programs_are_evaluated_exactly(program: str, value: Fraction) -> None:
    assert evaluate_tree(parse_program(program), {}) == value


@pytest.mark.rows(
    "program",
    ["", "add", "add(", "add(1)", "add(1,2", "add(1,2))", "boom(1, 2)", "add(1, x)", "__import__(1, 2)", "add(1,2,3)"],
)
def test_programs_outside_the_notation_are_refused(program: str) -> None:
    with pytest.raises(ExtractionError):
        parse_program(program)


def test_operations_that_repeat_their_arguments_are_bounded() -> None:
    nested = "triangle_area_three_edges(" * 10 + "3, 4, 5)" + ", 4, 5)" * 9
    with pytest.raises(LimitError):
        parse_program(nested)
