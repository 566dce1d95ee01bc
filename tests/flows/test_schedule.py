"""A scheduled run on a real loopback Prefect server completes, and a stopped schedule leaves nothing running."""

import json
import os
import re
import signal
import subprocess
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

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
        begun = [run for run in runs if run["auto_scheduled"] and run["state_type"] != "SCHEDULED"]
        if begun:  # one is enough; those of the next minutes would only take its time
            server.ask("POST", f"/deployments/{begun[0]['deployment_id']}/pause_deployment")
        done = [run for run in begun if run["state_type"] == "COMPLETED"]
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


class Page(NamedTuple):
    """What a browser that knows no secret gets for an address."""

    status: int
    policy: str | None
    text: str


def page(address: str) -> Page:
    try:
        with urllib.request.urlopen(address, timeout=30) as found:
            return Page(found.status, found.headers.get("content-security-policy"), found.read().decode())
    except urllib.error.HTTPError as error:
        error.close()
        return Page(error.code, None, "")


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
    artifacts: dict[str, dict[str, Any]]
    pages: dict[str, Page]
    runs: set[str]


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
        process = start("--log", folder / "log", "schedule", "--ui", *asked, *place, env=watched)
        signal.signal(signal.SIGINT, before)
        family: list[psutil.Process] = []
        try:
            server = server_below(process.pid)
            settings = server.ask("GET", "/admin/settings")["server"]
            server_environment = server.process.environ()
            assert completed(server, 900), "no scheduled run reached COMPLETED"
            found = server.ask("POST", "/artifacts/filter", {})
            artifacts = {one["key"]: one for one in found}
            report = re.search(r"\((http://\S+)\)", artifacts["report"]["data"])
            assert report
            root = report[1].partition("/reports/")[0]
            token = root.split("/")[-1]
            asked_for = {"report": report[1], "start": f"{root}/", "settings": f"{root}/ui-settings"}
            asked_for |= {f"guessed {name}": at.replace(token, "0" * len(token)) for name, at in asked_for.items()}
            asked_for |= {f"plain {name}": at.replace(f"{token}/", "") for name, at in asked_for.items()}
            pages = {name: page(address) for name, address in asked_for.items()}
            runs = {run["name"] for run in server.ask("POST", "/flow_runs/filter", {})}
            family = psutil.Process(process.pid).children(recursive=True)
        finally:
            process.send_signal(signal.SIGTERM)
            _, stderr = process.communicate(timeout=240)
            _, alive = psutil.wait_procs(family, timeout=60)
    return Ran(family, alive, process, stderr, settings, server_environment, folder, artifacts, pages, runs)


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


def test_prefects_pages_show_what_a_run_did_and_lead_to_the_report_of_its_version(ran: Ran) -> None:
    version = next((ran.folder / "data" / "versions" / "plums").glob("*/manifest.json")).parent.name
    shown = ran.artifacts["version"]["data"]
    assert shown.startswith(f"# plums/{version}\n\nplums/{version}, 1 problems, ")
    assert "| clean | " in shown
    assert ran.artifacts["crawl"]["data"].startswith("| count | value |\n|---|---|\n")
    assert ran.pages["start"].status == 200
    assert "<title>Prefect" in ran.pages["start"].text
    assert f"plums/{version}" in ran.pages["report"].text
    assert ran.pages["report"].policy is not None
    assert ran.pages["report"].policy.startswith("sandbox; default-src 'none'; ")
    settings = json.loads(ran.pages["settings"].text)
    assert settings["auth"] == "BASIC"
    for asset in re.findall(r'(?:src|href)="(/[^"]+)"', ran.pages["start"].text):
        own = asset.startswith(f"{settings['v1_base_url']}/")
        assert own or asset.startswith("/favicon"), "the page asks for nothing else that it would not get"
    others = {name: page.status for name, page in ran.pages.items() if name.startswith(("guessed", "plain"))}
    assert len(others) == 9
    assert set(others.values()) == {401}, "whoever does not know the secret finds neither pages nor reports"
    assert {"crawl and build plums", "crawl bundled", "build plums"} <= ran.runs


def test_the_log_tells_of_each_run_and_never_the_secret(ran: Ran) -> None:
    secret = ran.server_environment["PREFECT_SERVER_API_AUTH_STRING"]
    lines = ran.stderr.splitlines()
    (api,) = (line for line in lines if line.endswith("/api"))
    place = lines.index(f"where they ask for a key, give {secret}")
    assert lines[place - 3 : place - 1] == [api, "Prefect's pages:"], "each address stands alone on its line"
    assert re.fullmatch(re.escape(api.removesuffix("/api")) + "/[0-9a-f]{32}/", lines[place - 1])
    log = (ran.folder / "log").read_text(encoding="utf-8")
    assert secret not in log
    begun = re.search(r"^(\S+Z) wordquarry: run (\S+) begins: crawl and build plums$", log, re.MULTILINE)
    assert begun
    assert re.search(
        rf"^\S+Z wordquarry: run {begun[2]} ended after \d+ s: plums/\w{{12}}, 1 problems, ", log, re.MULTILINE
    )


def test_no_process_of_a_schedule_speaks_to_anybody_outside(ran: Ran) -> None:
    """Nor is anybody told that Prefect is used: its telemetry is off, also where the variables are set to nothing."""
    assert ran.settings["analytics_enabled"] is False
    assert ran.server_environment["DO_NOT_TRACK"] == "1"
    lines = (ran.folder / "watched").read_text(encoding="utf-8").splitlines()
    for helper in ("flows.cli", "flows.processes.api", "spawn_main", "crawlers.spiders.process"):
        assert any(line.startswith("runs ") and helper in line for line in lines), helper
    assert [line for line in lines if line.startswith("speaks to ")] == []
