"""Parsing and solving against ``sympy.solve(parse_expr(...))`` on the same Dolphin18K systems."""

import json
import statistics
import subprocess
import sys
from typing import Any

from benchmarks.measuring import ROOT, SHARED, Row, milliseconds, signature, table, timed
from extractors.algebra.solving import solve_texts
from extractors.errors import ExtractionError
from extractors.expressions.formats import read_dolphin

SYSTEMS = 400
LIMIT = 10.0
CHILD_LIMIT = 900.0

System = tuple[list[str], list[str]]


def systems(count: int = SYSTEMS) -> list[System]:
    """A systematic sample of the annotated systems that are plain equations of plain unknowns, solved or not."""
    records: list[dict[str, Any]] = json.loads((SHARED / "dolphin18k" / "dev_urls.json").read_text(encoding="utf-8"))
    found: list[System] = []
    for record in records:
        try:
            equations, unknowns = read_dolphin(record["equations"])
        except ExtractionError:
            continue
        plain = all(name.isidentifier() for name in unknowns) and all(text.count("=") == 1 for text in equations)
        if plain and not any(sign in text for text in equations for sign in "<>!_%"):
            found.append((list(equations), list(unknowns)))
    return [found[index * len(found) // count] for index in range(count)]


def sympy_seconds(sample: list[System]) -> list[float | None]:
    """The seconds that SymPy takes for each system in a child process; None where it fails."""
    request = json.dumps({"limit": LIMIT, "systems": sample})
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.sympy_child"]
    child = subprocess.run(
        command, input=request, capture_output=True, text=True, timeout=CHILD_LIMIT, cwd=ROOT, check=True
    )
    found: list[float | None] = json.loads(child.stdout)
    return found


def measure() -> str:
    """The table, or what is left out."""
    if not SHARED.is_dir():
        return f"### Parse and solve\n\nleft out: it needs the shared data folder {SHARED}\n"
    sample = systems()
    ours = timed(lambda system: solve_texts(*system), sample)
    theirs = sympy_seconds(sample)
    linear = [solve_texts(*system).linear for system in sample]
    path = [seconds for seconds, is_linear in zip(ours, linear, strict=True) if is_linear]
    both = [(a, b) for a, b in zip(ours, theirs, strict=True) if b is not None]
    limited = sum(b >= LIMIT for _, b in both)
    median = statistics.median(b for _, b in both) / statistics.median(a for a, _ in both)
    mean = statistics.fmean(b for _, b in both) / statistics.fmean(a for a, _ in both)
    linear_median = 1e3 * statistics.median(path)
    rows = [
        Row("ours, linear path", len(path), milliseconds(path), "median <= 0.15 ms", linear_median <= 0.15),
        Row("ours, all systems", len(sample), milliseconds(ours)),
        Row("SymPy, systems it can do", len(both), milliseconds([b for _, b in both])),
        Row("ratio of the medians", len(both), f"{median:.0f}", ">= 40", median >= 40),
        Row("ratio of the means", len(both), f"{mean:.0f}", ">= 300", mean >= 300),
    ]
    note = (
        f"{signature('sympy')}. A systematic sample of {len(sample)} Dolphin18K systems; best of 3 for ours, "
        f"one pass for SymPy, which fails on {len(sample) - len(both)} and meets the limit of {LIMIT:.0f} s on "
        f"{limited} (counted with the limit)."
    )
    return table("Parse and solve", rows, note)


if __name__ == "__main__":
    print(measure())
