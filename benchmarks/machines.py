"""One build by several machines: Dask workers, ranks over one folder, and a worker that is killed: ``machines``.

Threads are drawn (benchmarks.synthetic_threads). All workers run on this machine, each a process of one thread that was
started before. Times are wall seconds of the command, processor seconds those of the command and of the workers.
"""

import contextlib
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import psutil

from benchmarks.measuring import ROOT, Row, signature, table
from benchmarks.scale import Spent, wordquarry
from benchmarks.synthetic_threads import write_threads

POSTS, SHARDS = 8_000, 16
EFFICIENCY = 0.8
ALONE = "two local processes"
KILL_AT_PARTS = 6
"""Of 16 parts of the first stage, so many are there when a worker is killed."""


class Cluster(NamedTuple):
    """A scheduler on loopback and its workers."""

    address: str
    workers: list[subprocess.Popen[bytes]]

    def cpu(self) -> float:
        """Processor seconds of the workers that live."""
        spent = 0.0
        for worker in self.workers:
            with contextlib.suppress(psutil.NoSuchProcess):
                times = psutil.Process(worker.pid).cpu_times()
                spent += times.user + times.system
        return spent


@contextlib.contextmanager
def cluster(count: int, folder: Path) -> Iterator[Cluster]:
    """A scheduler and so many workers, for as long as the block takes."""
    import distributed

    (folder / "scheduler.json").unlink(missing_ok=True)
    to_file = ["--scheduler-file", str(folder / "scheduler.json")]
    dask = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", *to_file]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": ROOT}
    work = [sys.executable, "-m", "distributed.cli.dask_worker", *to_file, "--nthreads", "1", "--no-nanny"]
    work += ["--local-directory", str(folder / "scratch"), "--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0"]
    begun = [subprocess.Popen([*dask, "--dashboard-address", "127.0.0.1:0"], **quiet)]  # type: ignore[call-overload]
    try:
        begun += [subprocess.Popen(work, **quiet) for _ in range(count)]  # type: ignore[call-overload]
        while not (folder / "scheduler.json").exists():
            time.sleep(0.1)
        with distributed.Client(  # type: ignore[no-untyped-call]
            scheduler_file=str(folder / "scheduler.json"), timeout=120
        ) as client:
            client.wait_for_workers(count, timeout=120)
            address = client.scheduler.address
        yield Cluster(address.replace("tcp://", "dask://"), begun[1:])
    finally:
        for process in reversed(begun):
            process.kill()
            process.wait()


def digest(data: Path) -> str:
    """A digest of every file of the published versions, ``latest`` too."""
    whole = hashlib.sha256()
    for path in sorted(path for path in (data / "versions").rglob("*") if path.is_file()):
        whole.update(f"{path.relative_to(data)}\n".encode() + path.read_bytes())
    return whole.hexdigest()


def build(posts: Path, data: Path, *options: str) -> Spent:
    """A build of the threads into a fresh data folder."""
    return wordquarry("build", "--posts", str(posts), "--shards", str(SHARDS), "--data", str(data), *options)


def by_ranks(posts: Path, data: Path, count: int) -> Spent:
    """A build by so many ranks at once; the wall seconds of the slowest, and the processor seconds of all."""
    spent: dict[int, Spent] = {}

    def run(number: int) -> None:
        spent[number] = build(posts, data, "--rank", str(number), "--of", str(count))

    ranks = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for rank in ranks:
        rank.start()
    for rank in ranks:
        rank.join()
    walls, cpus = [one.wall for one in spent.values()], [one.cpu for one in spent.values()]
    return Spent(max(walls), sum(cpus), 0, "")


def with_a_kill(posts: Path, data: Path, folder: Path) -> tuple[Spent, str, bool]:
    """A build by two workers, one of them killed in the middle; what became of the parts that were there then."""
    there: dict[Path, tuple[int, int]] = {}

    def kill(victim: int) -> None:
        while len(list((data / "stages" / "clean").glob("*/part.json"))) < KILL_AT_PARTS:
            time.sleep(0.05)
        os.kill(victim, signal.SIGKILL)
        for path in (data / "stages").rglob("part.json"):
            there[path] = (path.stat().st_ino, path.stat().st_mtime_ns)

    with cluster(2, folder) as some:
        killer = threading.Thread(target=kill, args=(some.workers[0].pid,), daemon=True)
        killer.start()
        spent = build(posts, data, "--runner", some.address)
        killer.join(timeout=1)
    same = sum((path.stat().st_ino, path.stat().st_mtime_ns) == was for path, was in there.items() if path.exists())
    count = len(list((data / "stages").rglob("part.json")))
    return (
        spent,
        f"{len(there)} of {count} parts were there, {same} of them untouched",
        bool(there) and same == len(there),
    )


def measure(posts: int = POSTS) -> str:
    """The table."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="wordquarry-machines-") as name:
        folder = Path(name)
        write_threads(folder / "posts.jsonl", posts)
        alone = build(folder / "posts.jsonl", folder / "alone", "--workers", "2")
        rows.append(Row(ALONE, posts, f"{alone.wall:.1f} s, {alone.cpu:.1f} CPU s"))
        wanted = digest(folder / "alone")

        def add(what: str, data: str, spent: Spent, cpu: float, efficient: bool = False) -> None:
            share = alone.wall / spent.wall
            value = f"{spent.wall:.1f} s, {spent.cpu + cpu:.1f} CPU s, {share:.2f} of {ALONE}"
            met = share >= EFFICIENCY if efficient else None
            rows.append(Row(what, posts, value, f">= {EFFICIENCY}" if efficient else "", met))
            same = digest(folder / data) == wanted
            rows.append(Row(f"{what}: bytes of the version", posts, "the same" if same else "others", "the same", same))

        for count in (1, 2, 4):
            with cluster(count, folder) as some:
                before = some.cpu()
                spent = build(folder / "posts.jsonl", folder / f"dask{count}", "--runner", some.address)
                add(f"{count} Dask workers", f"dask{count}", spent, some.cpu() - before, count == 2)
        add("2 ranks", "ranks", by_ranks(folder / "posts.jsonl", folder / "ranks", 2), 0, True)
        spent, parts, met = with_a_kill(folder / "posts.jsonl", folder / "killed", folder)
        add("2 Dask workers, one killed", "killed", spent, 0)
        rows.append(Row("2 Dask workers, one killed: parts at the kill", posts, parts, "all untouched", met))
    note = f"{signature('distributed', 'prefect-dask')}, {os.cpu_count()} processors, {SHARDS} shards."
    return table("Machines", rows, note)
