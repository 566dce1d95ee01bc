"""What is read does not depend on the speed of the machine: there is no clock, and a slowed interpreter reads alike."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import extractors.extraction_errors
from benchmarks.hostile import CASES

PACKAGE = Path(extractors.extraction_errors.__file__).parent
ROOT = PACKAGE.parent
IMPURE = {
    *("asyncio", "concurrent", "datetime", "faulthandler", "multiprocessing", "os", "random", "resource", "sched"),
    *("secrets", "selectors", "signal", "socket", "subprocess", "threading", "time", "timeit", "uuid"),
}
READ = r"""
import json, sys
from benchmarks.hostile import CASES, hostile_cases
from extractors.solve.solving import solve_texts
from extractors.real_numbers.values import format_value
from models.shipped import read_thread
from extractors.quantities.numbers import find_numbers

def shown(result):
    return result.status, result.unknowns, [[format_value(value) for value in row] for row in result.solutions]

def slow(frame, event, argument):
    for _ in range(3):
        pass
    return slow

if sys.argv[1] == "slow":
    sys.settrace(slow)
for identifier, texts in hostile_cases():
    texts = [text[:300] for text in texts[:20]]
    print(identifier, ascii(shown(solve_texts(texts))), ascii(find_numbers(texts[0][:300])))
for line in (CASES / "systems.jsonl").open(encoding="utf-8"):
    case = json.loads(line)
    print(case["id"], ascii(shown(solve_texts(case["text"], case.get("unknowns")))))
for text in ("x + y = 41\nx - y = 7\n2x = 48\nx = 24", "x^3+y^3+x*y=3\ny^3+x^2*y=7+x"):
    print(ascii(read_thread("The sum is 41, the difference 7.", [text], 1)))
"""


def _imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").split(".")[0])
    return found


def test_no_extractor_can_see_a_clock_a_random_source_or_a_process() -> None:
    files = sorted(PACKAGE.rglob("*.py"))
    assert len(files) > 50
    found = {path.name: sorted(seen) for path in files if (seen := _imports(path) & IMPURE)}
    assert found == {"ball_values.py": ["threading"]}, "it locks the precision that all threads share, and starts none"


def _read(mode: str, hash_seed: str) -> list[str]:
    result = subprocess.run(
        [sys.executable, "-c", READ, mode],
        capture_output=True,
        encoding="utf-8",
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": hash_seed},
        timeout=600,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-2000:]
    return result.stdout.splitlines()


@pytest.mark.full
def test_a_slowed_interpreter_reads_the_same() -> None:
    quick, slow = _read("quick", "1"), _read("slow", "2")
    cases = sum((CASES / f"{name}.jsonl").read_bytes().count(b"\n") for name in ("hostile", "systems"))
    assert len(quick) == cases + 2
    assert slow == quick
