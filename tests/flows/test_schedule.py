"""A scheduled run on a real loopback Prefect server completes, and a stopped schedule leaves nothing running."""

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

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


def test_scheduled_run_completes_and_leaves_nothing(tmp_path: Path) -> None:
    posts = tmp_path / "posts.jsonl"
    posts.write_text(json.dumps(THREAD) + "\n", encoding="utf-8")
    data = tmp_path / "data"
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell does for what it puts in the background
    asked = ("--cron", "* * * * *", "--posts", posts, "--name", "plums", "--data", data)
    process = start("--log", tmp_path / "log", "schedule", *asked)
    signal.signal(signal.SIGINT, before)
    family: list[psutil.Process] = []
    try:
        assert completed(server_below(process.pid), 150), "no scheduled run reached COMPLETED"
        family = psutil.Process(process.pid).children(recursive=True)
        assert family
    finally:
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=60)
        _, alive = psutil.wait_procs(family, timeout=10)
    assert alive == []
    assert process.returncode == 0
    assert stderr.splitlines()[-1].startswith("wordquarry: schedule stopped")
    assert (data / "versions" / "plums" / "latest").is_file()
    said = [line.split(maxsplit=1)[1] for line in (tmp_path / "log").read_text(encoding="utf-8").splitlines()]
    assert any(line.startswith("release: ") for line in said), "what a run does is in the log of its schedule"
    assert said[-2:] == [stderr.splitlines()[-1], "end: exit status 0"]
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
