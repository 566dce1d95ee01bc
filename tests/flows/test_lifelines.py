"""A command that ends, however it ends, leaves no server, spider or worker; a schedule ends soon and in order."""

import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import uuid
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import psutil
import pytest

from crawlers.bundled_site import serve
from tests.crawlers.conftest import thread
from tests.flows.command import ROOT, environment, shared_server, start
from tests.flows.strangers import Server, server_below
from tests.flows.test_trouble import threads
from tests.tiers import in_turn

pytestmark = pytest.mark.slow

MARK = "WORDQUARRY_TEST"
AT_ONCE = {"PREFECT_RUNNER_POLL_FREQUENCY": "1"}
LIVE_ON_SECONDS = 30.0  # what a busy machine may need to run what ends
IN_FLIGHT = 8


def family(mark: str) -> list[psutil.Process]:
    """Every process that a marked command started, and those that these started, whoever is their parent by now."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.environ().get(MARK) == mark and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def left_of(mark: str, seconds: float) -> list[list[str]]:
    """The command lines of what still runs after so many seconds; as soon as nothing does, none."""
    deadline = time.monotonic() + seconds
    while left := family(mark):
        if time.monotonic() > deadline:
            break
        time.sleep(0.2)
    lines = []
    for process in left:
        with contextlib.suppress(psutil.Error):
            lines.append(process.cmdline())
            process.kill()
    return lines


def marked(
    *arguments: object, env: Mapping[str, str] | None = None, first_start: bool = False
) -> tuple["subprocess.Popen[str]", str]:
    """A command, and the mark by which its family is known."""
    mark = uuid.uuid4().hex
    return start(*arguments, env={MARK: mark, **AT_ONCE, **(env or {})}, first_start=first_start), mark


def killed(process: "subprocess.Popen[str]") -> None:
    """Kill a command; read what it has said until then."""
    process.kill()
    for stream in (process.stdout, process.stderr):
        assert stream is not None
        stream.close()
    process.wait()


def some_child(pid: int, told_by: str) -> Callable[[], bool]:
    """Whether a child with this in its command line has come up below a process."""

    def there() -> bool:
        lines = []
        for child in psutil.Process(pid).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                lines.append(" ".join(child.cmdline()))
        return any(told_by in line for line in lines)

    return there


def workers_of(pid: int) -> set[int]:
    """The worker processes below a process."""
    found = set()
    for child in psutil.Process(pid).children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if "spawn_main" in " ".join(child.cmdline()) and child.status() != psutil.STATUS_ZOMBIE:
                found.add(child.pid)
    return found


def fresh_workers(pid: int, seen: set[int], least: int) -> bool:
    """Whether a process has so many workers besides those seen."""
    return len(workers_of(pid) - seen) >= least


def wait_for(there: Callable[[], bool], process: "subprocess.Popen[str]", pause: float = 0.05) -> None:
    """Ask until it is there; what asks a server is to pause longer, or it takes the server's time."""
    deadline = time.monotonic() + 120
    while not there():
        assert process.poll() is None, "it ended before"
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(pause)


def begin_run(server: Server) -> str:
    """Have the schedule's only deployment run now; the id of the run."""
    while not (deployments := server.ask("POST", "/deployments/filter", {})):
        time.sleep(0.1)
    where = f"/deployments/{deployments[0]['id']}/create_flow_run"
    return str(server.ask("POST", where, {"state": {"type": "SCHEDULED"}})["id"])


@pytest.fixture(scope="module")
def site_threads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    lines = "".join(json.dumps(thread(number)) + "\n" for number in range(60))
    (folder / "threads.jsonl").write_text(lines, encoding="utf-8")
    return folder


@pytest.mark.parametrize("seed", in_turn(range(2), 2))
def test_no_server_outlives_a_build_that_is_killed_at_its_start(seed: int, tmp_path: Path) -> None:
    build = ["build", "--posts", threads(tmp_path / "posts.jsonl"), "--data", tmp_path / "data"]
    process, mark = marked(*build, "--runner", "process", first_start=bool(seed))
    wait_for(some_child(process.pid, "flows.processes.api"), process)
    time.sleep(random.Random(seed).uniform(0, 3))
    assert family(mark)
    killed(process)
    assert left_of(mark, LIVE_ON_SECONDS) == []


@pytest.mark.full
def test_no_worker_outlives_a_killed_build(tmp_path: Path) -> None:
    posts, data = threads(tmp_path / "posts.jsonl", 300), tmp_path / "data"
    process, mark = marked("build", "--posts", posts, "--data", data, "--workers", 2, env=shared_server())
    wait_for(some_child(process.pid, "spawn_main"), process)
    killed(process)
    assert left_of(mark, LIVE_ON_SECONDS) == []


