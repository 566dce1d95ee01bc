"""All benchmarks: ``python -m benchmarks.run [NAME [NUMBER ...] ...] [--record [AS]] [--pages]``.

Numbers behind a name are its sizes, ``scale 10000 50000``. ``--record`` keeps each table in docs/figures/benchmarks,
under the name of the benchmark or another one; ``--pages`` (``make figures``) fills the pages that quote records.
"""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks import (
    crawl_speed,
    gate_error,
    growth,
    hostile,
    ingest_speed,
    machines,
    reading_speed,
    release_kills,
    scale,
    sources_speed,
    stage_growth,
    step_cost,
    store_growth,
    store_kills,
    year,
)
from benchmarks.measuring import ROOT, keep_record
from evaluation.recorded_figures import outdated_pages, pages_of

RECORD, PAGES = "--record", "--pages"
BENCHMARKS: Mapping[str, Callable[..., str]] = {
    "growth": growth.measure,
    "reading_speed": reading_speed.measure,
    "step_cost": step_cost.measure,
    "crawl_speed": crawl_speed.measure,
    "ingest_speed": ingest_speed.measure,
    "page_parsers": sources_speed.measure_pages,
    "sources_speed": sources_speed.measure,
    "gate": gate_error.measure,
    "store_growth": store_growth.measure,
    "store_kills": store_kills.measure,
    "release_kills": release_kills.measure,
    "year": year.measure,
    "scale": scale.measure,
    "machines": machines.measure,
    "hostile": hostile.measure,
    "stage_growth": stage_growth.measure,
}


def main(words: list[str], benchmarks: Mapping[str, Callable[..., str]] = BENCHMARKS, root: Path = ROOT) -> int:
    """Runs the named benchmarks, or all; exit status 2 for an unknown name. With --help it only says what there is.

    Tables are kept in the checkout ``root``.
    """
    if {"-h", "--help"}.intersection(words):
        print(f"{__doc__}\nNAME: {', '.join(benchmarks)}")
        return 0
    if words == [PAGES]:
        return write_pages()
    recorded = RECORD in words
    kept_as = words[words.index(RECORD) + 1 :][:1] if recorded else []
    wanted: list[tuple[str, list[str]]] = []
    for word in words[: words.index(RECORD)] if recorded else words:
        if word.isdecimal() and wanted:
            wanted[-1][1].append(word)
        elif word in benchmarks:
            wanted.append((word, []))
        else:
            print(f"no benchmark {word!r}; there are: {', '.join(benchmarks)}", file=sys.stderr)
            return 2
    for name, numbers in wanted or [(name, []) for name in benchmarks]:
        shown = benchmarks[name](*map(int, numbers))
        print(shown, flush=True)
        if recorded:
            keep_record(
                kept_as[0] if kept_as else name, " ".join(["python -m benchmarks.run", name, *numbers]), shown, root
            )
    return 0


def write_pages() -> int:
    """Write the pages that differ from the records, and name them."""
    for path, text in outdated_pages(pages_of(ROOT)).items():
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(ROOT).as_posix())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
