"""Where equations stand in a text: chains, mentions and what is no equation."""

from fractions import Fraction

import pytest

from extractors.equations.drafts import Composer
from extractors.equations.equation_candidates import read_candidates
from extractors.equations.given import Given
from extractors.equations.scanner import scan
from extractors.equations.setups import Effect, Setup
from extractors.expressions.tree import render
from extractors.real_numbers.values import Budget
from tests.growth.counting import assert_linear


def _chains(text: str) -> list[str]:
    return ["=".join("".join(s.pieces) if s.pieces else "<>" for s in chain.segments) for chain in scan(text).chains]


@pytest.mark.rows(
    ("text", "expect"),
    [
        ("x + y = 9 So x = 4", ["x+y=9", "x=4"]),
        ("37 + b = 59 b = 59 - 37 b = 22", ["37+b=59", "b=59-37", "b=22"]),
        ("divide both sides by 3 x = 16", ["x=16"]),
        ("1.75 x = 8.75 divide by 1.75", ["1.75x=8.75"]),
        ("x = 5 - the rest", ["x=5"]),
        ("x = 9 (total cars)", ["x=9"]),
        ("(so t = 20)", ["t=20"]),
        ("b = 42 / 2 = 21", ["b=42/2=21"]),
        ("40 cups * 20 chickens = 800 cups", ["40*20=800"]),
        ("5 colors x $2/color = $10 for it", ["5*2=10"]),
        ("interest at 8% = .08x", ["<>=.08x"]),
        ("x = number of adults", ["x=<>"]),
        ("Son's age = x + 5", ["<>=x+5"]),
        ("length = 2x + 2\n = 2(8) + 2\n = 18 cm", ["<>=2x+2=2(8)+2=18"]),
        ("7 plus 5 equals 12", ["7+5=12"]),
        ("1/2 of 30 = 15", ["1/2*30=15"]),
        ("x = 1 3/5", ["x=13/5"]),
        ("(x+w)2 = 300", ["(x+w)*2=300"]),
        ("99/16 = 6 r 3", ["99/16=6"]),
        ("5p coins: number of 5p = 4x", ["<>=4x"]),
        ("xy = 12 and x + y = 7", ["x*y=12", "x+y=7"]),
        ("no maths here", []),
        ("a >= 5 and b <= 3", []),
        ("see = and =", []),
        ("$5/glass * 16 glasses = $80, $3/glass * 8 glasses = $24", ["5*16=80", "3*8=24"]),
        ("$20/hour x 35 hours/week = $700/week", ["20*35=700"]),
        ("$350 000 x 5/100 = $17 500.", ["350000*5/100=17500"]),
        ("4 times a day * 5 days = 20 glasses", ["4*5=20"]),
        ("15$ * 3 = $45", ["15*3=45"]),
        ("300 M&Ms + 12 M&Ms = 312 M&Ms", ["300+12=312"]),
        ("58 plants - 2 plants on each ledge = 56 plants", ["58-2=56"]),
        ("3.5 pounds of food per week / 10 ducks = 7 pounds", ["<>=7"]),
        ("the two equal groups have 200*2= 400 students", ["200*2=400"]),
        ("a coach * 2 teams = 8", ["<>=8"]),
        ("5:00 - 1:00 = 4 hours", ["<>=4"]),
        ("Jessa + 2 = 20", ["<>=20"]),
        ("40 pieces of $1 bills x $0.50 = $20", ["<>=20"]),
        ("a total of 5/3 = 1.6", ["5/3=1.6"]),
        ("2 cats per dog/cat = 60/2 = 30 pets", ["<>=60/2=30"]),
        ("so 1st + 2nd = 41\n1st - 2nd = 7\n1st = 24", ["first+second=41", "first-second=7", "first=24"]),
        ("1ST number = x", ["<>=x"]),
        ("3:4 = x:20", ["3/4=x/20"]),
        ("3:10 = 4 and 2:30 = 150", ["<>=4", "<>=150"]),
        ("A = l x w = 12 x 9 = 108", ["A=l*w=12*9=108"]),
        ("A = 1/2 bh", ["A=1/2*b*h"]),
        ("x  y = 9", ["<>=9"]),
        ("x = 24  y = 17", ["x=24", "y=17"]),
        ("= 16 l", []),
        ("2*8 = 16 l\n", ["2*8=16"]),
    ],
)
def test_chains(text: str, expect: list[str]) -> None:
    assert _chains(text) == expect


@pytest.mark.parametrize("sign", ["$", "Rs. ", "Rs $ "])
def test_currencies_without_a_number_are_passed_over_once(sign: str) -> None:
    assert_linear(scan, sign)


def test_a_check_section_is_marked() -> None:
    assert [chain.checking for chain in scan("x = 5\nCheck: 5 + 3 = 8").chains] == [False, True]


def test_false_arithmetic_is_no_step() -> None:
    assert [step.value for step in read_candidates("5 + 3 = 9\n5 * 3 = 15").steps] == [Fraction(15)]


def test_steps_compose_and_given_numbers_stay() -> None:
    steps = read_candidates("3 + 4 = 7\n16 - 7 = 9\n9 * 2 = 18").steps
    composer = Composer(steps, Given("16 eggs, 3 and 4 and 2").holds)
    assert (render(composer.compose(2)), composer.used) == ("(16-(3+4))*2", {0, 1, 2})


def test_a_setup_tells_worked_steps_from_contradictions() -> None:
    setup = Setup(Budget(1000))
    equations = read_candidates("x + y = 9\nx - y = 1\n2x = 10\nx + 2y = 14").equations
    effects = [setup.offer(candidate) for candidate in equations]
    assert effects == [Effect.ADDED, Effect.ADDED, Effect.IMPLIED, Effect.CONTRADICTS]
    assert setup.determined == {"x": 5, "y": 4}


def test_rounded_steps_are_no_contradiction() -> None:
    setup = Setup(Budget(1000))
    assert [setup.offer(c) for c in read_candidates("7x = 40\nx = 5.71").equations] == [Effect.ADDED, Effect.IMPLIED]


def test_constants_use_given_numbers_as_they_are_or_rescaled() -> None:
    given = Given("81 liters of 20% solution for $3.80")
    assert given.used_by([(81, 1), (1, 5), (20, 1)]) == 2
    assert given.used_by([(380, 1), (100 - 20, 1), (173, 1)]) == 2
    assert given.used_by([(81 + 20, 1)]) == 0
