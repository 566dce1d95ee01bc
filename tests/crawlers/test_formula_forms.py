"""Round trip: equations of the bundled site, rendered as pages render them, come back as the same equations."""

import json
from pathlib import Path

import pytest

from crawlers.html_reading.html_text import html_to_text
from extractors.expressions.grammar import parse_equation
from extractors.expressions.tree import render
from extractors.text.plain import plain_maths
from tests.crawlers.formula_forms import FORMS

LABELS = Path(__file__).parents[2] / "data" / "labels"
WRITTEN = sorted(
    {
        equation
        for name in ("train", "evaluation")
        for line in (LABELS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        for equation in json.loads(line)["gold_equations"] or ()
    }
    | {
        "x_1 + 3x_2 = 2(x_1 - 7)",
        "1/(2x) + 3/4 = 5",
        "(x+1)^(n+1)/3 = -2",
        "sqrt(x-1) = 9",
        "2^(-x) = 1/8",
        "x-(y-3)=4",
    }
)


def test_there_are_equations_to_render() -> None:
    assert len(WRITTEN) > 150


@pytest.mark.rows("form", FORMS)
def test_equations_come_back_as_they_were(form: str) -> None:
    different = []
    for written in WRITTEN:
        (equation,) = parse_equation(written)
        text = html_to_text(f"<p>so {FORMS[form](equation)} holds</p>")
        # A formula set off stands on a line of its own.
        shown = plain_maths(text).text.removeprefix("so").removesuffix("holds").strip()
        (read,) = parse_equation(shown)
        if read != equation:
            different.append((written, text, render(read)))
    assert different == []
