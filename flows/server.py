"""A Prefect server on loopback that lives exactly as long as the command that needs it.

Prefect's own embedded server outlives a killed parent. This one holds a pipe to its parent and stops when the pipe
closes, so even kill -9 leaves nothing running. It is in a session of its own: a Ctrl-C is for the command, which still
needs the server to end in order. Run as ``python -m flows.server``; it prints its port.
"""

import contextlib
import fcntl
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from corpus.code import ROOT
from corpus.errors import CorpusError, StoreError
from corpus.files import explained
from corpus.locks import held

ADDRESS = "PREFECT_API_URL"
START_SECONDS = 120.0
NEEDED_BYTES = 1024 * 1024


@contextlib.contextmanager
def prefect_server(data: str) -> Iterator[str]:
    """Run flows inside this block; yields the API address, an already configured server's if there is one."""
    from flows.environment import prepare

    home = prepare(data)
    with explained("write", str(home)):
        home.mkdir(parents=True, exist_ok=True)
    configured = os.environ.get(ADDRESS)
    if configured:
        with _explained_failures(configured, "unset PREFECT_API_URL to run without it"):
            yield configured
        return
    log = home / "server.log"
    with _one_at_a_time(home):
        process, url = _started(log)
    try:
        os.environ[ADDRESS] = url
        with _explained_failures(url, f"{log} may say why; run the command again, what is done is kept"):
            yield url
    finally:
        os.environ.pop(ADDRESS, None)
        _stop(process)


@contextlib.contextmanager
def _one_at_a_time(home: Path) -> Iterator[None]:
    """Servers that share a database start one after the other: the first of them makes its tables."""
    path = home / "start.lock"
    with contextlib.ExitStack() as stack:
        with explained("write", str(path)):
            stack.enter_context(held(path, fcntl.LOCK_EX))
        yield


def _started(log: Path) -> tuple[subprocess.Popen[bytes], str]:
    """A server that answers, and its address; its errors go to ``log``."""
    with explained("write", str(log)):
        sink = log.open("wb")
    command = [sys.executable, "-m", "flows.server"]
    with sink:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=sink, cwd=ROOT, start_new_session=True
        )
    try:
        url = f"http://127.0.0.1:{_announced_port(process, log)}/api"
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
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{url}/health", timeout=2):  # noqa: S310 - loopback
            return
        time.sleep(0.05)
    raise _not_started(log)


def _stop(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _stop_with_parent() -> None:
    while os.read(0, 1024):
        pass
    os._exit(0)


def serve() -> None:
    """Serve the Prefect API on a free loopback port until standard input closes."""
    import uvicorn
    from prefect.server.api.server import create_app

    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=_stop_with_parent, daemon=True).start()
    sys.stdout.write(f"{listener.getsockname()[1]}\n")
    sys.stdout.flush()
    config = uvicorn.Config(create_app(), log_level="error", lifespan="on")
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    serve()
