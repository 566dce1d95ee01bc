"""Verdicts on a served sheet: what is left of them under kills, and what one costs: ``-m benchmarks.sheet_verdicts``.

Two headless browsers judge, as in the tests but for longer; without a browser that part is left out, by name.
"""

import itertools
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from audits.sheets.audit_sheets import Verdict, read_sheet, save_sheet
from audits.sheets.keeping import Keeper
from audits.sheets.verdict_log import GivenVerdict, LogFile
from benchmarks.measuring import Row, signature, table
from tests.audits.sheets.killing import judge_under_kills
from tests.audits.sheets.sheet_files import Command, sheet_file, verdicts
from tests.browser import find_browser

ROWS, KILLS, SEEDS = 1000, 100, (1,)
COSTED = 200
STARTS = 5


def _seconds(act: Callable[[GivenVerdict], object], count: int) -> Iterator[float]:
    """Wall clock of each of so many verdicts, since what costs is the disk."""
    for place in range(count):
        one = GivenVerdict(row_id=f"site:{place}", verdict="right", by="page", key=f"k{place}")
        started = time.perf_counter()
        act(one)
        yield time.perf_counter() - started


def _shown(seconds: list[float]) -> str:
    late = sorted(seconds)[len(seconds) * 95 // 100]
    return f"median {1e3 * statistics.median(seconds):.1f} ms, 95 of 100 within {1e3 * late:.1f} ms"


def _costs(folder: Path, count: int) -> list[Row]:
    for name in ("alone", "kept", "before"):
        (folder / name).mkdir()
    sheet_id = read_sheet(sheet_file(folder / "alone", count)).header.sheet_id
    log = LogFile(folder / "alone" / "sheet.jsonl", sheet_id, print)
    alone = list(_seconds(lambda one: log.append([one]), count))
    kept = list(_seconds(Keeper(sheet_file(folder / "kept", count), print).take, count))
    path = sheet_file(folder / "before", count)
    held = [read_sheet(path)]

    def rewrite(one: GivenVerdict) -> None:
        held[0] = held[0].with_verdict(one.row_id, Verdict.RIGHT, "")
        save_sheet(held[0], path)

    before = list(_seconds(rewrite, count))
    ratio = statistics.median(kept) / statistics.median(before)
    return [
        Row("a verdict in the log, on the disk", count, _shown(alone)),
        Row("a verdict in the log, and shown by the sheet", count, _shown(kept)),
        Row("the sheet alone written anew, as before the log", count, _shown(before)),
        Row("ratio of the medians of the last two", count, f"{ratio:.2f}"),
    ]


def _starts(folder: Path, count: int, times: int) -> Row:
    path, seconds = sheet_file(folder, count), []
    for _ in range(times):
        started = time.perf_counter()
        server = Command(path)
        seconds.append(time.perf_counter() - started)
        server.kill()
    return Row("seconds until a killed server is back", times, f"median {statistics.median(seconds):.2f} s")


def _killed(folder: Path, executable: str, seed: int) -> list[Row]:
    folder.mkdir()
    done = judge_under_kills(folder, executable, ROWS, KILLS, seed)
    found, again = verdicts(done.sheet), len(done.lines) - len({line["row_id"] for line in done.lines})
    lost = sum(found[row] != verdict for row, verdict in done.pressed.items())
    name = f"{KILLS} kills, seed {seed}"
    return [
        Row(f"{name}: verdicts that waited at once, at most", KILLS, str(done.waited)),
        Row(f"{name}: verdicts lost", len(done.pressed), str(lost), "0", lost == 0),
        Row(f"{name}: verdicts doubled", len(done.pressed), str(again), "0", again == 0),
    ]


def measure(names: tuple[str, ...] | None = None, costed: int = COSTED, starts: int = STARTS) -> str:
    """Costs of so many verdicts and starts, and what is left under kills; ``names`` are browsers to look for."""
    executable = find_browser() if names is None else find_browser(names)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [*_costs(folder, costed), _starts(folder, costed, starts)]
        note = f"{signature('pydantic')}. {costed} rows where not said otherwise."
        if executable is None:
            note += " Kills are left out: there is no browser; install chromium."
        else:
            rows += itertools.chain.from_iterable(_killed(folder / str(seed), executable, seed) for seed in SEEDS)
        return table("Verdicts on a served sheet", rows, note)


if __name__ == "__main__":
    print(measure())
