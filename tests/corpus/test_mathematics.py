"""Systems as mathematics: what a page or a card shows reads back as the system, and nothing of a post gets into it."""

from fractions import Fraction

import pytest

from corpus.versioning.mathematics import MAX_NODES, latex, mathml
from crawlers.html_reading.html_text import html_to_text
from extractors.expressions.grammar import parse_equation
from extractors.expressions.tree import Equation
from extractors.solve.tree_evaluation import evaluate_tree
from extractors.text.plain import plain_maths

VALUES = {"x": Fraction(7, 3), "y": Fraction(5), "z": Fraction(2)}
EQUATIONS = [
    "8*x+6*y=106",
    "5-(2-x)=y",
    "x-(y-z)=x-y-z",
    "x-(y+z)=1",
    "4/(1/4)=x",
    "m/n/2=m/(n/2)",
    "1/x+1/y=1/z",
    "x*3*4=2*3",
    "y*(9*9)=x*(y+1)*2",
    "-(x+1)=(-3)*y",
    "5*(-3)=5-(-3)",
    "(-x)^2=-x^2",
    "(x/y)^2=2^(1/2)",
    "(x^2)^3=x^(2^3)",
    "100*(1+5/100)^z=0.075*y",
    "sqrt(x+1)*2=abs(1-y)",
    "x<=3.5",
]


def values(equation: Equation) -> list[object]:
    """What both sides are worth for some values."""
    known = VALUES | {"m": Fraction(3), "n": Fraction(4)}
    return [evaluate_tree(side, known) for side in equation[:2]]


@pytest.mark.rows("text", EQUATIONS)
def test_mathematics_says_what_the_equation_says(text: str) -> None:
    (wanted,) = parse_equation(text)
    page, card = mathml([text]), latex([text])
    assert page is not None
    assert card is not None
    for shown in (html_to_text(f"<p>{page}</p>"), f"${card.split('}', 1)[1].rpartition(chr(92))[0].replace('&', '')}$"):
        (read,) = parse_equation(plain_maths(shown).text)
        assert (read.relation, values(read)) == (wanted.relation, values(wanted)), shown


def test_a_system_has_a_line_for_each_equation() -> None:
    assert latex(["x1+apples=2", "x^2>=y_2"]) == (
        r"\begin{aligned}x_{1} + \mathrm{apples} & = 2 \\ x^{2} & \ge y_{2}\end{aligned}"
    )
    assert mathml(["x1=2", "x<y"]) == (
        "<math><msub><mi>x</mi><mn>1</mn></msub><mo>=</mo><mn>2</mn></math>"
        "<math><mi>x</mi><mo>&lt;</mo><mi>y</mi></math>"
    )


@pytest.mark.rows(
    "text", ["<script>alert(1)</script>=2", "x=$$", r"\input{x}=3", "x+=3", "", "x=" + "1+" * MAX_NODES + "1"]
)
def test_what_is_no_system_of_ours_has_no_mathematics(text: str) -> None:
    for shown in (mathml([text]), latex([text])):
        assert shown is None


def test_a_system_with_one_equation_that_is_not_read_has_none() -> None:
    assert mathml(["x=1", "x+=3"]) is None
    assert latex([]) is None
