"""A Prefect server on loopback that lives exactly as long as the command that needs it.

Prefect's own embedded server outlives a killed parent. This one holds a pipe to its parent and stops when the pipe
closes, so even kill -9 leaves nothing running. Run as ``python -m flows.server``; it prints its port.
"""

import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from corpus.code import ROOT
from corpus.errors import CorpusError
from corpus.files import explained

START_SECONDS = 120.0


@contextlib.contextmanager
def prefect_server(data: str) -> Iterator[str]:
    """Run flows inside this block; yields the API address, an already configured server's if there is one."""
    from flows.environment import prepare

    home = prepare(data)
    configured = os.environ.get("PREFECT_API_URL")
    if configured:
        yield configured
        return
    log = home / "server.log"
    with explained("write", str(log)):
        home.mkdir(parents=True, exist_ok=True)
        sink = log.open("wb")
    command = [sys.executable, "-m", "flows.server"]
    with sink:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=sink, cwd=ROOT)
    try:
        url = f"http://127.0.0.1:{_announced_port(process, log)}/api"
        _await_health(url, process, log)
        os.environ["PREFECT_API_URL"] = url
        yield url
    finally:
        os.environ.pop("PREFECT_API_URL", None)
        _stop(process)


def _announced_port(process: subprocess.Popen[bytes], log: Path) -> int:
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    if not line.isdigit():
        raise CorpusError(f"the Prefect server did not start; {log} says why")
    return int(line)


def _await_health(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{url}/health", timeout=2):  # noqa: S310 - loopback
            return
        time.sleep(0.05)
    raise CorpusError(f"the Prefect server at {url} did not answer; {log} says why")


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
