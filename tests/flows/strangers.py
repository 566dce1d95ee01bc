"""What a hostile page, a rebound name and another local user ask of the Prefect server of a command, and its owner."""

import base64
import contextlib
import http.client
import json
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import psutil
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

EVIL = "evil.example"
NO_DEPLOYMENT = "00000000-0000-0000-0000-000000000000"
PAUSE_SECONDS = 1.0
BUSY = 503
SOCKETS = (
    "/api/events/in",
    "/api/events/out",
    "/api/logs/out",
    "/api/task_runs/subscriptions/scheduled",
    "/api/work_pools/any/workers/connect",
)
ASKED = (
    ("GET", "/api/admin/settings", None),
    ("POST", "/api/deployments/filter", {}),
    ("POST", "/api/flow_runs/filter", {}),
    ("POST", "/api/logs/filter", {}),
    ("POST", "/api/block_documents/filter", {}),
    ("POST", "/api/flows/", {"name": "planted"}),
    ("POST", "/api/variables/", {"name": "planted", "value": "1"}),
    ("PATCH", "/api/deployments/{deployment}", {"parameters": {}}),
    ("POST", "/api/deployments/{deployment}/create_flow_run", {"state": {"type": "SCHEDULED"}}),
)


@dataclass(frozen=True)
class Answer:
    """What a stranger got."""

    who: str
    what: str
    status: int
    body: str
    allowed_origin: str | None


def basic(secret: str) -> str:
    """The header that carries a secret."""
    return f"Basic {base64.b64encode(secret.encode()).decode()}"


def ask(port: int, method: str, path: str, headers: Mapping[str, str], body: object = None) -> tuple[Answer, Any]:
    """One request; the answer, and what its body holds if that is JSON."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    with contextlib.closing(connection):
        content = None if body is None else json.dumps(body)
        connection.request(method, path, content, {"Content-Type": "application/json", **headers})
        response = connection.getresponse()
        text = response.read().decode()
    try:
        held = json.loads(text)
    except ValueError:
        held = None
    allowed = response.getheader("Access-Control-Allow-Origin")
    return Answer("", f"{method} {path}", response.status, text, allowed), held


def strangers(port: int, secret: str) -> dict[str, dict[str, str]]:
    """The headers of whoever has no business here; the last ones even know the secret, which no page can."""
    host = f"{EVIL}:{port}"
    right = {"Authorization": basic(secret)}
    return {
        "page": {"Origin": f"http://{EVIL}"},
        "page, simple request": {"Origin": f"http://{EVIL}", "Content-Type": "text/plain"},
        "sandboxed page": {"Origin": "null"},
        "page of another local server": {"Origin": f"http://127.0.0.1:{port + 1}"},
        "rebound name": {"Host": host, "Origin": f"http://{host}"},
        "rebound name, plain link": {"Host": host},
        "local user": {},
        "local user, wrong secret": {"Authorization": basic("wordquarry:guess")},
        "local user, empty secret": {"Authorization": basic("")},
        "local user, other scheme": {"Authorization": f"Bearer {secret}"},
        "page with the secret": {"Origin": f"http://{EVIL}", **right},
        "rebound name with the secret": {"Host": host, **right},
    }


def preflight(port: int) -> Answer:
    """What a browser asks before a page may send JSON."""
    headers = {"Origin": f"http://{EVIL}", "Access-Control-Request-Method": "POST"}
    return ask(port, "OPTIONS", "/api/deployments/filter", headers)[0]


def handshake(port: int, path: str, headers: Mapping[str, str]) -> int:
    """The status with which a websocket handshake is answered."""
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": base64.b64encode(b"0123456789abcdef").decode(),
        "Sec-WebSocket-Protocol": "prefect",
    }
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    with contextlib.closing(connection):
        connection.request("GET", path, headers=upgrade | dict(headers))
        return connection.getresponse().status


def token_taken(port: int, path: str, token: str | None) -> bool:
    """Whether a websocket goes on after this token; one that is refused has said nothing before."""
    with connect(f"ws://127.0.0.1:{port}{path}", subprotocols=["prefect"], proxy=None) as socket:  # type: ignore[list-item]
        socket.send(json.dumps({"type": "auth", "token": token}))
        try:
            said = json.loads(socket.recv(timeout=60))
        except ConnectionClosed:
            return False
        assert said["type"] in ("auth_success", "ready"), said
        return True


def played(port: int, secret: str, deployment: str) -> list[Answer]:
    """Everything that strangers ask, once, and what they got."""
    answers = [Answer("page, preflight", *_rest(preflight(port)))]
    for who, headers in strangers(port, secret).items():
        for method, path, body in ASKED:
            answer, _ = ask(port, method, path.format(deployment=deployment), headers, body)
            answers.append(Answer(who, *_rest(answer)))
        if "Origin" in headers or "Host" in headers:
            answers += [Answer(who, path, handshake(port, path, headers), "", None) for path in SOCKETS]
    return answers


def _rest(answer: Answer) -> tuple[str, int, str, str | None]:
    return answer.what, answer.status, answer.body, answer.allowed_origin


def let_in(answers: list[Answer]) -> list[Answer]:
    """Answers that are more than a refusal, or that a page could read."""
    return [one for one in answers if one.status not in (401, 403) or one.allowed_origin is not None]


def servers_of(process: psutil.Process) -> list[psutil.Process]:
    """The Prefect servers below a process that listen by now."""
    found = []
    for child in process.children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if "flows.processes.api" in child.cmdline() and _port(child):
                found.append(child)
    return found


def _port(server: psutil.Process) -> int:
    listening = [one.laddr.port for one in server.net_connections("tcp") if one.status == psutil.CONN_LISTEN]
    return int(listening[0]) if listening else 0


@dataclass(frozen=True)
class Server:
    """A running server as its owner sees it: the port, and the secret, which the same user may read."""

    process: psutil.Process
    port: int
    secret: str

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """The owner's request, once more while the server is busy, as Prefect's client does; what the answer holds."""
        deadline = time.monotonic() + 30
        answer, held = ask(self.port, method, f"/api{path}", {"Authorization": basic(self.secret)}, body)
        while answer.status == BUSY and time.monotonic() < deadline:
            time.sleep(0.5)
            answer, held = ask(self.port, method, f"/api{path}", {"Authorization": basic(self.secret)}, body)
        assert answer.status < 300, answer
        return held


def server_below(pid: int, seconds: float = 120) -> Server:
    """The server of a command, once it answers."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        for process in servers_of(psutil.Process(pid)):
            port = _port(process)
            with contextlib.suppress(OSError, http.client.HTTPException):
                if port and ask(port, "GET", "/api/health", {})[0].status == 200:
                    return Server(process, port, process.environ()["PREFECT_SERVER_API_AUTH_STRING"])
        time.sleep(0.1)
    raise AssertionError("no Prefect server came up")


@contextlib.contextmanager
def besieged(process: "subprocess.Popen[str]") -> Iterator[list[Answer]]:
    """Strangers ask again and again until the block ends or the server does; what they got comes into the list."""
    server = server_below(process.pid)
    answers: list[Answer] = []
    done = threading.Event()

    def siege() -> None:
        with contextlib.suppress(OSError, http.client.HTTPException):
            while not done.wait(PAUSE_SECONDS):
                answers.extend(played(server.port, server.secret, NO_DEPLOYMENT))

    thread = threading.Thread(target=siege)
    thread.start()
    try:
        yield answers
    finally:
        done.set()
        thread.join()
