"""One build by several machines: two Dask workers, and two ranks over one folder: ``machines``.

Threads are drawn (benchmarks.synthetic_threads). All workers run on this machine, each a process of one thread that was
started before. Their build is compared with that of two local processes: its wall seconds, and its bytes. A machine
that is shared slows down and recovers within an hour, so seconds are counted in floors: before and after each build one
process reads the same few threads.

    python -m benchmarks.run machines                       2,000 posts
    python -m benchmarks.run machines 100000                where work is measured and not the start
"""

import contextlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks.measuring import ROOT, Row, signature, table
from benchmarks.scale import FLOOR_THREADS, Spent, reading_floor, wordquarry
from benchmarks.synthetic_threads import write_threads

POSTS, WORKERS = 2_000, 2
EFFICIENCY, WHERE_WORK_IS_MEASURED = 0.9, 100_000


@contextlib.contextmanager
def cluster(count: int, folder: Path) -> Iterator[str]:
    """A scheduler on loopback with so many workers, for as long as the block takes; its address for ``--runner``."""
    import distributed

    told = folder / "scheduler.json"
    to_file = ["--scheduler-file", str(told), "--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0"]
    head = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", *to_file]
    work = [sys.executable, "-m", "distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny", *to_file]
    work += ["--local-directory", str(folder / "scratch")]
    with contextlib.ExitStack() as stack:
        for command in (head, *[work] * count):
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT)
            stack.enter_context(process)
            stack.callback(process.kill)
        while not told.exists():
            time.sleep(0.1)
        with distributed.Client(scheduler_file=str(told), timeout=120) as client:  # type: ignore[no-untyped-call]
            client.wait_for_workers(count, timeout=120)
            address = client.scheduler.address
        yield address.replace("tcp://", "dask://")


def build(posts: Path, data: Path, *options: str) -> Spent:
    """A build of the threads into a fresh data folder."""
    return wordquarry("build", "--posts", str(posts), "--data", str(data), *options)


def by_ranks(posts: Path, data: Path, count: int) -> Spent:
    """A build by so many ranks at once; the wall seconds of the slowest, and the processor seconds of all."""
    with ThreadPoolExecutor(count) as pool:
        spent = list(
            pool.map(lambda number: build(posts, data, "--rank", str(number), "--of", str(count)), range(count))
        )
    return Spent(max(one.wall for one in spent), sum(one.cpu for one in spent), max(one.peak for one in spent), "")


class Paced(NamedTuple):
    """The wall seconds of a build, and the mean seconds of the floor before and after it."""

    wall: float
    floor: float

    @classmethod
    def of(cls, run: Callable[[], Spent]) -> "Paced":
        """A build that is run now."""
        before = reading_floor()
        spent = run()
        return cls(spent.wall, (before + reading_floor()) / 2)

    @property
    def floors(self) -> float:
        """How many floors the build takes."""
        return self.wall / self.floor

    def __str__(self) -> str:
        return f"{self.wall:.1f} s, {self.floors:.1f} floors of {self.floor:.2f} s"


def files_of(data: Path) -> dict[str, bytes]:
    """Every file of the published versions."""
    return {str(path.relative_to(data)): path.read_bytes() for path in (data / "versions").rglob("*") if path.is_file()}


def measure(*sizes: int) -> str:
    """The table."""
    rows: list[Row] = []
    for count in sizes or (POSTS,):
        with tempfile.TemporaryDirectory(prefix="wordquarry-machines-") as name:
            folder = Path(name)
            posts = folder / "posts.jsonl"
            write_threads(posts, count)
            reading_floor()  # what is loaded once is loaded by now
            alone = Paced.of(partial(build, posts, folder / "alone", "--workers", str(WORKERS)))
            with cluster(WORKERS, folder) as address:
                elsewhere = Paced.of(partial(build, posts, folder / "dask", "--runner", address))
            ranked = Paced.of(partial(by_ranks, posts, folder / "ranks", WORKERS))
            rows.append(Row(f"{WORKERS} local processes", count, str(alone)))
            wanted = files_of(folder / "alone")
            for what, data, spent in (("Dask workers", "dask", elsewhere), ("ranks", "ranks", ranked)):
                share = alone.floors / spent.floors
                held = count >= WHERE_WORK_IS_MEASURED
                target = f">= {EFFICIENCY}" if held else ""
                value = f"{spent}, {share:.2f} of two local processes"
                rows.append(Row(f"{WORKERS} {what}", count, value, target, share >= EFFICIENCY if held else None))
                same = files_of(folder / data) == wanted
                rows.append(
                    Row(f"{WORKERS} {what}: version", count, "the same" if same else "others", "the same", same)
                )
    note = f"{signature('pyarrow', 'prefect', 'distributed')}. Wall seconds of the command, or of the slower rank."
    note += f" Floor: {FLOOR_THREADS:,} threads read by one process, the mean of before and after a build."
    return table("Machines", rows, note)
