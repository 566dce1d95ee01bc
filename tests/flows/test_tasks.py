"""Tasks retry what may pass by itself and nothing else; a build leaves artifacts, tens of task runs, no warnings."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.flows.command import ROOT, environment, with_tables, wordquarry
from tests.flows.test_trouble import threads

pytestmark = pytest.mark.slow

RETRIES = """
import sys, json
from flows.server import prefect_server

with prefect_server(sys.argv[1]):
    from prefect import flow
    from corpus.errors import DamageError, InputError, StoreError
    from flows.build import io_task

    calls = {}
    failures = {"store": StoreError, "os": OSError, "damage": DamageError, "input": InputError, "value": ValueError}

    @lambda plain: io_task(plain).with_options(retry_delay_seconds=0)
    def fails_twice(kind):
        calls[kind] = calls.get(kind, 0) + 1
        if calls[kind] < 3:
            raise failures[kind](kind)
        return kind

    @flow
    def each():
        return {kind: fails_twice(kind, return_state=True).name for kind in failures}

    print(json.dumps({"states": each(), "calls": calls}))
"""

SEEN = """
import sys, json
from flows.server import prefect_server

with prefect_server(sys.argv[1]):
    from prefect.client.orchestration import get_client

    with get_client(sync_client=True) as client:
        artifacts = [artifact.key for artifact in client.read_artifacts()]
        tasks = [run.name.rpartition("-")[0] for run in client.read_task_runs()]
    print(json.dumps({"artifacts": artifacts, "tasks": tasks}))
"""


def in_python(code: str, data: Path) -> dict[str, Any]:
    """What a script of flows prints, run in a process of its own against the Prefect server of a data folder."""
    result = subprocess.run(
        [sys.executable, "-c", code, str(data)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment(),
        timeout=120,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return found


def test_only_disk_and_network_failures_are_retried(tmp_path: Path) -> None:
    with_tables(tmp_path)
    found = in_python(RETRIES, tmp_path)
    assert found["calls"] == {"store": 3, "os": 3, "damage": 1, "input": 1, "value": 1}
    passed = {kind for kind, state in found["states"].items() if state == "Completed"}
    assert passed == {"store", "os"}


def test_artifacts_and_tens_of_tasks(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with_tables(data)
    built = wordquarry("build", "--posts", threads(tmp_path / "posts.jsonl", 60), "--data", data, own_server=True)
    assert built.returncode == 0, built.stderr
    assert all(": " in line and "/" in line for line in built.stderr.splitlines()), "only progress on standard error"
    found = in_python(SEEN, data)
    assert sorted(found["artifacts"]) == ["funnel", "version"]
    counts = Counter(found["tasks"])
    assert counts == {"partition": 1, "stage_part": 27, "publish_version": 1}
