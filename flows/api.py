"""The server process of a command: Prefect's API on a free loopback port, behind a gate. Started by ``flows.server``.

Where it is asked for, Prefect's own pages stand beside the API, and the reports of versions that runs link to.

Prefect answers any host name, sends every origin the permission to read, and checks the secret only behind that. The
gate stands before all of it, websockets included: a request has to name this server as its host, so that no other name
that points here gets an answer, and, if it comes out of a page, an origin that may ask.
"""

import os
import socket
import sys
from typing import Any

from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from flows.server import HOST, REPORTS, SERVER_SECRET, report_path

ORIGINS = "PREFECT_SERVER_CORS_ALLOWED_ORIGINS"
POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
REFUSED = "refused: this Prefect server is for the wordquarry command that started it"


class Gate:
    """An ASGI application behind which only requests come that name one of ``hosts`` and no foreign origin."""

    def __init__(self, app: ASGIApp, hosts: list[str], origins: list[str]) -> None:
        self._app = app
        self._hosts = [[host.encode()] for host in hosts]
        self._origins = [origin.strip().encode() for origin in origins]

    def _lets_in(self, scope: Scope) -> bool:
        named: dict[bytes, list[bytes]] = {b"host": [], b"origin": []}
        for name, value in scope["headers"]:
            if name in named:
                named[name].append(value.lower())
        return named[b"host"] in self._hosts and (
            b"*" in self._origins or all(origin in self._origins for origin in named[b"origin"])
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on or refuse it; a websocket is refused before it is accepted."""
        if scope["type"] == "lifespan" or self._lets_in(scope):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await PlainTextResponse(f"{REFUSED}\n", 403)(scope, receive, send)


class ReportFiles(StaticFiles):
    """Reports, which hold text of others: their pages may do nothing, and share nothing with the pages of Prefect."""

    def file_response(self, *arguments: Any, **options: Any) -> Response:
        """The file, in a sandbox."""
        response = super().file_response(*arguments, **options)
        response.headers["content-security-policy"] = (
            "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
        )
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
        raise SystemExit("the Prefect server has no secret; start it with flows.server.prefect_server")
    app, reports = create_app(), os.environ.get(REPORTS)
    if reports:
        place = report_path(os.environ[SERVER_SECRET])
        app.router.routes.insert(0, Mount(place, ReportFiles(directory=reports)))
    gate = Gate(app, hosts, api.cors_allowed_origins.split(","))
    config = uvicorn.Config(gate, log_level="error", lifespan="on", proxy_headers=False, server_header=False)
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    serve()
