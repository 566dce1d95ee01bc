"""A sheet in the browser: a small server on loopback that saves verdicts into the sheet's log as they are given.

Its page needs a token made anew for each run. What the page sends is signed with the sheet's key, and so are answers
(``audits.sheets.serving``). The host that a request names must be this server and its origin a page of this
machine, so that no other page the browser has open, and no name that points here, can read or write the sheet. Pages of
other ports of this machine may ask, since a page that was open outlives its server; only the key makes them heard."""

import hashlib
import hmac
import os
import re
import secrets
import shlex
import socket
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from audits.sheets.audit_sheets import HOST, Sheet, page_of
from audits.sheets.keeping import Keeper, sole_writer
from audits.sheets.verdict_log import BY_HAND, GivenVerdict
from corpus.canonical import bucket_of, canonical_json
from corpus.errors import CorpusError, InputError, StoreError, store_errors
from corpus.folders.open_files import read_file
from corpus.lines.sheet_lines import parsed
from corpus.strict_json import load_json

FIRST_PORT, PORTS = 20_000, 10_000
"""Ports that systems give to nobody by themselves."""
TRIED = 8
KEY = re.compile("[0-9a-f]{64}")
LOOPBACK: Final = re.compile(r"http://(?:127\.0\.0\.1|localhost)(?::[0-9]{1,5})?")


def sheet_ports(sheet_id: str) -> list[int]:
    """The ports that a sheet's server tries, in order; its pages look for it there.

    >>> sheet_ports("a")[:3] == sheet_ports("a")[:3] != sheet_ports("b")[:3]
    True
    """
    found = (FIRST_PORT + bucket_of(f"{sheet_id} {place}", PORTS) for place in range(TRIED * 2))
    return list(dict.fromkeys(found))[:TRIED]


class SheetKey:
    """Signs for one sheet at one place: a copy of the folder signs otherwise."""

    def __init__(self, secret: str, sheet: Path, sheet_id: str) -> None:
        place = sheet_id.encode() + b"\n" + os.fsencode(sheet)
        self.hex = hmac.new(bytes.fromhex(secret), place, hashlib.sha256).hexdigest()

    def signature(self, what: str, body: bytes) -> str:
        """The signature of a message; ``what`` says which way it goes and to which address."""
        return hmac.new(bytes.fromhex(self.hex), f"{what}\n".encode() + body, hashlib.sha256).hexdigest()

    def signed(self, what: str, body: bytes, signature: str) -> bool:
        """Whether a message comes from who has the key."""
        return hmac.compare_digest(self.signature(what, body).encode(), signature.encode())


def sheet_key(sheet: Path, sheet_id: str) -> SheetKey:
    """The key beside a sheet (``SHEET.key``, for its owner's eyes), made where there is none or a damaged one."""
    path = sheet.with_name(f"{sheet.name}.key")
    with store_errors("use", str(path)):
        held = read_file(path).decode("ascii", "replace").strip() if path.exists() else ""
        if KEY.fullmatch(held):
            path.chmod(0o600)
            return SheetKey(held, sheet, sheet_id)
        secret = secrets.token_hex(32)
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(f"{secret}\n")
    return SheetKey(secret, sheet, sheet_id)


