"""Ingest and build of ever more posts, 1 % more, nothing new, and what one asks of a version: ``scale``.

Threads are drawn (benchmarks.synthetic_threads). Every command is a process of its own; its processor seconds are those
of all processes that it started, its peak the greatest sum of their memory (proportional set size: a shared page counts
once). Beside the builds stand two floors: the same lines parsed as JSON and written as parquet, nothing else; and a few
threads read by one process before and after a build. Growth is told in seconds of the second, since a shared machine
slows down and recovers meanwhile.

    python -m benchmarks.run scale                          2,000 posts
    python -m benchmarks.run scale 10000 50000 200000       larger ones
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

import psutil
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.measuring import ROOT, Row, growth_rows, seconds_of, signature, table
from benchmarks.reading_speed import drawn_threads
from benchmarks.synthetic_threads import write_threads
from models.shipped import read_thread

SIZES = (2_000,)
WORKERS = "2"
MORE, MORE_COST, START_SECONDS = 0.01, 0.02, 5.0
"""Of an added share of posts: the part of a full build's processor time that it may take, besides starting up."""
UNCHANGED_SECONDS, EXPLAIN_SECONDS, DIFF_SECONDS, DIFF_MIB = 4.0, 0.8, 4.0, 300.0
MILLION, MILLION_SECONDS, TREE_MIB = 1_000_000, 1800.0, 4 * 1024.0
EXPONENT = 1.03
FLOOR_LINES, FLOOR_THREADS = 50_000, 1_000
SAMPLE_SECONDS, LONG_SAMPLE_SECONDS, LONG = 0.25, 1.0, 60.0
"""How often memory is looked at, and how often in a command that has run for so long: each look takes milliseconds."""


class Spent(NamedTuple):
    """What a command took: wall seconds, processor seconds, peak MiB of all its processes, and what it printed."""

    wall: float
    cpu: float
    peak: float
    out: str

    def __str__(self) -> str:
        return f"{self.wall:.1f} s, {self.cpu:.1f} CPU s, peak {self.peak:,.0f} MiB"


def spend(*command: str) -> Spent:
    """Run a command in the checkout; RuntimeError with its last words if it fails."""
    with tempfile.TemporaryFile("w+") as out:
        started = time.monotonic()
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, cwd=ROOT)
        seen = [0.0]
        watcher = threading.Thread(target=_watch, args=(process.pid, seen), daemon=True)
        watcher.start()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        watcher.join()
        out.seek(0)
        printed = out.read()
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}: {printed[-2000:]}")
    return Spent(wall, usage.ru_utime + usage.ru_stime, seen[0], printed)


def _watch(pid: int, seen: list[float]) -> None:
    """Keep the greatest memory of a process and all that it started, until it ends."""
    started = time.monotonic()
    with contextlib.suppress(psutil.NoSuchProcess):
        root = psutil.Process(pid)
        while root.is_running() and root.status() != psutil.STATUS_ZOMBIE:
            total = 0.0
            for one in (root, *root.children(recursive=True)):
                with contextlib.suppress(psutil.Error, OSError):
                    total += one.memory_full_info().pss / 2**20
            seen[0] = max(seen[0], total)
            time.sleep(SAMPLE_SECONDS if time.monotonic() - started < LONG else LONG_SAMPLE_SECONDS)


def wordquarry(*words: str) -> Spent:
    """A command of ours."""
    return spend(sys.executable, "-m", "flows.cli", *words)


def floor_seconds(path: Path, folder: Path) -> float:
    """Processor seconds to parse the first lines of a file as JSON and to write them as parquet, scaled to all."""
    started, size, seen = time.process_time(), path.stat().st_size, 0
    rows = []
    with path.open(encoding="utf-8") as file:
        for line in file:
            rows.append(json.loads(line))
            seen += len(line.encode())
            if len(rows) == FLOOR_LINES:
                break
    pq.write_table(pa.Table.from_pylist(rows), folder / "floor.parquet", compression="zstd")
    return (time.process_time() - started) * size / seen


