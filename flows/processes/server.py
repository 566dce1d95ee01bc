"""A Prefect server on loopback that lives exactly as long as the command that needs it, and that it alone can use.

Prefect's own embedded server outlives a killed parent and answers whoever asks. This one is a helper process (see
``lifeline``), so even kill -9 leaves nothing running, and it wants a secret that is made anew for each command
(``api`` says what else). It is in a session of its own: a Ctrl-C is for the command, which still needs the server
to end in order.
"""

import contextlib
import fcntl
import hashlib
import os
import secrets
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from corpus.code import ROOT
from corpus.errors import CorpusError, StoreError, store_errors
from corpus.folders.lifeline import COMMAND, helper
from corpus.folders.locks import held
from flows.processes.command_process import leave
from flows.processes.loopback import HOST, bypass_proxies, opened, prepare, without_proxy

ADDRESS = "PREFECT_API_URL"
SECRET = "PREFECT_API_AUTH_STRING"  # noqa: S105 - the name of a variable
SERVER_SECRET = "PREFECT_SERVER_API_AUTH_STRING"  # noqa: S105 - the name of a variable
REPORTS = "WORDQUARRY_REPORTS"
"""The variable with the folder of reports that the server shows beside Prefect's pages, for these and for runs."""
REPORTS_AT = "WORDQUARRY_REPORTS_AT"
"""The variable with the address of that folder, for runs."""
PAGES = "ui"
"""The folder with copies of Prefect's pages."""
START_SECONDS = 120.0
NEEDED_BYTES = 1024 * 1024
MOST_DATABASE_BYTES = 64 * 1024 * 1024
"""A larger database of Prefect is begun anew; within a long schedule its runs of more than 30 days ago go."""


@contextlib.contextmanager
def prefect_server(data: str, ui: bool = False) -> Iterator[str]:
    """Run flows inside this block; yields the API address, an already configured server's if there is one.

    With ``ui`` an own server shows Prefect's pages as well, and the reports that runs write (``REPORTS``).
    """
    home = prepare(data)
    with store_errors("write", str(home)):
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
    configured = os.environ.get(ADDRESS)
    if configured:
        remedy = "unset PREFECT_API_URL to run without it"
        with _environment({COMMAND: str(os.getpid())}), _explained_failures(configured, remedy):
            yield configured
        return
    log = home / "server.log"
    secret = os.environ.get(SERVER_SECRET) or f"wordquarry:{secrets.token_urlsafe(32)}"
    with _environment(without_proxy()), _in_use(home), _environment(_pages(home, secret) if ui else {}):
        with _one_at_a_time(home):
            process, url = _started(log, secret)
        try:
            remedy = f"{log} may say why; run the command again, what is done is kept"
            threading.Thread(target=_leave_without, args=(process, url, remedy), daemon=True).start()
            own = {ADDRESS: url, SECRET: secret, COMMAND: str(os.getpid())}
            own |= {REPORTS_AT: f"{url.removesuffix('/api')}{pages_path(secret)}/reports"} if ui else {}
            with _environment(own), _explained_failures(url, remedy):
                yield url
        finally:
            _stop(process)


def users_server(data: str) -> contextlib.AbstractContextManager[object]:
    """The Prefect server that the user has, if there is one; for what runs without one as well."""
    return prefect_server(data) if os.environ.get(ADDRESS) else contextlib.nullcontext()


@contextlib.contextmanager
def _environment(own: Mapping[str, str]) -> Iterator[None]:
    """Variables that this process, and what it starts, has for a while."""
    before = {name: os.environ.get(name) for name in own}
    os.environ.update(own)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _pages(home: Path, secret: str) -> dict[str, str]:
    """What lets a server show pages: Prefect's, copied to where this user may write, and the reports of runs.

    Prefect writes their address into its pages, so each secret has a copy of its own.
    """
    reports, base = home / "reports", pages_path(secret)
    with store_errors("write", str(reports)):
        reports.mkdir(mode=0o700, parents=True, exist_ok=True)
    static = f"{home / PAGES}{base}"
    return {
        "PREFECT_SERVER_UI_ENABLED": "true",
        "PREFECT_SERVER_UI_SERVE_BASE": base,
        "PREFECT_SERVER_UI_STATIC_DIRECTORY": static,
        REPORTS: str(reports),
    }


def pages_address(api: str) -> str:
    """Where the pages of a server are: of the command's own at a path that only those know who know its secret."""
    return os.environ[REPORTS_AT].removesuffix("reports") if REPORTS_AT in os.environ else api.removesuffix("/api")


