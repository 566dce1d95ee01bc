"""A scheduled run on a real loopback Prefect server completes, and a stopped schedule leaves nothing running."""

import json
import os
import re
import signal
import time
import urllib.request
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.flows.command import start

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


def flow_runs(api: str) -> list[dict[str, Any]]:
    """The flow runs a Prefect server knows."""
    request = urllib.request.Request(
        f"{api}/flow_runs/filter", data=b"{}", headers={"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=10) as response:
        found: list[dict[str, Any]] = json.load(response)
    return found


def completed(api: str, seconds: float) -> list[dict[str, Any]]:
    """Scheduled runs that reached COMPLETED; waits for the first of them."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        done = [run for run in flow_runs(api) if run["auto_scheduled"] and run["state_type"] == "COMPLETED"]
        if done:
            return done
        time.sleep(2)
    return []


def test_scheduled_run_completes_and_leaves_nothing(tmp_path: Path) -> None:
    posts = tmp_path / "posts.jsonl"
    posts.write_text(json.dumps(THREAD) + "\n", encoding="utf-8")
    data = tmp_path / "data"
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell does for what it puts in the background
    process = start("schedule", "--cron", "* * * * *", "--posts", posts, "--name", "plums", "--data", data)
    signal.signal(signal.SIGINT, before)
    family: list[psutil.Process] = []
    try:
        assert process.stderr is not None
        found = re.search(r"http://127\.0\.0\.1:\d+/api", process.stderr.readline())
        assert found
        assert completed(found[0], 150), "no scheduled run reached COMPLETED"
        family = psutil.Process(process.pid).children(recursive=True)
        assert family
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        _, alive = psutil.wait_procs(family, timeout=10)
    assert alive == []
    assert (data / "versions" / "plums" / "latest").is_file()
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
