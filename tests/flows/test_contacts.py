"""Whom a command speaks to: its own Prefect server or the user's, whatever the environment says.

That no process of a schedule speaks to anybody else is tested in ``test_schedule``.
"""

import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from flows.processes.server import ADDRESS
from tests.flows.command import (
    FRESH,
    ROOT,
    environment,
    one_line_failure,
    shared_server,
    tables,
    with_tables,
    wordquarry,
)
from tests.flows.strangers import Answer, ask, basic, server_below
from tests.flows.test_main_job import version_of
from tests.flows.test_trouble import threads
from tests.tiers import FULL

pytestmark = pytest.mark.slow

PROXIES = {
    "HTTP_PROXY": "http://PROXY",
    "http_proxy": "http://PROXY",
    "HTTPS_PROXY": "http://[PROXY",
    "https_proxy": "ftp://PROXY",
    "ALL_PROXY": "socks5://PROXY",
    "all_proxy": "socks5h://PROXY",
}


@dataclass(frozen=True)
class Surrounded:
    """What a build said and did whose input was closed, that had proxies, and whose server was set up by its owner."""

    status: int
    said: tuple[str, str]
    asked_of_the_proxy: list[bytes]
    answers: list[Answer]


@pytest.fixture(scope="module")
def surrounded(tmp_path_factory: pytest.TempPathFactory) -> Surrounded:
    folder, asked = tmp_path_factory.mktemp("surrounded"), []
    with_tables(folder / "data")
    with socket.create_server(("127.0.0.1", 0)) as proxy:

        def answer() -> None:
            while True:
                try:
                    connection, _ = proxy.accept()
                except OSError:
                    return
                with connection:
                    asked.append(connection.recv(4096))

        threading.Thread(target=answer, daemon=True).start()
        settings = {
            **{name: value.replace("PROXY", f"127.0.0.1:{proxy.getsockname()[1]}") for name, value in PROXIES.items()},
            "PREFECT_SERVER_API_AUTH_STRING": "me:my own",
            "PREFECT_SERVER_CORS_ALLOWED_ORIGINS": "http://localhost:9000",
            "PREFECT_API_AUTH_STRING": "of another server",
        }
        build = ["build", "--posts", str(threads(folder / "posts.jsonl")), "--data", str(folder / "data")]
        command = ["/bin/sh", "-c", 'exec "$@" <&-', "sh", *FRESH, *build, "--runner", "process"]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=environment(settings)
        )
        port = server_below(process.pid).port
        answers = [
            ask(port, "GET", "/api/admin/version", {"Authorization": basic("me:my own"), "Origin": origin})[0]
            for origin in ("http://localhost:9000", f"http://127.0.0.1:{port}")
        ]
        said = process.communicate(timeout=120)
        proxy.shutdown(socket.SHUT_RDWR)
    return Surrounded(process.returncode, said, asked, answers)


@pytest.mark.full
def test_a_proxy_is_not_asked_for_the_own_server(surrounded: Surrounded) -> None:
    assert surrounded.status == 0, surrounded.said
    lines = surrounded.said[1].splitlines()
    assert all(": " in line and "/" in line for line in lines), "only progress on standard error"
    assert surrounded.asked_of_the_proxy == []


@pytest.mark.full
def test_standard_input_may_be_closed(surrounded: Surrounded) -> None:
    assert surrounded.status == 0, surrounded.said
    assert version_of(surrounded.said[0]).startswith("quarry/")


@pytest.mark.full
def test_the_owner_may_choose_the_secret_and_an_origin(surrounded: Surrounded) -> None:
    assert surrounded.status == 0, surrounded.said
    assert [answer.status for answer in surrounded.answers] == [200, 403]
    assert surrounded.answers[0].allowed_origin == "http://localhost:9000"


WITHOUT_SERVER = """
import sys
from flows.processes.loopback import prepare

prepare(sys.argv[1])
from prefect import flow

@flow
def alone():
    return 1

try:
    alone()
except ValueError as error:
    print("refused:", error)
"""


def test_prefect_never_starts_a_server_of_its_own(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_SERVER, str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment(),
        timeout=120,
        check=True,
    )
    assert done.stdout.startswith("refused:"), done


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Prefect server as a user starts one, with a secret; the address of its API."""
    home = tmp_path_factory.mktemp("own")
    shutil.copyfile(tables(), home / "prefect.db")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = {
        "PREFECT_HOME": str(home),
        "PREFECT_SERVER_API_AUTH_STRING": "user:their own",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_SERVER_UI_ENABLED": "false",
        "DO_NOT_TRACK": "1",
    }
    command = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port)]
    with subprocess.Popen(
        command, env=environment(settings), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/api/health", timeout=5).close()
                break
            except (urllib.error.URLError, OSError):
                time.sleep(0.2)
        yield f"http://127.0.0.1:{port}/api"
        process.terminate()


@pytest.mark.full
def test_a_server_of_the_user_is_used_with_their_secret(
    own_server: str, surrounded: Surrounded, tmp_path: Path
) -> None:
    posts = threads(tmp_path / "posts.jsonl")
    settings = {"PREFECT_API_URL": own_server, "PREFECT_API_AUTH_STRING": "user:their own"}
    build = wordquarry("build", "--posts", posts, "--data", tmp_path / "data", "--workers", 2, env=settings)
    assert build.returncode == 0, build.stderr
    assert version_of(build.stdout) == version_of(surrounded.said[0])
    assert not (tmp_path / "data" / "prefect" / "server.log").exists()


@pytest.fixture
def guarded_server(request: pytest.FixtureRequest) -> str:
    """The API of a server that wants its secret: the one that the tests share, or in all of them one beside it."""
    found: str = request.getfixturevalue("own_server") if FULL else shared_server()[ADDRESS]
    return found


@pytest.mark.parametrize("secret", [{}, {"PREFECT_API_AUTH_STRING": "user:wrong"}], ids=["none", "wrong"])
def test_a_server_of_the_user_that_wants_another_secret_is_one_line(
    guarded_server: str, secret: dict[str, str], tmp_path: Path
) -> None:
    posts = threads(tmp_path / "posts.jsonl")
    settings = {"PREFECT_API_URL": guarded_server, **secret}
    refused = wordquarry("build", "--posts", posts, "--data", tmp_path / "data", env=settings)
    assert one_line_failure(refused) == (
        f"wordquarry: the Prefect server at {guarded_server} wants its secret; set PREFECT_API_AUTH_STRING, "
        "or unset PREFECT_API_URL to run without it"
    )
    assert len(refused.stderr.splitlines()) == 1
    assert not (tmp_path / "data" / "versions").exists()
