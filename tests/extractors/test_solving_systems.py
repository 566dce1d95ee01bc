"""Whole systems against cases as data, hostile input, and determinism."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.hostile import written_out
from extractors.real_numbers.values import approximate, format_value
from extractors.solve.equation_systems import STATUSES, parse_dolphin
from extractors.solve.solving import solve, solve_texts

CASES = Path(__file__).resolve().parents[1] / "cases"


def load(name: str) -> list[dict[str, Any]]:
    with (CASES / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.rows("case", load("systems.jsonl"), ids=lambda case: case["id"])
def test_system_cases(case: dict[str, Any]) -> None:
    result = solve_texts(case["text"], case.get("unknowns"))
    found = sorted([format_value(value) for value in row] for row in result.solutions)
    assert (result.status, found) == (case["expect"]["status"], sorted(case["expect"]["solutions"]))


@pytest.mark.rows("case", load("hostile.jsonl"), ids=lambda case: case["id"])
def test_hostile_cases(case: dict[str, Any]) -> None:
    result = solve_texts(written_out(case))
    assert result.status == case["expect"]
    assert all(format_value(value) for row in result.solutions for value in row)


PIECES = [
    "x",
    "y",
    "xy",
    "2",
    "1/2",
    "(x+1)",
    "x^2",
    "sqrt(x)",
    "|x-2|",
    "2^x",
    "sin(x)",
    "1/(x-y)",
    "_floor(x)",
    "x%7",
]


@settings(max_examples=120, deadline=None)
@given(st.lists(st.lists(st.sampled_from(PIECES), min_size=2, max_size=4), min_size=1, max_size=2), st.data())
def test_no_system_raises_and_solutions_fit(sides: list[list[str]], data: st.DataObject) -> None:
    operators = st.sampled_from("+-*/")
    texts = ["=".join([data.draw(operators).join(side[1:]), side[0]]) for side in sides]
    result = solve_texts(texts, budget=20_000)
    assert result.status in STATUSES
    assert all(len(row) == len(result.unknowns) for row in result.solutions)
    assert (result.status in ("solved", "numeric")) == bool(result.solutions)
    assert solve_texts(texts, budget=20_000) == result


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=30))
def test_no_text_raises(text: str) -> None:
    assert solve_texts([text, text[::-1]]).status in STATUSES


def test_the_budget_is_in_steps() -> None:
    assert solve_texts(["x^3+y^3=9", "x^2*y+y=7"], budget=50).status == "too_large"


def test_an_unknown_that_no_equation_mentions_is_left_out() -> None:
    result = solve_texts(["39-(-18)=y"], ["x", "y"])
    assert (result.status, result.unknowns, result.solutions) == ("solved", ("y",), ((Fraction(57),),))


def test_linear_flag() -> None:
    assert solve_texts(["x+y=3", "x-y=1"]).linear
    assert not solve_texts(["x^2=4"]).linear


@pytest.mark.shared
def test_dolphin_development_figures(shared_data: Path) -> None:
    rows = json.loads((shared_data / "dolphin18k" / "dev_urls.json").read_text(encoding="utf-8"))
    blocks = [row["equations"] for row in rows if row["equations"]]
    statuses = []
    for block in blocks[::4]:
        try:
            statuses.append(solve(parse_dolphin(block)).status)
        except Exception as error:  # noqa: BLE001 - only the class is asserted
            statuses.append(type(error).__name__)
    assert set(statuses) <= {*STATUSES, "ExtractionError", "LimitError"}
    assert statuses.count("solved") + statuses.count("numeric") >= 0.98 * len(statuses)


@pytest.mark.shared
@pytest.mark.rows("name", ["draw/draw.json", "alg514/kushman.json"])
def test_gold_solutions_of_draw_and_alg514(shared_data: Path, name: str) -> None:
    for row in json.loads((shared_data / name).read_text(encoding="utf-8")):
        result = solve_texts(row["lEquations"])
        assert result.status == "solved", row["iIndex"]
        values = [float(approximate(value)) for value in result.solutions[0]]
        for gold in row["lSolutions"]:
            assert any(abs(value - gold) <= 0.01 * max(1, abs(gold)) for value in values), row["iIndex"]
