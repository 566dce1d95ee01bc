"""Nights of an unattended schedule: a site that grows, changes and dies, crawled and built from with and without kills.

Each night the site is served on loopback as it is then, crawled, and a version is built; one night in ten by Prefect's
tasks on a server of the command. In the disturbed run, commands of some nights are killed with SIGKILL at drawn moments
and run again, as a scheduler does; others meet a disk that is full or nearly so, and are run again once there is room.
Twice the code is another one in both runs (a stage's module has a line more). In the end both must hold the same posts
and the same version. There is no clock in it: nights follow each other as fast as they can. The two runs go on beside
each other and crawl by turns, since the site has one address.

    python -m benchmarks.run year                   14 nights
    python -m benchmarks.run year 365 60 12         a year of them, with 60 kills and 12 full disks
"""

import contextlib
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import NamedTuple

from benchmarks.measuring import ROOT, Row, signature, table
from corpus.canonical import bucket_of
from corpus.errors import CorpusError
from corpus.folders.local_files import TEMPORARY
from corpus.workspace import Workspace
from crawlers.bundled_site import DEFAULT_THREADS, BundledSite, serve
from tests.flows.small_disks import BALLAST, fill, small_disk_at

SEED = 1
DISK, DISK_A_NIGHT, FREE = 160, 2, 1 << 18
"""MiB of a run's disk and what is more of them for each night, and how many bytes are left at most where it is full."""
FIRST, GROWTH = 30, 1
"""Threads of the first night, and new ones a night: a year has enough of them."""
LATE = {"by": "late", "at": "2020-02-02T02:02:02Z", "score": 0, "accepted": False, "html": "<p>same here</p>"}
"""The answer that some threads get one night."""
NAME = "year"
STAGE = "curation/stages/templates_stage.py"
COPIED = ("*.git", ".venv", "demo", "tests", "docs", "quality", "__pycache__", ".*_cache", "*.egg-info")


class Nights(NamedTuple):
    """How many nights, and what happens in them: commands that are killed or meet a full disk, upgrades of the code.

    ``begin`` is the night to begin with, ``first`` are the threads of night 0, ``command`` runs our commands. One night
    in ``with_prefect`` is built by Prefect's tasks (0: none), since others have too little that is new for a server.
    """

    end: int = 14
    begin: int = 0
    kills: int = 8
    full: int = 3
    upgrades: int = 2
    first: int = FIRST
    with_prefect: int = 10
    command: tuple[str, ...] = (sys.executable, "-m", "flows.cli")


class NightlyEnd(NamedTuple):
    """What a run of nights left: content digests of posts, the version's rows, files and bytes, and how it went.

    ``kills`` and ``full`` are commands that did not come to their end; some of those drawn may have, for all that.
    """

    posts: dict[str, str]
    rows: str
    batches: int
    leftovers: int
    prefect: int
    kills: int
    full: int
    seconds: float


def site_of(night: int, first: int = FIRST) -> Iterator[str]:
    """The threads of the site on a night, as lines: more every night; within 20 nights one in 40 of them is gone, and
    one in 10 has a new answer."""
    lines = [line for path in sorted(DEFAULT_THREADS.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]
    threads = sorted(map(json.loads, lines), key=lambda one: bucket_of(one["id"], 2**30))
    for place, thread in enumerate(threads[: first + GROWTH * night]):
        name = thread["id"]
        age = min(night, night - (place - first) // GROWTH)
        if bucket_of(f"gone {name}", 40) == 0 and age > bucket_of(f"when {name}", 20):
            continue
        if bucket_of(f"more {name}", 10) == 0 and age > bucket_of(f"then {name}", 20):
            thread["answers"] = [*thread["answers"], LATE]
        yield json.dumps(thread)


def _upgraded(folder: Path, times: int) -> Path:
    """A copy of the checkout in which a stage's module is another one."""
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*COPIED))
    module = folder / STAGE
    module.write_text(f"{module.read_text('utf-8')}\nUPGRADES = {times}\n", encoding="utf-8")
    return folder


def _run(code: Path, words: list[str], kill_after: float | None = None, fault: str = "") -> bool:
    """A command in a session of its own, killed with all it started after so many seconds; whether it came to its end.

    RuntimeError with its last words if it fails by itself, unless its last line tells of the ``fault``.
    """
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(words, cwd=code, stdout=said, stderr=said, start_new_session=True)
        try:
            status = process.wait(kill_after)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return False
        said.seek(0)
        if status and not (fault and fault in said.read().strip().splitlines()[-1]):
            said.seek(0)
            raise RuntimeError(f"{' '.join(words)} ended with {status}: {said.read()[-2000:]}")
    return status == 0


