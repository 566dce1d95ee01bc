"""The maths-keeping serialiser: cases as data, hostile input, and a property over all text."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawlers.html_reading.html_text import html_to_text
from crawlers.html_reading.html_tree import MAX_CHARACTERS
from extractors.extraction_errors import ExtractionError, LimitError
from tests.growth.counting import assert_bounded
from tests.tiers import in_turn

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "cases" / "html_text.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.rows("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case: dict[str, str]) -> None:
    assert html_to_text(case["text"]) == case["expect"]


def test_there_are_cases_enough() -> None:
    assert len(CASES) >= 150
    assert len({case["text"] for case in CASES}) == len(CASES)


def test_input_is_bounded() -> None:
    with pytest.raises(LimitError, match="at most 8388608"):
        html_to_text("x" * (MAX_CHARACTERS + 1))


@pytest.mark.rows("opening", ["<div>", "<sup>", "<b><i>", "<table><tr><td>", "<math><mrow>"])
def test_deep_nesting_is_refused(opening: str) -> None:
    with pytest.raises(LimitError, match="nested"):
        html_to_text(opening * 100_000 + "x")


@pytest.mark.rows(
    "text",
    in_turn(
        [
            "<" * 200_000,
            "<a " * 100_000,
            "&" * 200_000,
            "x<y " * 100_000,
            '<span class="MathJax"><u>' * 900 + "<i>y</i>" * 20_000,
            "<td>1" * 20_000,
            "<br>" * 30_000,
            "x<sup>2</sup>" * 8_000,
            "<p>" + " " * 300_000 + "</p>",
            "<!ENTITY " * 50_000,
            "<img alt='" + "=" * 300_000 + "'>",
            "<img src='plot-formula.mpl?" + "&expression" * 100_000 + "'>",
            "<img src='latex.php?" + "&latex" * 200_000 + "'>",
            "<b " + "class=" + '"' + "top " * 500_000 + '">x</b>',
            "<p style='" + "vertical-align: " * 100_000 + "'>x</p>",
            "<a title='" + "y" * 4_000_000 + "'>x</a>" * 1,
            "<mjx-container><g>" * 1 + "<i>x</i>" * 50_000,
            '<span class="num">1</span><span class="den">2</span>' * 4_000,
            "<font face=symbol>p" * 200,
            "<img class=latex><noscript><img src='latex.php?latex=x'></noscript>" * 5_000,
            "<mjx-math>" + "<mjx-mi><mjx-c class='mjx-c31'></mjx-c></mjx-mi>" * 8_000,
            "<math>" + "<msup><mo>)</mo><mn>2</mn></msup>" * 8_000 + "</math>",
            "<math>" + "<msup>" * 50 + "<mi>" + "(" * 20_000 + "</mi>" + "<mn>2</mn></msup>" * 50 + "</math>",
            "<object data='/x.svg'>" * 100 + "<svg>" + "<use></use>" * 30_000,
        ],
        6,
    ),
    ids=lambda text: text[:20],
)
def test_hostile_text_is_read_in_linear_time(text: str) -> None:
    html_to_text(text[:100])
    assert_bounded(lambda: html_to_text(text), len(text))


def test_a_drawing_that_goes_too_deep_costs_itself_alone() -> None:
    deep = "<mjx-mrow>" * 70 + '<mjx-mn><mjx-c class="mjx-c31"></mjx-c></mjx-mn>' + "</mjx-mrow>" * 70
    assert html_to_text(f"so <mjx-container><mjx-math>{deep}</mjx-math></mjx-container> holds") == "so [formula] holds"


MARKUP = st.text(alphabet=st.sampled_from(list("<>/=&;\"' \n{}|$\\^09xyабsup br lipretdmath")), max_size=120)


@given(MARKUP)
def test_any_text_gives_tidy_text_or_a_named_error(text: str) -> None:
    try:
        result = html_to_text(text)
    except ExtractionError:
        return
    assert result == result.strip("\n")
    assert not [line for line in result.split("\n") if line != line.rstrip()]


@given(st.text(alphabet="abcxyz0123456789 +-*/=().,^", max_size=80))
def test_plain_maths_comes_through_unchanged(text: str) -> None:
    assert html_to_text(text) == " ".join(text.split())
