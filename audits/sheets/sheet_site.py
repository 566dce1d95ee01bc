"""What a sheet's server answers: ``GET /`` the page, ``POST /verdict`` one verdict, ``POST /state`` what was judged
meanwhile. Who may ask is said in ``audits.sheets.serving``.
"""

import secrets
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Protocol

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from audits.sheets.sheet_access import LOOPBACK, SheetKey
from corpus.canonical import canonical_json
from corpus.errors import CorpusError, InputError
from corpus.strict_json import load_json

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


class Served(Protocol):
    """A sheet as its pages see it."""

    token: str
    key: SheetKey

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names under which requests may address the server."""

    @property
    def trouble(self) -> str | None:
        """Why the sheet cannot be read at the moment."""

    def page(self) -> str:
        """The page with the verdicts so far."""

    def take(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Save one verdict."""

    def tell(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """What was judged meanwhile."""


class SheetSite:
    """The ASGI application of one sheet."""

    def __init__(self, sheet: Served) -> None:
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
