"""A sheet in the browser: a small server on loopback that saves every verdict into the sheet as it is given.

Requests need a token made anew for each run; the host and origin they name must be this server's, so that no other page
the browser has open, and no name that points here, can read or write the sheet.
"""

import json
import secrets
import threading
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar, get_args
from urllib.parse import parse_qs, urlsplit

from audits.sheets import Sheet, Verdict, page_of, read_sheet, save_sheet
from corpus.errors import CorpusError, InputError, StoreError

HOST = "127.0.0.1"
MAX_BODY = 16 * 1024
VERDICTS = (None, *get_args(Verdict))
SECONDS = 10
HTTP_PORT = 80


class SheetServer:
    """Serves one sheet; ``with`` closes it. The sheet on disk is rewritten, whole and atomically, at each verdict."""

    def __init__(self, path: Path, port: int = 0) -> None:
        self._path = path
        self._sheet = read_sheet(path)
        self._lock = threading.Lock()
        self.token = secrets.token_urlsafe(24)
        handler = type("Handler", (_Handler,), {"owner": self})
        try:
            self._server = ThreadingHTTPServer((HOST, port), handler)
        except OSError as error:
            raise StoreError(
                f"cannot listen on {HOST}:{port}: {error.strerror or error}; choose another --port, or 0 for a free one"
            ) from error
        self.port = int(self._server.server_address[1])

    def __enter__(self) -> "SheetServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def url(self) -> str:
        """Where to look; it carries the token."""
        return f"http://{HOST}:{self.port}/?token={self.token}"

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names under which requests may address this server."""
        port = "" if self.port == HTTP_PORT else f":{self.port}"
        return (f"{HOST}{port}", f"localhost{port}")

    @property
    def sheet(self) -> Sheet:
        """The sheet with all verdicts so far."""
        with self._lock:
            return self._sheet

    def serve(self) -> None:
        """Answer requests until ``stop`` is called from elsewhere."""
        self._server.serve_forever(poll_interval=0.1)

    def stop(self) -> None:
        """End ``serve``."""
        self._server.shutdown()

    def close(self) -> None:
        """Give the port back."""
        self._server.server_close()

    def page(self) -> str:
        """The page with the verdicts so far."""
        return page_of(self.sheet, self.token)

    def take(self, message: Mapping[str, Any]) -> None:
        """Save one verdict; InputError for a message of another form or for a post that is not on the sheet."""
        post_id, verdict, note = message.get("post_id"), message.get("verdict"), message.get("note", "")
        if not isinstance(post_id, str) or not isinstance(note, str) or verdict not in VERDICTS:
            raise InputError("a verdict needs post_id, verdict (right, wrong, unsure or null) and a note")
        with self._lock:
            sheet = self._sheet.with_verdict(post_id, verdict, note)
            save_sheet(sheet, self._path)
            self._sheet = sheet


class _Handler(BaseHTTPRequestHandler):
    """Two addresses: ``GET /`` the page, ``POST /verdict`` one verdict."""

    owner: ClassVar[SheetServer]
    timeout = SECONDS
    server_version = "wordquarry"
    sys_version = ""

    def log_message(self, *_: Any, **__: Any) -> None:
        """Stay silent: the terminal is the person's."""

    def _answer(self, status: HTTPStatus, text: str, kind: str = "text/plain") -> None:
        content = text.encode("utf-8")
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("X-Frame-Options", "DENY")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)

    def _trusted(self, token: str) -> bool:
        known = self.headers.get("Host", "") in self.owner.hosts
        return known and secrets.compare_digest(token.encode(), self.owner.token.encode())

    def do_GET(self) -> None:
        """The page, for whoever has the token."""
        target = urlsplit(self.path)
        token = parse_qs(target.query).get("token", [""])[0]
        if not self._trusted(token):
            self._answer(HTTPStatus.FORBIDDEN, "open the address that wordquarry audit serve printed")
        elif target.path != "/":
            self._answer(HTTPStatus.NOT_FOUND, "there is only the sheet")
        else:
            self._answer(HTTPStatus.OK, self.owner.page(), "text/html")

    def do_POST(self) -> None:
        """One verdict, from our own page."""
        refusal = self._refusal()
        if refusal is not None:
            self._answer(*refusal)
            return
        try:
            self.owner.take(_message(self.rfile.read(int(self.headers["Content-Length"]))))
        except InputError as error:
            self._answer(HTTPStatus.BAD_REQUEST, str(error))
        except CorpusError as error:
            self._answer(HTTPStatus.INTERNAL_SERVER_ERROR, str(error))
        else:
            self._answer(HTTPStatus.OK, "saved")

    def _refusal(self) -> tuple[HTTPStatus, str] | None:
        origin, length = self.headers.get("Origin", ""), self.headers.get("Content-Length", "")
        if not self._trusted(self.headers.get("X-Sheet-Token", "")) or origin not in self._origins():
            return HTTPStatus.FORBIDDEN, "verdicts are taken from the sheet's own page only"
        if self.path != "/verdict":
            return HTTPStatus.NOT_FOUND, "verdicts go to /verdict"
        if self.headers.get_content_type() != "application/json":
            return HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a verdict is JSON"
        if not (length.isascii() and length.isdigit()) or len(length) > 9 or int(length) > MAX_BODY:
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a verdict has at most {MAX_BODY} bytes"
        return None

    def _origins(self) -> list[str]:
        return [f"http://{host}" for host in self.owner.hosts]


def _message(body: bytes) -> Mapping[str, Any]:
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise InputError("the verdict is not JSON") from error
    if not isinstance(message, dict):
        raise InputError("the verdict is not a JSON object")
    return message
