"""The server process of a command: Prefect's API on a free loopback port, behind a gate. Started by ``server``.

Where it is asked for, Prefect's own pages stand beside the API, and the reports of versions that runs link to. Both
have an address that only those know who know the secret, since a browser cannot send the secret before a page asks it.

Prefect answers any host name, sends every origin the permission to read, and checks the secret at some addresses only.
The gate stands before all of it, websockets included: a request has to name this server as its host, so that no other
name that points here gets an answer, an origin that may ask, if it comes out of a page, and the secret, unless what it
asks for stands on a short list of what is open.
"""

import base64
import hmac
import os
import re
import socket
import sys
from typing import Any

from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from flows.processes.loopback import HOST
from flows.processes.server import REPORTS, pages_path

ORIGINS = "PREFECT_SERVER_CORS_ALLOWED_ORIGINS"
POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
REFUSED = "refused: this Prefect server is for the wordquarry command that started it"
UNKNOWN = "refused: this Prefect server wants the secret of the wordquarry command that started it"
OPEN = frozenset(("/api/health", "/api/ready"))
"""What anybody may ask for: whether the server answers."""
SOCKETS = re.compile(
    r"/api/(?:events/(?:in|out)|logs/out|task_runs/subscriptions/scheduled|work_pools/[^/]+/workers/connect)"
)
"""The websockets whose first message has to hold the secret: Prefect waits for that and says nothing before."""


class Gate:
    """An ASGI application behind which only requests come that may ask.

    They name one of ``hosts``, no foreign origin, and the secret. Without it only what is ``OPEN`` is answered, what
    lies at ``pages``, an address made of the secret, if there are pages, and the ``SOCKETS``.
    """

    def __init__(self, app: ASGIApp, hosts: list[str], origins: list[str], secret: str, pages: str | None) -> None:
        self._app = app
        self._hosts = [[host.encode()] for host in hosts]
        self._origins = [origin.strip().encode() for origin in origins]
        self._secret = b"Basic " + base64.b64encode(secret.encode())
        self._pages = pages

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """The status and the line with which a request is refused; None for one that may ask."""
        hosts, origins = ([one.lower() for one in _named(scope, name)] for name in (b"host", b"origin"))
        known = b"*" in self._origins or all(origin in self._origins for origin in origins)
        if hosts not in self._hosts or not known:
            return 403, REFUSED
        return None if self._is_open(scope) or self._knows_the_secret(scope) else (401, UNKNOWN)

    def _knows_the_secret(self, scope: Scope) -> bool:
        given = _named(scope, b"authorization")
        return len(given) == 1 and hmac.compare_digest(given[0], self._secret)

    def _is_open(self, scope: Scope) -> bool:
        """Whether the answer to a request is for those too who do not send the secret."""
        path = scope["path"]
        if scope["type"] == "websocket":
            return SOCKETS.fullmatch(path) is not None
        if scope["method"] == "OPTIONS":  # a browser asks so before it sends the secret; Prefect answers with nothing
            return bool(_named(scope, b"origin") and _named(scope, b"access-control-request-method"))
        at_pages = self._pages is not None and f"{path}/".startswith(f"{self._pages}/")
        return scope["method"] in ("GET", "HEAD") and (path in OPEN or at_pages)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on or refuse it; a websocket is refused before it is accepted."""
        refusal = None if scope["type"] == "lifespan" else self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            status, line = refusal
            await PlainTextResponse(f"{line}\n", status)(scope, receive, send)


def _named(scope: Scope, name: bytes) -> list[bytes]:
    """The values of a header, as often as it was sent."""
    return [value for one, value in scope["headers"] if one == name]


class ReportFiles(StaticFiles):
    """Reports, which hold text of others: their pages may do nothing, and share nothing with the pages of Prefect."""

    def file_response(self, *arguments: Any, **options: Any) -> Response:
        """The file, in a sandbox."""
        response = super().file_response(*arguments, **options)
        response.headers["content-security-policy"] = POLICY
        return response


def serve() -> None:
    """Serve Prefect's API until this process is ended; prints the port."""
    listener = socket.create_server((HOST, 0))
    port = listener.getsockname()[1]
    hosts = [f"{HOST}:{port}", f"localhost:{port}"]
    os.environ.setdefault(ORIGINS, ",".join(f"http://{host}" for host in hosts))
    os.environ.setdefault("PREFECT_SERVER_UI_API_URL", f"http://{HOST}:{port}/api")
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()

    import uvicorn
    from prefect.server.api.server import create_app
    from prefect.settings import get_current_settings

    api = get_current_settings().server.api
    if api.auth_string is None:
        raise SystemExit("the Prefect server has no secret; start it with flows.processes.server.prefect_server")
    secret, reports, pages = api.auth_string.get_secret_value(), os.environ.get(REPORTS), None
    app = create_app()
    if reports:
        pages = pages_path(secret)
        app.router.routes.insert(0, Mount(f"{pages}/reports", ReportFiles(directory=reports)))
    gate = Gate(app, hosts, api.cors_allowed_origins.split(","), secret, pages)
    config = uvicorn.Config(gate, log_level="error", lifespan="on", proxy_headers=False, server_header=False)
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    serve()
