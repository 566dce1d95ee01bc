"""The audit of the pinned packages: what it fails for, what it lets pass, and what it says where it cannot look."""

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
PINS = "alpha==1.0\nbeta==2.0\ngamma==3.0\n"
RANGES = {
    "alpha": [{"introduced": "0"}, {"fixed": "1.1"}],
    "beta": [{"introduced": "0"}],
}


def flaws_of(name: str) -> list[dict[str, Any]]:
    """What the service knows of a package, in the form of OSV."""
    if name not in RANGES:
        return []
    affected = {
        "package": {"name": name, "ecosystem": "PyPI"},
        "ranges": [{"type": "ECOSYSTEM", "events": RANGES[name]}],
    }
    flaw = {"id": f"PYSEC-{name}", "aliases": [f"CVE-{name}"], "summary": "", "details": "", "affected": [affected]}
    return [flaw | {"published": "2026-01-01T00:00:00Z", "modified": "2026-01-01T00:00:00Z"}]


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    """A vulnerability service on loopback; its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            content = json.dumps({"vulns": flaws_of(asked["package"]["name"])}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1/query"
        server.shutdown()


def audit(folder: Path, service: str, accepted: str, pins: str = PINS) -> tuple[int, list[str]]:
    """The exit status and the lines of an audit."""
    (folder / "pins.txt").write_text(pins, encoding="utf-8")
    (folder / "accepted.txt").write_text(accepted, encoding="utf-8")
    files = ["--pins", str(folder / "pins.txt"), "--accepted", str(folder / "accepted.txt")]
    command = [sys.executable, str(ROOT / ".ci" / "vulnerabilities.py"), "--service", service, *files]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert "Traceback" not in done.stderr
    return done.returncode, (done.stdout + done.stderr).splitlines()


def test_a_vulnerability_with_a_fix_fails_and_one_without_is_shown(service: str, tmp_path: Path) -> None:
    status, lines = audit(tmp_path, service, "")
    assert status == 1
    assert lines == [
        "pip-audit: alpha 1.0: PYSEC-alpha, fixed in 1.1",
        "pip-audit: beta 2.0: PYSEC-beta, no fix yet",
        "pip-audit: 3 pinned packages, 2 known vulnerabilities, 1 to act on",
    ]


def test_what_is_accepted_with_a_reason_passes(service: str, tmp_path: Path) -> None:
    status, lines = audit(tmp_path, service, "# ids\n\nCVE-alpha only on Windows\nCVE-gone it was harmless\n")
    assert status == 0
    assert "pip-audit: alpha 1.0: PYSEC-alpha, accepted: only on Windows" in lines
    assert "pip-audit: CVE-gone is no longer met; take it out of accepted.txt" in lines
    status, lines = audit(tmp_path, service, "CVE-alpha\n")
    assert status == 1
    assert lines[-1].endswith("every line needs an id and a reason")


def test_a_service_out_of_reach_is_named_and_fails_nothing(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    status, lines = audit(tmp_path, f"http://127.0.0.1:{port}/v1/query", "")
    assert status == 0
    assert len(lines) == 1
    assert lines[0].startswith(f"pip-audit: left out, http://127.0.0.1:{port}/v1/query cannot be used (")


def test_whoever_answers_in_its_place_is_not_the_service(tmp_path: Path) -> None:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_error(403, "Forbidden by the proxy")

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        status, lines = audit(tmp_path, f"http://127.0.0.1:{server.server_port}/v1/query", "")
        server.shutdown()
    assert status == 0
    assert "left out" in lines[0]
    assert "Forbidden by the proxy" in lines[0]


def test_pins_that_cannot_be_read_fail(service: str, tmp_path: Path) -> None:
    status, lines = audit(tmp_path, service, "", "alpha>=1.0\n")
    assert status == 1
    assert lines[-1].startswith("pip-audit: failed: ")


def test_ci_audits_the_pins_and_every_acceptance_has_a_reason() -> None:
    steps = [line.split() for line in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()]
    assert any(words[:1] == ["make"] and "audit" in words for words in steps)
    lines = (ROOT / ".ci" / "accepted.txt").read_text(encoding="utf-8").splitlines()
    assert all(line.startswith("#") or len(line.split()) > 2 for line in lines if line)
