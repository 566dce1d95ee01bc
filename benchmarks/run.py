"""All benchmarks: ``python -m benchmarks.run [NAME ...] [--record]``.

``--record`` keeps each table in docs/figures/benchmarks, from which ``make figures`` writes docs/benchmarks.md.
"""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks import (
    crawl_speed,
    curation_speed,
    damage,
    gate_error,
    growth,
    lives_on,
    machines,
    models_speed,
    page_parsers,
    parse_and_solve,
    reading_speed,
    release_kills,
    scale,
    shared_bytes,
    sheet_verdicts,
    sources_speed,
    stage_growth,
    step_cost,
    store_growth,
    store_kills,
    year,
)
from benchmarks.figures import RECORD, record
from benchmarks.measuring import ROOT

BENCHMARKS = {
    "growth": growth.measure,
    "parse_and_solve": parse_and_solve.measure,
    "reading_speed": reading_speed.measure,
    "step_cost": step_cost.measure,
    "models_speed": models_speed.measure,
    "page_parsers": page_parsers.measure,
    "sources_speed": sources_speed.measure,
    "sheet_verdicts": sheet_verdicts.measure,
    "damage": damage.measure,
    "gate": gate_error.measure,
    "store_growth": store_growth.measure,
    "store_kills": store_kills.measure,
    "release_kills": release_kills.measure,
    "year": year.measure,
    "lives_on": lives_on.measure,
    "crawl_speed": crawl_speed.measure,
    "curation_speed": curation_speed.measure,
    "scale": scale.measure,
    "stage_growth": stage_growth.measure,
    "shared_bytes": shared_bytes.measure,
    "machines": machines.measure,
}


def main(names: list[str], benchmarks: Mapping[str, Callable[[], str]] = BENCHMARKS, root: Path = ROOT) -> int:
    """Runs the named benchmarks, or all; exit status 2 for an unknown name. With --help it only says what there is.

    Tables are kept in the checkout ``root``.
    """
    if {"-h", "--help"}.intersection(names):
        print(f"{__doc__}\nNAME: {', '.join(benchmarks)}")
        return 0
    recorded, names = RECORD in names, [name for name in names if name != RECORD]
    unknown = [name for name in names if name not in benchmarks]
    if unknown:
        print(f"no benchmark {unknown[0]!r}; there are: {', '.join(benchmarks)}", file=sys.stderr)
        return 2
    for name in names or benchmarks:
        shown = benchmarks[name]()
        print(shown, flush=True)
        if recorded:
            record(name, f"python -m benchmarks.run {name}", shown, root)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
