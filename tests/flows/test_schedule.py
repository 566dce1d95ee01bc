"""A scheduled run on a real loopback Prefect server completes, and a stopped schedule leaves nothing running."""

import json
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from crawlers.bundled_site import serve
from tests.crawlers.conftest import thread
from tests.flows.command import start
from tests.flows.strangers import Server, server_below

pytestmark = pytest.mark.slow

THREAD = {
    "id": "t1",
    "question": "Rita picked 12 plums in the morning and 9 more after lunch. How many plums did Rita pick in all?",
    "answers": [
        {"text": "12 + 9 = 21 plums. So the answer is 21."},
        {"text": "She picked x plums, x = 12 + 9, x = 21"},
        {"text": "21 plums"},
    ],
}


def completed(server: Server, seconds: float) -> list[dict[str, Any]]:
    """Scheduled runs that reached COMPLETED; waits for the first of them."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        runs: list[dict[str, Any]] = server.ask("POST", "/flow_runs/filter", {})
        done = [run for run in runs if run["auto_scheduled"] and run["state_type"] == "COMPLETED"]
        if done:
            return done
        time.sleep(2)
    return []


WATCH = """
import os, sys

HERE = ("127.", "::1", "localhost", "0.0.0.0")

def note(line):
    with open(os.environ["WATCHED"], "a") as log:
        log.write(line + "\\n")

def watch(event, arguments):
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        host = arguments[1][0]
    elif event == "socket.getaddrinfo":
        host = arguments[0]
    else:
        return
    if host is not None and not str(host).startswith(HERE):
        note(f"speaks to {host}")
        raise OSError(f"{host} is not to be spoken to")

sys.addaudithook(watch)
note("runs " + " ".join(sys.orig_argv[1:]))
"""


@dataclass(frozen=True)
class Ran:
    """What a schedule left that was stopped after a run, and what all its processes did."""

    family: list[psutil.Process]
    alive: list[psutil.Process]
    process: "subprocess.Popen[str]"
    stderr: str
    settings: dict[str, Any]
    server_environment: dict[str, str]
    folder: Path


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    folder = tmp_path_factory.mktemp("scheduled")
    (folder / "watch").mkdir()
    (folder / "watch" / "sitecustomize.py").write_text(WATCH, encoding="utf-8")
    (folder / "site").mkdir()
    (folder / "site" / "threads.jsonl").write_text(f"{json.dumps(thread(1))}\n", encoding="utf-8")
    posts, data = folder / "posts.jsonl", folder / "data"
    posts.write_text(json.dumps(THREAD) + "\n", encoding="utf-8")
    watched = {"PYTHONPATH": str(folder / "watch"), "WATCHED": str(folder / "watched"), "DO_NOT_TRACK": "", "CI": ""}
    with serve(folder / "site") as site:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell does for what it puts in the background
        asked = ("--cron", "* * * * *", "--source", "bundled", "--url", site.base_url)
        place = ("--posts", posts, "--name", "plums", "--data", data)
        process = start("--log", folder / "log", "schedule", *asked, *place, env=watched)
        signal.signal(signal.SIGINT, before)
        family: list[psutil.Process] = []
        try:
            server = server_below(process.pid)
            settings = server.ask("GET", "/admin/settings")["server"]
            server_environment = server.process.environ()
            assert completed(server, 150), "no scheduled run reached COMPLETED"
            family = psutil.Process(process.pid).children(recursive=True)
        finally:
            process.send_signal(signal.SIGTERM)
            _, stderr = process.communicate(timeout=60)
            _, alive = psutil.wait_procs(family, timeout=10)
    return Ran(family, alive, process, stderr, settings, server_environment, folder)


def test_scheduled_run_completes_and_leaves_nothing(ran: Ran) -> None:
    assert ran.family
    assert ran.alive == []
    assert ran.process.returncode == 0
    last = ran.stderr.splitlines()[-1]
    assert last.startswith("wordquarry: schedule stopped")
    assert (ran.folder / "data" / "versions" / "plums" / "latest").is_file()
    said = [line.split(maxsplit=1)[1] for line in (ran.folder / "log").read_text(encoding="utf-8").splitlines()]
    assert any(line.startswith("release: ") for line in said), "what a run does is in the log of its schedule"
    assert said[-2:] == [last, "end: exit status 0"]
    with pytest.raises(ProcessLookupError):
        os.killpg(ran.process.pid, 0)


def test_no_process_of_a_schedule_speaks_to_anybody_outside(ran: Ran) -> None:
    """Nor is anybody told that Prefect is used: its telemetry is off, also where the variables are set to nothing."""
    assert ran.settings["analytics_enabled"] is False
    assert ran.server_environment["DO_NOT_TRACK"] == "1"
    lines = (ran.folder / "watched").read_text(encoding="utf-8").splitlines()
    for helper in ("flows.cli", "flows.api", "spawn_main", "crawlers.process"):
        assert any(line.startswith("runs ") and helper in line for line in lines), helper
    assert [line for line in lines if line.startswith("speaks to ")] == []
