"""The command ``grade``: one answer against its gold."""

from fractions import Fraction

from corpus.canonical import canonical_json
from evaluation.metrics.grading import grade
from flows.console import Reporter


def run_grade(answer: str, gold: str, tolerance: Fraction, as_json: bool) -> None:
    """Prints the mark and the reason, as a line or as JSON."""
    mark, why = grade(answer, gold, tolerance)
    Reporter().text(canonical_json({"mark": str(mark), "why": why}) if as_json else f"{mark}: {why}")