def key_line() -> str:
    """The secret that the pages of a server ask for: for the terminal alone, and for no log."""
    if REPORTS_AT not in os.environ:
        return "that server is not this command's own; its pages are as it was set up"
    return f"where they ask for a key, give {os.environ[SECRET]}"


def pages_path(secret: str) -> str:
    """Where a server shows pages and reports: a path that only those know who know its secret."""
    return f"/{hashlib.sha256(secret.encode()).hexdigest()[:32]}"


@contextlib.contextmanager
def _in_use(home: Path, most_bytes: int = MOST_DATABASE_BYTES) -> Iterator[None]:
    """Hold the database; before, where nobody else does, one that has grown too large is removed, and copied pages.

    It holds what commands did, which nobody needs once they have ended: what is done stands in the data folder.
    """
    path, database = home / "database.lock", home / "prefect.db"
    with contextlib.ExitStack() as stack:
        with store_errors("write", str(path)):
            with contextlib.suppress(BlockingIOError), held(path, fcntl.LOCK_EX | fcntl.LOCK_NB):
                if database.exists() and database.stat().st_size > most_bytes:
                    for one in home.glob("prefect.db*"):
                        one.unlink()
                shutil.rmtree(home / PAGES, ignore_errors=True)
            stack.enter_context(held(path, fcntl.LOCK_SH))
        yield


@contextlib.contextmanager
def _one_at_a_time(home: Path) -> Iterator[None]:
    """Servers that share a database start one after the other: the first of them makes its tables."""
    path = home / "start.lock"
    with contextlib.ExitStack() as stack:
        with store_errors("write", str(path)):
            stack.enter_context(held(path, fcntl.LOCK_EX))
        yield


def _started(log: Path, secret: str) -> tuple[subprocess.Popen[bytes], str]:
    """A server that answers, and its address; its errors go to ``log``."""
    with store_errors("write", str(log)):
        sink = log.open("wb")
    with sink:
        process = subprocess.Popen(
            helper("flows.processes.api"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=sink,
            cwd=ROOT,
            env=os.environ | {SERVER_SECRET: secret},
            start_new_session=True,
        )
    try:
        url = f"http://{HOST}:{_announced_port(process, log)}/api"
        _await_health(url, process, log)
    except BaseException:
        _stop(process)
        raise
    return process, url


@contextlib.contextmanager
def _explained_failures(url: str, remedy: str) -> Iterator[None]:
    """Turn a server that fails into one line: the failure of the work that it could not record, or its own."""
    import httpx
    from prefect.client.orchestration import get_client
    from prefect.exceptions import PrefectException

    bypass_proxies()
    try:
        with get_client(sync_client=True) as client:
            unreachable = client.api_healthcheck()
            if unreachable is not None:
                raise CorpusError(f"cannot reach the Prefect server at {url}; start it, or {remedy}")
        yield
    except (httpx.HTTPError, PrefectException) as error:
        cause = _work_failure(error)
        if cause is not None:
            raise cause from error
        if isinstance(error, httpx.HTTPStatusError) and error.response.status_code == httpx.codes.UNAUTHORIZED:
            raise CorpusError(f"the Prefect server at {url} wants its secret; set {SECRET}, or {remedy}") from error
        what = str(error).partition("\n")[0] or type(error).__name__
        raise CorpusError(f"the Prefect server at {url} failed ({what}); {remedy}") from error


def _work_failure(error: BaseException) -> CorpusError | None:
    """The expected failure that was being handled when this error came, if there is one."""
    seen: BaseException | None = error
    while seen is not None and not isinstance(seen, CorpusError):
        seen = seen.__cause__ or seen.__context__
    return seen


def _announced_port(process: subprocess.Popen[bytes], log: Path) -> int:
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    if not line.isdigit():
        raise _not_started(log)
    return int(line)


def _not_started(log: Path) -> CorpusError:
    if shutil.disk_usage(log.parent).free < NEEDED_BYTES:
        return StoreError(f"cannot write {log.parent}: No space left on device; free some, or choose another --data")
    return CorpusError(f"the Prefect server did not start; {log} says why")


def _await_health(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), opened(f"{url}/health", 2):
            return
        time.sleep(0.05)
    raise _not_started(log)


def _leave_without(process: subprocess.Popen[bytes], url: str, remedy: str) -> None:
    """End the command when its server ends of itself: nothing can be done without, and whoever opens the port next
    must not be told the secret or be asked what to run."""
    process.wait()
    if process.stdin is not None and not process.stdin.closed:
        leave(1, f"wordquarry: the Prefect server at {url} ended; {remedy}\n")


def _stop(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
