"""Fills the pages that quote figures from docs/figures: ``python -m benchmarks.figures`` (``make figures``)."""

from audits.recorded import outdated_pages, pages_of
from benchmarks.measuring import ROOT


def main() -> None:
    """Write the pages that differ from the records, and name them."""
    for path, text in outdated_pages(pages_of(ROOT)).items():
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(ROOT).as_posix())


if __name__ == "__main__":
    main()