MAX_BODY = 32 * 1024
KEEP_PREFLIGHT = "600"
ADDRESSES = ("/verdict", "/state")
SIGNATURE = "X-Sheet-Signature"
EVERYWHERE = "/{path:path}"
HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Connection": "close",
}
RefusedRequest = tuple[HTTPStatus, str]
OLD_PAGE: RefusedRequest = (
    HTTPStatus.FORBIDDEN,
    "open the address that wordquarry sheet serve printed; that of an earlier run is no longer good",
)
FOREIGN: RefusedRequest = (HTTPStatus.FORBIDDEN, "This page is outdated; open the new address")
TOO_LARGE: RefusedRequest = (HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a verdict has at most {MAX_BODY} bytes")


class SheetSite:
    """The ASGI application of one sheet."""

    def __init__(self, sheet: "SheetServer") -> None:
        self._sheet = sheet

    def application(self) -> Starlette:
        """The routes; what is refused is refused before its address is looked at."""
        methods = {"GET": self.show, "OPTIONS": self.permit, "POST": self.hear}
        return Starlette(routes=[Route(EVERYWHERE, handler, methods=[name]) for name, handler in methods.items()])

    def show(self, request: Request) -> Response:
        """The page, for whoever has the token."""
        if not self._addressed(request) or not self._has_token(request.query_params.get("token", "")):
            return _answer(*OLD_PAGE)
        if request.url.path != "/":
            return _answer(HTTPStatus.NOT_FOUND, "there is only the sheet")
        return _answer(HTTPStatus.OK, self._sheet.page(), "text/html")

    def permit(self, request: Request) -> Response:
        """Whether a page of another port may ask: only those of this machine."""
        refusal = self._refusal(request)
        if refusal is not None:
            return _answer(*refusal)
        allowed = {"Access-Control-Allow-Methods": "POST", "Access-Control-Max-Age": KEEP_PREFLIGHT}
        headers = {"Access-Control-Allow-Headers": f"Content-Type, {SIGNATURE}"}
        return _answer(HTTPStatus.OK, "", more=allowed | headers | _shared(request))

    async def hear(self, request: Request) -> Response:
        """One verdict or one question, from a page of this sheet."""
        refusal = self._refusal(request) or _malformed(request)
        if refusal is None:
            body = await _body(request)
            if body is None:
                refusal = TOO_LARGE
            elif not self._authentic(request, body):
                refusal = FOREIGN
            else:
                return await run_in_threadpool(self._answered, request, body)
        return _answer(*refusal, more=_shared(request))

    def _answered(self, request: Request, body: bytes) -> Response:
        path = request.url.path
        status, found = self._act(path, body)
        answer = canonical_json({**found, "trouble": self._sheet.trouble})
        signature = self._sheet.key.signature(f"answer {path}", answer.encode())
        return _answer(status, answer, "application/json", _shared(request) | {SIGNATURE: signature})

    def _act(self, path: str, body: bytes) -> tuple[HTTPStatus, dict[str, Any]]:
        try:
            message = _message(body)
            return HTTPStatus.OK, self._sheet.take(message) if path == "/verdict" else self._sheet.tell(message)
        except InputError as error:
            return HTTPStatus.BAD_REQUEST, {"error": str(error)}
        except CorpusError as error:
            return HTTPStatus.INTERNAL_SERVER_ERROR, {"error": str(error)}

    def _addressed(self, request: Request) -> bool:
        named = request.headers.getlist("host")
        return len(named) == 1 and named[0] in self._sheet.hosts

    def _has_token(self, token: str) -> bool:
        return secrets.compare_digest(token.encode("utf-8", "replace"), self._sheet.token.encode())

    def _refusal(self, request: Request) -> RefusedRequest | None:
        if not self._addressed(request) or not LOOPBACK.fullmatch(request.headers.get("origin", "")):
            return FOREIGN
        if request.url.path not in ADDRESSES:
            return HTTPStatus.NOT_FOUND, "verdicts go to /verdict"
        return None

    def _authentic(self, request: Request, body: bytes) -> bool:
        """Signed with the sheet's key, or, from the server's own origin, with the token of this run."""
        own = request.headers.get("origin", "") in (f"http://{host}" for host in self._sheet.hosts)
        signature = request.headers.get(SIGNATURE, "")
        return self._sheet.key.signed(f"ask {request.url.path}", body, signature) or (
            own and self._has_token(request.headers.get("x-sheet-token", ""))
        )


def _answer(status: HTTPStatus, text: str, kind: str = "text/plain", more: Mapping[str, str] | None = None) -> Response:
    headers = HEADERS | {"Content-Type": f"{kind}; charset=utf-8"} | dict(more or {})
    return Response(text.encode("utf-8"), status, headers)


def _malformed(request: Request) -> RefusedRequest | None:
    length = request.headers.get("content-length", "")
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a verdict is JSON"
    if not (length.isascii() and length.isdigit()) or len(length) > 9 or int(length) > MAX_BODY:
        return TOO_LARGE
    return None


async def _body(request: Request) -> bytes | None:
    """What was sent; None if it is more than a verdict, whatever length was announced."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            return None
    return body


def _shared(request: Request) -> dict[str, str]:
    """What lets a page of another port of this machine read the answer."""
    origin = request.headers.get("origin", "")
    if not LOOPBACK.fullmatch(origin):
        return {}
    return {"Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": SIGNATURE, "Vary": "Origin"}


def _message(body: bytes) -> Mapping[str, Any]:
    try:
        message = load_json(body)
    except (ValueError, RecursionError) as error:
        raise InputError("the verdict is not JSON") from error
    if not isinstance(message, dict):
        raise InputError("the verdict is not a JSON object")
    return message


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
