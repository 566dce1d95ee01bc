"""Fills the pages that quote figures from docs/figures: ``python -m benchmarks.figures`` (``make figures``)."""

from pathlib import Path

from benchmarks.measuring import ROOT
from evaluation.recorded_figures import BENCHMARKS, FOLDER, measured, outdated_pages, pages_of, write_record

RECORD = "--record"
"""The option of a benchmark to keep its tables as data."""


def record(name: str, command: str, markdown: str, root: Path = ROOT) -> None:
    """Keep the tables of a benchmark in docs/figures of a checkout."""
    write_record(root / FOLDER, BENCHMARKS, measured(name, command, markdown, {}))


def main() -> None:
    """Write the pages that differ from the records, and name them."""
    for path, text in outdated_pages(pages_of(ROOT)).items():
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(ROOT).as_posix())


if __name__ == "__main__":
    main()
