"""A sheet in the browser: a small server on loopback that saves verdicts into the sheet's log as they are given.

Its page needs a token made anew for each run. What the page sends is signed with the sheet's key, and so are answers
(``audits.sheet_access``). The host that a request names must be this server and its origin a page of this machine, so
that no other page the browser has open, and no name that points here, can read or write the sheet. Pages of other ports
of this machine may ask, since a page that was open outlives its server; only the key makes them heard.
"""

import secrets
import shlex
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

from audits.keeping import Keeper, sole_writer
from audits.sheet_access import HOST, LOOPBACK, sheet_key, sheet_ports
from audits.sheet_lines import parsed
from audits.sheets import Sheet, page_of
from audits.verdict_log import BY_HAND, Given
from corpus.canonical import canonical_json
from corpus.errors import CorpusError, InputError, StoreError
from corpus.strict_json import load_json

MAX_BODY = 32 * 1024
SECONDS = 10
HTTP_PORT = 80
KEEP_PREFLIGHT = "600"
ADDRESSES = ("/verdict", "/state")
SIGNATURE = "X-Sheet-Signature"
OWN_PAGE_ONLY = "verdicts are taken from the sheet's own page only"


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
            self._server = self._listening([*self.ports, 0] if port is None else [port])
            stack.callback(self._server.server_close)
            self.port = int(self._server.server_address[1])
            sign(f"at {self.origin}")
            self._resources = stack.pop_all()

    def _listening(self, ports: list[int]) -> "_Server":
        handler = type("Handler", (_Handler,), {"owner": self})
        for port in ports:
            try:
                return _Server((HOST, port), handler)
            except OSError as error:
                trouble = error
        raise StoreError(
            f"cannot listen on {HOST}:{ports[-1]}: {trouble.strerror or trouble}; choose another --port, or 0 for a "
            "free one"
        ) from trouble

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

    def serve(self) -> None:
        """Answer requests until ``stop`` is called from elsewhere."""
        self._server.serve_forever(poll_interval=0.1)

    def stop(self) -> None:
        """End ``serve``."""
        self._server.shutdown()

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
            Given, "the verdict", fields, "a verdict: post_id, verdict (right, wrong, unsure, null) and note"
        )
        if given.by == BY_HAND:
            raise InputError(f"the verdict: by {BY_HAND} stands for what was written by hand; choose another name")
        line = self.keeper.take(given, seen="base" not in message)
        return {"key": line.key, "number": line.seq, "row": self.keeper.state(line.row_id)}

    def tell(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """What was judged since the number ``after``; ``nonce`` comes back, so that no old answer passes for this."""
        after = message.get("after")
        if not isinstance(after, int) or after < 0:
            raise InputError("a question needs the number after which verdicts are asked for")
        rows = self.keeper.changes(after)
        return {"nonce": str(message.get("nonce", ""))[:64], "last": self.keeper.last, "rows": rows}


class _Handler(BaseHTTPRequestHandler):
    """``GET /`` the page, ``POST /verdict`` one verdict, ``POST /state`` what was judged meanwhile."""

    owner: ClassVar[SheetServer]
    timeout = SECONDS
    server_version = "wordquarry"
    sys_version = ""

    def log_message(self, *_: Any, **__: Any) -> None:
        """Stay silent: the terminal is the person's."""

    def _answer(
        self, status: HTTPStatus, text: str, kind: str = "text/plain", more: Mapping[str, str] | None = None
    ) -> None:
        content = text.encode("utf-8")
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("X-Frame-Options", "DENY")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Connection", "close")
        for name, value in (more or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def _addressed(self) -> bool:
        return self.headers.get("Host", "") in self.owner.hosts

    def _has_token(self, token: str) -> bool:
        return secrets.compare_digest(token.encode(), self.owner.token.encode())

    def do_GET(self) -> None:
        """The page, for whoever has the token."""
        target = urlsplit(self.path)
        token = parse_qs(target.query).get("token", [""])[0]
        if not self._addressed() or not self._has_token(token):
            advice = "open the address that wordquarry audit serve printed; that of an earlier run is no longer good"
            self._answer(HTTPStatus.FORBIDDEN, advice)
        elif target.path != "/":
            self._answer(HTTPStatus.NOT_FOUND, "there is only the sheet")
        else:
            self._answer(HTTPStatus.OK, self.owner.page(), "text/html")

    def do_OPTIONS(self) -> None:
        """Whether a page of another port may ask: only those of this machine."""
        refusal = self._refusal()
        if refusal is not None:
            self._answer(*refusal)
            return
        allowed = {"Access-Control-Allow-Methods": "POST", "Access-Control-Max-Age": KEEP_PREFLIGHT}
        headers = {"Access-Control-Allow-Headers": f"Content-Type, {SIGNATURE}"}
        self._answer(HTTPStatus.OK, "", more=allowed | headers | self._shared())

    def do_POST(self) -> None:
        """One verdict or one question, from a page of this sheet."""
        refusal = self._refusal() or self._malformed()
        if refusal is not None:
            self._answer(*refusal, more=self._shared())
            return
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if not self._authentic(body):
            self._answer(HTTPStatus.FORBIDDEN, OWN_PAGE_ONLY, more=self._shared())
            return
        status, found = self._act(body)
        answer = canonical_json({**found, "trouble": self.owner.keeper.trouble})
        signature = self.owner.key.signature(f"answer {self.path}", answer.encode())
        self._answer(status, answer, "application/json", self._shared() | {SIGNATURE: signature})

    def _act(self, body: bytes) -> tuple[HTTPStatus, dict[str, Any]]:
        try:
            message = _message(body)
            return HTTPStatus.OK, self.owner.take(message) if self.path == "/verdict" else self.owner.tell(message)
        except InputError as error:
            return HTTPStatus.BAD_REQUEST, {"error": str(error)}
        except CorpusError as error:
            return HTTPStatus.INTERNAL_SERVER_ERROR, {"error": str(error)}

    def _refusal(self) -> tuple[HTTPStatus, str] | None:
        if not self._addressed() or not LOOPBACK.fullmatch(self.headers.get("Origin", "")):
            return HTTPStatus.FORBIDDEN, OWN_PAGE_ONLY
        if self.path not in ADDRESSES:
            return HTTPStatus.NOT_FOUND, "verdicts go to /verdict"
        return None

    def _malformed(self) -> tuple[HTTPStatus, str] | None:
        length = self.headers.get("Content-Length", "")
        if self.headers.get_content_type() != "application/json":
            return HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a verdict is JSON"
        if not (length.isascii() and length.isdigit()) or len(length) > 9 or int(length) > MAX_BODY:
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a verdict has at most {MAX_BODY} bytes"
        return None

    def _authentic(self, body: bytes) -> bool:
        """Signed with the sheet's key, or, from the server's own origin, with the token of this run."""
        signature, origin = self.headers.get(SIGNATURE, ""), self.headers.get("Origin", "")
        own = origin in (f"http://{host}" for host in self.owner.hosts)
        return self.owner.key.signed(f"ask {self.path}", body, signature) or (
            own and self._has_token(self.headers.get("X-Sheet-Token", ""))
        )

    def _shared(self) -> dict[str, str]:
        """What lets a page of another port of this machine read the answer."""
        origin = self.headers.get("Origin", "")
        if not LOOPBACK.fullmatch(origin):
            return {}
        return {"Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": SIGNATURE, "Vary": "Origin"}


class _Server(ThreadingHTTPServer):
    """Says nothing of pages that hang up."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


def _message(body: bytes) -> Mapping[str, Any]:
    try:
        message = load_json(body)
    except (ValueError, RecursionError) as error:
        raise InputError("the verdict is not JSON") from error
    if not isinstance(message, dict):
        raise InputError("the verdict is not a JSON object")
    return message
