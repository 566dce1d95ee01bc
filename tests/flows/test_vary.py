"""The command ``vary``, as a user runs it."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from corpus.benchmarks.format_registry import format_named
from corpus.benchmarks.reading import read_corpus, write_corpus
from flows.corpora import run_vary
from tests.evaluation.variations.samples import LISTED_PROBLEM, STOCK_PROBLEM, TICKETS_PROBLEM
from tests.flows.command import one_line_failure, wordquarry

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def corpus(tmp_path: Path) -> str:
    """A corpus of three problems and one without equations."""
    bare = STOCK_PROBLEM.model_copy(update={"equations": (), "problem_id": "own:4"})
    others = [
        one.model_copy(update={"problem_id": f"own:{place}"})
        for place, one in enumerate([STOCK_PROBLEM, LISTED_PROBLEM, TICKETS_PROBLEM], 1)
    ]
    path = tmp_path / "own.jsonl"
    path.write_text(write_corpus([*others, bare], format_named("gold"))[0], encoding="utf-8")
    return f"own=gold:{path}"


def test_from_the_command_line(corpus: str, tmp_path: Path) -> None:
    out, sheet = tmp_path / "varied.json", tmp_path / "sheet.csv"
    result = wordquarry("vary", corpus, out, "--format", "svamp", "--audit-sheet", sheet, "--seed", "3")
    assert (result.returncode, result.stdout) == (0, ""), result.stderr
    assert "invert_operation: 1 made, 3 abstained (the rule does not fit 2, no equations 1)" in result.stderr
    made = int(re.findall(r"own: 4 problems, (\d+) variations", result.stderr)[0])
    varied = read_corpus(f"svamp:{out}")
    assert varied.refused == ()
    (inverted,) = [one for one in varied.problems if one.native_id == "own:1:invert_operation:3"]
    assert (inverted.formula, inverted.gold) == ("( 14.0 - 9.0 )", (("5",),))
    assert len(sheet.read_text(encoding="utf-8").splitlines()) == 1 + made > 5
    sheet.write_text(sheet.read_text(encoding="utf-8").replace(",,,\n", ",yes,yes,\n", 1), encoding="utf-8")
    told = wordquarry("audit", sheet)
    assert told.stdout.startswith("right and natural: 100.0 % [20.7, 100.0] (n=1)\n"), told.stderr
    assert told.stdout.endswith(f"without a verdict: {made - 1}\n")
    unknown = wordquarry("vary", corpus, tmp_path / "other.json", "--kinds", "rhymes")
    assert "no kind of variation 'rhymes'; there are: all, same_object" in one_line_failure(unknown)


def test_gold_problems_hold_the_pair(corpus: str, tmp_path: Path, capsys: Captured) -> None:
    out = tmp_path / "varied.jsonl"
    run_vary(str(tmp_path), corpus, out, ("other_numbers, invert_operation", 5, "gold"), None)
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert Counter(line["details"]["variation"] for line in lines) == {"other_numbers": 3, "invert_operation": 1}
    assert {line["details"]["original"] for line in lines} == {"own:1", "own:2", "own:3"}
    assert len(read_corpus(f"gold:{out}").problems) == 4
    assert "invert_operation: 1 made, 3 abstained" in capsys.readouterr().err