class Address:
    """The one address of the site, which one run at a time has."""

    def __init__(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self._port = int(probe.getsockname()[1])
        self._free = threading.Lock()

    @contextlib.contextmanager
    def serve(self, threads: Path) -> Iterator[BundledSite]:
        """The site of these threads, once it is free."""
        with self._free, serve(threads, self._port) as site:
            yield site


def _run_nights(folder: Path, nights: Nights, address: Address) -> NightlyEnd:
    """The nights with the troubles drawn by the seed; without the right to mount a disk none is full."""
    folder.mkdir()
    with small_disk_at(folder / "disk", DISK + DISK_A_NIGHT * nights.end) as made:
        return _through(folder, nights if made else nights._replace(full=0), address)


def _through(folder: Path, nights: Nights, address: Address) -> NightlyEnd:
    draw, began = random.Random(SEED), time.monotonic()  # noqa: S311 - where kills fall
    data, commands = folder / "disk" / "data", range(2 * nights.end)
    drawn = draw.sample(commands, min(nights.kills + nights.full, len(commands)))
    killed, full = set(drawn[: nights.kills]), set(drawn[nights.kills :])
    codes = [ROOT, *(_upgraded(folder / f"code-{times}", times) for times in range(1, nights.upgrades + 1))]
    run = count(2 * nights.begin)
    took = {"crawl": 3.0, "build": 3.0}
    met = {"killed": 0, "full": 0}

    def disturbed(code: Path, *words: str) -> None:
        """A command with the trouble that was drawn for it, and then without."""
        place, command = next(run), [*nights.command, *words]
        if place in killed:
            met["killed"] += not _run(code, command, draw.uniform(0.1, 0.9) * took[words[0]])
        if place in full:
            fill(data.parent, draw.randrange(FREE))
            met["full"] += not _run(code, command, fault="No space left")
            (data.parent / BALLAST).unlink()
        started = time.monotonic()
        _run(code, command)
        took[words[0]] = time.monotonic() - started

    for night in range(nights.begin, nights.end):
        code = codes[len(codes) * night // nights.end]
        threads = folder / f"night-{night}"
        threads.mkdir()
        lines = (f"{line}\n" for line in site_of(night, nights.first))
        (threads / "threads.jsonl").write_text("".join(lines), encoding="utf-8")
        with address.serve(threads) as site:
            disturbed(code, "crawl", "bundled", "--url", site.base_url, "--data", str(data))
        prefect = nights.with_prefect and night % nights.with_prefect == nights.with_prefect - 1
        disturbed(code, "build", "--name", NAME, "--data", str(data), *(["--runner", "process"] if prefect else []))
        shutil.rmtree(threads)
    return _left(data, (met["killed"], met["full"]), time.monotonic() - began)


def _left(data: Path, troubles: tuple[int, int], seconds: float) -> NightlyEnd:
    workspace = Workspace(str(data))
    version = workspace.versions.open(NAME)
    version.check()
    database = data / "prefect" / "prefect.db"
    return NightlyEnd(
        {post_id: post.content_sha256 for post_id, post in workspace.posts.posts().items()},
        str(version.manifest["rows_sha256"]),
        len(workspace.posts.batch_names()),
        sum(1 for path in data.rglob(f"{TEMPORARY}*") if path.exists()),
        database.stat().st_size if database.exists() else 0,
        *troubles,
        seconds,
    )


def both_runs(nights: Nights, calm_from: int = 0) -> tuple[NightlyEnd, NightlyEnd]:
    """What the undisturbed nights, perhaps the last ones alone, and all of the disturbed ones left.

    CorpusError where their posts or versions differ.
    """
    address = Address()
    with tempfile.TemporaryDirectory(prefix="wordquarry-year-") as folder, ThreadPoolExecutor(2) as both:
        calm_nights = nights._replace(begin=calm_from, kills=0, full=0)
        first = both.submit(_run_nights, Path(folder) / "calm", calm_nights, address)
        second = both.submit(_run_nights, Path(folder) / "disturbed", nights, address)
        calm, disturbed = first.result(), second.result()
    if (calm.posts, calm.rows) != (disturbed.posts, disturbed.rows):
        different = sorted(set(calm.posts.items()) ^ set(disturbed.posts.items()))[:3]
        raise CorpusError(f"the disturbed run ends otherwise: posts {different}, rows {calm.rows != disturbed.rows}")
    return calm, disturbed


def measure(*counts: int) -> str:
    """The table of both runs, of so many nights, kills and full disks."""
    usual = Nights()
    end, kills, full = (*counts, *(usual.end, usual.kills, usual.full)[len(counts) :])
    nights = usual._replace(end=end, kills=kills, full=full)
    calm, disturbed = both_runs(nights)
    batches = f"{disturbed.batches} batches (undisturbed {calm.batches})"
    database = f"{disturbed.prefect / 2**20:.1f} MiB (undisturbed {calm.prefect / 2**20:.1f})"
    left = f"{disturbed.leftovers} (undisturbed {calm.leftovers})"
    same = "the same posts and version"
    rows = [
        Row("nights, each a crawl and a build", nights.end, f"{calm.seconds / nights.end:.1f} s a night"),
        Row("commands killed and run again", disturbed.kills, same, "the same", True),
        Row("commands that failed on a full disk, and run again", disturbed.full, same, "the same", True),
        Row("posts in the end", len(disturbed.posts), batches),
        Row("temporaries left", nights.end, left, "none", disturbed.leftovers == 0),
        Row("Prefect's database in the end", nights.end, database),
    ]
    return table("Nights of a schedule", rows, signature("prefect", "scrapy", "pyarrow"))
