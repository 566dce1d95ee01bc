"""A hub on loopback: what huggingface_hub asks of one to make, list, read and change a dataset repository."""

import base64
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

_REPOSITORY = re.compile(r"/api/datasets/([\w.-]+/[\w.-]+)/(tree|preupload|commit|branch|revision)/([^?/]+)")
_FILE = re.compile(r"/datasets/([\w.-]+/[\w.-]+)/resolve/([^/]+)/([^?]+)")
_SECRET = "a-token"  # not a secret: of this server alone


class Hub(ThreadingHTTPServer):
    """Repositories by name, each with its files; ``commits`` are the messages, ``private`` some names.

    ``large`` are paths whose SHA-256 it tells, ``read_since`` those that were read since the tree was last asked for.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _HubHandler)
        self.files: dict[str, dict[str, bytes]] = {}
        self.commits: list[str] = []
        self.private: set[str] = set()
        self.large: set[str] = set()
        self.read_since: set[str] = set()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _HubHandler(BaseHTTPRequestHandler):
    server: Hub

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("content-length", 0)))

    def _answer(self, content: Any, status: int = 200, **headers: str) -> None:
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"content-length": str(len(body)), "content-type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _missing(self, code: str) -> None:
        self._answer({"error": f"{code} of this test"}, 404, **{"x-error-code": code})

    def do_GET(self) -> None:
        if found := _FILE.match(self.path):
            content = self.server.files.get(found[1], {}).get(found[3])
            self.server.read_since.add(found[3])
            return self._missing("EntryNotFound") if content is None else self._answer(content)
        found = _REPOSITORY.match(self.path)
        if found is None or found[1] not in self.server.files:
            return self._missing("RepoNotFound")
        files = self.server.files[found[1]]
        if found[2] == "revision":
            return self._answer({"id": found[1]})
        self.server.read_since.clear()
        return self._answer([self._entry(path, files[path]) for path in files])

    def _entry(self, path: str, content: bytes) -> dict[str, Any]:
        told = {"type": "file", "path": path, "size": len(content), "oid": _oid(content)}
        if path in self.server.large:
            told["lfs"] = {"oid": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 130}
        return told

    def do_POST(self) -> None:
        body = self._body()
        if self.headers.get("authorization") != f"Bearer {_SECRET}":
            return self._answer({"error": "who are you"}, 401)
        if self.path == "/api/validate-yaml":
            return self._answer({"errors": [], "warnings": []})
        if self.path == "/api/repos/create":
            asked = json.loads(body)
            name = f"{asked.get('organization') or 'ann'}/{asked['name']}"
            self.server.files.setdefault(name, {".gitattributes": b""})
            if asked.get("private") or asked.get("visibility") == "private":
                self.server.private.add(name)
            return self._answer({"url": f"{self.server.address}/datasets/{name}"})
        found = _REPOSITORY.match(self.path)
        if found is None or found[1] not in self.server.files:
            return self._missing("RepoNotFound")
        files = self.server.files[found[1]]
        if found[2] == "preupload":
            asked = [{"path": one["path"]} for one in json.loads(body)["files"]]
            rest = {"uploadMode": "regular", "shouldIgnore": False}
            told = [{**one, **rest, "oid": _oid(files[one["path"]]) if one["path"] in files else None} for one in asked]
            return self._answer({"files": told})
        for line in map(json.loads, body.splitlines()):
            value = line["value"]
            if line["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "deletedFile":
                del files[value["path"]]
            else:
                self.server.commits.append(value["summary"])
        number = f"{len(self.server.commits):040d}"
        url = f"{self.server.address}/datasets/{found[1]}/commit/{number}"
        return self._answer({"success": True, "commitOid": number, "commitUrl": url})


def _oid(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


@contextmanager
def hub_server(token: str = _SECRET) -> Iterator[Hub]:
    """Serve a hub inside this block, whose address huggingface_hub takes; it knows one token."""
    import huggingface_hub.constants

    server = Hub()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    with pytest.MonkeyPatch.context() as patch:
        for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
            patch.setenv(name, token)
        file = server.address + "/{repo_id}/resolve/{revision}/{filename}"
        patch.setattr(huggingface_hub.constants, "ENDPOINT", server.address)
        patch.setattr(huggingface_hub.constants, "HUGGINGFACE_CO_URL_TEMPLATE", file)
        yield server
    server.shutdown()
    server.server_close()
    thread.join()
