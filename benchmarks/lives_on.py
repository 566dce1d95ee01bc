"""How long anything lives on after a command is killed, and how long a schedule takes to end: ``lives_on``.

Commands are killed with SIGKILL at random moments of their first quarter of a minute, always the same ones; what they
started is known by a mark in its environment, whoever its parent is by then. Wall clock.
"""

import base64
import contextlib
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

import psutil

from benchmarks.measuring import ROOT, Row, signature, table

KILLS, STOPS = 10, 5
SPAN_SECONDS = 15.0
ENOUGH_SECONDS = 60.0
SEED = 7
MARK = "WORDQUARRY_BENCHMARK"
SECRET = "me:benchmark"  # noqa: S105 - of a server on loopback that lives for seconds
QUESTION = "{who} picked {n} plums in the morning and 9 more after lunch. How many plums did {who} pick in all?"
COMMANDS = {
    "build": ("build", "--workers", "2", "--posts"),
    "crawl": ("crawl", "bundled"),
    "schedule, a run under way": ("schedule", "--cron", "0 3 29 2 *", "--source", "bundled", "--posts"),
}


class Command:
    """A running command with a data folder of its own."""

    def __init__(self, words: tuple[str, ...], folder: Path, number: int, root: Path) -> None:
        self.mark = f"{os.getpid()}-{number}"
        posts = [str(_posts(folder))] if words[-1] == "--posts" else []
        own = {MARK: self.mark, "PREFECT_SERVER_API_AUTH_STRING": SECRET, "PREFECT_RUNNER_POLL_FREQUENCY": "1"}
        self.log = (folder / f"{number}.log").open("w+b")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "flows.cli", *words, *posts, "--data", str(folder / str(number))],
            stdout=subprocess.DEVNULL,
            stderr=self.log,
            cwd=root,
            env={name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")} | own,
        )

    def family(self) -> list[psutil.Process]:
        """What it started, and what that started."""
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                marked = process.environ().get(MARK) == self.mark and process.status() != psutil.STATUS_ZOMBIE
                if marked and process.pid != self.process.pid:
                    found.append(process)
        return found

    def served(self, run: bool) -> None:
        """Wait until a schedule serves its deployment and, perhaps, have it run."""
        while True:
            line = self._first_line()
            with contextlib.suppress(OSError, IndexError, ValueError):
                api = line.split(" at ")[1].split(";")[0]
                (deployment,) = _asked(f"{api}/deployments/filter", {})
                if run:
                    _asked(f"{api}/deployments/{deployment['id']}/create_flow_run", {"state": {"type": "SCHEDULED"}})
                return
            time.sleep(0.05)

    def _first_line(self) -> str:
        with Path(self.log.name).open(encoding="utf-8") as log:
            return log.readline()

    def left_after(self) -> float:
        """Seconds until nothing of its family runs any more; what runs too long is ended."""
        began = time.monotonic()
        while (left := self.family()) and time.monotonic() - began < ENOUGH_SECONDS:
            time.sleep(0.01)
        for process in left:
            with contextlib.suppress(psutil.Error):
                process.kill()
        return time.monotonic() - began

    def close(self) -> None:
        """Take its exit status."""
        self.process.wait()
        self.log.close()


def _posts(folder: Path) -> Path:
    path = folder / "posts.jsonl"
    rows = []
    for n in range(10, 310):
        answers = [f"{n} + 9 = {n + 9} plums. So the answer is {n + 9}.", f"x = {n} + 9, x = {n + 9}", f"{n + 9} plums"]
        question = QUESTION.format(who="Rita" if n % 2 else "Omar", n=n)
        rows.append({"id": f"t{n}", "question": question, "answers": [{"text": text} for text in answers]})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def _asked(url: str, body: object) -> Any:
    headers = {
        "Content-Type": "application/json",
        "Authorization": f"Basic {base64.b64encode(SECRET.encode()).decode()}",
    }
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)  # noqa: S310 - loopback
    with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310 - loopback
        return json.load(answer)


def _killed(name: str, folder: Path, root: Path) -> list[float]:
    """Seconds that anything lived on, for each kill."""
    moments = random.Random(f"{SEED} {name}")  # noqa: S311 - moments, no secrets
    seconds = []
    for number in range(KILLS):
        command = Command(COMMANDS[name], folder, number, root)
        if name.startswith("schedule"):
            command.served(run=True)
            time.sleep(moments.uniform(0, SPAN_SECONDS / 2))
        else:
            time.sleep(moments.uniform(0, SPAN_SECONDS))
        if command.process.poll() is None:
            command.process.kill()
            seconds.append(command.left_after())
        command.close()
    return seconds


def _stopped(under_way: bool, folder: Path, root: Path) -> list[float]:
    """Seconds from SIGTERM until a schedule has ended, with all it started."""
    moments = random.Random(SEED)  # noqa: S311 - moments, no secrets
    seconds = []
    for number in range(STOPS):
        command = Command(COMMANDS["schedule, a run under way"], folder, number, root)
        command.served(run=under_way)
        time.sleep(2 + moments.uniform(0, SPAN_SECONDS / 2))
        began = time.monotonic()
        command.process.send_signal(signal.SIGTERM)
        command.process.wait()
        command.left_after()
        seconds.append(time.monotonic() - began)
        command.close()
    return seconds


def _row(name: str, seconds: list[float], target: float) -> Row:
    value = f"median {statistics.median(seconds):.2f} s, longest {max(seconds):.2f} s"
    return Row(name, len(seconds), value, f"at most {target:.0f} s", max(seconds) <= target)


def measure(root: Path = ROOT) -> str:
    """The table; ``root`` is the checkout whose commands are started."""
    rows = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for number, name in enumerate(COMMANDS):
            place = Path(folder) / str(number)
            place.mkdir()
            rows.append(_row(f"killed: {name}", _killed(name, place, root), 1))
        for under_way in (False, True):
            place = Path(folder) / f"stopped {under_way}"
            place.mkdir()
            state = "a run under way" if under_way else "idle"
            rows.append(_row(f"SIGTERM: schedule, {state}", _stopped(under_way, place, root), 2))
    note = f"Random moments of the first {SPAN_SECONDS:.0f} seconds (seed {SEED}). {signature('prefect')}."
    return table("What lives on", rows, note)