def reading_floor() -> float:
    """Seconds in which this process reads the same drawn threads: how quick the machine is just now."""
    threads = drawn_threads(FLOOR_THREADS)
    return seconds_of(lambda: [read_thread(*thread) for thread in threads])


def of_size(count: int, folder: Path) -> tuple[list[Row], float]:
    """The rows of one size, and the processor seconds of its ingest and full build in seconds of the reading floor."""
    posts, more = folder / "posts.jsonl", folder / "more.jsonl"
    size = write_threads(posts, count)
    added = max(1, int(count * MORE))
    write_threads(more, count + added, first=count)
    data = ("--data", str(folder / "data"))
    build = ("build", *data, "--workers", WORKERS)
    before = reading_floor()
    taken = wordquarry("ingest", str(posts), *data, "--workers", WORKERS)
    first = wordquarry(*build)
    after = reading_floor()
    same = wordquarry(*build)
    joined = wordquarry("ingest", str(more), *data)
    grown = wordquarry(*build)
    full, added_cpu = taken.cpu + first.cpu, joined.cpu + grown.cpu
    allowed = MORE_COST * full + START_SECONDS
    rows = [
        Row(
            f"floor: JSON in, parquet out, {size / count:.0f} bytes a thread",
            count,
            f"{floor_seconds(posts, folder):.1f} CPU s",
        ),
        Row("floor: threads read by one process", FLOOR_THREADS, f"{before:.2f} s before, {after:.2f} s after"),
    ]
    whole = Row(f"build, {WORKERS} workers", count, str(first))
    if count >= MILLION:
        target = f"with the ingest <= {MILLION_SECONDS:,.0f} s and {TREE_MIB:,.0f} MiB"
        met = taken.wall + first.wall <= MILLION_SECONDS and first.peak <= TREE_MIB
        whole = whole._replace(target=target, met=met)
    rows += [
        Row("ingest", count, str(taken)),
        whole,
        Row("build of the same again", count, str(same), f"<= {UNCHANGED_SECONDS:g} s", same.wall <= UNCHANGED_SECONDS),
        Row(f"ingest of {added:,} more", added, str(joined)),
        Row(
            f"build with {added:,} more",
            count + added,
            str(grown),
            f"with the ingest <= {allowed:.1f} CPU s",
            added_cpu <= allowed,
        ),
    ]
    return rows + asked_of(folder / "data", count), 2 * full / (before + after)


def asked_of(data: Path, count: int) -> list[Row]:
    """``explain`` of one post, and ``diff`` of the two versions."""
    versions = sorted(path.name for path in (data / "versions" / "quarry").iterdir() if path.is_dir())
    explained = wordquarry("explain", f"file:t{count // 2:08d}", "--data", str(data))
    row = Row("explain one post", count, str(explained), f"<= {EXPLAIN_SECONDS:g} s", explained.wall <= EXPLAIN_SECONDS)
    first, second = (f"quarry/{name}" for name in versions[:2])
    told = wordquarry("diff", first, second, "--data", str(data))
    met = told.wall <= DIFF_SECONDS and told.peak <= DIFF_MIB
    return [row, Row("diff of the two versions", count, str(told), f"<= {DIFF_SECONDS:g} s and {DIFF_MIB:g} MiB", met)]


def measure(*sizes: int) -> str:
    """The table of all sizes, and the exponents from each to the next."""
    rows: list[Row] = []
    spent: list[tuple[int, float]] = []
    reading_floor()  # what is loaded once is loaded by now
    for count in sizes or SIZES:
        with tempfile.TemporaryDirectory(prefix="wordquarry-scale-") as folder:
            found, cpu = of_size(count, Path(folder))
        rows += found
        spent.append((count, cpu))
    rows += growth_rows("processor time of a build", spent, EXPONENT)
    packages = signature("pyarrow", "prefect")
    note = f"{packages}. Wall seconds, processor seconds and peak memory of the whole process tree."
    return table("Size", rows, note)
