"""The sheet's server: saves what its own page sends, and nothing else."""

import http.client
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from audits.sampling import Draw
from audits.serving import MAX_BODY, SheetServer
from audits.sheets import read_sheet, write_sample
from corpus.errors import CorpusError
from corpus.versions import Version
from corpus.workspace import Workspace


@pytest.fixture
def served(world: tuple[Workspace, Version], tmp_path: Path) -> Iterator[tuple[SheetServer, Path]]:
    """A running server and its sheet."""
    path = write_sample(*world, Draw("answers", 5, 7), tmp_path).sheet
    with SheetServer(path) as server:
        thread = threading.Thread(target=server.serve)
        thread.start()
        yield server, path
        server.stop()
        thread.join()


def _ask(server: SheetServer, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
    try:
        connection.request(method, path, body=body, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode("utf-8")
    finally:
        connection.close()


def _post(server: SheetServer, message: object, **changed: str) -> tuple[int, str]:
    headers = {
        "Content-Type": "application/json",
        "X-Sheet-Token": server.token,
        "Origin": f"http://127.0.0.1:{server.port}",
    }
    names = {"token": "X-Sheet-Token", "origin": "Origin", "host": "Host", "kind": "Content-Type"}
    headers |= {names[name]: value for name, value in changed.items()}
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return _ask(server, "POST", "/verdict", body, headers)


def test_page_needs_the_token(served: tuple[SheetServer, Path]) -> None:
    server, _ = served
    status, page = _ask(server, "GET", f"/?token={server.token}", None, {})
    assert status == 200
    assert server.token in page
    assert _ask(server, "GET", "/", None, {})[0] == 403
    assert _ask(server, "GET", f"/?token={server.token}x", None, {})[0] == 403
    assert _ask(server, "GET", f"/?token={server.token}", None, {"Host": f"evil.example:{server.port}"})[0] == 403
    assert _ask(server, "GET", f"/etc/passwd?token={server.token}", None, {})[0] == 404


def test_verdicts_are_saved_at_once(served: tuple[SheetServer, Path]) -> None:
    server, path = served
    post_id = read_sheet(path).rows[2].post_id
    assert _post(server, {"post_id": post_id, "verdict": "right", "note": "sure"}) == (200, "saved")
    row = read_sheet(path).rows[2]
    assert (row.verdict, row.note) == ("right", "sure")
    assert _post(server, {"post_id": post_id, "verdict": None, "note": ""})[0] == 200
    assert read_sheet(path).rows[2].verdict is None


def test_only_the_sheets_own_page_may_write(served: tuple[SheetServer, Path]) -> None:
    server, path = served
    before = path.read_bytes()
    message = {"post_id": read_sheet(path).rows[0].post_id, "verdict": "right", "note": ""}
    assert _post(server, message, token="other")[0] == 403
    assert _post(server, message, origin="https://evil.example")[0] == 403
    assert _post(server, message, origin="null")[0] == 403
    assert _post(server, message, host="evil.example")[0] == 403
    assert _post(server, message, kind="text/plain")[0] == 415
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("message", "status"),
    [
        (b"not json", 400),
        (b"[1]", 400),
        (b"[" * 9000, 400),
        ({"post_id": "nowhere:1", "verdict": "right", "note": ""}, 400),
        ({"post_id": "site:p00", "verdict": "perhaps", "note": ""}, 400),
        ({"post_id": "site:p00", "verdict": ["right"], "note": ""}, 400),
        ({"post_id": 7, "verdict": "right", "note": ""}, 400),
        ({"post_id": "site:p00", "verdict": "right", "note": "x" * MAX_BODY}, 413),
    ],
)
def test_other_messages_are_refused(served: tuple[SheetServer, Path], message: object, status: int) -> None:
    server, path = served
    before = path.read_bytes()
    assert _post(server, message)[0] == status
    assert path.read_bytes() == before


def test_concurrent_verdicts_are_all_kept(served: tuple[SheetServer, Path]) -> None:
    server, path = served
    messages = [{"post_id": row.post_id, "verdict": "wrong", "note": ""} for row in read_sheet(path).rows]
    threads = [threading.Thread(target=_post, args=(server, message)) for message in messages]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [row.verdict for row in read_sheet(path).rows] == ["wrong"] * 5


def test_a_port_in_use_is_one_line(served: tuple[SheetServer, Path]) -> None:
    server, path = served
    with pytest.raises(CorpusError, match=rf"cannot listen on 127.0.0.1:{server.port}: .*--port") as raised:
        SheetServer(path, server.port)
    assert "\n" not in str(raised.value)


def test_missing_sheets_are_named(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"cannot read .*none.jsonl"):
        SheetServer(tmp_path / "none.jsonl")
