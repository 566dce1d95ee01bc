"""The command ``grade``: an answer that begins with a minus, JSON, and a tolerance that is none."""

import pytest
import typer.testing

from flows.cli import app

RUN = typer.testing.CliRunner()


@pytest.mark.rows(
    ("arguments", "line"),
    [
        (["-3", "-3.0"], "right: -3, gold -3"),
        (["-3", "3"], "wrong: -3, gold 3"),
        (["none", "3"], "undecided: could not read the answer: none"),
        (["0.33", "1/3", "--tolerance", "1/100"], "right: 33/100, gold 1/3"),
        (["4", "5", "--json"], '{"mark":"wrong","why":"4, gold 5"}'),
    ],
)
def test_one_line_with_mark_and_reason(arguments: list[str], line: str) -> None:
    found = RUN.invoke(app, ["grade", *arguments])
    assert (found.exit_code, found.stdout) == (0, line + "\n")


@pytest.mark.rows("tolerance", ["-1", "much", "1/0"])
def test_a_tolerance_that_is_none_is_wrong_usage(tolerance: str) -> None:
    found = RUN.invoke(app, ["grade", "1", "1", "--tolerance", tolerance])
    assert found.exit_code == 2
    assert "is not a tolerance; give 0, 0.01 or 1/100" in " ".join(found.output.replace("│", "").split())