@pytest.mark.rows("kills", [1, 2])
def test_a_killed_worker_is_named_and_its_shards_are_made_again(kills: int, tmp_path: Path) -> None:
    posts, data = threads(tmp_path / "posts.jsonl", 300), tmp_path / f"data{kills}"
    process, _ = marked("build", "--posts", posts, "--data", data, "--workers", 2, env=shared_server())
    seen: set[int] = set()
    for least in range(1, kills + 1):  # the other worker of the first two may come up after the first kill
        wait_for(partial(fresh_workers, process.pid, seen, least), process)
        seen |= (victims := workers_of(process.pid) - seen)
        os.kill(victims.pop(), signal.SIGKILL)
    _, told = process.communicate(timeout=240)
    line = "one of 2 worker processes was killed, as happens where memory runs out"
    assert f"{line}; its shards are made again\n" in told
    assert "Traceback" not in told
    if kills == 1:
        assert process.returncode == 0, told
        assert [path.name for path in (data / "versions" / "quarry").iterdir() if path.is_dir()]
    else:
        assert process.returncode == 1
        assert told.splitlines()[-1].startswith(f"wordquarry: {line}, twice; give fewer --workers or more memory")


def test_no_spider_outlives_a_killed_crawl(site_threads: Path, tmp_path: Path) -> None:
    with serve(site_threads) as site:
        site.delay = 0.5
        crawl = ["crawl", "bundled", "--url", site.base_url, "--data", tmp_path / "data"]
        process, mark = marked(*crawl, env=shared_server())
        wait_for(some_child(process.pid, "crawlers.spiders.process"), process)
        for spider in family(mark):
            if "crawlers.spiders.process" in spider.cmdline():
                assert [name for name in spider.environ() if name.startswith("PREFECT_")] == []
        killed(process)
        assert left_of(mark, LIVE_ON_SECONDS) == []


@pytest.mark.full
def test_nothing_of_a_killed_schedule_lives_on(site_threads: Path, tmp_path: Path) -> None:
    with serve(site_threads) as site:
        site.delay = 0.5
        where = ["--source", "bundled", "--url", site.base_url, "--data", tmp_path / "data"]
        process, mark = marked("schedule", "--cron", "0 3 29 2 *", *where)
        begin_run(server_below(process.pid))
        wait_for(some_child(process.pid, "crawlers.spiders.process"), process)
        killed(process)
        assert left_of(mark, LIVE_ON_SECONDS) == []


@pytest.mark.full
def test_a_schedule_ends_soon_and_its_run_is_taken_up_by_the_next(site_threads: Path, tmp_path: Path) -> None:
    data, posts = tmp_path / "data", threads(tmp_path / "posts.jsonl")
    with serve(site_threads) as site:
        site.delay = 0.2
        where = ["--source", "bundled", "--url", site.base_url, "--posts", posts, "--data", data]
        process, mark = marked("schedule", "--cron", "0 3 29 2 *", *where)
        begin_run(server_below(process.pid))
        wait_for(lambda: len(site.bodies()) >= 12, process)
        process.terminate()
        _, stderr = process.communicate(timeout=60)
        assert process.returncode == 0
        stopped = "wordquarry: schedule stopped; the run in progress was stopped; the next one continues from there"
        assert stderr.splitlines()[-1] == stopped
        assert left_of(mark, LIVE_ON_SECONDS) == []
        before = dict(site.bodies())
        site.delay = 0
        process, mark = marked("schedule", "--cron", "0 3 29 2 *", *where)
        server = server_below(process.pid)
        run = begin_run(server)
        wait_for(lambda: server.ask("GET", f"/flow_runs/{run}")["state"]["type"] == "COMPLETED", process, 0.5)
        twice = Counter(site.bodies()) - Counter(before)
        again = {path: times for path, times in twice.items() if before.get(path) and times}
        assert len(again) <= IN_FLIGHT, "only what was under way when it was stopped is asked for again"
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == 0
    assert re.match(r"wordquarry: schedule stopped(; the run|$)", stderr.splitlines()[-1])
    assert "Traceback" not in stderr
    assert (data / "versions" / "quarry" / "latest").is_file()


LEFT = """
import subprocess, sys, threading, time
from flows.processes.server import _leave_without

server = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
threading.Thread(target=_leave_without, args=(server, "http://127.0.0.1:1/api", "look"), daemon=True).start()
server.kill()
time.sleep(60)
"""


def test_who_has_a_server_leaves_when_it_ends() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LEFT], capture_output=True, text=True, cwd=ROOT, env=environment(), check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "wordquarry: the Prefect server at http://127.0.0.1:1/api ended; look\n"


@pytest.mark.parametrize("command", ["schedule", "build"])
@pytest.mark.full
def test_a_command_ends_with_its_server(command: str, tmp_path: Path) -> None:
    posts = threads(tmp_path / "posts.jsonl", 300)
    how = ["--cron", "0 3 29 2 *"] if command == "schedule" else ["--runner", "process"]
    process, mark = marked(command, *how, "--posts", posts, "--data", tmp_path / "data")
    assert process.stderr is not None
    process.stderr.readline()
    os.kill(server_below(process.pid).process.pid, signal.SIGKILL)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 1
    assert re.fullmatch(
        r"wordquarry: the Prefect server at http://127\.0\.0\.1:\d+/api ended; \S+server\.log may say why; "
        r"run the command again, what is done is kept",
        stderr.splitlines()[-1],
    )
    assert "Traceback" not in stderr
    assert left_of(mark, LIVE_ON_SECONDS) == []
