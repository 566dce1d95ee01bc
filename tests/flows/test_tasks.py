"""Tasks retry what may pass by itself and nothing else; a build leaves artifacts, tens of task runs, no warnings."""

import base64
import json
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from flows.processes.server import ADDRESS, SECRET
from tests.crawlers.forms import FORMS, made
from tests.crawlers.loopback import Reply, serve_pages
from tests.flows.command import ROOT, environment, shared_server, wordquarry
from tests.flows.test_trouble import threads

pytestmark = pytest.mark.slow

RETRIES = """
import sys, json
from flows.processes.server import prefect_server

with prefect_server(sys.argv[1]):
    from prefect import flow
    from corpus.errors import DamageError, InputError, StoreError
    from flows.pipelines.prefect_flows import io_task

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


def test_only_disk_and_network_failures_are_retried(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-c", RETRIES, str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment(shared_server()),
        timeout=120,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout.splitlines()[-1])
    assert found["calls"] == {"store": 3, "os": 3, "damage": 1, "input": 1, "value": 1}
    passed = {kind for kind, state in found["states"].items() if state == "Completed"}
    assert passed == {"store", "os"}


def asked(path: str, **filters: object) -> list[dict[str, Any]]:
    """What the server that the tests share has of a kind, so filtered."""
    server = shared_server()
    secret = base64.b64encode(server[SECRET].encode()).decode()
    request = urllib.request.Request(
        f"{server[ADDRESS]}/{path}/filter",
        json.dumps(filters).encode(),
        {"Content-Type": "application/json", "Authorization": f"Basic {secret}"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        found: list[dict[str, Any]] = json.load(answer)
    return found


def tasks_of(run: str, count: int) -> Counter[str]:
    """The tasks of a flow run by name; the server notes them when it finds time to, at least so many are waited for."""
    for _ in range(600):
        noted = asked("task_runs", flow_runs={"id": {"any_": [run]}})
        if len(noted) >= count:
            break
        time.sleep(0.1)
    return Counter(task["name"].rpartition("-")[0] for task in noted)


def test_artifacts_and_tens_of_tasks(tmp_path: Path) -> None:
    data = tmp_path / "data"
    posts = threads(tmp_path / "posts.jsonl", 100)
    built = wordquarry("build", "--posts", posts, "--data", data, "--runner", "process")
    assert built.returncode == 0, built.stderr
    assert all(": " in line and "/" in line for line in built.stderr.splitlines()), "only progress on standard error"
    newest = asked("flow_runs", flows={"name": {"any_": ["build"]}}, sort="START_TIME_DESC")
    (run,) = [run["id"] for run in newest if run["parameters"]["request"]["data"] == str(data)]
    of_run = {"flow_runs": {"id": {"any_": [run]}}}
    assert sorted(artifact["key"] for artifact in asked("artifacts", **of_run)) == ["version"]
    assert tasks_of(run, 16) == {"partition": 1, "shards_part": 12, "whole_part": 2, "publish_version": 1}


def test_a_crawl_is_a_run_on_the_server_that_the_user_has(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serve_pages({"/t/1": Reply(FORMS["qapage-linked"](made(1)).encode())}) as site:
        crawl = ["crawl", "pages", "--url", f"{site.base_url}/t/1", "--data", data]
        crawled = wordquarry(*crawl, env=shared_server())
    assert "posts: 1 new, 0 changed, 0 unchanged" in crawled.stdout, crawled.stderr
    runs = asked("flow_runs", flows={"name": {"any_": ["crawl"]}})
    (run,) = [run["id"] for run in runs if run["parameters"]["request"]["data"] == str(data)]
    of_run = {"flow_runs": {"id": {"any_": [run]}}}
    assert tasks_of(run, 2) == {"fetch": 1, "store": 1}
    assert [artifact["key"] for artifact in asked("artifacts", **of_run)] == ["crawl"]
