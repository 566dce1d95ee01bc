"""A sheet in the browser: a small server on loopback that saves verdicts into the sheet's log as they are given.

Its page needs a token made anew for each run. What the page sends is signed with the sheet's key, and so are answers
(``audits.sheets.sheet_access``). The host that a request names must be this server and its origin a page of this
machine, so that no other page the browser has open, and no name that points here, can read or write the sheet. Pages of
other ports of this machine may ask, since a page that was open outlives its server; only the key makes them heard.
"""

import secrets
import shlex
import socket
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette

from audits.sheets.audit_sheets import Sheet, page_of
from audits.sheets.keeping import Keeper, sole_writer
from audits.sheets.sheet_access import HOST, sheet_key, sheet_ports
from audits.sheets.sheet_site import SheetSite
from audits.sheets.verdict_log import BY_HAND, GivenVerdict
from corpus.errors import InputError, StoreError
from corpus.sheet_lines import parsed

HTTP_PORT = 80
PATIENCE_SECONDS = 1
"""How long requests under way may take when the server ends."""


class SheetServer:
    """Serves one sheet as its only writer; ``with`` closes it.

    Without a port it takes the first free one of the sheet's own. ``say`` takes lines for who started it. StoreError
    where the sheet is served already, or the port is taken.
    """

    def __init__(self, path: Path, port: int | None = None, say: Callable[[str], None] = lambda _: None) -> None:
        path = path.resolve()
        with ExitStack() as stack:
            sign = stack.enter_context(sole_writer(path))
            self.keeper = Keeper(path, say)
            stack.callback(self.keeper.close)
            sheet_id = self.keeper.sheet.header.sheet_id
            self.ports = sheet_ports(sheet_id)
            self.key = sheet_key(path, sheet_id)
            self.token = secrets.token_urlsafe(24)
            self._socket = stack.enter_context(_listening([*self.ports, 0] if port is None else [port]))
            self.port = int(self._socket.getsockname()[1])
            self.application = SheetSite(self).application()
            self._server = uvicorn.Server(_config(self.application))
            sign(f"at {self.origin}")
            self._resources = stack.pop_all()

    def __enter__(self) -> "SheetServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def origin(self) -> str:
        """Where the server is."""
        return f"http://{self.hosts[0]}"

    @property
    def url(self) -> str:
        """Where to look; it carries the token."""
        return f"{self.origin}/?token={self.token}"

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names under which requests may address this server."""
        port = "" if self.port == HTTP_PORT else f":{self.port}"
        return (f"{HOST}{port}", f"localhost{port}")

    @property
    def sheet(self) -> Sheet:
        """The sheet with all verdicts so far."""
        return self.keeper.sheet

    @property
    def trouble(self) -> str | None:
        """Why the sheet cannot be read at the moment."""
        return self.keeper.trouble

    def serve(self) -> None:
        """Answer requests until ``stop`` is called from elsewhere."""
        self._server.run(sockets=[self._socket])

    def stop(self) -> None:
        """End ``serve``."""
        self._server.should_exit = True

    def close(self) -> None:
        """Give the port and the sheet back."""
        self._resources.close()

    def page(self) -> str:
        """The page with the verdicts so far."""
        last, sheet = self.keeper.last, self.sheet
        judged = {state["row_id"]: state for state in self.keeper.changes(0)}
        server = {
            "key": self.key.hex,
            "ports": self.ports,
            "sheet": shlex.quote(str(self.keeper.path)),
            "last": last,
            "judged": judged,
        }
        return page_of(sheet, server)

    def take(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Save one verdict; InputError for a message of another form or for a post that is not on the sheet."""
        fields = {**message, "row_id": message.get("post_id"), "by": message.get("by", "script")}
        given = parsed(
            GivenVerdict, "the verdict", fields, "a verdict: post_id, verdict (right, wrong, unsure, null) and note"
        )
        if given.by == BY_HAND:
            raise InputError(f"the verdict: by {BY_HAND} is kept for what was written by hand; choose another name")
        line = self.keeper.take(given, seen="base" not in message)
        return {"key": line.key, "number": line.seq, "row": self.keeper.state(line.row_id)}

    def tell(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """What was judged since the number ``after``; ``nonce`` comes back, so that no old answer passes for this."""
        after = message.get("after")
        if not isinstance(after, int) or after < 0:
            raise InputError("give the number of the last verdict that is known, as after")
        rows = self.keeper.changes(after)
        return {"nonce": str(message.get("nonce", ""))[:64], "last": self.keeper.last, "rows": rows}


def _listening(ports: list[int]) -> socket.socket:
    """A socket at the first of the ports that is free."""
    for port in ports:
        try:
            return socket.create_server((HOST, port))
        except OSError as error:
            trouble = error
    raise StoreError(
        f"cannot listen on {HOST}:{ports[-1]}: {trouble.strerror or trouble}; choose another --port, or 0 for a "
        "free one"
    ) from trouble


def _config(application: Starlette) -> uvicorn.Config:
    """Silent, since the terminal is the person's, and taking no proxy's word."""
    return uvicorn.Config(
        application,
        loop="asyncio",
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="error",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=PATIENCE_SECONDS,
    )
