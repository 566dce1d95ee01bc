"""Runs the command line as a user does: another process, its output and its exit status."""

import contextlib
import fcntl
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

from corpus.folders.locks import held
from flows.processes.loopback import DEFAULTS
from flows.processes.server import ADDRESS, SECRET
from tests.conftest import ALIVE, RUNNING, SESSION
from tests.flows import warm

ROOT = Path(__file__).resolve().parents[2]
FRESH = [sys.executable, "-m", "flows.cli"]
WITHOUT_THREADS = {"OPENBLAS_NUM_THREADS": "1", "JE_ARROW_MALLOC_CONF": "background_thread:false"}
TABLES = "tables.db"
RUN_FLOWS = frozenset({"--runner", "demo", "quality", "rebuild"})
"""What a command has among its words that runs flows; a small build does so only where it is told to, a crawl only on
a server of the user."""
SERVER = """
import json, os, sys
from flows.processes import server
from flows.processes.server import ADDRESS, SECRET, prefect_server

server.START_SECONDS = 900  # it starts while all else does
with prefect_server(sys.argv[1]):
    print(json.dumps({name: os.environ[name] for name in (ADDRESS, SECRET)}), flush=True)
    sys.stdin.read()
"""
_started: list["subprocess.Popen[str]"] = []
"""Processes that outlive this one."""
_begun: list["subprocess.Popen[str]"] = []
"""Commands that were started and left running."""


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a command: the caller's without a Prefect address, plus ``extra``."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    return inherited | dict(extra or {})


@cache
def shared_server() -> Mapping[str, str]:
    """A real Prefect server for the commands of all test processes, as a user has one: what the environment says of it.

    Starting one costs more than most commands that need it. The first to ask keeps its tables before anything has run.
    """

    def keep_tables(session: Path) -> None:
        with (
            contextlib.closing(sqlite3.connect(session / "prefect" / "prefect.db")) as source,
            contextlib.closing(sqlite3.connect(session / TABLES)) as copy,
        ):
            source.backup(copy)

    session = os.environ[SESSION]
    found: dict[str, str] = json.loads(shared("server", [sys.executable, "-c", SERVER, session], {}, keep_tables))
    return found


def shared(name: str, command: list[str], env: Mapping[str, str], begun: Callable[[Path], None]) -> str:
    """What a process says when it is ready: one for all processes of a test session, ended with the session.

    ``begun`` is called with the folder of the session by whoever started the process, before anybody else has it.
    """
    session = Path(os.environ[SESSION])
    said = session / f"{name}.said"
    with held(session / f"{name}.lock", fcntl.LOCK_EX):
        if not said.exists():
            with (session / ALIVE).open() as alive, (session / RUNNING).open() as running:
                fcntl.flock(running, fcntl.LOCK_SH)
                process = subprocess.Popen(
                    command,
                    stdin=alive,
                    stdout=subprocess.PIPE,
                    encoding="utf-8",
                    cwd=ROOT,
                    env=environment(env),
                    pass_fds=(running.fileno(),),
                    start_new_session=True,
                )
            _started.append(process)
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line, f"{name} did not start"
            begun(session)
            said.write_text(line, encoding="utf-8")
    return said.read_text(encoding="utf-8")


def tables() -> Path:
    """The database of a Prefect server that has run nothing: made once for all processes of a test session."""
    shared_server()
    return Path(os.environ[SESSION]) / TABLES


def with_tables(data: str | Path) -> None:
    """Give the Prefect server of a new data folder its tables, which take longer to make than all else at its start."""
    home = Path(data) / "prefect"
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not (home / "prefect.db").exists():
        shutil.copyfile(tables(), home / "prefect.db")


@cache
def warm_server() -> str:
    """Where commands of all test processes find what they import already imported (see ``tests.flows.warm``)."""
    home = Path(os.environ[SESSION]) / "warm"
    own = {**DEFAULTS, "PREFECT_HOME": str(home), **WITHOUT_THREADS}
    address = f"{home}.socket"
    shared("warm", [sys.executable, "-m", "tests.flows.warm", "serve", address], own, lambda session: None)
    return address


def interpreter(env: Mapping[str, str]) -> list[str]:
    """What runs the command line: a warm process where the environment is one that it can take over, or a fresh one."""
    if sys.platform == "linux" and set(env) <= {ADDRESS, SECRET}:
        return warm.caller(warm_server(), warm.COMMANDS)
    return FRESH


def crawling_helper(module: str, *arguments: str) -> list[str]:
    """What ``corpus.folders.lifeline.helper`` says, but for a warm process."""
    return warm.caller(warm_server(), module, *arguments)


def wordquarry(
    *arguments: object,
    given: str | bytes | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float = 900,
    own_server: bool = False,
    where: Path = ROOT,
) -> subprocess.CompletedProcess[str]:
    """Run ``wordquarry`` with these arguments and, perhaps, standard input, in the folder ``where``.

    Flows run on the server that the tests share, or with ``own_server`` on the one that the command starts itself. The
    process is new, but only one that has its own server or environment imports everything anew.
    """
    if not own_server and not RUN_FLOWS.isdisjoint(map(str, arguments)) and ADDRESS not in (env or {}):
        env = {**shared_server(), **(env or {})}
    begun = FRESH if own_server else interpreter(env or {})
    text = given.decode("utf-8", "surrogateescape") if isinstance(given, bytes) else given
    return subprocess.run(
        [*begun, *map(str, arguments)],
        input=text,
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        cwd=where,
        env=environment(env),
        timeout=timeout,
        check=False,
    )


def start(
    *arguments: object, env: Mapping[str, str] | None = None, first_start: bool = False, fresh: bool = True
) -> subprocess.Popen[str]:
    """Start ``wordquarry`` in a process group of its own and leave it running.

    A Prefect server of its own finds its tables made, unless its ``first_start`` is what is tested. A process that is
    not ``fresh`` is a fork beside the group, which ends with the process given back: read its streams to their end.
    """
    if "--data" in arguments and not first_start:
        with_tables(Path(str(arguments[arguments.index("--data") + 1])))
    process = subprocess.Popen(
        [*(FRESH if fresh else interpreter(env or {})), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        cwd=ROOT,
        env=environment(env),
        start_new_session=True,
    )
    _begun.append(process)
    return process


@contextlib.contextmanager
def left_running() -> Iterator[None]:
    """End what was started meanwhile and still runs."""
    before = len(_begun)
    yield
    for process in _begun[before:]:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    del _begun[before:]


def one_line_failure(result: subprocess.CompletedProcess[str], status: int = 1) -> str:
    """The single error line of a command that failed as it should."""
    lines = result.stderr.strip().splitlines()
    assert result.returncode == status, result.stderr
    assert "Traceback" not in result.stderr
    assert lines, "a failure must say why"
    assert lines[-1].startswith("wordquarry: "), result.stderr
    return lines[-1]
